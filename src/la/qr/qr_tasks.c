/* The tasks of QR and LQ: a step of the factorization, and its application to other tiles. */
#include "engine/engine.h"
#include "front/stf/ranks.h"
#include "la/kernel/blocks.h"
#include "la/qr/qr.h"
#include "la/qr/qr_tiles.h"
#include "la/qr/reflect.h"

#include <stdlib.h>

/* What bodies are told besides their tiles. Argument 0 of all of them. */
typedef struct call {
    bool mirror, merge;
    char side, trans;
    int ib, k;          /* inner block, reflectors */
    int count;          /* tiles of a panel or of C */
    int64_t panel, row; /* of the step */
    int64_t column;     /* of C, -1 when factoring */
    double flops;       /* for traces */
} call;

static void describe(const twill_task *t, twill_about *about)
{
    const call *o = twill_task_data(t, 0);
    about->parameters = o->column < 0 ? 2 : 3;
    about->parameter[0] = o->panel;
    about->parameter[1] = o->row;
    about->parameter[2] = o->column;
    about->flops = o->flops;
}

/* ---- factoring --------------------------------------------------------------------------- */

/* Arguments: order, scratch, T with the copy of the head, the tiles from the head on. */
static twill_outcome panel_body(twill_task *t)
{
    const call *o = twill_task_data(t, 0);
    const tw_kernels *k = tw_la_kernels(t, 2);
    int ldt = (int)twill_task_ld(t, 2);
    twill_flow *tiles = twill_task_data(t, 1);
    char *work = (char *)&tiles[o->count];
    for (int i = 0; i < o->count; i++)
        tiles[i] = tw_la_tile(t, 3 + i);
    tw_qr_panel(k, o->mirror, tiles, o->count, twill_task_data(t, 2), ldt, o->ib, work);
    tw_block_copy(k, (int)tiles[0].rows, (int)tiles[0].cols,
                  tw_at_rw(k, twill_task_data(t, 2), o->ib, 0, ldt), ldt, tiles[0].data,
                  (int)tiles[0].ld);
    return TWILL_DONE;
}

/* Arguments: order, scratch, T, the two tiles. */
static twill_outcome merge_body(twill_task *t)
{
    const call *o = twill_task_data(t, 0);
    twill_flow top = tw_la_tile(t, 3), other = tw_la_tile(t, 4);
    tw_qr_merge(tw_la_kernels(t, 2), o->mirror, &top, &other, twill_task_data(t, 2),
                (int)twill_task_ld(t, 2), o->ib, twill_task_data(t, 1));
    return TWILL_DONE;
}

/* ---- applying ---------------------------------------------------------------------------- */

static tw_v_block piece(const twill_task *t, const call *o, tw_v_kind kind, int c)
{
    twill_flow tile = tw_la_tile(t, c);
    return (tw_v_block){.kind = kind,
                        .rows = (int)(o->side == 'L' ? tile.rows : tile.cols),
                        .c = tile.data,
                        .ldc = (int)tile.ld};
}

static void set_v(tw_v_block *p, const void *v, int64_t ld)
{
    p->v = v;
    p->ldv = (int)ld;
}

static void reflect(const twill_task *t, const call *o, const tw_v_block *pieces, void *work)
{
    twill_flow c = tw_la_tile(t, 2 + o->count);
    tw_reflection r = {.kernels = tw_la_kernels(t, 2),
                       .rowwise = o->mirror,
                       .side = o->side,
                       .trans = o->trans,
                       .k = o->k,
                       .ib = o->ib,
                       .ldt = (int)twill_task_ld(t, 2),
                       .other = (int)(o->side == 'L' ? c.cols : c.rows),
                       .t = twill_task_data(t, 2),
                       .work = work};
    tw_reflect(&r, pieces, o->count);
}

/* Arguments: order, scratch, T with the copy of the head, the other tiles of V, all tiles of C. */
static twill_outcome apply_panel_body(twill_task *t)
{
    const call *o = twill_task_data(t, 0);
    tw_v_block *pieces = twill_task_data(t, 1);
    int64_t ldt = twill_task_ld(t, 2);
    for (int i = 0; i < o->count; i++) {
        pieces[i] = piece(t, o, i ? TW_V_FULL : TW_V_UNIT_LOWER, 2 + o->count + i);
        if (i)
            set_v(&pieces[i], twill_task_data(t, 2 + i), twill_task_ld(t, 2 + i));
        else
            set_v(pieces, tw_at(tw_la_kernels(t, 2), twill_task_data(t, 2), o->ib, 0, ldt), ldt);
    }
    reflect(t, o, pieces, &pieces[o->count]);
    return TWILL_DONE;
}

