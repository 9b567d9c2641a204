/* Automatic decomposition: the grid with the smallest faces, and blocks that suit caches, workers
 * and the properties that are asked for. */
#include "base/abi.h"
#include "base/minmax.h"
#include "base/status.h"
#include "engine/engine.h"

#include <twill/decompose.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAR = 8,            /* times that a face between hosts costs more */
    TILES = 4,          /* tiles for each worker, if there are enough elements */
    CACHE = 256 * 1024, /* bytes, where it is unknown */
    ALL_DIMS = (1 << TWILL_DIMS) - 1
};

/* ---- arguments --------------------------------------------------------------------------- */

static twill_status check(const char *who, const twill *tw, int ndim, const int64_t *extent,
                          const twill_constraints *c)
{
    if (!tw || !extent)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: an argument is NULL", who);
    if (ndim < 1 || ndim > TWILL_DIMS)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: an array has 1 to %d dimensions, not %d", who,
                       (int)TWILL_DIMS, ndim);
    for (int d = 0; d < ndim; d++) {
        if (extent[d] < 0 || c->grid[d] < 0 || c->block[d] < 0)
            return tw_fail(TWILL_ERR_ARGUMENT, "%s: a number of dimension %d is negative", who, d);
        if ((c->uncut >> d & 1) && c->grid[d] > 1)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "%s: dimension %d must not be cut, and has %lld ranks", who, d,
                           (long long)c->grid[d]);
    }
    return TWILL_OK;
}

/* The slowest dimension of elements, which alone may be cut if what a rank has is in one piece. */
static int slowest(const twill_constraints *c, int ndim)
{
    return c->order & TWILL_ROW_MAJOR_ELEMENTS ? 0 : ndim - 1;
}

/* What is asked for, with what follows from it. */
static twill_status fill(const char *who, const twill *tw, int ndim, const int64_t *extent,
                         const twill_constraints *given, twill_constraints *c)
{
    *c = (twill_constraints){.size = sizeof *c};
    twill_status status = given ? TW_ABI_IN(twill_constraints, bytes, c, given) : TWILL_OK;
    bool contiguous = ndim >= 1 && ndim <= TWILL_DIMS && c->properties & TWILL_CONTIGUOUS;
    if (contiguous) {
        c->uncut |= ALL_DIMS & ~(1 << slowest(c, ndim));
        c->properties |= TWILL_SINGLE_BLOCK;
    }
    return status == TWILL_OK ? check(who, tw, ndim, extent, c) : status;
}

static int64_t ranks_of(const twill *tw, const twill_constraints *c)
{
    return c->group ? twill_group_size(c->group) : twill_ranks(tw);
}

/* The rank of the context that has a number in the grid. */
static int rank_of(const twill_constraints *c, int number)
{
    return c->group ? (int)twill_group_rank(c->group, number) : number;
}

/* ---- the grid ---------------------------------------------------------------------------- */

/* Grids that are tried, and the best so far. */
typedef struct arranging {
    const twill_constraints *c;
    int ndim;
    const int64_t *extent;
    int64_t ranks;
    int *host; /* of each rank: the first rank there */
    int64_t grid[TWILL_DIMS], best[TWILL_DIMS];
    int64_t used; /* ranks of the best */
    bool suits;   /* it can have the properties */
    double cost;
} arranging;

/* Can n elements be dealt evenly to r ranks, if that is asked for? */
static bool can_be_even(const twill_constraints *c, int64_t n, int64_t r)
{
    int64_t share = tw_max((n + r - 1) / r, 1);
    bool blocks = c->properties & TWILL_BALANCED_BLOCKS,
         ranks = c->properties & TWILL_BALANCED_RANKS;
    bool single = c->properties & TWILL_SINGLE_BLOCK;
    if (n % r == 0 || (!ranks && !(blocks && single)))
        return true;
    return ranks && !blocks && (n + share - 1) / share == r;
}

