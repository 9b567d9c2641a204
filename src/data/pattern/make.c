/* Patterns by kinds of dimensions, shifted ones, mappings, and weights. */
#include "data/pattern/pattern.h"

#include "base/status.h"

/* ---- by kinds ---------------------------------------------------------------------------- */

/* As many elements as it takes for one block each. */
static int64_t share(int64_t extent, int64_t ranks)
{
    int64_t block = ranks > 0 ? extent / ranks + (extent % ranks != 0) : 1;
    return block > 0 ? block : 1;
}

static int64_t block_of(const twill_dim *dim, int64_t extent, int64_t ranks)
{
    switch (dim->kind) {
    case TWILL_DIM_NONE:
        return share(extent, 1);
    case TWILL_DIM_BLOCKED:
        return share(extent, ranks);
    case TWILL_DIM_CYCLIC:
        return 1;
    default:
        return dim->block;
    }
}

twill_status twill_pattern_make(int ndim, const int64_t *extent, const twill_dim *dim,
                                const int64_t *grid, int64_t order, twill_pattern *out)
{
    int64_t block[TWILL_DIMS] = {0};
    bool tiled = false;
    if (ndim < 1 || ndim > TWILL_DIMS)
        return tw_fail(TWILL_ERR_ARGUMENT, "a pattern has 1 to %d dimensions, not %d", TWILL_DIMS,
                       ndim);
    for (int d = 0; d < ndim; d++) {
        if ((unsigned)dim[d].kind > TWILL_DIM_TILED)
            return tw_fail(TWILL_ERR_ARGUMENT, "dimension %d is of no kind that there is: %d", d,
                           (int)dim[d].kind);
        if (dim[d].kind == TWILL_DIM_NONE && grid && grid[d] != 1)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "dimension %d is NONE, which is not cut, and the grid has %lld ranks "
                           "there; it must have 1",
                           d, (long long)grid[d]);
        tiled = tiled || dim[d].kind == TWILL_DIM_TILED;
        block[d] = block_of(&dim[d], extent[d], grid ? grid[d] : 1);
    }
    twill_pattern p = twill_pattern_nd(ndim, extent, block, grid);
    p.order = tiled ? order : order | TWILL_LOCAL_ARRAY;
    twill_status status = twill_pattern_check(&p);
    if (status == TWILL_OK)
        *out = p;
    return status;
}

/* ---- by a table -------------------------------------------------------------------------- */

twill_pattern twill_pattern_mapped(int ndim, const int64_t *extent, const int64_t *block,
                                   const twill_mapping *mapping, void *arg)
{
    twill_pattern p = twill_pattern_nd(ndim, extent, block, NULL);
    p.owner = mapping->owner;
    p.mapping = mapping;
    p.arg = arg;
    return p;
}

/* ---- shifted ----------------------------------------------------------------------------- */

static int64_t ranks_of(const void *arg)
{
    return (int64_t)(uintptr_t)arg;
}

/* A pattern of fewer dimensions has 0 in the others. */
static int64_t diagonal(const int64_t *block, void *arg)
{
    int64_t sum = 0;
    for (int d = 0; d < TWILL_DIMS; d++)
        sum += block[d];
    return sum % ranks_of(arg);
}

/* A line is the blocks along the dimension that runs fastest, at certain coordinates in the
 * others: where the first block of a rank is in it, and how many there are up to block `end`. */
static int along(const twill_pattern *p)
{
    return tw_pattern_dim(p, TWILL_ROW_MAJOR_BLOCKS, 0);
}

static int64_t first_in_line(const twill_pattern *p, const int64_t *line, int64_t rank)
{
    int64_t ranks = ranks_of(p->arg), sum = 0;
    for (int d = 0; d < p->ndim; d++)
        sum += d == along(p) ? 0 : line[d];
    return ((rank - sum) % ranks + ranks) % ranks;
}

static int64_t in_line(const twill_pattern *p, const int64_t *line, int64_t rank, int64_t end)
{
    int64_t ranks = ranks_of(p->arg), first = first_in_line(p, line, rank);
    return end > first ? (end - first - 1) / ranks + 1 : 0;
}

static bool next_line(const twill_pattern *p, int64_t *line)
{
    line[along(p)] = twill_pattern_blocks(p, along(p)) - 1;
    return tw_pattern_next_number(p, line);
}

static bool same_line(const twill_pattern *p, const int64_t *a, const int64_t *b)
{
    bool same = true;
    for (int d = 0; d < p->ndim; d++)
        same = same && (d == along(p) || a[d] == b[d]);
    return same;
}

static int64_t count_shifted(const twill_pattern *p, int64_t rank)
{
    int64_t line[TWILL_DIMS] = {0}, blocks = twill_pattern_blocks(p, along(p)), count = 0;
    for (int d = 0; d < p->ndim; d++)
        if (twill_pattern_blocks(p, d) == 0)
            return 0;
    if (rank < 0 || rank >= ranks_of(p->arg))
        return 0;
    do
        count += in_line(p, line, rank, blocks);
    while (next_line(p, line));
    return count;
}

static int64_t number_shifted(const twill_pattern *p, const int64_t *block)
{
    int64_t line[TWILL_DIMS] = {0}, blocks = twill_pattern_blocks(p, along(p)), number = 0;
    int64_t rank = twill_pattern_owner(p, block);
    for (; !same_line(p, line, block); next_line(p, line))
        number += in_line(p, line, rank, blocks);
    return number + in_line(p, line, rank, block[along(p)]);
}

static void block_shifted(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    int64_t blocks = twill_pattern_blocks(p, along(p)), here;
    for (int d = 0; d < TWILL_DIMS; d++)
        block[d] = 0;
    while ((here = in_line(p, block, rank, blocks)) <= number) {
        number -= here;
        next_line(p, block);
    }
    block[along(p)] = first_in_line(p, block, rank) + number * ranks_of(p->arg);
}

static const twill_mapping shifted = {.size = sizeof shifted,
                                      .name = "shifted",
                                      .owner = diagonal,
                                      .count = count_shifted,
                                      .number = number_shifted,
                                      .block = block_shifted};

twill_pattern twill_pattern_shifted(int ndim, const int64_t *extent, const int64_t *block,
                                    int64_t ranks)
{
    twill_pattern p = twill_pattern_mapped(ndim, extent, block, &shifted, (void *)(uintptr_t)ranks);
    if (ranks < 1)
        p.grid[0] = ranks; /* which is refused where it is used */
    return p;
}

/* ---- weighted ---------------------------------------------------------------------------- */

twill_status twill_pattern_weigh(int64_t blocks, int64_t n, const double *weights, int64_t *cuts)
{
    double sum = 0, before = 0;
    for (int64_t r = 0; r < n; r++) {
        if (!(weights[r] >= 0 && weights[r] < 1e300))
            return tw_fail(TWILL_ERR_ARGUMENT, "weight %lld is %g; 0 or more is allowed",
                           (long long)r, weights[r]);
        sum += weights[r];
    }
    if (blocks < 0 || n < 1 || !(sum > 0 && sum < 1e300))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%lld blocks cannot be cut by %lld weights with the sum %g",
                       (long long)blocks, (long long)n, sum);
    cuts[0] = 0;
    for (int64_t r = 0; r < n; r++) {
        before += weights[r];
        double cut = (double)blocks * (before / sum) + 0.5;
        cuts[r + 1] = r + 1 < n && cut < (double)blocks ? (int64_t)cut : blocks;
    }
    return TWILL_OK;
}
