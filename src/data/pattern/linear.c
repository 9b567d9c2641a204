/* Numbers of elements and blocks, in the array and of one rank. */
#include "data/pattern/pattern.h"

/* ---- in the array ------------------------------------------------------------------------ */

/* Number <-> coordinates within these extents, dimensions in the order that `by` says. */
static int64_t number_of(const twill_pattern *p, int64_t by, const int64_t *at,
                         const int64_t *extent)
{
    int64_t number = 0;
    for (int k = p->ndim - 1; k >= 0; k--) {
        int d = tw_pattern_dim(p, by, k);
        number = number * extent[d] + at[d];
    }
    return number;
}

static void coordinates_of(const twill_pattern *p, int64_t by, int64_t number,
                           const int64_t *extent, int64_t *at)
{
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, by, k);
        at[d] = number % extent[d];
        number /= extent[d];
    }
}

int64_t twill_pattern_index(const twill_pattern *p, const int64_t *index)
{
    return number_of(p, TWILL_ROW_MAJOR_ELEMENTS, index, p->extent);
}

void twill_pattern_coords(const twill_pattern *p, int64_t number, int64_t *index)
{
    coordinates_of(p, TWILL_ROW_MAJOR_ELEMENTS, number, p->extent, index);
}

static void blocks_of(const twill_pattern *p, int64_t *blocks)
{
    for (int d = 0; d < p->ndim; d++)
        blocks[d] = twill_pattern_blocks(p, d);
}

int64_t twill_pattern_block_number(const twill_pattern *p, const int64_t *block)
{
    int64_t blocks[TWILL_DIMS];
    blocks_of(p, blocks);
    return number_of(p, TWILL_ROW_MAJOR_BLOCKS, block, blocks);
}

void twill_pattern_block(const twill_pattern *p, int64_t number, int64_t *block)
{
    int64_t blocks[TWILL_DIMS];
    blocks_of(p, blocks);
    coordinates_of(p, TWILL_ROW_MAJOR_BLOCKS, number, blocks, block);
}

/* ---- what a rank has --------------------------------------------------------------------- */

static bool is_empty(const twill_pattern *p)
{
    bool empty = false;
    for (int d = 0; d < p->ndim; d++)
        empty = empty || p->extent[d] == 0;
    return empty;
}

static int64_t elements_of(const twill_pattern *p, const int64_t *block)
{
    int64_t elements = 1;
    for (int d = 0; d < p->ndim; d++)
        elements *= twill_pattern_block_extent(p, d, block[d]);
    return elements;
}

/* Blocks of a rank and elements in them, of an owner function. */
static int64_t count(const twill_pattern *p, int64_t rank, bool elements)
{
    int64_t block[TWILL_DIMS] = {0}, total = 0;
    if (is_empty(p))
        return 0;
    do
        if (twill_pattern_owner(p, block) == rank)
            total += elements ? elements_of(p, block) : 1;
    while (tw_pattern_next(p, block));
    return total;
}

int64_t twill_pattern_rank_blocks(const twill_pattern *p, int64_t rank)
{
    int64_t here[TWILL_DIMS], blocks = 1;
    if (p->owner)
        return p->mapping && p->mapping->count ? p->mapping->count(p, rank) : count(p, rank, false);
    if (!tw_pattern_coordinates(p, rank, here))
        return 0;
    for (int d = 0; d < p->ndim; d++)
        blocks *= twill_pattern_local_blocks(p, d, here[d]);
    return blocks;
}

int64_t twill_pattern_rank_elements(const twill_pattern *p, int64_t rank)
{
    int64_t here[TWILL_DIMS], elements = 1;
    if (p->owner)
        return count(p, rank, true);
    if (!tw_pattern_coordinates(p, rank, here))
        return 0;
    for (int d = 0; d < p->ndim; d++)
        elements *= twill_pattern_local_extent(p, d, here[d]);
    return elements;
}

int64_t twill_pattern_ranks(const twill_pattern *p)
{
    int64_t block[TWILL_DIMS] = {0}, ranks = 1;
    if (!p->owner) {
        for (int d = 0; d < p->ndim; d++)
            ranks *= p->grid[d];
        return p->first + ranks;
    }
    ranks = 0;
    if (is_empty(p))
        return 0;
    do {
        int64_t rank = twill_pattern_owner(p, block);
        ranks = rank >= ranks ? rank + 1 : ranks;
    } while (tw_pattern_next(p, block));
    return ranks;
}

/* ---- elements of a rank, block after block ----------------------------------------------- */

/* Elements of the owner that come before those of the block: of a grid those before it along the
 * dimension that runs slowest, then of the rest those along the next one. */
static int64_t before_on_grid(const twill_pattern *p, const int64_t *block)
{
    int64_t before = 0, faster = 1, beside = elements_of(p, block);
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_BLOCKS, k);
        int64_t r = tw_pattern_coordinate(p, d, block[d]);
        beside /= twill_pattern_block_extent(p, d, block[d]); /* now of the slower ones */
        before += tw_pattern_before(p, d, r, block[d]) * p->block[d] * faster * beside;
        faster *= twill_pattern_local_extent(p, d, r);
    }
    return before;
}

/* The blocks of a rank in the order of their numbers: the first, and the next ones. Those of an
 * owner function that says no more are found among all. */
