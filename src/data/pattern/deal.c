/* Who owns which blocks: dimensions of a grid one by one, or an owner function. */
#include "base/minmax.h"
#include "data/pattern/pattern.h"

/* ---- blocks of a dimension --------------------------------------------------------------- */

int64_t twill_pattern_blocks(const twill_pattern *p, int d)
{
    return p->extent[d] / p->block[d] + (p->extent[d] % p->block[d] != 0);
}

int64_t twill_pattern_block_extent(const twill_pattern *p, int d, int64_t b)
{
    int64_t left = p->extent[d] - b * p->block[d];
    return left < p->block[d] ? left : p->block[d];
}

void tw_pattern_tile(const twill_pattern *p, const int64_t *block, int64_t *rows, int64_t *cols)
{
    int first = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0);
    *rows = twill_pattern_block_extent(p, first, block[first]);
    *cols = 1;
    for (int d = 0; d < p->ndim; d++)
        *cols *= d == first ? 1 : twill_pattern_block_extent(p, d, block[d]);
}

/* ---- in turns ---------------------------------------------------------------------------- */

/* The ranks take turns, a supertile each: blocks of a turn, counted from where the first turn
 * begins, and where that of coordinate r begins in it. */
static int64_t turn_of(const twill_pattern *p, int d)
{
    return tw_pattern_super(p, d) * p->grid[d];
}

static int64_t begin_of(const twill_pattern *p, int d, int64_t r)
{
    int64_t after = r - p->source[d];
    return (after < 0 ? after + p->grid[d] : after) * tw_pattern_super(p, d);
}

/* ---- in pieces --------------------------------------------------------------------------- */

static const int64_t *cuts_of(const twill_pattern *p, int d)
{
    const int64_t *cuts = p->cuts;
    for (int e = 0; e < d; e++)
        cuts += p->grid[e] + 1;
    return cuts;
}

/* The piece with block g: the last one that does not begin behind it. */
static int64_t piece_of(const twill_pattern *p, int d, int64_t g)
{
    const int64_t *cuts = cuts_of(p, d);
    int64_t low = 0, high = p->grid[d];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (cuts[middle] <= g)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Of the blocks before g, those of piece r. */
static int64_t owned_piece(const twill_pattern *p, int d, int64_t r, int64_t g)
{
    const int64_t *cuts = cuts_of(p, d);
    int64_t end = r + 1 < p->grid[d] ? cuts[r + 1] : INT64_MAX;
    return tw_clamp(g - cuts[r], 0, end - cuts[r]);
}

/* ---- either ------------------------------------------------------------------------------ */

/* How many of blocks 0 to g-1, counted from where the pattern begins, coordinate r owns. */
static int64_t owned(const twill_pattern *p, int d, int64_t r, int64_t g)
{
    if (p->cuts)
        return owned_piece(p, d, r, g);
    int64_t super = tw_pattern_super(p, d), turn = turn_of(p, d);
    return g / turn * super + tw_clamp(g % turn - begin_of(p, d, r), 0, super);
}

int64_t tw_pattern_block(const twill_pattern *p, int d, int64_t r, int64_t local)
{
    int64_t super = tw_pattern_super(p, d), number = local + owned(p, d, r, p->origin[d]);
    if (p->cuts)
        return cuts_of(p, d)[r] + number - p->origin[d];
    return number / super * turn_of(p, d) + begin_of(p, d, r) + number % super - p->origin[d];
}

int64_t tw_pattern_before(const twill_pattern *p, int d, int64_t r, int64_t b)
{
    return owned(p, d, r, p->origin[d] + b) - owned(p, d, r, p->origin[d]);
}

int64_t tw_pattern_coordinate(const twill_pattern *p, int d, int64_t b)
{
    if (p->cuts)
        return piece_of(p, d, b + p->origin[d]);
    return ((b + p->origin[d]) / tw_pattern_super(p, d) + p->source[d]) % p->grid[d];
}

int64_t twill_pattern_local_blocks(const twill_pattern *p, int d, int64_t r)
{
    return p->owner ? 0 : tw_pattern_before(p, d, r, twill_pattern_blocks(p, d));
}

int64_t twill_pattern_local_extent(const twill_pattern *p, int d, int64_t r)
{
    int64_t blocks = twill_pattern_local_blocks(p, d, r);
    if (blocks == 0)
        return 0;
    int64_t last = tw_pattern_block(p, d, r, blocks - 1);
    return (blocks - 1) * p->block[d] + twill_pattern_block_extent(p, d, last);
}

/* ---- ranks ------------------------------------------------------------------------------- */

bool tw_pattern_coordinates(const twill_pattern *p, int64_t rank, int64_t *here)
{
    rank -= p->first;
    if (rank < 0)
        return false;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_RANKS, k);
        here[d] = rank % p->grid[d];
        rank /= p->grid[d];
    }
    return rank == 0;
}

int64_t tw_pattern_rank(const twill_pattern *p, const int64_t *here)
{
    int64_t rank = p->first, ranks = 1;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_RANKS, k);
        rank += here[d] * ranks;
        ranks *= p->grid[d];
    }
    return rank;
}

static int64_t placed_owner(const twill_pattern *p, const int64_t *block)
{
    int64_t at[TWILL_DIMS] = {0};
    for (int d = 0; d < p->ndim; d++)
        at[d] = block[d] + p->origin[d];
    return p->owner(at, p->arg);
}

int64_t twill_pattern_owner(const twill_pattern *p, const int64_t *block)
{
    int64_t here[TWILL_DIMS];
    if (p->owner)
        return placed_owner(p, block);
    for (int d = 0; d < p->ndim; d++)
        here[d] = tw_pattern_coordinate(p, d, block[d]);
    return tw_pattern_rank(p, here);
}

/* ---- block by block ---------------------------------------------------------------------- */

bool tw_pattern_next(const twill_pattern *p, int64_t *block)
{
    for (int d = 0; d < p->ndim; d++) {
        if (++block[d] < twill_pattern_blocks(p, d))
            return true;
        block[d] = 0;
    }
    return false;
}

bool tw_pattern_next_number(const twill_pattern *p, int64_t *block)
{
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_BLOCKS, k);
        if (++block[d] < twill_pattern_blocks(p, d))
            return true;
        block[d] = 0;
    }
    return false;
}
