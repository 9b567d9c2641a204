/* Patterns: index arithmetic only. Dimensions of a grid are independent of one another. */
#include "base/minmax.h"
#include "base/status.h"
#include "data/array.h"

twill_pattern twill_pattern_nd(int ndim, const int64_t *extent, const int64_t *block,
                               const int64_t *grid)
{
    twill_pattern p = {.ndim = ndim};
    for (int d = 0; d < TWILL_DIMS; d++) {
        bool in = d < ndim;
        p.extent[d] = in ? extent[d] : 1;
        p.block[d] = in ? block[d] : 1;
        p.grid[d] = in && grid ? grid[d] : 1;
    }
    return p;
}

twill_pattern twill_block_cyclic(int64_t m, int64_t n, int64_t mb, int64_t nb, int64_t p, int64_t q)
{
    return twill_pattern_nd(2, (int64_t[]){m, n}, (int64_t[]){mb, nb}, (int64_t[]){p, q});
}

twill_pattern twill_tiled(int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    return twill_block_cyclic(m, n, mb, nb, 1, 1);
}

twill_pattern twill_placed(int64_t m, int64_t n, int64_t mb, int64_t nb, twill_owner_of *owner,
                           void *arg)
{
    twill_pattern p = twill_tiled(m, n, mb, nb);
    p.owner = owner;
    p.arg = arg;
    return p;
}

/* ---- the same owners --------------------------------------------------------------------- */

/* Blocks of a supertile. */
static int64_t super_of(const twill_pattern *p, int d)
{
    return p->super[d] > 1 ? p->super[d] : 1;
}

twill_pattern tw_pattern_like(const twill_pattern *p, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    twill_pattern q = twill_block_cyclic(m, n, mb, nb, p->grid[0], p->grid[1]);
    for (int d = 0; d < 2; d++) {
        q.source[d] = p->source[d];
        q.super[d] = p->super[d];
        q.origin[d] = p->origin[d];
    }
    q.first = p->first;
    q.owner = p->owner;
    q.arg = p->arg;
    return q;
}

bool tw_pattern_is_like(const twill_pattern *p, const twill_pattern *q)
{
    bool same = p->first == q->first && p->owner == q->owner && p->arg == q->arg;
    for (int d = 0; d < TWILL_DIMS; d++)
        same = same && p->grid[d] == q->grid[d] && p->source[d] == q->source[d] &&
               super_of(p, d) == super_of(q, d) && p->origin[d] == q->origin[d];
    return same;
}

twill_pattern tw_pattern_part(const twill_pattern *p, const int64_t *first, const int64_t *extent)
{
    twill_pattern q = *p;
    for (int d = 0; d < p->ndim; d++) {
        q.extent[d] = extent[d];
        q.origin[d] += first[d];
        if (p->owner)
            continue;
        int64_t super = super_of(p, d);
        q.source[d] = (p->source[d] + q.origin[d] / super) % p->grid[d];
        q.origin[d] %= super;
    }
    return q;
}

bool tw_pattern_is_cyclic(const twill_pattern *p, int d)
{
    return !p->owner && (p->grid[d] == 1 || super_of(p, d) == 1);
}

/* ---- checks ------------------------------------------------------------------------------ */

static twill_status check_supertile(const twill_pattern *p, int d)
{
    int64_t super = super_of(p, d);
    if (p->super[d] < 0 || super > INT64_MAX / 4 / p->grid[d])
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "dimension %d has supertiles of %lld blocks; 1 or more, and at most 2^61 "
                       "over all ranks, is allowed",
                       d, (long long)p->super[d]);
    if (p->origin[d] < 0 || (!p->owner && p->origin[d] >= super))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "dimension %d begins at block %lld of a supertile of %lld", d,
                       (long long)p->origin[d], (long long)super);
    return TWILL_OK;
}