static bool suits(const arranging *x)
{
    bool even = true;
    for (int d = 0; d < x->ndim; d++)
        even = even && can_be_even(x->c, x->extent[d], x->grid[d]);
    return even;
}

static void find_hosts(twill *tw, arranging *x)
{
    for (int r = 0; r < (int)x->ranks; r++) {
        twill_rank_info here = {.size = sizeof here}, other = {.size = sizeof other};
        x->host[r] = r;
        if (twill_rank_place(tw, rank_of(x->c, r), &here) != TWILL_OK)
            continue;
        for (int q = r > 0 ? x->host[r - 1] : 0; q < r; q++)
            if (twill_rank_place(tw, rank_of(x->c, q), &other) == TWILL_OK &&
                strcmp(here.host, other.host) == 0) {
                x->host[r] = x->host[q];
                break;
            }
    }
}

/* Elements on the faces between neighbours, those between hosts more than once. */
static double cost_of(const arranging *x)
{
    double cost = 0, elements = 1;
    int64_t ranks = 1;
    for (int d = 0; d < x->ndim; d++) {
        elements *= (double)x->extent[d] / (double)x->grid[d];
        ranks *= x->grid[d];
    }
    for (int64_t r = 0; r < ranks; r++) {
        int64_t apart = 1;
        for (int k = 0; k < x->ndim; k++) {
            int d = x->c->order & TWILL_ROW_MAJOR_RANKS ? x->ndim - 1 - k : k;
            double face = elements * (double)x->grid[d] / (double)x->extent[d];
            if (r / apart % x->grid[d] + 1 < x->grid[d])
                cost += x->host[r] == x->host[r + apart] ? face : FAR * face;
            apart *= x->grid[d];
        }
    }
    return cost;
}

/* Try all numbers of ranks along dimension d and those behind it. */
static void try_grids(arranging *x, int d, int64_t used)
{
    if (d == x->ndim) {
        bool even = suits(x);
        bool more = even != x->suits ? even : used > x->used;
        if (!more && (even != x->suits || used < x->used))
            return;
        double cost = cost_of(x);
        if (!more && cost >= x->cost)
            return;
        x->suits = even;
        x->used = used;
        x->cost = cost;
        memcpy(x->best, x->grid, sizeof x->best);
        return;
    }
    int64_t fixed = x->c->uncut >> d & 1 ? 1 : x->c->grid[d];
    int64_t most = tw_max(tw_min(x->ranks / used, x->extent[d]), 1);
    for (int64_t n = fixed ? fixed : 1; n <= (fixed ? fixed : most); n++) {
        x->grid[d] = n;
        if (used * n <= x->ranks)
            try_grids(x, d + 1, used * n);
    }
}

static twill_status make_grid(const char *who, twill *tw, int ndim, const int64_t *extent,
                              const twill_constraints *c, int64_t *grid)
{
    arranging x = {.c = c, .ndim = ndim, .extent = extent, .ranks = ranks_of(tw, c)};
    x.host = malloc((size_t)x.ranks * sizeof *x.host);
    if (!x.host)
        return tw_fail(TWILL_ERR_MEMORY, "%s: no memory for %lld ranks", who, (long long)x.ranks);
    find_hosts(tw, &x);
    try_grids(&x, 0, 1);
    free(x.host);
    if (x.used == 0)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: the grid that is asked for has more ranks than the %lld there are", who,
                       (long long)x.ranks);
    memcpy(grid, x.best, (size_t)ndim * sizeof *grid);
    return TWILL_OK;
}

