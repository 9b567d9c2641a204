/* Inverse of a triangular matrix in its place, the lower form being that of the formulas:
 *
 *   step k:  A(m,k) := -A(m,k) A(k,k)^-1      m > k
 *            A(m,n) += A(m,k) A(k,n)          m > k > n
 *            A(k,n) := A(k,k)^-1 A(k,n)       n < k
 *            A(k,k) := A(k,k)^-1
 *
 * The upper form is its mirror image: rows and columns change places, and so do the factors. */
#include "la/cholesky/triangle.h"
#include "la/kernel/inverse.h"
#include "la/kernel/recursive.h"
#include "la/kernel/tiles.h"
#include "la/la.h"

typedef struct plan {
    twill_array *a;
    twill_uplo uplo;
    twill_diag diag;
    bool priority;
    int64_t nt;
} plan;

/* ---- tasks ------------------------------------------------------------------------------- */

static twill_outcome zero_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0);
    int64_t zero = tw_tile_zero(tw_la_kernels(t, 0), &a);
    return zero ? twill_task_numerical(t, twill_task_int(t, 1) + zero) : TWILL_DONE;
}

static twill_outcome trtri_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0);
    tw_tile_trtri(tw_la_kernels(t, 0), (char)twill_task_int(t, 1), (char)twill_task_int(t, 2), &a);
    return TWILL_DONE;
}

/* C := C A^-1 or A^-1 C, negative when it is the former of the lower form. */
static twill_outcome solve_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    tw_triangle how = {(char)twill_task_int(t, 4), (char)twill_task_int(t, 2), 'N',
                       (char)twill_task_int(t, 3)};
    tw_trsm_recursive(k, how, (int)c.rows, (int)c.cols,
                      twill_task_int(t, 5) ? k->minus_one : k->one, a.data, (int)a.ld, c.data,
                      (int)c.ld);
    return TWILL_DONE;
}

/* C += A B. */
static twill_outcome gemm_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    tw_tile_product(k, 'N', 'N', k->one, &a, &b, &c);
    return TWILL_DONE;
}

static const twill_class zero = {.size = sizeof(twill_class),
                                 .name = "zero",
                                 .chores = {TWILL_CPU(zero_body)},
                                 .parameters = "row"};
static const twill_class trtri = {
    .size = sizeof(twill_class), .name = "trtri", .chores = {TWILL_CPU(trtri_body)}};
static const twill_class solve = {
    .size = sizeof(twill_class), .name = "trsm", .chores = {TWILL_CPU(solve_body)}};
static const twill_class gemm = {
    .size = sizeof(twill_class), .name = "gemm", .chores = {TWILL_CPU(gemm_body)}};

/* ---- the algorithm ----------------------------------------------------------------------- */

static twill_tile *tile(const plan *p, int64_t i, int64_t j)
{
    return tw_triangle_tile(p->a, p->uplo, i, j);
}

/* Earlier steps first, and of a step what others wait for. */
static twill_arg urgency(const plan *p, int64_t k, int64_t bonus)
{
    return TWILL_PRIORITY(p->priority ? 3 * (p->nt - k) + bonus : 0);
}

/* The diagonal is looked at from the top, so that the first zero is the one that is told: each of
 * these tasks claims the tile before its own, which nobody changes in between. */
static twill_status insert_zeros(twill_graph *g, const plan *p)
{
    twill_status status = TWILL_OK;
    int64_t nb = twill_array_pattern(p->a)->block[0];
    for (int64_t k = 0; k < p->nt && status == TWILL_OK; k++)
        status = k == 0 ? twill_insert(g, &zero, TWILL_RW(tile(p, k, k)), TWILL_INT(0))
                        : twill_insert(g, &zero, TWILL_RW(tile(p, k, k)), TWILL_INT(k * nb),
                                       TWILL_RW(tile(p, k - 1, k - 1)));
    return status;
}

static twill_status insert_solve(twill_graph *g, const plan *p, int64_t k, int64_t i, int64_t j)
{
    bool below = i > k;
    bool right = below == (p->uplo == TWILL_LOWER);
    return twill_insert(g, &solve, TWILL_R(tile(p, k, k)), TWILL_RW(tile(p, i, j)),
                        TWILL_INT(p->uplo), TWILL_INT(p->diag), TWILL_INT(right ? 'R' : 'L'),
                        TWILL_INT(below), urgency(p, k, below ? 2 : 0),
                        tw_triangle_cost(p->a, k, k, i == k ? j : i, 0.5));
}

