/* Products with triangular matrices and their inverses, in place: trmm and trsm.
 *
 * Both take the tiles of A along its diagonal one after the other. A solve finishes its block of B
 * and takes it from the blocks that are still to come; a product adds its block of B to those that
 * are done, and then overwrites it. */
#include "la/check.h"
#include "la/direct.h"
#include "la/fit.h"
#include "la/kernel/blocks.h"
#include "la/level3/steps.h"

#include <twill/level3.h>

typedef struct plan {
    tw_triangle t;
    twill_scalar alpha;
    twill_array *a, *b;
    bool solve, priority;

    /* Found out from it: */
    bool left, forward; /* forward: from the first tile of the diagonal to the last */
    /* And when the matrices fit: tiles along the diagonal of A, and of B in the other direction. */
    int64_t nt, others;
} plan;

/* Tile of B in block k of those that A mixes. */
static twill_tile *tile_b(const plan *p, int64_t k, int64_t other)
{
    return p->left ? twill_tile_at(p->b, k, other) : twill_tile_at(p->b, other, k);
}

/* The tile of A by which block k of B goes into block i: op(A)(i, k) from the left. */
static twill_tile *tile_a(const plan *p, int64_t i, int64_t k)
{
    bool stored = p->left == (p->t.trans == 'N');
    return stored ? twill_tile_at(p->a, i, k) : twill_tile_at(p->a, k, i);
}

/* The number of the block that is taken at step s, and back. */
static int64_t block(const plan *p, int64_t s)
{
    return p->forward ? s : p->nt - 1 - s;
}

/* Blocks that are taken earlier have more to come after them. */
static twill_arg urgency(const plan *p, int64_t s, int64_t bonus)
{
    return TWILL_PRIORITY(p->priority ? 2 * (p->nt - s) + bonus : 0);
}

/* The factor comes in with the first step that touches a block of B. */
static tw_element element(const plan *p, bool with_alpha)
{
    return tw_la_element(twill_array_type(p->b), with_alpha ? p->alpha : twill_real(1.0));
}

static twill_status insert_diagonal(twill_graph *g, const plan *p, int64_t s)
{
    tw_element alpha = element(p, !p->solve || s == 0);
    int64_t k = block(p, s);
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < p->others && status == TWILL_OK; j++)
        status = twill_insert(g, p->solve ? &tw_step_trsm : &tw_step_trmm,
                              TWILL_R(twill_tile_at(p->a, k, k)), TWILL_RW(tile_b(p, k, j)),
                              TWILL_VALUE(p->t), TWILL_VALUE(alpha), urgency(p, s, 1));
    return status;
}

/* The block of step `from` goes into the block of step `to`. */
static twill_status insert_update(twill_graph *g, const plan *p, int64_t from, int64_t to)
{
    int64_t k = block(p, from), i = block(p, to);
    tw_blas_args step = {.options = {p->left ? p->t.trans : 'N', p->left ? 'N' : p->t.trans}};
    step.alpha = p->solve ? tw_la_element(twill_array_type(p->b), twill_real(-1.0)) : element(p, 1);
    step.beta = element(p, p->solve && from == 0);
    twill_tile *a = tile_a(p, i, k);
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < p->others && status == TWILL_OK; j++) {
        twill_tile *b = tile_b(p, k, j);
        status = twill_insert(g, &tw_step_gemm, TWILL_R(p->left ? a : b), TWILL_R(p->left ? b : a),
                              TWILL_RW(tile_b(p, i, j)), TWILL_VALUE(step), urgency(p, to, 0));
    }
    return status;
}

static twill_status insert_step(twill_graph *g, const plan *p, int64_t s)
{
    twill_status status = p->solve ? insert_diagonal(g, p, s) : TWILL_OK;
    int64_t first = p->solve ? s + 1 : 0, end = p->solve ? p->nt : s;
    for (int64_t to = first; to < end && status == TWILL_OK; to++)
        status = insert_update(g, p, s, to);
    if (!p->solve && status == TWILL_OK)
        status = insert_diagonal(g, p, s);
    return status;
}

static bool is_zero(twill_scalar x)
{
    return x.re == 0.0 && x.im == 0.0;
}

static twill_status insert_steps(twill_graph *g, plan *p)
{
    twill_status status = TWILL_OK;
    p->nt = tw_la_nt(p->a);
    p->others = p->left ? tw_la_nt(p->b) : tw_la_mt(p->b);
    for (int64_t s = 0; s < p->nt && status == TWILL_OK; s++)
        status = insert_step(g, p, s);
    return status;
}