twill_status twill_make_team_spec(twill *tw, int ndim, const int64_t *extent,
                                  const twill_constraints *constraints, int64_t *grid)
{
    twill_constraints c;
    twill_status status = fill("twill_make_team_spec", tw, ndim, extent, constraints, &c);
    if (status == TWILL_OK && !grid)
        status =
            tw_fail(TWILL_ERR_ARGUMENT, "twill_make_team_spec: there is no place for the grid");
    return status == TWILL_OK ? make_grid("twill_make_team_spec", tw, ndim, extent, &c, grid)
                              : status;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Elements along a side of a block that is as long in all dimensions which are cut. */
static int64_t side_of(twill *tw, int ndim, const int64_t *extent, const twill_constraints *c)
{
    twill_machine machine = {.size = sizeof machine};
    double all = 1, uncut = 1, bytes = c->bytes > 0 ? (double)c->bytes : 8;
    int cut = 0;
    if (twill_machine_info(tw, &machine) != TWILL_OK || machine.l2 <= 0)
        machine.l2 = CACHE;
    for (int d = 0; d < ndim; d++) {
        all *= (double)extent[d];
        uncut *= c->uncut >> d & 1 ? (double)extent[d] : 1;
        cut += !(c->uncut >> d & 1);
    }
    double fits = (double)machine.l2 / 2 / bytes;
    double share = all / ((double)ranks_of(tw, c) * twill_workers(tw) * TILES);
    double side = pow(fmax(fmin(fits, share) / fmax(uncut, 1), 1), cut ? 1.0 / cut : 0);
    return tw_max((int64_t)side, 1);
}

/* Does a block of b elements do, along a dimension of n elements and r ranks? */
static bool does(const twill_constraints *c, int64_t n, int64_t r, int64_t b)
{
    int64_t blocks = (n + b - 1) / b;
    if ((c->properties & TWILL_BALANCED_BLOCKS) && n % b != 0)
        return false;
    if ((c->properties & TWILL_SINGLE_BLOCK) && blocks > r)
        return false;
    return !(c->properties & TWILL_BALANCED_RANKS) || blocks % r == 0;
}

/* The nearest one to `side` that does; where there is none, `side`: the pattern will be refused. */
static int64_t block_of(const twill_constraints *c, int d, int64_t n, int64_t r, int64_t side)
{
    int64_t most = tw_max((n + r - 1) / r, 1);
    if (c->block[d] || c->uncut >> d & 1)
        return c->block[d] ? c->block[d] : tw_max(n, 1);
    side = tw_min(side, most);
    for (int64_t apart = 0; apart <= most; apart++) {
        if (side + apart <= most && does(c, n, r, side + apart))
            return side + apart;
        if (side - apart >= 1 && does(c, n, r, side - apart))
            return side - apart;
    }
    return side;
}

twill_status twill_make_pattern(twill *tw, int ndim, const int64_t *extent,
                                const twill_constraints *constraints, twill_pattern *pattern)
{
    int64_t grid[TWILL_DIMS], block[TWILL_DIMS];
    twill_constraints c;
    twill_status status = fill("twill_make_pattern", tw, ndim, extent, constraints, &c);
    if (status == TWILL_OK && !pattern)
        status = tw_fail(TWILL_ERR_ARGUMENT, "twill_make_pattern: there is no place for the "
                                             "pattern");
    if (status == TWILL_OK)
        status = make_grid("twill_make_pattern", tw, ndim, extent, &c, grid);
    if (status != TWILL_OK)
        return status;
    bool shifted = c.properties & TWILL_DIAGONAL && ranks_of(tw, &c) > 1;
    int64_t side = side_of(tw, ndim, extent, &c);
    for (int d = 0; d < ndim; d++)
        block[d] = block_of(&c, d, extent[d], grid[d], side);
    twill_pattern p = shifted ? twill_pattern_shifted(ndim, extent, block, ranks_of(tw, &c))
                              : twill_pattern_nd(ndim, extent, block, grid);
    p.order = c.order;
    if (c.group)
        status = twill_group_pattern(c.group, &p, &p);
    if (status == TWILL_OK)
        status = twill_pattern_require(&p, c.properties);
    if (status == TWILL_OK)
        *pattern = p;
    return status;
}
