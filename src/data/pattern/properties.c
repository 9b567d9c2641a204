/* What algorithms ask a pattern for. */
#include "data/pattern/pattern.h"

#include "base/minmax.h"
#include "base/status.h"

#include <stdlib.h>

/* ---- of blocks --------------------------------------------------------------------------- */

static bool has_balanced_blocks(const twill_pattern *p)
{
    bool balanced = true;
    for (int d = 0; d < p->ndim; d++)
        balanced = balanced && (p->extent[d] <= p->block[d] || p->extent[d] % p->block[d] == 0);
    return balanced;
}

static bool is_empty(const twill_pattern *p)
{
    bool empty = false;
    for (int d = 0; d < p->ndim; d++)
        empty = empty || p->extent[d] == 0;
    return empty;
}

/* ---- of a grid --------------------------------------------------------------------------- */

/* The least and the most blocks that coordinates along a dimension own. */
typedef struct range {
    int64_t least, most;
} range;

static range blocks_along(const twill_pattern *p, int d)
{
    range x = {INT64_MAX, 0};
    for (int64_t r = 0; r < p->grid[d]; r++) {
        int64_t blocks = twill_pattern_local_blocks(p, d, r);
        x.least = tw_min(x.least, blocks);
        x.most = tw_max(x.most, blocks);
    }
    return x;
}

/* Ranks that are not in the line have none of it. */
static bool is_diagonal(const twill_pattern *p, int d, range x)
{
    bool others = false;
    for (int e = 0; e < p->ndim; e++)
        others = others || (e != d && p->grid[e] > 1);
    return x.most - (others ? 0 : x.least) <= 1;
}

/* Are the indices that coordinate r owns along dimension d without gaps, and are they all? */
static bool is_interval(const twill_pattern *p, int d, int64_t r)
{
    int64_t n = twill_pattern_local_blocks(p, d, r);
    return n <= 1 || tw_pattern_block(p, d, r, n - 1) - tw_pattern_block(p, d, r, 0) == n - 1;
}

/* Then so are elements if faster dimensions are complete and slower ones have one index. */
static bool has_contiguous(const twill_pattern *p, const int64_t *here)
{
    bool complete = true, contiguous = true, empty = false;
    for (int k = 0; k < p->ndim; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        int64_t extent = twill_pattern_local_extent(p, d, here[d]);
        empty = empty || extent == 0;
        contiguous = contiguous && (extent == 1 || (complete && is_interval(p, d, here[d])));
        complete = complete && extent == p->extent[d];
    }
    return contiguous || empty;
}

static bool is_contiguous(const twill_pattern *p)
{
    int64_t here[TWILL_DIMS], end = twill_pattern_ranks(p);
    for (int64_t rank = p->first; rank < end; rank++) {
        tw_pattern_coordinates(p, rank, here);
        if (!has_contiguous(p, here))
            return false;
    }
    return true;
}

static uint64_t of_grid(const twill_pattern *p)
{
    bool balanced = true, single = true, diagonal = true;
    for (int d = 0; d < p->ndim; d++) {
        range x = blocks_along(p, d);
        balanced = balanced && x.least == x.most;
        single = single && x.most <= 1;
        diagonal = diagonal && is_diagonal(p, d, x);
    }
    return (balanced ? TWILL_BALANCED_RANKS : 0) | (single ? TWILL_SINGLE_BLOCK : 0) |
           (diagonal ? TWILL_DIAGONAL : 0) | (is_contiguous(p) ? TWILL_CONTIGUOUS : 0) |
           TWILL_SEPARABLE;
}

/* ---- of an owner function ---------------------------------------------------------------- */

/* Ranks that own none are not known to it, so they do not count. */
static uint64_t counts_of(const twill_pattern *p, int64_t ranks)
{
    range x = {INT64_MAX, 0};
    for (int64_t rank = 0; rank < ranks; rank++) {
        int64_t blocks = twill_pattern_rank_blocks(p, rank);
        x.least = blocks ? tw_min(x.least, blocks) : x.least;
        x.most = tw_max(x.most, blocks);
    }
    return (x.least == x.most ? TWILL_BALANCED_RANKS : 0) | (x.most <= 1 ? TWILL_SINGLE_BLOCK : 0);
}