static twill_status insert_all(twill_graph *g, void *arg)
{
    plan *p = arg;
    if (is_zero(p->alpha))
        return tw_steps_scale(g, p->b, TWILL_GENERAL, false, p->alpha);
    enum { ORDER, OTHER };
    tw_fit x[] = {tw_fit_of(&p->a, TWILL_READ, (twill_uplo)p->t.uplo, ORDER, ORDER),
                  tw_fit_of(&p->b, TWILL_READ_WRITE, TWILL_GENERAL, p->left ? ORDER : OTHER,
                            p->left ? OTHER : ORDER)};
    twill_status status = tw_fit_begin(g, x, 2);
    if (status == TWILL_OK)
        status = insert_steps(g, p);
    return tw_fit_end(g, x, 2, status);
}

static twill_status check(const plan *p)
{
    tw_check c = {p->solve ? "trsm" : "trmm", TWILL_OK};
    bool left = p->t.side == TWILL_LEFT;
    tw_check_side(&c, 1, (twill_side)p->t.side);
    tw_check_uplo(&c, 2, (twill_uplo)p->t.uplo);
    tw_check_trans(&c, 3, (twill_trans)p->t.trans);
    tw_check_diag(&c, 4, (twill_diag)p->t.diag);
    tw_check_matrix(&c, 8, p->a, NULL);
    tw_check_matrix(&c, 10, p->b, p->a);
    tw_check_stores(&c, 8, p->a, (twill_uplo)p->t.uplo);
    tw_check_stores(&c, 10, p->b, TWILL_GENERAL);
    tw_check_scalar(&c, 7, p->alpha, p->a);
    tw_check_result(&c, 10, p->b, p->a);
    tw_check_cuts(&c, left ? 5 : 6, left ? "m" : "n", p->b, !left, p->a, 0);
    tw_check_cuts(&c, left ? 5 : 6, left ? "m" : "n", p->b, !left, p->a, 1);
    return c.status;
}

static twill_status finish_plan(plan *p)
{
    twill_status status = check(p);
    if (status != TWILL_OK)
        return status;
    bool lower = (p->t.uplo == 'L') == (p->t.trans == 'N'); /* op(A) */
    p->left = p->t.side == 'L';
    p->forward = p->solve == (p->left == lower);
    return TWILL_OK;
}

/* What is done to small matrices as a whole. */
static int64_t multiply(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    const plan *p = arg;
    tw_element alpha = element(p, true);
    tw_tile_view a = tw_view_of(&x[0]), b = tw_view_of(&x[1]);
    if (is_zero(p->alpha))
        tw_block_clear(k, b.rows, b.cols, b.data, b.ld);
    else
        (p->solve ? tw_call_trsm : tw_call_trmm)(k, p->t, &alpha, &a, &b);
    return 0;
}

static twill_status run(plan p)
{
    tw_direct d = {
        p.solve ? "trsm" : "trmm", multiply, &p, {{p.a, TWILL_READ}, {p.b, TWILL_READ_WRITE}}};
    twill_status status = finish_plan(&p);
    if (status != TWILL_OK || tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(p.b), insert_all, &p, NULL);
}

static twill_status insert(twill_graph *g, plan p, const twill_la_options *options)
{
    p.priority = !options || !options->no_priority;
    twill_status status = finish_plan(&p);
    return status == TWILL_OK ? insert_all(g, &p) : status;
}

static plan make_plan(bool solve, twill_side side, twill_uplo uplo, twill_trans trans,
                      twill_diag diag, twill_scalar alpha, twill_array *a, twill_array *b)
{
    return (plan){.t = {(char)side, (char)uplo, (char)trans, (char)diag},
                  .alpha = alpha,
                  .a = a,
                  .b = b,
                  .solve = solve,
                  .priority = true};
}

twill_status twill_trmm(twill_side side, twill_uplo uplo, twill_trans trans, twill_diag diag,
                        twill_scalar alpha, twill_array *a, twill_array *b)
{
    return run(make_plan(false, side, uplo, trans, diag, alpha, a, b));
}

twill_status twill_trmm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                               twill_trans trans, twill_diag diag, twill_scalar alpha,
                               twill_array *a, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert(graph, make_plan(false, side, uplo, trans, diag, alpha, a, b), options);
}

twill_status twill_trsm(twill_side side, twill_uplo uplo, twill_trans trans, twill_diag diag,
                        twill_scalar alpha, twill_array *a, twill_array *b)
{
    return run(make_plan(true, side, uplo, trans, diag, alpha, a, b));
}

twill_status twill_trsm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                               twill_trans trans, twill_diag diag, twill_scalar alpha,
                               twill_array *a, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert(graph, make_plan(true, side, uplo, trans, diag, alpha, a, b), options);
}
