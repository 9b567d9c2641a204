/* Least squares and minimum norm solutions by QR or LQ. */
#include "la/qr/gels_ranks.h"
#include "la/qr/gels_scale.h"
#include "la/qr/qr.h"

#include "data/array.h"
#include "engine/engine.h"
#include "front/stf/ranks.h"
#include "la/check.h"
#include "la/fit.h"
#include "la/kernel/blocks.h"
#include "la/kernel/inverse.h"
#include "la/kernel/recursive.h"
#include "la/matrix/uplo.h"

#include <limits.h>

/* ---- the triangular system --------------------------------------------------------------- */

/* R or L is the leading block of A of order k; its last tile may be larger than it. */
typedef struct triangle {
    twill_array *a, *b, *scales;
    char uplo, trans;
    int64_t k, kt, nb;
} triangle;

static int order_of(const triangle *r, int64_t i)
{
    return (int)tw_min(r->k - i * r->nb, r->nb);
}

/* Arguments: tile of the diagonal, norm of A, the first zero so far, order, rows before it, does it
 * tell? Exact zeros are LAPACK's criterion; the zero matrix has a solution nevertheless, zero. The
 * last one tells, for that cancels the graph, and A is to be factored all the same. */
static twill_outcome rank_body(twill_task *t)
{
    double *first = twill_task_data(t, 2);
    int64_t before = twill_task_int(t, 4);
    twill_flow a = tw_la_tile(t, 0);
    a.rows = twill_task_int(t, 3);
    if (before == 0)
        *first = 0.0;
    if (*(const double *)twill_task_data(t, 1) == 0.0)
        return TWILL_DONE;
    int64_t zero = tw_tile_zero(tw_la_kernels(t, 0), &a);
    if (*first == 0.0 && zero)
        *first = (double)(before + zero);
    if (*first != 0.0 && twill_task_int(t, 5))
        return twill_task_numerical(t, (int64_t)*first);
    return TWILL_DONE;
}

/* Arguments: tile of the diagonal, tile of B, uplo, trans, order. */
static twill_outcome solve_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1);
    const tw_kernels *k = tw_la_kernels(t, 0);
    tw_triangle r = {'L', (char)twill_task_int(t, 2), (char)twill_task_int(t, 3), 'N'};
    tw_trsm_recursive(k, r, (int)twill_task_int(t, 4), (int)b.cols, k->one, a.data, (int)a.ld,
                      b.data, (int)b.ld);
    return TWILL_DONE;
}

/* Arguments: tile of A, tile of X, tile of B, trans, rows of B, rows of X: B -= op(A) X. */
static twill_outcome update_body(twill_task *t)
{
    twill_flow a = tw_la_tile(t, 0), x = tw_la_tile(t, 1), b = tw_la_tile(t, 2);
    const tw_kernels *k = tw_la_kernels(t, 0);
    char trans = (char)twill_task_int(t, 3);
    int m = (int)twill_task_int(t, 4), inner = (int)twill_task_int(t, 5), n = (int)b.cols;
    int lda = (int)a.ld, ldx = (int)x.ld, ldb = (int)b.ld;
    tw_block_gemm(k, trans, 'N', m, n, inner, k->minus_one, a.data, lda, x.data, ldx, k->one,
                  b.data, ldb);
    return TWILL_DONE;
}

/* Arguments: tile of B, rows that stay. */
static twill_outcome clear_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow b = tw_la_tile(t, 0);
    int64_t stay = twill_task_int(t, 1);
    tw_block_clear(k, (int)(b.rows - stay), (int)b.cols, tw_at_rw(k, b.data, stay, 0, b.ld),
                   (int)b.ld);
    return TWILL_DONE;
}

static const twill_class rank_class = {.size = sizeof(twill_class),
                                       .name = "rank",
                                       .chores = {TWILL_CPU(rank_body)},
                                       .parameters = "n m last"};
static const twill_class solve = {.size = sizeof(twill_class),
                                  .name = "trsm",
                                  .chores = {TWILL_CPU(solve_body)},
                                  .parameters = "u t n"};
static const twill_class update = {.size = sizeof(twill_class),
                                   .name = "gemm",
                                   .chores = {TWILL_CPU(update_body)},
                                   .parameters = "t m n"};
static const twill_class clear = {.size = sizeof(twill_class),
                                  .name = "clear",
                                  .chores = {TWILL_CPU(clear_body)},
                                  .parameters = "stay"};