static twill_status check_no_grid(const twill_pattern *p)
{
    bool none = p->first == 0;
    for (int d = 0; d < TWILL_DIMS; d++)
        none = none && p->grid[d] == 1 && super_of(p, d) == 1;
    return none ? TWILL_OK
                : tw_fail(TWILL_ERR_ARGUMENT, "a pattern has a grid of ranks or an owner function, "
                                              "not both: leave grid, first and super as they are");
}

twill_status twill_pattern_check(const twill_pattern *p)
{
    if (p->ndim < 1 || p->ndim > TWILL_DIMS)
        return tw_fail(TWILL_ERR_ARGUMENT, "a pattern has 1 to %d dimensions, not %d", TWILL_DIMS,
                       p->ndim);
    for (int d = 0; d < TWILL_DIMS; d++) {
        if (p->extent[d] < 0)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "dimension %d has %lld elements; 0 or more are allowed", d,
                           (long long)p->extent[d]);
        if (p->block[d] < 1)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "dimension %d has blocks of %lld; 1 or more is allowed", d,
                           (long long)p->block[d]);
        if (p->grid[d] < 1)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "dimension %d of the grid is %lld; 1 or more is allowed", d,
                           (long long)p->grid[d]);
        if (p->source[d] < 0 || p->source[d] >= p->grid[d])
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "dimension %d of the grid has %lld ranks, and number %lld of them is to "
                           "own the first block",
                           d, (long long)p->grid[d], (long long)p->source[d]);
        if (check_supertile(p, d) != TWILL_OK)
            return TWILL_ERR_ARGUMENT;
    }
    if (p->first < 0)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the first rank of a pattern is %lld; 0 or more is "
                       "allowed",
                       (long long)p->first);
    return p->owner ? check_no_grid(p) : TWILL_OK;
}

/* ---- blocks ------------------------------------------------------------------------------ */

int64_t twill_pattern_blocks(const twill_pattern *p, int d)
{
    return p->extent[d] / p->block[d] + (p->extent[d] % p->block[d] != 0);
}

/* The ranks take turns, a supertile each: blocks of a turn, counted from where the first turn
 * begins, and where that of coordinate r begins in it. */
static int64_t turn_of(const twill_pattern *p, int d)
{
    return super_of(p, d) * p->grid[d];
}

static int64_t begin_of(const twill_pattern *p, int d, int64_t r)
{
    int64_t after = r - p->source[d];
    return (after < 0 ? after + p->grid[d] : after) * super_of(p, d);
}

/* How many of blocks 0 to g-1, counted like that, coordinate r owns. */
static int64_t owned(const twill_pattern *p, int d, int64_t r, int64_t g)
{
    int64_t super = super_of(p, d), turn = turn_of(p, d);
    return g / turn * super + tw_clamp(g % turn - begin_of(p, d, r), 0, super);
}

int64_t tw_pattern_block(const twill_pattern *p, int d, int64_t r, int64_t local)
{
    int64_t super = super_of(p, d), number = local + owned(p, d, r, p->origin[d]);
    return number / super * turn_of(p, d) + begin_of(p, d, r) + number % super - p->origin[d];
}

