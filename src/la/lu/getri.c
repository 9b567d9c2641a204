/* Inverse of a matrix from its LU factors: the X with X L = U^-1, its columns interchanged. */
#include "la/blas/calls.h"
#include "la/kernel/inverse.h"
#include "la/lu/lu.h"

#include <stdlib.h>
#include <string.h>
#include <twill/cholesky.h>
#include <twill/level3.h>

static const tw_lu_numbers numbers = {
    .who = "getri", .order = 1, .a = 2, .ipiv = 4, .b = 5, .ldb = 5};

typedef struct call {
    twill_array *a, *ipiv, *work;
    const twill_la_options *options;
} call;

/* ---- L makes room ------------------------------------------------------------------------ */

/* Move what is below the diagonal of the matrix to the work space, and leave zeros. */
static void move_tile(size_t size, const twill_flow *from, const twill_flow *to, bool on_diagonal)
{
    for (int64_t j = 0; j < from->cols; j++) {
        int64_t first = on_diagonal ? j + 1 : 0;
        char *column = (char *)from->data + (size_t)(first + j * from->ld) * size;
        if (first >= from->rows)
            continue;
        memcpy((char *)to->data + (size_t)(first + j * to->ld) * size, column,
               (size_t)(from->rows - first) * size);
        memset(column, 0, (size_t)(from->rows - first) * size);
    }
}

/* Argument 2: is the tile on the diagonal? */
static twill_outcome move_body(twill_task *t)
{
    twill_flow from = tw_la_tile(t, 0), to = tw_la_tile(t, 1);
    move_tile(tw_la_kernels(t, 0)->size, &from, &to, twill_task_int(t, 2));
    return TWILL_DONE;
}

static const twill_class move = {
    .size = sizeof(twill_class), .name = "move", .chores = {TWILL_CPU(move_body)}};

static twill_status insert_moves(twill_graph *g, const call *o)
{
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(o->a); j++)
        for (int64_t i = j; i < tw_la_mt(o->a) && status == TWILL_OK; i++)
            status = twill_insert(g, &move, TWILL_RW(twill_tile_at(o->a, i, j)),
                                  TWILL_RW(twill_tile_at(o->work, i, j)), TWILL_INT(i == j));
    return status;
}

/* ---- columns change places --------------------------------------------------------------- */

/* Columns of one row of tiles, as the pivots of all steps say. */
static void swap_columns(size_t size, const twill_flow *tiles, int count, int64_t nb,
                         const twill_flow *pivots)
{
    for (int k = count - 1; k >= 0; k--)
        for (int64_t c = tiles[k].cols - 1; c >= 0; c--) {
            int64_t with = ((const int64_t *)pivots[k].data)[c] - 1;
            const twill_flow *other = &tiles[with / nb];
            char *x = (char *)tiles[k].data + (size_t)(c * tiles[k].ld) * size;
            char *y = (char *)other->data + (size_t)(with % nb * other->ld) * size;
            if (x != y) /* neighbours in a column are size bytes apart: a swap of "rows" */
                tw_swap_rows(&(tw_swap){x, y, size, size}, 1, size, 0, tiles[k].rows);
        }
}

enum { COLUMNS_TILES, COLUMNS_FLOWS, COLUMNS_FIRST };

/* Tiles of one row, and then the pivots of all steps. */
static twill_outcome columns_body(twill_task *t)
{
    int tiles = (int)twill_task_int(t, COLUMNS_TILES);
    twill_flow *flows = twill_task_data(t, COLUMNS_FLOWS);
    for (int i = 0; i < 2 * tiles; i++)
        flows[i] = tw_la_tile(t, COLUMNS_FIRST + i);
    swap_columns(tw_la_kernels(t, COLUMNS_FIRST)->size, flows, tiles,
                 twill_array_pattern(twill_task_array(t, COLUMNS_FIRST))->block[1], flows + tiles);
    return TWILL_DONE;
}

static const twill_class columns = {
    .size = sizeof(twill_class), .name = "swap_columns", .chores = {TWILL_CPU(columns_body)}};

