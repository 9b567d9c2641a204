/* What of an array this rank has: which tiles, how many, and where their bytes are. */
#include "data/array.h"

#include <stdlib.h>

static bool has_all(const twill_array *a)
{
    bool all = true;
    for (int d = 0; d < a->pattern.ndim; d++)
        all = all && a->local[d] == a->blocks[d];
    return all;
}

/* A rank's part of a triangle is none: how many tiles a column has depends on where the grid
 * begins. So there is a table: the tile in local row i of local column j is number columns[j] + i,
 * and the last entry is the number of tiles. */
static bool make_columns(twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    int64_t n = a->local[1], tiles = 0;
    a->columns = malloc((size_t)(n + 1) * sizeof *a->columns);
    if (!a->columns)
        return false;
    for (int64_t k = 0; k < n; k++) {
        int64_t j = tw_pattern_block(p, 1, a->here[1], k);
        bool lower = a->stored == TW_LOWER_PART;
        int64_t above = tw_pattern_before(p, 0, a->here[0], lower ? j : j + 1);
        a->columns[k] = lower ? tiles - above : tiles;
        tiles += lower ? a->local[0] - above : above;
    }
    a->columns[n] = tiles;
    return true;
}

/* The number of a tile, the first dimension fastest. */
static int64_t number_of(const twill_array *a, const int64_t *block)
{
    int64_t number = 0, blocks = 1;
    for (int d = 0; d < a->pattern.ndim; d++) {
        number += block[d] * blocks;
        blocks *= a->blocks[d];
    }
    return number;
}

/* Nothing is known of an owner function but its answers. So there is a table again: where in the
 * slab each tile of this rank is, and last how many there are. */
static bool make_slots(twill_array *a)
{
    int64_t block[TWILL_DIMS] = {0}, tiles = 0;
    a->slots = calloc((size_t)a->ntiles + 1, sizeof *a->slots);
    if (!a->slots || a->ntiles == 0)
        return a->slots;
    do {
        bool there = a->stored == TW_FULL || tw_array_stores(a, block[0], block[1]);
        if (there && twill_pattern_owner(&a->pattern, block) == a->shared->rank)
            a->slots[number_of(a, block)] = tiles++;
    } while (tw_pattern_next_number(&a->pattern, block));
    a->slots[a->ntiles] = tiles;
    return true;
}

/* Or its mapping says all that is needed. */
static bool is_mapped(const twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    return p->owner && tw_pattern_is_numbered(p) && a->stored == TW_FULL;
}

bool tw_local_open(twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    if (is_mapped(a))
        return true;
    if (p->owner && a->shared->ranks > 1)
        return make_slots(a);
    bool inside = tw_pattern_coordinates(p, a->shared->rank, a->here);
    for (int d = 0; d < p->ndim && inside; d++)
        a->local[d] = tw_pattern_before(p, d, a->here[d], a->blocks[d]);
    return a->stored == TW_FULL || has_all(a) || make_columns(a);
}

int64_t tw_local_tiles(const twill_array *a)
{
    int64_t n = a->blocks[0], tiles = 1;
    if (is_mapped(a))
        return twill_pattern_rank_blocks(&a->pattern, a->shared->rank);
    if (a->slots)
        return a->slots[a->ntiles];
    if (a->columns)
        return a->columns[a->local[1]];
    if (a->stored != TW_FULL)
        return n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
    for (int d = 0; d < a->pattern.ndim; d++)
        tiles *= a->local[d];
    return tiles;
}

/* Which of the tiles in the slab it is, by its local coordinates on a grid. */
static int64_t slot_of(const twill_array *a, const int64_t *at)
{
    int64_t i = at[0], j = at[1];
    if (a->columns)
        return a->columns[j] + i;
    if (a->stored == TW_LOWER_PART) /* the columns before have one tile less each */
        return i + j * a->blocks[0] - j * (j + 1) / 2;
    if (a->stored == TW_UPPER_PART)
        return i + j * (j + 1) / 2;
    int64_t slot = 0, blocks = 1;
    for (int k = 0; k < a->pattern.ndim; k++) {
        int d = tw_pattern_dim(&a->pattern, TWILL_ROW_MAJOR_BLOCKS, k);
        slot += at[d] * blocks;
        blocks *= a->local[d];
    }
    return slot;
}

/* The coordinates of a tile among those of this rank on a grid. */
static void place_of(const twill_array *a, const int64_t *block, int64_t *at)
{
    for (int d = 0; d < a->pattern.ndim; d++)
        at[d] = tw_pattern_before(&a->pattern, d, a->here[d], block[d]);
}

int64_t tw_local_slot(const twill_array *a, const int64_t *block)
{
    int64_t at[TWILL_DIMS] = {0};
    if (is_mapped(a))
        return twill_pattern_lblock_number(&a->pattern, block);
    if (a->slots)
        return a->slots[number_of(a, block)];
    place_of(a, block, at);
    return slot_of(a, at);
}

tw_host_bytes tw_local_bytes(const twill_array *a, const int64_t *block)
{
    const twill_pattern *p = &a->pattern;
    int64_t at[TWILL_DIMS] = {0};
    if (a->items)
        return tw_items_bytes(a->items, tw_local_slot(a, block));
    if (!a->ld)
        return (tw_host_bytes){a->slab + (size_t)tw_local_slot(a, block) * a->stride,
                               tw_pattern_tile_ld(p)};
    place_of(a, block, at);
    int64_t first = 0, apart = 1;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        first += at[d] * p->block[d] * apart;
        apart *= k == 0 ? a->ld : twill_pattern_local_extent(p, d, a->here[d]);
    }
    return (tw_host_bytes){a->slab + (size_t)first * a->element, a->ld};
}
