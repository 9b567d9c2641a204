/* Element <-> place: its block, the number of that among its owner's, and where it is in there. */
#include "data/pattern/pattern.h"

/* ---- number of a block among its owner's ------------------------------------------------- */

static int64_t number_on_grid(const twill_pattern *p, const int64_t *block)
{
    int64_t number = 0, locals = 1;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_BLOCKS, k);
        int64_t r = tw_pattern_coordinate(p, d, block[d]);
        number += tw_pattern_before(p, d, r, block[d]) * locals;
        locals *= twill_pattern_local_blocks(p, d, r);
    }
    return number;
}

static int64_t number_counted(const twill_pattern *p, const int64_t *block)
{
    int64_t at[TWILL_DIMS] = {0}, number = 0, rank = twill_pattern_owner(p, block);
    for (;;) {
        bool there = true;
        for (int d = 0; d < p->ndim; d++)
            there = there && at[d] == block[d];
        if (there)
            return number;
        number += twill_pattern_owner(p, at) == rank;
        tw_pattern_next_number(p, at);
    }
}

int64_t twill_pattern_lblock_number(const twill_pattern *p, const int64_t *block)
{
    if (!p->owner)
        return number_on_grid(p, block);
    return tw_pattern_is_numbered(p) ? p->mapping->number(p, block) : number_counted(p, block);
}

/* ---- the block with a number ------------------------------------------------------------- */

static void block_on_grid(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    int64_t here[TWILL_DIMS] = {0};
    tw_pattern_coordinates(p, rank, here);
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_BLOCKS, k);
        int64_t locals = twill_pattern_local_blocks(p, d, here[d]);
        block[d] = tw_pattern_block(p, d, here[d], number % locals);
        number /= locals;
    }
}

static void block_counted(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    for (int d = 0; d < p->ndim; d++)
        block[d] = 0;
    do
        number -= twill_pattern_owner(p, block) == rank;
    while (number >= 0 && tw_pattern_next_number(p, block));
}

void twill_pattern_lblock(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    if (!p->owner)
        block_on_grid(p, rank, number, block);
    else if (tw_pattern_is_numbered(p))
        p->mapping->block(p, rank, number, block);
    else
        block_counted(p, rank, number, block);
}

/* ---- elements ---------------------------------------------------------------------------- */

/* Elements from one index of the next dimension to the next, in units of this one's: rows of all
 * tiles are equally far apart, the rest of a tile has no gaps. Dimension d is number k in order. */
static int64_t step(const twill_pattern *p, int k, int d, int64_t b)
{
    return k == 0 ? tw_pattern_room(p, d) : twill_pattern_block_extent(p, d, b);
}

twill_place twill_pattern_find(const twill_pattern *p, const int64_t *index)
{
    twill_place place = {0};
    int64_t elements = 1;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        int64_t b = index[d] / p->block[d];
        place.block[d] = b;
        place.offset += index[d] % p->block[d] * elements;
        elements *= step(p, k, d, b);
    }
    place.rank = twill_pattern_owner(p, place.block);
    place.local = twill_pattern_lblock_number(p, place.block);
    return place;
}

void twill_pattern_element(const twill_pattern *p, const twill_place *place, int64_t *index)
{
    int64_t block[TWILL_DIMS], offset = place->offset;
    twill_pattern_lblock(p, place->rank, place->local, block);
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        int64_t apart = step(p, k, d, block[d]);
        index[d] = block[d] * p->block[d] + offset % apart;
        offset /= apart;
    }
}