int64_t tw_pattern_before(const twill_pattern *p, int d, int64_t r, int64_t b)
{
    return owned(p, d, r, p->origin[d] + b) - owned(p, d, r, p->origin[d]);
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

int64_t twill_pattern_block_extent(const twill_pattern *p, int d, int64_t b)
{
    int64_t left = p->extent[d] - b * p->block[d];
    return left < p->block[d] ? left : p->block[d];
}

/* The coordinate of the grid that owns block b along dimension d. */
static int64_t coordinate(const twill_pattern *p, int d, int64_t b)
{
    return ((b + p->origin[d]) / super_of(p, d) + p->source[d]) % p->grid[d];
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
    int64_t rank = p->first, ranks = 1;
    if (p->owner)
        return placed_owner(p, block);
    for (int d = 0; d < p->ndim; d++) {
        rank += coordinate(p, d, block[d]) * ranks;
        ranks *= p->grid[d];
    }
    return rank;
}

bool tw_pattern_next(const twill_pattern *p, int64_t *block)
{
    for (int d = 0; d < p->ndim; d++) {
        if (++block[d] < twill_pattern_blocks(p, d))
            return true;
        block[d] = 0;
    }
    return false;
}

/* ---- elements ---------------------------------------------------------------------------- */

/* Elements from one index of the next dimension to the next, in units of this one's: rows of all
 * tiles are equally far apart, the rest of a tile has no gaps. */
static int64_t step(const twill_pattern *p, int d, int64_t b)
{
    return d == 0 ? tw_pattern_room(p, d) : twill_pattern_block_extent(p, d, b);
}

/* The number of a block among those of its owner. */
static int64_t number_on_grid(const twill_pattern *p, const int64_t *block)
{
    int64_t number = 0, locals = 1;
    for (int d = 0; d < p->ndim; d++) {
        int64_t r = coordinate(p, d, block[d]);
        number += tw_pattern_before(p, d, r, block[d]) * locals;
        locals *= twill_pattern_local_blocks(p, d, r);
    }
    return number;
}

static int64_t number_counted(const twill_pattern *p, const int64_t *block, int64_t rank)
{
    int64_t at[TWILL_DIMS] = {0}, number = 0;
    for (;;) {
        bool there = true;
        for (int d = 0; d < p->ndim; d++)
            there = there && at[d] == block[d];
        if (there)
            return number;
        number += twill_pattern_owner(p, at) == rank;
        tw_pattern_next(p, at);
    }
}

twill_place twill_pattern_find(const twill_pattern *p, const int64_t *index)
{
    twill_place place = {0};
    int64_t elements = 1;
    for (int d = 0; d < p->ndim; d++) {
        int64_t b = index[d] / p->block[d];
        place.block[d] = b;
        place.offset += index[d] % p->block[d] * elements;
        elements *= step(p, d, b);
    }
    place.rank = twill_pattern_owner(p, place.block);
    place.local =
        p->owner ? number_counted(p, place.block, place.rank) : number_on_grid(p, place.block);
    return place;
}

/* The block with that number among those of the rank. */
static void block_on_grid(const twill_pattern *p, const twill_place *place, int64_t *block)
{
    int64_t rank = place->rank - p->first, local = place->local;
    for (int d = 0; d < p->ndim; d++) {
        int64_t r = rank % p->grid[d], locals = twill_pattern_local_blocks(p, d, r);
        block[d] = tw_pattern_block(p, d, r, local % locals);
        rank /= p->grid[d];
        local /= locals;
    }
}

static void block_counted(const twill_pattern *p, const twill_place *place, int64_t *block)
{
    int64_t left = place->local;
    for (int d = 0; d < p->ndim; d++)
        block[d] = 0;
    do
        left -= twill_pattern_owner(p, block) == place->rank;
    while (left >= 0 && tw_pattern_next(p, block));
}

void twill_pattern_element(const twill_pattern *p, const twill_place *place, int64_t *index)
{
    int64_t block[TWILL_DIMS], offset = place->offset;
    (p->owner ? block_counted : block_on_grid)(p, place, block);
    for (int d = 0; d < p->ndim; d++) {
        int64_t apart = step(p, d, block[d]);
        index[d] = block[d] * p->block[d] + offset % apart;
        offset /= apart;
    }
}

size_t twill_type_size(twill_type type)
{
    static const size_t sizes[] = {[TWILL_BYTES] = 0,
                                   [TWILL_FLOAT32] = 4,
                                   [TWILL_FLOAT64] = 8,
                                   [TWILL_COMPLEX64] = 8,
                                   [TWILL_COMPLEX128] = 16};
    return (unsigned)type <= TWILL_COMPLEX128 ? sizes[type] : 0;
}
