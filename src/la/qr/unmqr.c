/* Multiplication with the Q of a QR or LQ factorization, and Q itself. */
#include "la/qr/qr.h"

#include "data/array.h"
#include "la/check.h"
#include "la/fit.h"
#include "la/kernel/blocks.h"
#include "la/qr/qr_tiles.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- all steps --------------------------------------------------------------------------- */

static twill_status apply_step(tw_qr *q, const tw_elimination *s, const tw_qr_target *to,
                               bool trapezoid)
{
    int64_t tiles = to->side == TWILL_LEFT ? tw_la_nt(to->c) : tw_la_mt(to->c);
    twill_status status = TWILL_OK;
    for (int64_t j = trapezoid ? s->panel : 0; j < tiles && status == TWILL_OK; j++)
        status = tw_qr_apply(q, s, to, j, 0);
    return status;
}

twill_status tw_qr_apply_all(tw_qr *q, const tw_qr_target *to, bool trapezoid)
{
    const tw_tree *t = &q->h->tree;
    bool forward = (to->side == TWILL_LEFT) == (to->trans == 'C');
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < t->count && status == TWILL_OK; i++)
        status = apply_step(q, &t->steps[forward ? i : t->count - 1 - i], to, trapezoid);
    return status;
}

/* ---- C := op(Q) C, C op(Q) --------------------------------------------------------------- */

/* What one call means. With `mirror` the Q that is asked for is the inverse of the one that the
 * steps make. */
typedef struct call {
    const char *who;
    twill_array *a;
    twill_reflectors *h;
    twill_array *c;
    bool mirror;
    twill_side side;
    twill_trans trans;
    const twill_la_options *options;
} call;

static twill_status check_c(const char *who, const twill_array *a, twill_array *c)
{
    tw_check check = {who, tw_la_check(who, c)};
    tw_check_stores(&check, 9, c, TWILL_GENERAL);
    tw_check_result(&check, 9, c, a);
    if (check.status != TWILL_OK)
        return check.status;
    if (twill_array_type(c) != twill_array_type(a) ||
        twill_array_context(c) != twill_array_context(a))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the matrices differ in type or context", who);
    if (c->ld > INT_MAX)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "%s: the matrix is too large for the BLAS", who);
    return TWILL_OK;
}

/* C fits the order of Q, and its tiles those of A. */
static twill_status check_sizes(const call *o, int number)
{
    const twill_pattern *p = twill_array_pattern(o->c);
    int d = o->side == TWILL_RIGHT;
    int64_t order = twill_array_pattern(o->a)->extent[o->mirror];
    if (p->extent[d] != order)
        return tw_la_bad(NULL, o->who, number, "is %lld, but Q has order %lld",
                         (long long)p->extent[d], (long long)order);
    if (!tw_can_fit(o->a, o->mirror, o->c, d))
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: tiles of %lld elements do not fit those of A, %lld",
                       o->who, (long long)p->block[d], (long long)o->h->nb);
    return TWILL_OK;
}

static twill_status check(const call *o)
{
    twill_status status = tw_qr_check_matrix(o->who, o->a);
    if (status != TWILL_OK)
        return status;
    if (o->side != TWILL_LEFT && o->side != TWILL_RIGHT)
        return tw_la_bad(NULL, o->who, 1, "(side) must be TWILL_LEFT or TWILL_RIGHT");
    bool complex = tw_la_complex(twill_array_type(o->a));
    if (o->trans != TWILL_NO_TRANS && o->trans != TWILL_CONJ_TRANS &&
        (complex || o->trans != TWILL_TRANS))
        return tw_la_bad(NULL, o->who, 2, "(trans) must be TWILL_NO_TRANS or %s",
                         complex ? "TWILL_CONJ_TRANS" : "TWILL_TRANS");
    status = tw_qr_check_reflectors(o->who, o->a, o->h, o->mirror);
    if (status == TWILL_OK)
        status = check_c(o->who, o->a, o->c);
    return status == TWILL_OK ? check_sizes(o, o->side == TWILL_LEFT ? 3 : 4) : status;
}

