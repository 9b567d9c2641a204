/* Bunch-Kaufman's factorization as tasks: panels one after the other, what is behind a panel
 * updated block by block.
 *
 * A panel looks for pivots anywhere in the matrix, and ends where it likes: it does not fit tiles.
 * So the triangle is copied to memory of its own in LAPACK's layout, the upper one turned by half a
 * turn, which makes it a lower one. Tasks there are ordered by one tile, the first of ipiv: a panel
 * writes it, and what may run side by side between two panels reads it. */
#include "la/indefinite/bunch.h"
#include "la/indefinite/indefinite.h"
#include "la/kernel/element.h"
#include "la/kernel/numbers.h"
#include "la/kernel/strided.h"
#include "la/matrix/uplo.h"

#include "engine/engine.h"

#include <stdlib.h>

enum { PANEL = 48 };
enum { TILES = 5 }; /* the first tile of a column, among the arguments of its task */

/* Shared by all tasks of one factorization. */
typedef struct call {
    tw_bunch bunch;
    twill_uplo uplo;
    int64_t nb;
    atomic_bool odd; /* there is a NaN or an infinity */
} call;

static call *call_of(const twill_task *t, int arg)
{
    return *(call *const *)twill_task_data(t, arg);
}

/* Where row or column i of the matrix is in the copy. */
static int64_t place(const call *o, int64_t i)
{
    return o->uplo == TWILL_LOWER ? i : o->bunch.n - 1 - i;
}

static char *element(const call *o, int64_t i, int64_t j)
{
    return o->bunch.a + (size_t)(place(o, i) + place(o, j) * o->bunch.ld) * o->bunch.k->size;
}

/* The way down a column of the matrix leads up one of the copy when that is turned. */
static int64_t direction(const call *o)
{
    return o->uplo == TWILL_LOWER ? 1 : -1;
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Arguments: the order, the call, a tile, its first row and column. */
static twill_outcome enter_body(twill_task *t)
{
    call *o = call_of(t, 1);
    size_t size = o->bunch.k->size;
    int64_t i0 = twill_task_int(t, 3), j0 = twill_task_int(t, 4);
    twill_flow f = tw_la_tile(t, 2);
    bool odd = false;
    for (int64_t j = 0; j < f.cols; j++) {
        tw_span rows = tw_uplo_rows(o->uplo, i0, f.rows, j0 + j);
        const char *from = (const char *)f.data + (size_t)(rows.first + j * f.ld) * size;
        tw_strided_copy(size, rows.end - rows.first, from, 1, element(o, i0 + rows.first, j0 + j),
                        direction(o));
        odd = odd || !tw_numbers_finite(from, o->bunch.type, rows.end - rows.first);
    }
    if (odd) /* the first panel comes after all copies: the order of tasks is enough */
        atomic_store_explicit(&o->odd, true, memory_order_relaxed);
    return TWILL_DONE;
}

static twill_outcome panel_body(twill_task *t)
{
    call *o = call_of(t, 1);
    if (o->bunch.end == 0 && atomic_load_explicit(&o->odd, memory_order_relaxed))
        tw_bunch_by_lapack(&o->bunch);
    else
        tw_bunch_panel(&o->bunch);
    return TWILL_DONE;
}

/* Block (i, j) of the copy, or what of it is behind the panel. */
static twill_outcome update_body(twill_task *t)
{
    const call *o = call_of(t, 1);
    const tw_bunch *b = &o->bunch;
    int64_t nb = o->nb, i = twill_task_int(t, 2) * nb, j = twill_task_int(t, 3) * nb;
    int64_t r1 = i + nb < b->n ? i + nb : b->n, c1 = j + nb < b->n ? j + nb : b->n;
    int64_t r0 = i > b->end ? i : b->end, c0 = j > b->end ? j : b->end;
    if (r0 < r1 && c0 < c1 && b->end > b->first)
        tw_bunch_update(b, (int)r0, (int)r1, (int)c0, (int)c1);
    return TWILL_DONE;
}

/* A column of the factor out of the copy: `to` is the tile's column, of rows i0 and following. */
static void copy_column(const call *o, int64_t i0, int64_t rows, int64_t j, char *to)
{
    size_t size = o->bunch.k->size;
    tw_span span = tw_uplo_rows(o->uplo, i0, rows, j);
    tw_strided_copy(size, span.end - span.first, element(o, i0 + span.first, j), direction(o),
                    to + (size_t)span.first * size, 1);
}

/* Is this the first column of a block of order 2? Negative pivots come in pairs. */
static bool starts_block(const tw_bunch *b, int64_t at)
{
    int64_t before = at;
    while (before > 0 && b->pivot[before - 1] < 0)
        before--;
    return b->pivot[at] < 0 && (at - before) % 2 == 0;
}

/* Move what D has beside its diagonal from the copy to e. */
static void take_off_diagonal(const call *o, int64_t j, void *e, int64_t at)
{
    const tw_bunch *b = &o->bunch;
    int64_t column = place(o, j);
    double complex x = 0.0;
    if (starts_block(b, column)) {
        char *off = b->a + (size_t)(column + 1 + column * b->ld) * b->k->size;
        x = tw_element_load(b->type, off, 0);
        tw_element_store(b->type, off, 0, 0.0);
    }
    tw_element_store(b->type, e, at, x);
}

/* Arguments: the order, the call, a tile of e, the first row and column, and the tiles of a column
 * from there on. */
static twill_outcome leave_body(twill_task *t)
{
    const call *o = call_of(t, 1);
    int64_t cols = twill_task_rows(t, 2), i0 = twill_task_int(t, 3), j0 = twill_task_int(t, 4);
    for (int64_t j = 0; j < cols; j++) {
        take_off_diagonal(o, j0 + j, twill_task_data(t, 2), j);
        tw_bunch_permute(&o->bunch, (int)place(o, j0 + j));
        for (int arg = TILES; twill_task_data(t, arg); arg++) {
            twill_flow f = tw_la_tile(t, arg);
            copy_column(o, i0 + (arg - TILES) * o->nb, f.rows, j0 + j,
                        (char *)f.data + (size_t)(j * f.ld) * o->bunch.k->size);
        }
    }
    return TWILL_DONE;
}

static void copy_pivots(const call *o, int64_t first, int64_t n, int64_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        int p = o->bunch.pivot[place(o, first + i)];
        to[i] = p < 0 ? -1 - place(o, -1 - p) : 1 + place(o, p);
    }
}