static twill_status insert_row(twill_graph *g, const call *o, int64_t i)
{
    int64_t tiles = tw_la_nt(o->a);
    twill_arg *args = malloc((size_t)(2 * tiles + COLUMNS_FIRST + 1) * sizeof *args);
    if (!args)
        return tw_fail(TWILL_ERR_MEMORY, "getri: no memory for the arguments of a task");
    args[COLUMNS_TILES] = TWILL_INT(tiles);
    args[COLUMNS_FLOWS] = TWILL_SCRATCH((size_t)(2 * tiles) * sizeof(twill_flow));
    for (int64_t j = 0; j < tiles; j++) {
        args[COLUMNS_FIRST + j] = TWILL_RW(twill_tile_at(o->a, i, j));
        args[COLUMNS_FIRST + tiles + j] = TWILL_R(twill_tile_at(o->ipiv, j, 0));
    }
    args[COLUMNS_FIRST + 2 * tiles] = TWILL_END;
    twill_status status = twill_insert_args(g, &columns, args);
    free(args);
    return status;
}

static twill_status insert_columns(twill_graph *g, const call *o)
{
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < tw_la_mt(o->a) && status == TWILL_OK; i++)
        status = insert_row(g, o, i);
    return status;
}

/* ---- the algorithm ----------------------------------------------------------------------- */

static twill_status insert(twill_graph *g, void *arg)
{
    const call *o = arg;
    twill_status status = insert_moves(g, o);
    if (status == TWILL_OK)
        status = twill_trtri_insert(g, TWILL_UPPER, TWILL_NON_UNIT, o->a, o->options);
    if (status == TWILL_OK)
        status = twill_trsm_insert(g, TWILL_RIGHT, TWILL_LOWER, TWILL_NO_TRANS, TWILL_UNIT,
                                   twill_real(1.0), o->work, o->a, o->options);
    return status == TWILL_OK ? insert_columns(g, o) : status;
}

static twill_status check(const call *o, int64_t *info)
{
    twill_status status = tw_lu_check_solve(&numbers, o->a, o->ipiv, o->work, info);
    if (status == TWILL_OK &&
        memcmp(twill_array_pattern(o->a), twill_array_pattern(o->work), sizeof(twill_pattern)) != 0)
        status = tw_la_bad(info, "getri", numbers.b, "(work space) must be like the matrix");
    return status;
}

twill_status twill_getri_insert(twill_graph *g, twill_array *a, twill_array *ipiv,
                                twill_array *work, const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    call o = {a, ipiv, work, options};
    twill_status status = check(&o, NULL);
    if (status == TWILL_OK)
        status = insert(g, &o);
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

/* ---- small matrices ---------------------------------------------------------------------- */

static int64_t invert_whole(const tw_kernels *k, const twill_flow *x, const void *unused)
{
    (void)unused;
    int64_t info = tw_tile_zero(k, x);
    if (info)
        return info;
    twill_flow work = {malloc((size_t)(x->rows * x->rows) * k->size), x->rows, x->rows, x->rows};
    if (!work.data)
        return TW_DIRECT_NO_MEMORY;
    tw_tile_view a = tw_view_of(x), l = tw_view_of(&work);
    move_tile(k->size, x, &work, true);
    tw_tile_trtri(k, 'U', 'N', x);
    tw_call_trsm(k, (tw_triangle){'R', 'L', 'N', 'U'}, k->one, &l, &a);
    swap_columns(k->size, x, 1, x->cols, &x[1]);
    free(work.data);
    return 0;
}

twill_status twill_getri(twill_array *a, twill_array *ipiv, int64_t *info)
{
    int64_t found = 0;
    call o = {a, ipiv, a, NULL};
    tw_direct d = {"getri", invert_whole, NULL, {{a, TWILL_READ_WRITE}, {ipiv, TWILL_READ}}};
    twill_status status = check(&o, info);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    status = twill_getrf_info(a, &found);
    if (status == TWILL_OK && found == 0)
        status = twill_array_create(twill_array_context(a), twill_array_pattern(a),
                                    twill_array_type(a), 0, &o.work);
    if (status != TWILL_OK || found != 0) {
        if (status == TWILL_OK && info)
            *info = found;
        return status;
    }
    status = tw_la_run(twill_array_context(a), insert, &o, info);
    twill_array_free(o.work);
    return status;
}
