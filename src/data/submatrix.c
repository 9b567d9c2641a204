/* Submatrices: arrays on the tiles of others. */
#include "base/status.h"
#include "data/array.h"

#include <stdlib.h>

/* The view begins with a tile in dimension d, and ends with one. */
static twill_status check_tiles(const twill_view *v, int d)
{
    const twill_pattern *p = &v->array->pattern;
    int64_t start = v->start[d], end = start + v->extent[d];
    if (v->extent[d] == 0 ||
        (start % p->block[d] == 0 && (end % p->block[d] == 0 || end == p->extent[d])))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_ARGUMENT,
                   "a submatrix cannot begin or end in the middle of tiles: %s %lld to %lld, and "
                   "tiles have %lld",
                   d == 0   ? "rows"
                   : d == 1 ? "columns"
                            : "indices of a later dimension",
                   (long long)start, (long long)end - 1, (long long)p->block[d]);
}

/* Which of its elements a submatrix of a triangle stores; 0 when that is no triangle. */
static tw_region stored_part(const twill_view *v, const int64_t *first, const int64_t *blocks)
{
    tw_region stored = v->array->stored;
    if (stored == TW_FULL || blocks[0] == 0 || blocks[1] == 0)
        return TW_FULL;
    if (first[0] == first[1])
        return stored;
    bool below = first[0] > first[1] + blocks[1] - 1, above = first[0] + blocks[0] - 1 < first[1];
    return (stored == TW_LOWER_PART ? below : above) ? TW_FULL : 0;
}

static twill_status check(const twill_view *v)
{
    twill_status status = tw_view_check_box(v);
    for (int d = 0; status == TWILL_OK && d < v->array->pattern.ndim; d++)
        status = check_tiles(v, d);
    return status;
}

twill_status tw_array_sub(const twill_view *v, twill_array **out)
{
    twill_status status = check(v);
    if (status != TWILL_OK)
        return status;
    twill_array *parent = v->array, *root = parent->root;
    const twill_pattern *p = &parent->pattern;
    int64_t first[TWILL_DIMS] = {0}, blocks[TWILL_DIMS], ntiles = 1;
    for (int d = 0; d < p->ndim; d++)
        first[d] = v->start[d] / p->block[d];
    twill_pattern pattern = tw_pattern_part(p, first, v->extent);
    for (int d = 0; d < TWILL_DIMS; d++) {
        blocks[d] = twill_pattern_blocks(&pattern, d);
        ntiles *= blocks[d];
    }
    tw_region stored = stored_part(v, first, blocks);
    if (!stored)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the matrix stores only a triangle: a submatrix must begin on the diagonal "
                       "or lie inside the triangle");
    twill_array *a = malloc(sizeof *a);
    if (!a)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a submatrix");
    *a = (twill_array){.pattern = pattern,
                       .type = root->type,
                       .element = root->element,
                       .shared = root->shared,
                       .context = root->context,
                       .tiles_chosen = parent->tiles_chosen,
                       .slab = root->slab,
                       .ld = root->ld,
                       .ntiles = ntiles,
                       .stored = stored,
                       .root = root,
                       .tiles = root->tiles};
    for (int d = 0; d < TWILL_DIMS; d++) {
        a->blocks[d] = blocks[d];
        a->origin[d] = parent->origin[d] + first[d];
    }
    atomic_fetch_add_explicit(&root->refs, 1, memory_order_relaxed);
    tw_array_enlist(a);
    *out = a;
    return TWILL_OK;
}

bool tw_array_overlaps(const twill_array *a, const twill_array *b)
{
    bool common = a->root == b->root && a->ntiles > 0 && b->ntiles > 0;
    for (int d = 0; d < TWILL_DIMS; d++)
        common = common && a->origin[d] < b->origin[d] + b->blocks[d] &&
                 b->origin[d] < a->origin[d] + a->blocks[d];
    return common;
}