/* Arguments: the order, the call, a tile of ipiv, its first row. */
static twill_outcome pivots_body(twill_task *t)
{
    const call *o = call_of(t, 1);
    copy_pivots(o, twill_task_int(t, 3), twill_task_rows(t, 2), twill_task_data(t, 2));
    return TWILL_DONE;
}

/* The last task: the first pivots, and info. */
static twill_outcome end_body(twill_task *t)
{
    call *o = call_of(t, 1);
    int64_t info = o->bunch.info;
    copy_pivots(o, 0, twill_task_rows(t, 0), twill_task_data(t, 0));
    if (info != 0)
        info = place(o, info - 1) + 1;
    tw_graph_memory_free(twill_task_graph(t), o);
    return info ? twill_task_numerical(t, info) : TWILL_DONE;
}

static const twill_class enter = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(enter_body)}};
static const twill_class panel = {
    .size = sizeof(twill_class), .name = "panel", .chores = {TWILL_CPU(panel_body)}};
static const twill_class update = {.size = sizeof(twill_class),
                                   .name = "gemm",
                                   .chores = {TWILL_CPU(update_body)},
                                   .parameters = "m n k"};
static const twill_class leave = {
    .size = sizeof(twill_class), .name = "laswp", .chores = {TWILL_CPU(leave_body)}};
static const twill_class pivots = {
    .size = sizeof(twill_class), .name = "ipiv", .chores = {TWILL_CPU(pivots_body)}};
static const twill_class end = {
    .size = sizeof(twill_class), .name = "info", .chores = {TWILL_CPU(end_body)}};

/* ---- the graph --------------------------------------------------------------------------- */

/* One piece of memory for all there is. */
static call *make_call(twill_graph *g, const tw_indefinite *x, int ib)
{
    const tw_blas *blas;
    twill_type type = twill_array_type(x->a);
    int64_t n = twill_array_pattern(x->a)->extent[0];
    size_t size = twill_type_size(type), ld = ((size_t)n + 7) / 8 * 8 + 8, line = TW_LINE;
    size_t head = (sizeof(call) + line - 1) / line * line;
    size_t matrix = ld * (size_t)n * size,
           panel_size = (size_t)n * TW_BUNCH_WORK((size_t)ib) * size;
    size_t whole = head + matrix + panel_size + 2 * (size_t)n * sizeof(int);
    if (tw_blas_get(g->tw, &blas) != TWILL_OK)
        return NULL;
    call *o = tw_graph_memory(g, whole);
    if (!o) {
        tw_fail(TWILL_ERR_MEMORY, "%s: no memory for %zu bytes of workspace",
                x->hermitian ? "hetrf" : "sytrf", whole);
        return NULL;
    }
    char *at = (char *)o + head;
    *o = (call){.bunch = {.k = &blas->kernels[type],
                          .type = type,
                          .hermitian = x->hermitian && tw_la_complex(type),
                          .last = x->uplo == TWILL_UPPER,
                          .n = (int)n,
                          .ld = (int)ld,
                          .a = at,
                          .ib = ib,
                          .w = at + matrix,
                          .pivot = (int *)(void *)(at + matrix + panel_size),
                          .until = (int *)(void *)(at + matrix + panel_size) + n},
                .uplo = x->uplo,
                .nb = twill_array_pattern(x->a)->block[0]};
    return o;
}