/* Arguments: order, scratch, T, V, the two tiles of C, that of the eliminated row first. */
static twill_outcome apply_merge_body(twill_task *t)
{
    const call *o = twill_task_data(t, 0);
    tw_v_block pieces[2] = {piece(t, o, TW_V_UPPER, 4), piece(t, o, TW_V_IDENTITY, 5)};
    set_v(&pieces[0], twill_task_data(t, 3), twill_task_ld(t, 3));
    reflect(t, o, pieces, twill_task_data(t, 1));
    return TWILL_DONE;
}

/* By what is done and by `mirror`: traces tell LQ from QR. */
static const twill_class panel_class[2] = {{.size = sizeof(twill_class),
                                            .name = "geqrt",
                                            .chores = {TWILL_CPU(panel_body)},
                                            .parameters = "k m",
                                            .describe = describe},
                                           {.size = sizeof(twill_class),
                                            .name = "gelqt",
                                            .chores = {TWILL_CPU(panel_body)},
                                            .parameters = "k m",
                                            .describe = describe}};
static const twill_class merge_class[2] = {{.size = sizeof(twill_class),
                                            .name = "ttqrt",
                                            .chores = {TWILL_CPU(merge_body)},
                                            .parameters = "k m",
                                            .describe = describe},
                                           {.size = sizeof(twill_class),
                                            .name = "ttlqt",
                                            .chores = {TWILL_CPU(merge_body)},
                                            .parameters = "k m",
                                            .describe = describe}};
static const twill_class apply_panel_class[2] = {{.size = sizeof(twill_class),
                                                  .name = "unmqr",
                                                  .chores = {TWILL_CPU(apply_panel_body)},
                                                  .parameters = "k m n",
                                                  .describe = describe},
                                                 {.size = sizeof(twill_class),
                                                  .name = "unmlq",
                                                  .chores = {TWILL_CPU(apply_panel_body)},
                                                  .parameters = "k m n",
                                                  .describe = describe}};
static const twill_class apply_merge_class[2] = {{.size = sizeof(twill_class),
                                                  .name = "ttmqr",
                                                  .chores = {TWILL_CPU(apply_merge_body)},
                                                  .parameters = "k m n",
                                                  .describe = describe},
                                                 {.size = sizeof(twill_class),
                                                  .name = "ttmlq",
                                                  .chores = {TWILL_CPU(apply_merge_body)},
                                                  .parameters = "k m n",
                                                  .describe = describe}};

/* ---- inserting --------------------------------------------------------------------------- */

twill_status tw_qr_begin(tw_qr *q, twill_graph *g, twill_array *a, twill_reflectors *h,
                         const twill_la_options *options)
{
    int64_t tiles = tw_min(h->tree.domain, (h->m + h->nb - 1) / h->nb);
    *q = (tw_qr){.g = g,
                 .h = h,
                 .a = a,
                 .priority = !options || !options->no_priority,
                 .ahead = options && options->lookahead > 0 ? options->lookahead : 1,
                 .args = calloc((size_t)(2 * tiles + 16), sizeof *q->args)};
    if (q->args)
        return TWILL_OK;
    twill_status status = tw_fail(TWILL_ERR_MEMORY, "no memory for arguments of tasks");
    return g->shared ? tw_stf_missed(g, status) : status;
}

void tw_qr_end(tw_qr *q)
{
    free(q->args);
}

static int64_t step_tiles(const tw_elimination *s)
{
    return (s->other - s->top) / s->stride + 1;
}

/* Rows that a step eliminates, its head's included if it is a panel, and columns of its panel. */
static int64_t step_rows(const twill_reflectors *h, const tw_elimination *s)
{
    int64_t full = s->kind == TW_STEP_PANEL ? step_tiles(s) - 1 : 0;
    return full * h->nb + tw_min(h->nb, h->m - s->other * h->nb);
}

static int64_t step_cols(const twill_reflectors *h, const tw_elimination *s)
{
    return tw_min(h->nb, h->n - s->panel * h->nb);
}

static call make_order(const tw_qr *q, const tw_elimination *s)
{
    const twill_reflectors *h = q->h;
    bool merge = s->kind == TW_STEP_MERGE;
    int64_t rows = step_rows(h, s), cols = step_cols(h, s);
    return (call){.mirror = h->mirror,
                  .merge = merge,
                  .ib = (int)(merge ? h->merge_ib : h->ib),
                  .k = (int)(merge ? cols : tw_min(rows, cols)),
                  .count = (int)step_tiles(s),
                  .panel = s->panel,
                  .row = merge ? s->other : s->top,
                  .column = -1};
}

static twill_tile *v_tile(const tw_qr *q, int64_t i, int64_t k)
{
    return q->h->mirror ? twill_tile_at(q->a, k, i) : twill_tile_at(q->a, i, k);
}