/* Of the Q that the steps make. */
static char trans_of(const call *o)
{
    return (o->trans != TWILL_NO_TRANS) != o->mirror ? 'C' : 'N';
}

static twill_status insert_steps(twill_graph *g, const call *o, bool trapezoid)
{
    tw_qr q;
    tw_qr_target to = {o->c, o->side, trans_of(o)};
    twill_status status = tw_qr_begin(&q, g, o->a, o->h, o->options);
    if (status == TWILL_OK)
        status = tw_qr_apply_all(&q, &to, trapezoid);
    tw_qr_end(&q);
    return status;
}

static twill_status insert_product(twill_graph *g, void *arg)
{
    call *o = arg;
    tw_fit fit[2];
    tw_fit_system(fit, &o->a, o->mirror, &o->c, o->side == TWILL_RIGHT);
    twill_status status = tw_fit_begin(g, fit, 2);
    if (status == TWILL_OK)
        status = insert_steps(g, o, false);
    return tw_fit_end(g, fit, 2, status);
}

/* Small matrices, of one panel: A, what belongs to it, C. */
static int64_t product_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    const call *o = arg;
    const twill_flow *c = &x[2];
    int ib = (int)o->h->ib;
    void *work = malloc((size_t)(ib * (o->side == TWILL_LEFT ? c->cols : c->rows)) * k->size);
    if (!work)
        return TW_DIRECT_NO_MEMORY;
    tw_qr_panel_apply(k, o->mirror, x, x[1].data, (int)x[1].ld, ib, (char)o->side, trans_of(o), c,
                      work);
    free(work);
    return 0;
}

static tw_direct direct(const call *o, tw_direct_kernel *kernel, twill_access mode)
{
    return (tw_direct){
        o->who, kernel, o, {{o->a, TWILL_READ}, {o->h->panels, TWILL_READ}, {o->c, mode}}};
}

/* Now, or, inserted into a graph, later. */
static twill_status product(call o)
{
    twill_status status = check(&o);
    if (status != TWILL_OK)
        return status;
    tw_direct d = direct(&o, product_whole, TWILL_READ_WRITE);
    if (tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(o.a), insert_product, &o, NULL);
}

static twill_status product_later(twill_graph *g, call o)
{
    twill_status status = check(&o);
    return status == TWILL_OK ? insert_product(g, &o) : status;
}

twill_status twill_unmqr(twill_side side, twill_trans trans, twill_array *a, twill_reflectors *h,
                         twill_array *c)
{
    return product((call){"unmqr", a, h, c, false, side, trans, NULL});
}

twill_status twill_unmqr_insert(twill_graph *g, twill_side side, twill_trans trans, twill_array *a,
                                twill_reflectors *h, twill_array *c,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return product_later(g, (call){"unmqr", a, h, c, false, side, trans, options});
}

twill_status twill_unmlq(twill_side side, twill_trans trans, twill_array *a, twill_reflectors *h,
                         twill_array *c)
{
    return product((call){"unmlq", a, h, c, true, side, trans, NULL});
}

twill_status twill_unmlq_insert(twill_graph *g, twill_side side, twill_trans trans, twill_array *a,
                                twill_reflectors *h, twill_array *c,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return product_later(g, (call){"unmlq", a, h, c, true, side, trans, options});
}

/* ---- Q ----------------------------------------------------------------------------------- */

/* Columns of Q, or in the mirror rows, are those of the identity multiplied; Q stands on its left,
 * or in the mirror on its right. */
static call generator(const char *who, twill_array *a, twill_reflectors *h, twill_array *q,
                      bool mirror, const twill_la_options *options)
{
    return (call){who, a, h, q, mirror, mirror ? TWILL_RIGHT : TWILL_LEFT, TWILL_NO_TRANS, options};
}