static twill_status insert_rank(twill_graph *g, const triangle *r)
{
    twill_tile *first = twill_tile_at(r->scales, 0, 2);
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < r->kt && status == TWILL_OK; i++)
        status = twill_insert(g, &rank_class, TWILL_R(twill_tile_at(r->a, i, i)),
                              TWILL_R(twill_tile_at(r->scales, 0, 0)), TWILL_RW(first),
                              TWILL_INT(order_of(r, i)), TWILL_INT(i * r->nb),
                              TWILL_INT(i + 1 == r->kt && !g->shared));
    return g->shared && status == TWILL_OK ? tw_gels_tell(g, r->a, first) : status;
}

/* Tile row i of X is known; column j of tiles. */
static twill_status insert_updates(twill_graph *g, const triangle *r, bool forward, int64_t i,
                                   int64_t j)
{
    twill_status status = TWILL_OK;
    for (int64_t l = forward ? i + 1 : 0; l < (forward ? r->kt : i) && status == TWILL_OK; l++) {
        twill_tile *a = r->trans == 'N' ? twill_tile_at(r->a, l, i) : twill_tile_at(r->a, i, l);
        status = twill_insert(g, &update, TWILL_R(a), TWILL_R(twill_tile_at(r->b, i, j)),
                              TWILL_RW(twill_tile_at(r->b, l, j)), TWILL_INT(r->trans),
                              TWILL_INT(order_of(r, l)), TWILL_INT(order_of(r, i)));
    }
    return status;
}

static twill_status insert_solve(twill_graph *g, const triangle *r)
{
    bool forward = (r->uplo == 'L') == (r->trans == 'N');
    twill_status status = insert_rank(g, r);
    for (int64_t step = 0; step < r->kt; step++) {
        int64_t i = forward ? step : r->kt - 1 - step;
        for (int64_t j = 0; j < tw_la_nt(r->b) && status == TWILL_OK; j++) {
            status = twill_insert(g, &solve, TWILL_R(twill_tile_at(r->a, i, i)),
                                  TWILL_RW(twill_tile_at(r->b, i, j)), TWILL_INT(r->uplo),
                                  TWILL_INT(r->trans), TWILL_INT(order_of(r, i)));
            if (status == TWILL_OK)
                status = insert_updates(g, r, forward, i, j);
        }
    }
    return status;
}

/* B := 0 from row k on. */
static twill_status insert_clear(twill_graph *g, twill_array *b, int64_t k)
{
    int64_t nb = twill_array_pattern(b)->block[0];
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(b); j++)
        for (int64_t i = k / nb; i < tw_la_mt(b) && status == TWILL_OK; i++)
            status = twill_insert(g, &clear, TWILL_RW(twill_tile_at(b, i, j)),
                                  TWILL_INT(k > i * nb ? k - i * nb : 0));
    return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

typedef struct call {
    twill_trans trans;
    twill_array *a, *b;
    twill_reflectors *h;
    const twill_la_options *options;
} call;

static twill_status insert_q(twill_graph *g, const call *o, bool inverse)
{
    tw_qr q;
    tw_qr_target to = {o->b, TWILL_LEFT, inverse != o->h->mirror ? 'C' : 'N'};
    twill_status status = tw_qr_begin(&q, g, o->a, o->h, o->options);
    if (status == TWILL_OK)
        status = tw_qr_apply_all(&q, &to, false);
    tw_qr_end(&q);
    return status;
}

/* With A = Q R and no transposition, or A = L Q and its transposition: Q first, then the triangle.
 * That is the overdetermined system; otherwise the solution of least norm. */
static twill_status insert_steps(twill_graph *g, const call *o, const triangle *r)
{
    bool mirror = o->h->mirror, plain = o->trans == TWILL_NO_TRANS;
    if (plain != mirror) {
        twill_status status = insert_q(g, o, !mirror);
        return status == TWILL_OK ? insert_solve(g, r) : status;
    }
    twill_status status = insert_solve(g, r);
    if (status == TWILL_OK)
        status = insert_clear(g, o->b, r->k);
    return status == TWILL_OK ? insert_q(g, o, mirror) : status;
}

