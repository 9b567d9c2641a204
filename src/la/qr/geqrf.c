/* QR and LQ factorization. */
#include "la/qr/qr.h"

#include "data/array.h"
#include "engine/engine.h"
#include "front/stf/ranks.h"
#include "la/kernel/blocks.h"
#include "la/matrix/uplo.h"
#include "la/qr/qr_tiles.h"

#include <limits.h>
#include <stdlib.h>

twill_status tw_qr_check_matrix(const char *who, twill_array *a)
{
    const tw_blas *blas;
    twill_status status = tw_la_check_whole(who, a);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(a);
    if (p->block[0] != p->block[1])
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: the tiles of A are %lld by %lld; they must be square", who,
                       (long long)p->block[0], (long long)p->block[1]);
    if (twill_array_uplo(a) != TWILL_GENERAL)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrix stores only a triangle", who);
    if (a->ld > INT_MAX || p->extent[0] > INT_MAX || p->extent[1] > INT_MAX)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "%s: the matrix is too large for the BLAS", who);
    return tw_blas_get(twill_array_context(a), &blas);
}

/* A step, and what it means for the columns on the right of its panel. Those next to the panel come
 * first: the next panel waits for them. Others come in the order of steps: a column that lags
 * behind holds up its panel later. */
static twill_status insert_step(tw_qr *q, const tw_elimination *s, int64_t nt)
{
    int64_t panels = tw_reflectors_panels(q->h);
    bool mirror = q->h->mirror;
    tw_qr_target to = {q->a, mirror ? TWILL_RIGHT : TWILL_LEFT, mirror ? 'N' : 'C'};
    twill_status status = tw_qr_factor(q, s);
    for (int64_t j = s->panel + 1; j < nt && status == TWILL_OK; j++) {
        bool next = j - s->panel <= q->ahead && j < panels;
        status = tw_qr_apply(q, s, &to, j, next ? 3 * (2 * panels - j) + 1 : panels - s->panel);
    }
    return status;
}

twill_status tw_qr_insert(twill_graph *g, twill_array *a, twill_reflectors *h, bool mirror,
                          const twill_la_options *options)
{
    tw_qr q;
    twill_status status = tw_reflectors_fit(h, a, mirror);
    if (status != TWILL_OK)
        return g->shared ? tw_stf_missed(g, status) : status;
    int64_t nt = mirror ? tw_la_mt(a) : tw_la_nt(a);
    status = tw_qr_begin(&q, g, a, h, options);
    for (int64_t i = 0; i < h->tree.count && status == TWILL_OK; i++)
        status = insert_step(&q, &h->tree.steps[i], nt);
    tw_qr_end(&q);
    return status;
}

/* ---- the public functions ---------------------------------------------------------------- */

static twill_status check(const char *who, twill_array *a, const twill_reflectors *h,
                          const twill_la_options *options)
{
    twill_status status = tw_qr_check_matrix(who, a);
    if (status == TWILL_OK && (!h || h->tw != twill_array_context(a)))
        status =
            tw_fail(TWILL_ERR_ARGUMENT, "%s: the reflectors are NULL or of another context", who);
    if (status == TWILL_OK && options && options->lookahead < 0)
        status = tw_fail(TWILL_ERR_ARGUMENT, "%s: lookahead must not be negative", who);
    return status;
}

static twill_status insert_checked(twill_graph *g, twill_array *a, twill_reflectors *h, bool mirror,
                                   const twill_la_options *options)
{
    twill_status status = check(mirror ? "gelqf" : "geqrf", a, h, options);
    return status == TWILL_OK ? tw_qr_insert(g, a, h, mirror, options) : status;
}

twill_status twill_geqrf_insert(twill_graph *g, twill_array *a, twill_reflectors *h,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_checked(g, a, h, false, options);
}

twill_status twill_gelqf_insert(twill_graph *g, twill_array *a, twill_reflectors *h,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return insert_checked(g, a, h, true, options);
}

typedef struct call {
    twill_array *a;
    twill_reflectors *h;
    bool mirror;
} call;

static twill_status insert_job(twill_graph *g, void *arg)
{
    const call *o = arg;
    return tw_qr_insert(g, o->a, o->h, o->mirror, NULL);
}

/* The only panel of a small matrix. */
static int64_t factor_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    const twill_reflectors *h = arg;
    const twill_flow *a = &x[0], *t = &x[1];
    void *work = malloc(tw_qr_panel_bytes(k, h->m, h->n, h->ib, true) + 1);
    if (!work)
        return TW_DIRECT_NO_MEMORY;
    tw_qr_panel(k, h->mirror, a, 1, t->data, (int)t->ld, (int)h->ib, work);
    tw_block_copy(k, (int)a->rows, (int)a->cols, tw_at_rw(k, t->data, h->ib, 0, t->ld), (int)t->ld,
                  a->data, (int)a->ld);
    free(work);
    return 0;
}

static twill_status run(twill_array *a, twill_reflectors *h, bool mirror)
{
    const char *who = mirror ? "gelqf" : "geqrf";
    twill_status status = check(who, a, h, NULL);
    if (status != TWILL_OK)
        return status;
    twill *tw = twill_array_context(a);
    if (!tw->remote) /* else while inserting, so that other ranks learn of a failure */
        status = tw_reflectors_fit(h, a, mirror);
    if (status != TWILL_OK)
        return status;
    tw_direct d = {who, factor_whole, h, {{a, TWILL_READ_WRITE}, {h->panels, TWILL_WRITE}}};
    if (tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(tw, insert_job, &(call){a, h, mirror}, NULL);
}

twill_status twill_geqrf(twill_array *a, twill_reflectors *h)
{
    return run(a, h, false);
}

twill_status twill_gelqf(twill_array *a, twill_reflectors *h)
{
    return run(a, h, true);
}