static twill_status check_generator(const call *o)
{
    twill_status status = tw_qr_check_matrix(o->who, o->a);
    if (status == TWILL_OK)
        status = tw_qr_check_reflectors(o->who, o->a, o->h, o->mirror);
    if (status == TWILL_OK)
        status = check_c(o->who, o->a, o->c);
    if (status == TWILL_OK)
        status = check_sizes(o, o->mirror ? 2 : 1);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(o->c);
    if (p->extent[!o->mirror] > p->extent[o->mirror])
        return tw_la_bad(NULL, o->who, o->mirror ? 1 : 2, "is %lld, but Q has order %lld",
                         (long long)p->extent[!o->mirror], (long long)p->extent[o->mirror]);
    if (p->block[0] != p->block[1])
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the tiles of Q must be square", o->who);
    return TWILL_OK;
}

static void set_identity(const tw_kernels *k, const twill_flow *q, bool on_diagonal)
{
    tw_block_clear(k, (int)q->rows, (int)q->cols, q->data, (int)q->ld);
    for (int64_t i = 0; on_diagonal && i < q->rows && i < q->cols; i++)
        memcpy(tw_at_rw(k, q->data, i, i, q->ld), k->one, k->size);
}

static twill_outcome identity_body(twill_task *t)
{
    twill_flow q = tw_la_tile(t, 0);
    set_identity(tw_la_kernels(t, 0), &q, twill_task_int(t, 1));
    return TWILL_DONE;
}

static const twill_class identity = {.size = sizeof(twill_class),
                                     .name = "identity",
                                     .chores = {TWILL_CPU(identity_body)},
                                     .parameters = "d"};

static twill_status insert_identity(twill_graph *g, const call *o)
{
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(o->c); j++)
        for (int64_t i = 0; i < tw_la_mt(o->c) && status == TWILL_OK; i++)
            status =
                twill_insert(g, &identity, TWILL_W(twill_tile_at(o->c, i, j)), TWILL_INT(i == j));
    return status;
}

/* Both dimensions of Q are cut as that of A, so that tiles of the identity are on the diagonal. */
static twill_status insert_generator(twill_graph *g, void *arg)
{
    call *o = arg;
    tw_fit fit[2];
    tw_fit_system(fit, &o->a, o->mirror, &o->c, o->mirror);
    fit[1].mode = TWILL_WRITE;
    fit[1].size[!o->mirror] = fit[1].size[o->mirror];
    twill_status status = tw_fit_begin(g, fit, 2);
    if (status == TWILL_OK)
        status = insert_identity(g, o);
    if (status == TWILL_OK)
        status = insert_steps(g, o, true);
    return tw_fit_end(g, fit, 2, status);
}

static int64_t generate_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    set_identity(k, &x[2], true);
    return product_whole(k, x, arg);
}

static twill_status generate(call o)
{
    twill_status status = check_generator(&o);
    if (status != TWILL_OK)
        return status;
    tw_direct d = direct(&o, generate_whole, TWILL_WRITE);
    if (tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(o.a), insert_generator, &o, NULL);
}

static twill_status generate_later(twill_graph *g, call o)
{
    twill_status status = check_generator(&o);
    return status == TWILL_OK ? insert_generator(g, &o) : status;
}

twill_status twill_ungqr(twill_array *a, twill_reflectors *h, twill_array *q)
{
    return generate(generator("ungqr", a, h, q, false, NULL));
}

twill_status twill_ungqr_insert(twill_graph *g, twill_array *a, twill_reflectors *h, twill_array *q,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return generate_later(g, generator("ungqr", a, h, q, false, options));
}

twill_status twill_unglq(twill_array *a, twill_reflectors *h, twill_array *q)
{
    return generate(generator("unglq", a, h, q, true, NULL));
}

twill_status twill_unglq_insert(twill_graph *g, twill_array *a, twill_reflectors *h, twill_array *q,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return generate_later(g, generator("unglq", a, h, q, true, options));
}