/* Numbers of elements come in runs of one owner: every rank has one run. */
static bool has_single_runs(const twill_pattern *p, int64_t ranks)
{
    int64_t number = 0, end = 1, before = -1, runs = 0, owners = 0, at[TWILL_DIMS];
    for (int64_t rank = 0; rank < ranks; rank++)
        owners += twill_pattern_rank_blocks(p, rank) > 0;
    for (int d = 0; d < p->ndim; d++)
        end *= p->extent[d];
    for (; number < end && runs <= owners; number++) {
        twill_pattern_coords(p, number, at);
        for (int d = 0; d < p->ndim; d++)
            at[d] /= p->block[d];
        int64_t rank = twill_pattern_owner(p, at);
        runs += rank != before;
        before = rank;
    }
    return runs == owners;
}

/* Do numbers of blocks of two ranks differ by one at most in the line along d that begins there? */
static bool is_even_line(const twill_pattern *p, int d, int64_t *at, int64_t *counts, int64_t ranks)
{
    range x = {INT64_MAX, 0};
    for (int64_t rank = 0; rank < ranks; rank++)
        counts[rank] = 0;
    for (at[d] = 0; at[d] < twill_pattern_blocks(p, d); at[d]++)
        counts[twill_pattern_owner(p, at)]++;
    at[d] = 0;
    for (int64_t rank = 0; rank < ranks; rank++) {
        x.least = tw_min(x.least, counts[rank]);
        x.most = tw_max(x.most, counts[rank]);
    }
    return x.most - x.least <= 1;
}

static bool has_even_lines(const twill_pattern *p, int64_t ranks)
{
    int64_t *counts = calloc((size_t)ranks, sizeof *counts);
    bool even = counts; /* without memory it is not known, and so not promised */
    for (int d = 0; d < p->ndim && even; d++) {
        int64_t at[TWILL_DIMS] = {0};
        do
            even = at[d] != 0 || is_even_line(p, d, at, counts, ranks);
        while (even && tw_pattern_next(p, at));
    }
    free(counts);
    return even;
}

static uint64_t of_owners(const twill_pattern *p)
{
    int64_t ranks = twill_pattern_ranks(p);
    uint64_t found = counts_of(p, ranks);
    if (has_single_runs(p, ranks))
        found |= TWILL_CONTIGUOUS;
    return has_even_lines(p, ranks) ? found | TWILL_DIAGONAL : found;
}

/* ---- all --------------------------------------------------------------------------------- */

uint64_t twill_pattern_properties(const twill_pattern *p)
{
    if (p->mapping && p->mapping->properties)
        return p->mapping->properties(p);
    uint64_t blocks = has_balanced_blocks(p) ? TWILL_BALANCED_BLOCKS : 0;
    if (is_empty(p)) /* of no blocks everything is true, but a local view needs a grid */
        return TWILL_BALANCED_BLOCKS | TWILL_BALANCED_RANKS | TWILL_SINGLE_BLOCK |
               TWILL_CONTIGUOUS | TWILL_DIAGONAL | (p->owner ? 0 : TWILL_SEPARABLE);
    return blocks | (p->owner ? of_owners(p) : of_grid(p));
}

twill_status twill_pattern_require(const twill_pattern *p, uint64_t properties)
{
    static const struct {
        uint64_t property;
        const char *sentence;
    } list[] = {
        {TWILL_BALANCED_BLOCKS, "its last blocks are smaller than the others: choose blocks that "
                                "divide the extents"},
        {TWILL_BALANCED_RANKS, "ranks own different numbers of blocks: choose another block or "
                               "grid"},
        {TWILL_SINGLE_BLOCK, "some rank owns several blocks: deal the dimensions BLOCKED"},
        {TWILL_SEPARABLE, "an owner function says whose blocks are: choose a grid of ranks"},
        {TWILL_CONTIGUOUS, "what some rank owns is not one range of elements: cut the dimension "
                           "that runs slowest only"},
        {TWILL_DIAGONAL, "some line of blocks has more of one rank than of another: choose "
                         "shifted blocks"},
    };
    twill_status status = twill_pattern_check(p);
    if (status != TWILL_OK)
        return status;
    uint64_t lacking = properties & ~twill_pattern_properties(p);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (lacking & list[i].property)
            return tw_fail(TWILL_ERR_ARGUMENT, "the pattern does not fit: %s", list[i].sentence);
    return lacking ? tw_fail(TWILL_ERR_ARGUMENT, "there is no property %llu of patterns",
                             (unsigned long long)lacking)
                   : TWILL_OK;
}