static twill_tile *t_tile(const tw_qr *q, const tw_elimination *s)
{
    const tw_tree *tree = &q->h->tree;
    return s->kind == TW_STEP_MERGE
               ? tw_reflectors_tile(q->h, q->h->merges, tw_tree_domain(tree, s->other), s->panel)
               : tw_reflectors_tile(q->h, q->h->panels, tw_tree_domain(tree, s->top), s->panel);
}

static twill_tile *c_tile(const tw_qr_target *to, int64_t i, int64_t j)
{
    return to->side == TWILL_LEFT ? twill_tile_at(to->c, i, j) : twill_tile_at(to->c, j, i);
}

static const tw_kernels *kernels(const tw_qr *q)
{
    const tw_blas *blas;
    return tw_blas_get(q->h->tw, &blas) == TWILL_OK ? &blas->kernels[q->h->type] : NULL;
}

static double flops(const tw_qr *q, double pairs)
{
    return tw_la_flops(q->h->type, pairs);
}

static double factor_flops(const tw_qr *q, const tw_elimination *s, const call *o)
{
    double m = (double)step_rows(q->h, s), n = (double)step_cols(q->h, s), k = o->k;
    if (o->merge)
        return flops(q, n * n * n / 3);
    return flops(q, k * k * (2 * k / 3 - m - n) + 2 * m * n * k);
}

twill_status tw_qr_factor(tw_qr *q, const tw_elimination *s)
{
    const twill_reflectors *h = q->h;
    call o = make_order(q, s);
    o.flops = factor_flops(q, s, &o);
    int64_t cols = step_cols(h, s), n = 0, panels = tw_reflectors_panels(h);
    size_t bytes = o.merge ? tw_qr_merge_bytes(kernels(q), cols, o.ib)
                           : (size_t)o.count * sizeof(twill_flow) +
                                 tw_qr_panel_bytes(kernels(q), step_rows(h, s), cols, o.ib, true);
    q->args[n++] = TWILL_VALUE(o);
    q->args[n++] = TWILL_SCRATCH(bytes);
    q->args[n++] = TWILL_W(t_tile(q, s));
    for (int64_t i = s->top; i <= s->other; i += s->stride)
        q->args[n++] = TWILL_RW(v_tile(q, i, s->panel));
    if (q->priority)
        q->args[n++] = TWILL_PRIORITY(3 * (2 * panels - s->panel) + 2);
    q->args[n] = TWILL_END;
    return twill_insert_args(q->g, (o.merge ? merge_class : panel_class) + o.mirror, q->args);
}

/* Tile rows or columns of C beside the panel: width of the tiles that the step is applied to. */
static int64_t target_width(const tw_qr_target *to, int64_t j)
{
    return twill_pattern_block_extent(twill_array_pattern(to->c), to->side == TWILL_LEFT, j);
}

static double apply_flops(const tw_qr *q, const tw_elimination *s, const call *o, int64_t width)
{
    double m = (double)step_rows(q->h, s), k = o->k;
    return flops(q, (double)width * k * (o->merge ? k : 2 * m - k));
}

twill_status tw_qr_apply(tw_qr *q, const tw_elimination *s, const tw_qr_target *to, int64_t j,
                         int64_t priority)
{
    call o = make_order(q, s);
    int64_t n = 0, width = target_width(to, j);
    o.column = j;
    o.side = (char)to->side;
    o.trans = to->trans;
    o.flops = apply_flops(q, s, &o, width);
    size_t bytes = (o.merge ? 0 : (size_t)o.count * sizeof(tw_v_block)) +
                   (size_t)(o.ib * width) * twill_type_size(q->h->type);
    q->args[n++] = TWILL_VALUE(o);
    q->args[n++] = TWILL_SCRATCH(bytes);
    q->args[n++] = TWILL_R(t_tile(q, s));
    for (int64_t i = s->top + s->stride; i <= s->other; i += s->stride)
        q->args[n++] = TWILL_R(v_tile(q, i, s->panel));
    /* Where ranks share the work, the eliminated row of a merge goes on to the next panel, and the
     * other one is ready: so the task runs at the former, which comes first. */
    if (o.merge)
        q->args[n++] = TWILL_RW(c_tile(to, s->other, j));
    for (int64_t i = s->top; i < s->other + !o.merge; i += s->stride)
        q->args[n++] = TWILL_RW(c_tile(to, i, j));
    if (q->priority)
        q->args[n++] = TWILL_PRIORITY(priority);
    q->args[n] = TWILL_END;
    return twill_insert_args(q->g, (o.merge ? apply_merge_class : apply_panel_class) + o.mirror,
                             q->args);
}