static twill_status insert_all(twill_graph *g, const call *o)
{
    const twill_pattern *p = twill_array_pattern(o->a);
    int64_t m = p->extent[0], n = p->extent[1], k = m < n ? m : n;
    bool plain = o->trans == TWILL_NO_TRANS;
    if (k == 0 || twill_array_pattern(o->b)->extent[1] == 0)
        return insert_clear(g, o->b, 0);
    twill_status status = tw_scales_fit(o->a, &o->h->scales);
    if (status != TWILL_OK)
        return g->shared ? tw_stf_missed(g, status) : status;
    twill_tile *norm_a = twill_tile_at(o->h->scales, 0, 0),
               *norm_b = twill_tile_at(o->h->scales, 0, 1);
    status = tw_scale_insert(g, &(tw_scaled){o->a, m, norm_a});
    if (status == TWILL_OK)
        status = tw_scale_insert(g, &(tw_scaled){o->b, plain ? m : n, norm_b});
    if (status == TWILL_OK)
        status = tw_qr_insert(g, o->a, o->h, m < n, o->options);
    triangle r = {o->a,
                  o->b,
                  o->h->scales,
                  m < n ? 'L' : 'U',
                  plain ? 'N' : 'C',
                  k,
                  (k + p->block[0] - 1) / p->block[0],
                  p->block[0]};
    if (status == TWILL_OK)
        status = insert_steps(g, o, &r);
    if (status == TWILL_OK)
        status = tw_unscale_insert(g, o->b, plain ? n : m, norm_a, norm_b);
    return status;
}

static twill_status insert_gels(twill_graph *g, void *arg)
{
    call *o = arg;
    const twill_pattern *p = twill_array_pattern(o->a);
    tw_fit fit[2];
    tw_fit_system(fit, &o->a, p->extent[0] < p->extent[1], &o->b, 0);
    twill_status status = tw_fit_begin(g, fit, 2);
    if (status == TWILL_OK)
        status = insert_all(g, o);
    status = tw_fit_end(g, fit, 2, status);
    /* a zero on the diagonal may be found while we still insert: twill_wait will say so */
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

/* ---- arguments --------------------------------------------------------------------------- */

static twill_status check(twill_trans trans, twill_array *a, twill_array *b, int64_t *info)
{
    twill_status status = tw_qr_check_matrix("gels", a);
    if (status == TWILL_OK)
        status = tw_la_check_whole("gels", b);
    if (status != TWILL_OK)
        return status;
    bool complex = tw_la_complex(twill_array_type(a));
    if (trans != TWILL_NO_TRANS && trans != TWILL_CONJ_TRANS && (complex || trans != TWILL_TRANS))
        return tw_la_bad(info, "gels", 1, "(trans) must be TWILL_NO_TRANS or %s",
                         complex ? "TWILL_CONJ_TRANS" : "TWILL_TRANS");
    const twill_pattern *p = twill_array_pattern(a), *q = twill_array_pattern(b);
    int64_t rows = p->extent[0] > p->extent[1] ? p->extent[0] : p->extent[1];
    if (q->extent[0] != rows)
        return tw_la_bad(info, "gels", 8, "(B) has %lld rows, but must have max(m, n), %lld",
                         (long long)q->extent[0], (long long)rows);
    tw_check parts = {"gels", TWILL_OK};
    tw_check_stores(&parts, 7, b, TWILL_GENERAL);
    tw_check_result(&parts, 7, b, a);
    if (parts.status != TWILL_OK)
        return parts.status;
    if (twill_array_type(a) != twill_array_type(b) ||
        twill_array_context(a) != twill_array_context(b) ||
        !tw_can_fit(a, p->extent[0] < p->extent[1], b, 0))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "gels: A and B differ in type, context or rows of tiles");
    if (b->ld > INT_MAX)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "gels: the matrix is too large for the BLAS");
    return TWILL_OK;
}

twill_status twill_gels_insert(twill_graph *g, twill_trans trans, twill_array *a,
                               twill_reflectors *h, twill_array *b, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = check(trans, a, b, NULL);
    if (status == TWILL_OK && (!h || h->tw != twill_array_context(a)))
        status = tw_fail(TWILL_ERR_ARGUMENT, "gels: the reflectors are NULL or of another context");
    return status == TWILL_OK ? insert_gels(g, &(call){trans, a, b, h, options}) : status;
}

twill_status twill_gels(twill_trans trans, twill_array *a, twill_array *b, int64_t *info)
{
    twill_reflectors *h;
    char option = (char)trans;
    tw_direct d = {"gels", tw_gels_whole, &option, {{a, TWILL_READ_WRITE}, {b, TWILL_READ_WRITE}}};
    twill_status status = check(trans, a, b, info);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    twill *tw = twill_array_context(a);
    status = twill_reflectors_create(tw, NULL, &h);
    if (status != TWILL_OK)
        return status;
    status = tw_la_run(tw, insert_gels, &(call){trans, a, b, h, NULL}, info);
    twill_reflectors_free(h);
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}
