/* Checks, tasks on whole tile columns, and row swaps. */
#include "la/lu/lu.h"

#include "engine/engine.h"
#include "front/stf/ranks.h"
#include "la/fit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks ------------------------------------------------------------------------------ */

/* A matrix that the BLAS can take. */
static twill_status check_any(const tw_lu_numbers *n, int number, twill_array *a, int64_t *info)
{
    const tw_blas *blas;
    if (!a)
        return tw_la_bad(info, n->who, number, "(the matrix) is NULL");
    twill_status status = tw_la_check(n->who, a);
    if (status != TWILL_OK)
        return status;
    if (twill_array_uplo(a) != TWILL_GENERAL)
        return tw_la_bad(info, n->who, number,
                         "must be a whole matrix; this one stores a triangle");
    if (a->ld > INT_MAX)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s: leading dimension %lld is too large for the BLAS", n->who,
                       (long long)a->ld);
    return tw_blas_get(a->context, &blas);
}

twill_status tw_lu_check_matrix(const tw_lu_numbers *n, int number, twill_array *a, int64_t *info)
{
    twill_status status = check_any(n, number, a, info);
    if (status == TWILL_OK && a->pattern.block[0] != a->pattern.block[1])
        status = tw_la_bad(info, n->who, number, "must have square tiles, not %lld by %lld",
                           (long long)a->pattern.block[0], (long long)a->pattern.block[1]);
    return status;
}

static twill_status check_pivots(const tw_lu_numbers *n, const twill_array *a,
                                 const twill_array *ipiv, int64_t *info)
{
    const twill_pattern *p = &a->pattern;
    if (!ipiv)
        return tw_la_bad(info, n->who, n->ipiv, "(the pivots) is NULL");
    const twill_pattern *q = &ipiv->pattern;
    int64_t count = tw_min(p->extent[0], p->extent[1]);
    if (ipiv->context != a->context || twill_array_element(ipiv) != 8 ||
        ipiv->type != TWILL_BYTES || q->ndim > 2 || q->extent[0] != count ||
        q->block[0] != p->block[0] || (q->ndim == 2 && q->extent[1] != 1))
        return tw_la_bad(info, n->who, n->ipiv,
                         "(the pivots) must be an array of %lld elements of 8 bytes in tiles of "
                         "%lld, as twill_pivots_create makes it",
                         (long long)count, (long long)p->block[0]);
    return TWILL_OK;
}

twill_status tw_lu_check(const tw_lu_numbers *n, twill_array *a, twill_array *ipiv, int64_t *info)
{
    twill_status status = tw_lu_check_matrix(n, n->a, a, info);
    return status == TWILL_OK ? check_pivots(n, a, ipiv, info) : status;
}

twill_status tw_lu_check_solve(const tw_lu_numbers *n, twill_array *a, twill_array *ipiv,
                               twill_array *b, int64_t *info)
{
    twill_status status = tw_lu_check_matrix(n, n->a, a, info);
    if (status == TWILL_OK && a->pattern.extent[0] != a->pattern.extent[1])
        return tw_la_bad(info, n->who, n->order,
                         "(the order) is not one: the matrix is %lld by %lld",
                         (long long)a->pattern.extent[0], (long long)a->pattern.extent[1]);
    if (status == TWILL_OK)
        status = check_pivots(n, a, ipiv, info);
    if (status == TWILL_OK)
        status = check_any(n, n->b, b, info);
    if (status != TWILL_OK)
        return status;
    if (b->pattern.extent[0] != a->pattern.extent[0])
        return tw_la_bad(info, n->who, n->ldb, "(rows of B) must be %lld, not %lld",
                         (long long)a->pattern.extent[0], (long long)b->pattern.extent[0]);
    if (b->context != a->context || b->type != a->type || !tw_can_fit(a, 0, b, 0))
        return tw_la_bad(info, n->who, n->b, "(B) differs from A in type, tile size or context");
    if (a != b && tw_array_overlaps(a, b)) /* getri gives A twice */
        return tw_la_bad(info, n->who, n->b, "(B) overlaps A");
    return TWILL_OK;
}

twill_status twill_pivots_create(twill_array *a, twill_array **ipiv)
{
    twill_status status = tw_la_check("twill_pivots_create", a);
    if (status != TWILL_OK)
        return status;
    if (!ipiv)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_pivots_create: an argument is NULL");
    const twill_pattern *p = &a->pattern;
    twill_pattern q = tw_pattern_like(p, tw_min(p->extent[0], p->extent[1]), 1, p->block[0], 1);
    return twill_array_create(a->context, &q, TWILL_BYTES, sizeof(int64_t), ipiv);
}

/* ---- tasks on tile columns --------------------------------------------------------------- */

static twill_arg argument(twill_tile *tile, twill_access mode)
{
    return mode == TWILL_READ    ? TWILL_R(tile)
           : mode == TWILL_WRITE ? TWILL_W(tile)
                                 : TWILL_RW(tile);
}

twill_status tw_lu_insert(twill_graph *g, const twill_class *cls, const twill_arg *given,
                          const tw_lu_data *d)
{
    int64_t count = 0, tiles = given[0].u.integer, more = d->more ? d->end - d->first : 0;
    while (given[count].kind != TWILL_ARG_END)
        count++;
    twill_arg *args = malloc((size_t)(count + tiles + more + 1) * sizeof *args);
    if (!args)
        return tw_stf_missed(g, tw_fail(TWILL_ERR_MEMORY, "%s: no memory for %lld arguments",
                                        cls->name, (long long)(count + tiles + more)));
    memcpy(args, given, (size_t)count * sizeof *args);
    for (int64_t i = 0; i < tiles; i++) {
        int64_t tile = i == 0 ? d->lead : i == d->lead ? 0 : i;
        args[count++] = argument(twill_tile_at(d->a, d->row + tile * d->stride, d->col), d->mode);
    }
    for (int64_t i = 0; i < more; i++)
        args[count++] = argument(twill_tile_at(d->more, d->first + i, d->more_col), d->more_mode);
    args[count] = TWILL_END;
    twill_status status = twill_insert_args(g, cls, args);
    free(args);
    return status;
}