static void begin_blocks(const twill_pattern *p, int64_t rank, int64_t *block)
{
    for (int d = 0; d < p->ndim; d++)
        block[d] = 0;
    if (tw_pattern_is_numbered(p))
        twill_pattern_lblock(p, rank, 0, block);
    else
        while (twill_pattern_owner(p, block) != rank)
            tw_pattern_next_number(p, block);
}

static void next_block(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    if (tw_pattern_is_numbered(p)) {
        twill_pattern_lblock(p, rank, number, block);
        return;
    }
    do
        tw_pattern_next_number(p, block);
    while (twill_pattern_owner(p, block) != rank);
}

static int64_t before_counted(const twill_pattern *p, const int64_t *block)
{
    int64_t at[TWILL_DIMS], before = 0, rank = twill_pattern_owner(p, block);
    int64_t number = twill_pattern_lblock_number(p, block);
    begin_blocks(p, rank, at);
    for (int64_t n = 0; n < number; next_block(p, rank, ++n, at))
        before += elements_of(p, at);
    return before;
}

/* The block with that element of a rank; *local becomes the number of the element in it. */
static void block_with(const twill_pattern *p, const int64_t *here, int64_t *local, int64_t *block)
{
    int64_t faster = 1, beside = 1;
    for (int d = 0; d < p->ndim; d++)
        faster *= twill_pattern_local_extent(p, d, here[d]);
    for (int k = p->ndim - 1; k >= 0; k--) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_BLOCKS, k);
        faster /= twill_pattern_local_extent(p, d, here[d]);
        /* only the last block may have less, and nothing comes after it */
        int64_t full = p->block[d] * faster * beside, n = *local / full;
        *local -= n * full;
        block[d] = tw_pattern_block(p, d, here[d], n);
        beside *= twill_pattern_block_extent(p, d, block[d]);
    }
}

static void block_with_counted(const twill_pattern *p, int64_t rank, int64_t *local, int64_t *block)
{
    begin_blocks(p, rank, block);
    for (int64_t n = 0, elements; *local >= (elements = elements_of(p, block)); *local -= elements)
        next_block(p, rank, ++n, block);
}

/* ---- either way -------------------------------------------------------------------------- */

static bool is_one_array(const twill_pattern *p)
{
    return p->order & TWILL_LOCAL_ARRAY && !p->owner;
}

/* The local array's: index <-> local coordinates. */
static int64_t local_in_array(const twill_pattern *p, const int64_t *index)
{
    int64_t at[TWILL_DIMS], extent[TWILL_DIMS];
    for (int d = 0; d < p->ndim; d++) {
        int64_t b = index[d] / p->block[d], r = tw_pattern_coordinate(p, d, b);
        at[d] = tw_pattern_before(p, d, r, b) * p->block[d] + index[d] % p->block[d];
        extent[d] = twill_pattern_local_extent(p, d, r);
    }
    return number_of(p, TWILL_ROW_MAJOR_ELEMENTS, at, extent);
}

static void global_of_array(const twill_pattern *p, const int64_t *here, int64_t local,
                            int64_t *index)
{
    int64_t at[TWILL_DIMS], extent[TWILL_DIMS];
    for (int d = 0; d < p->ndim; d++)
        extent[d] = twill_pattern_local_extent(p, d, here[d]);
    coordinates_of(p, TWILL_ROW_MAJOR_ELEMENTS, local, extent, at);
    for (int d = 0; d < p->ndim; d++)
        index[d] = tw_pattern_block(p, d, here[d], at[d] / p->block[d]) * p->block[d] +
                   at[d] % p->block[d];
}

int64_t twill_pattern_local(const twill_pattern *p, const int64_t *index, int64_t *rank)
{
    int64_t block[TWILL_DIMS], at[TWILL_DIMS], extent[TWILL_DIMS];
    for (int d = 0; d < p->ndim; d++) {
        block[d] = index[d] / p->block[d];
        at[d] = index[d] % p->block[d];
        extent[d] = twill_pattern_block_extent(p, d, block[d]);
    }
    *rank = twill_pattern_owner(p, block);
    if (is_one_array(p))
        return local_in_array(p, index);
    int64_t before = p->owner ? before_counted(p, block) : before_on_grid(p, block);
    return before + number_of(p, TWILL_ROW_MAJOR_ELEMENTS, at, extent);
}

void twill_pattern_global(const twill_pattern *p, int64_t rank, int64_t local, int64_t *index)
{
    int64_t here[TWILL_DIMS] = {0}, block[TWILL_DIMS], at[TWILL_DIMS], extent[TWILL_DIMS];
    if (!p->owner)
        tw_pattern_coordinates(p, rank, here);
    if (is_one_array(p)) {
        global_of_array(p, here, local, index);
        return;
    }
    if (p->owner)
        block_with_counted(p, rank, &local, block);
    else
        block_with(p, here, &local, block);
    for (int d = 0; d < p->ndim; d++)
        extent[d] = twill_pattern_block_extent(p, d, block[d]);
    coordinates_of(p, TWILL_ROW_MAJOR_ELEMENTS, local, extent, at);
    for (int d = 0; d < p->ndim; d++)
        index[d] = block[d] * p->block[d] + at[d];
}
