/* Patterns: index arithmetic only. Dimensions are independent of one another. */
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

twill_pattern tw_pattern_like(const twill_pattern *p, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    twill_pattern q = twill_block_cyclic(m, n, mb, nb, p->grid[0], p->grid[1]);
    for (int d = 0; d < 2; d++)
        q.source[d] = p->source[d];
    q.first = p->first;
    return q;
}

bool tw_pattern_is_like(const twill_pattern *p, const twill_pattern *q)
{
    bool same = p->first == q->first;
    for (int d = 0; d < TWILL_DIMS; d++)
        same = same && p->grid[d] == q->grid[d] && p->source[d] == q->source[d];
    return same;
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
    }
    if (p->first < 0)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the first rank of a pattern is %lld; 0 or more is "
                       "allowed",
                       (long long)p->first);
    return TWILL_OK;
}

int64_t twill_pattern_blocks(const twill_pattern *p, int d)
{
    return p->extent[d] / p->block[d] + (p->extent[d] % p->block[d] != 0);
}

/* The first block along dimension d that coordinate r of the grid owns, if there are so many. */
static int64_t first_block(const twill_pattern *p, int d, int64_t r)
{
    int64_t b = r - p->source[d];
    return b < 0 ? b + p->grid[d] : b;
}

int64_t tw_pattern_block(const twill_pattern *p, int d, int64_t r, int64_t local)
{
    return first_block(p, d, r) + local * p->grid[d];
}

int64_t tw_pattern_before(const twill_pattern *p, int d, int64_t r, int64_t b)
{
    return b / p->grid[d] + (first_block(p, d, r) < b % p->grid[d]);
}

int64_t twill_pattern_local_blocks(const twill_pattern *p, int d, int64_t r)
{
    return tw_pattern_before(p, d, r, twill_pattern_blocks(p, d));
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
    return (b + p->source[d]) % p->grid[d];
}

int64_t twill_pattern_owner(const twill_pattern *p, const int64_t *block)
{
    int64_t rank = p->first, ranks = 1;
    for (int d = 0; d < p->ndim; d++) {
        rank += coordinate(p, d, block[d]) * ranks;
        ranks *= p->grid[d];
    }
    return rank;
}

/* Elements from one index of the next dimension to the next, in units of this one's: rows of all
 * tiles are equally far apart, the rest of a tile has no gaps. */
static int64_t step(const twill_pattern *p, int d, int64_t b)
{
    return d == 0 ? tw_pattern_room(p, d) : twill_pattern_block_extent(p, d, b);
}

twill_place twill_pattern_find(const twill_pattern *p, const int64_t *index)
{
    twill_place place = {.rank = p->first};
    int64_t ranks = 1, locals = 1, elements = 1;
    for (int d = 0; d < p->ndim; d++) {
        int64_t b = index[d] / p->block[d];
        int64_t r = coordinate(p, d, b);
        place.block[d] = b;
        place.rank += r * ranks;
        place.local += b / p->grid[d] * locals;
        place.offset += index[d] % p->block[d] * elements;
        ranks *= p->grid[d];
        locals *= twill_pattern_local_blocks(p, d, r);
        elements *= step(p, d, b);
    }
    return place;
}

void twill_pattern_element(const twill_pattern *p, const twill_place *place, int64_t *index)
{
    int64_t rank = place->rank - p->first, local = place->local, offset = place->offset;
    for (int d = 0; d < p->ndim; d++) {
        int64_t r = rank % p->grid[d];
        int64_t locals = twill_pattern_local_blocks(p, d, r);
        int64_t b = tw_pattern_block(p, d, r, local % locals);
        index[d] = b * p->block[d] + offset % step(p, d, b);
        rank /= p->grid[d];
        local /= locals;
        offset /= step(p, d, b);
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