static twill_status insert_enter(twill_graph *g, const tw_indefinite *x, const call *o)
{
    twill_status status = TWILL_OK;
    twill_tile *order = twill_tile_at(x->ipiv, 0, 0);
    bool lower = x->uplo == TWILL_LOWER;
    for (int64_t j = 0; j < tw_la_nt(x->a); j++)
        for (int64_t i = j; i < tw_la_nt(x->a) && status == TWILL_OK; i++)
            status = twill_insert(g, &enter, TWILL_R(order), TWILL_VALUE(o),
                                  TWILL_R(tw_triangle_tile(x->a, x->uplo, i, j)),
                                  TWILL_INT((lower ? i : j) * o->nb),
                                  TWILL_INT((lower ? j : i) * o->nb));
    return status;
}

/* A panel has ib or ib - 1 columns, so step k begins at column k (ib - 1) or later. */
static twill_status insert_steps(twill_graph *g, const tw_indefinite *x, const call *o)
{
    twill_status status = TWILL_OK;
    twill_tile *order = twill_tile_at(x->ipiv, 0, 0);
    int64_t n = o->bunch.n, least = o->bunch.ib - 1, nt = tw_la_nt(x->a);
    for (int64_t k = 0; k * least < n && status == TWILL_OK; k++) {
        status = twill_insert(g, &panel, TWILL_RW(order), TWILL_VALUE(o));
        for (int64_t j = (k + 1) * least / o->nb; j < nt; j++)
            for (int64_t i = j; i < nt && status == TWILL_OK; i++)
                status = twill_insert(
                    g, &update, TWILL_R(order), TWILL_VALUE(o), TWILL_INT(i), TWILL_INT(j),
                    TWILL_INT(k),
                    TWILL_COST(tw_la_flops(o->bunch.type,
                                           (double)o->bunch.ib * (double)o->nb * (double)o->nb),
                               0.0));
    }
    return status;
}

/* Column j of tiles, all in one task: rows are interchanged in whole columns. */
static twill_status insert_column(twill_graph *g, const tw_indefinite *x, const call *o, int64_t j,
                                  twill_arg *args)
{
    int n = 0;
    bool lower = o->uplo == TWILL_LOWER;
    int64_t first = lower ? j : 0, last = lower ? tw_la_nt(x->a) - 1 : j;
    args[n++] = TWILL_R(twill_tile_at(x->ipiv, 0, 0));
    args[n++] = TWILL_VALUE(o);
    args[n++] = TWILL_W(twill_tile_at(x->e, j, 0));
    args[n++] = TWILL_INT(first * o->nb);
    args[n++] = TWILL_INT(j * o->nb);
    for (int64_t i = first; i <= last; i++)
        args[n++] = TWILL_RW(twill_tile_at(x->a, i, j));
    args[n] = TWILL_END;
    return twill_insert_args(g, &leave, args);
}

static twill_status insert_leave(twill_graph *g, const tw_indefinite *x, const call *o)
{
    twill_status status = TWILL_OK;
    twill_tile *order = twill_tile_at(x->ipiv, 0, 0);
    int64_t nt = tw_la_nt(x->a);
    twill_arg *args = malloc((size_t)(nt + TILES + 1) * sizeof *args);
    if (!args)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the arguments of a task");
    for (int64_t j = 0; j < nt && status == TWILL_OK; j++)
        status = insert_column(g, x, o, j, args);
    for (int64_t i = 1; i < nt && status == TWILL_OK; i++)
        status = twill_insert(g, &pivots, TWILL_R(order), TWILL_VALUE(o),
                              TWILL_W(twill_tile_at(x->ipiv, i, 0)), TWILL_INT(i * o->nb));
    if (status == TWILL_OK)
        status = twill_insert(g, &end, TWILL_RW(order), TWILL_VALUE(o));
    free(args);
    return status;
}

twill_status tw_indefinite_factor(twill_graph *g, const tw_indefinite *x,
                                  const twill_la_options *options)
{
    int64_t ib = options && options->ib ? options->ib : PANEL;
    if (ib < 2 || ib > 4096)
        return tw_fail(TWILL_ERR_ARGUMENT, "sytrf: ib must be from 2 to 4096, not %lld",
                       (long long)ib);
    if (tw_la_nt(x->a) == 0)
        return TWILL_OK;
    call *o = make_call(g, x, (int)ib);
    if (!o)
        return TWILL_ERR_MEMORY;
    twill_status status = insert_enter(g, x, o);
    if (status == TWILL_OK)
        status = insert_steps(g, x, o);
    return status == TWILL_OK ? insert_leave(g, x, o) : status;
}