static twill_status insert_gemm(twill_graph *g, const plan *p, int64_t m, int64_t n, int64_t k)
{
    bool lower = p->uplo == TWILL_LOWER;
    return twill_insert(g, &gemm, TWILL_R(lower ? tile(p, m, k) : tile(p, k, n)),
                        TWILL_R(lower ? tile(p, k, n) : tile(p, m, k)), TWILL_RW(tile(p, m, n)),
                        urgency(p, k, 1), tw_triangle_cost(p->a, m, n, k, 1.0));
}

static twill_status insert_step(twill_graph *g, const plan *p, int64_t k)
{
    twill_status status = TWILL_OK;
    for (int64_t m = k + 1; m < p->nt && status == TWILL_OK; m++)
        status = insert_solve(g, p, k, m, k);
    for (int64_t m = k + 1; m < p->nt; m++)
        for (int64_t n = 0; n < k && status == TWILL_OK; n++)
            status = insert_gemm(g, p, m, n, k);
    for (int64_t n = 0; n < k && status == TWILL_OK; n++)
        status = insert_solve(g, p, k, k, n);
    if (status == TWILL_OK)
        status =
            twill_insert(g, &trtri, TWILL_RW(tile(p, k, k)), TWILL_INT(p->uplo), TWILL_INT(p->diag),
                         urgency(p, k, 0), tw_triangle_cost(p->a, k, k, k, 1.0 / 6));
    return status;
}

static twill_status check(int64_t *info, twill_uplo uplo, twill_diag diag, twill_array *a)
{
    twill_status status = tw_triangle_check(info, "trtri", uplo, a);
    if (status == TWILL_OK && diag != TWILL_UNIT && diag != TWILL_NON_UNIT)
        status = tw_la_bad(info, "trtri", 2, "(diag) must be TWILL_UNIT or TWILL_NON_UNIT");
    return status;
}

twill_status twill_trtri_insert(twill_graph *g, twill_uplo uplo, twill_diag diag, twill_array *a,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = check(NULL, uplo, diag, a);
    if (status != TWILL_OK)
        return status;
    plan p = {a, uplo, diag, !options || !options->no_priority, tw_la_nt(a)};
    if (diag == TWILL_NON_UNIT)
        status = insert_zeros(g, &p);
    for (int64_t k = 0; k < p.nt && status == TWILL_OK; k++)
        status = insert_step(g, &p, k);
    /* a zero may be found while we still insert: the graph knows, and twill_wait will say so */
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

static twill_status insert_look(twill_graph *g, void *arg)
{
    return insert_zeros(g, arg);
}

static twill_status insert_all(twill_graph *g, void *arg)
{
    const plan *p = arg;
    return twill_trtri_insert(g, p->uplo, p->diag, p->a, NULL);
}

twill_status tw_trtri_look(twill_uplo uplo, twill_array *a, int64_t *info)
{
    plan p = {a, uplo, TWILL_NON_UNIT, true, tw_la_nt(a)};
    return tw_triangle_run(twill_array_context(a), insert_look, &p, info);
}

/* ---- small matrices ---------------------------------------------------------------------- */

/* The argument is the options of the triangle and of its diagonal. */
static int64_t invert_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    const char *options = arg;
    int64_t info = options[1] == 'U' ? 0 : tw_tile_zero(k, x);
    if (info == 0)
        tw_tile_trtri(k, options[0], options[1], x);
    return info;
}

int64_t tw_trtri_whole(const tw_kernels *k, const twill_flow *x, const void *uplo)
{
    return invert_whole(k, x, (const char[]){*(const char *)uplo, 'N'});
}

twill_status twill_trtri(twill_uplo uplo, twill_diag diag, twill_array *a, int64_t *info)
{
    int64_t found = 0;
    const char options[] = {(char)uplo, (char)diag};
    tw_direct d = {"trtri", invert_whole, options, {{a, TWILL_READ_WRITE}}};
    twill_status status = check(info, uplo, diag, a);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    if (diag == TWILL_NON_UNIT)
        status = tw_trtri_look(uplo, a, &found);
    if (status == TWILL_OK && found == 0)
        status = tw_triangle_run(twill_array_context(a), insert_all,
                                 &(plan){.a = a, .uplo = uplo, .diag = diag}, &found);
    if (status == TWILL_OK && info)
        *info = found;
    return status;
}