tw_rows tw_lu_rows(const twill_task *t, int from, twill_flow *tiles)
{
    int64_t count = twill_task_int(t, 0);
    for (int64_t i = 0; i < count; i++)
        tiles[i] = tw_la_tile(t, from + (int)i);
    const twill_array *a = twill_task_array(t, from);
    return (tw_rows){tiles, twill_array_pattern(a)->block[0], twill_array_element(a)};
}

/* ---- row swaps --------------------------------------------------------------------------- */

enum {
    SWAP_TILES,
    SWAP_STEPS,
    SWAP_BACKWARD,
    SWAP_LEAD,
    SWAP_FLOWS,
    SWAP_LIST,
    SWAP_FROM,
    SWAP_COLUMN,
    SWAP_FIRST
};

/* The task's interchanges: where its rows are, and its pivots. */
typedef struct interchanges {
    const twill_task *t;
    tw_rows rows;
    int64_t count;  /* rows */
    int64_t offset; /* pivots count from it */
    int64_t tiles, steps;
} interchanges;

static const int64_t *pivots_of(const interchanges *x, int64_t step, int64_t *count)
{
    int arg = SWAP_FIRST + (int)(x->tiles + step);
    *count = twill_task_rows(x->t, arg);
    return twill_task_data(x->t, arg);
}

/* One after the other. */
static void swap_each(const interchanges *x, bool backward)
{
    tw_swap *list = twill_task_data(x->t, SWAP_LIST);
    for (int64_t i = 0; i < x->steps; i++) {
        int64_t step = backward ? x->steps - 1 - i : i, count;
        const int64_t *pivots = pivots_of(x, step, &count);
        count = tw_swap_list(&x->rows, step * x->rows.nb, count, pivots, x->offset, backward, list);
        tw_swap_rows(list, count, x->rows.element, 0, twill_task_cols(x->t, SWAP_FIRST));
    }
}

/* All at once. */
static void permute(const interchanges *x)
{
    int64_t *from = twill_task_data(x->t, SWAP_FROM);
    for (int64_t i = 0; i < x->count; i++)
        from[i] = i;
    for (int64_t step = 0; step < x->steps; step++) {
        int64_t count;
        const int64_t *pivots = pivots_of(x, step, &count);
        tw_permutation_add(from, step * x->rows.nb, count, pivots, x->offset);
    }
    tw_permute_rows(&x->rows, x->count, from, twill_task_data(x->t, SWAP_COLUMN),
                    twill_task_cols(x->t, SWAP_FIRST));
}

static twill_outcome swap_body(twill_task *t)
{
    twill_flow *tiles = twill_task_data(t, SWAP_FLOWS);
    interchanges x = {.t = t,
                      .rows = tw_lu_rows(t, SWAP_FIRST, tiles),
                      .tiles = twill_task_int(t, SWAP_TILES),
                      .steps = twill_task_int(t, SWAP_STEPS)};
    int64_t first, lead = twill_task_int(t, SWAP_LEAD);
    twill_flow top = tiles[lead];
    tiles[lead] = tiles[0];
    tiles[0] = top;
    twill_task_tile(t, SWAP_FIRST + (int)x.tiles, &first, &x.offset);
    x.offset = first * x.rows.nb + 1;
    x.count = (x.tiles - 1) * x.rows.nb + x.rows.tiles[x.tiles - 1].rows;
    bool backward = twill_task_int(t, SWAP_BACKWARD);
    if (!backward && tw_permuting_pays(x.steps * x.rows.nb, x.count))
        permute(&x);
    else
        swap_each(&x, backward);
    return TWILL_DONE;
}

static const twill_class swap = {
    .size = sizeof(twill_class), .name = "laswp", .chores = {TWILL_CPU(swap_body)}};

/* A column that several ranks share is brought to one of them: nearly all of its rows move. Columns
 * take turns. */
twill_status tw_lu_insert_swap(twill_graph *g, twill_array *b, int64_t j, twill_array *ipiv,
                               int64_t first, int64_t end, bool backward)
{
    int64_t nb = b->pattern.block[0], tiles = tw_la_mt(b) - first;
    int64_t lead = j % tw_min(tiles, b->pattern.grid[0]);
    size_t rows = (size_t)(tiles * nb);
    const twill_arg args[] = {TWILL_INT(tiles),
                              TWILL_INT(end - first),
                              TWILL_INT(backward),
                              TWILL_INT(lead),
                              TWILL_SCRATCH((size_t)tiles * sizeof(twill_flow)),
                              TWILL_SCRATCH((size_t)nb * sizeof(tw_swap)),
                              TWILL_SCRATCH(rows * sizeof(int64_t)),
                              TWILL_SCRATCH(rows * twill_array_element(b)),
                              TWILL_END};
    return tw_lu_insert(g, &swap, args,
                        &(tw_lu_data){.a = b,
                                      .row = first,
                                      .stride = 1,
                                      .col = j,
                                      .lead = lead,
                                      .mode = TWILL_READ_WRITE,
                                      .more = ipiv,
                                      .first = first,
                                      .end = end,
                                      .more_mode = TWILL_READ});
}
