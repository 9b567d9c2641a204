/* Patterns: made by the program, made from others, and checked. */
#include "data/pattern/pattern.h"

#include "base/status.h"

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
    q.cuts = p->cuts;
    q.order = p->order & TWILL_ROW_MAJOR_RANKS;
    return q;
}

bool tw_pattern_is_like(const twill_pattern *p, const twill_pattern *q)
{
    bool same = p->first == q->first && p->owner == q->owner && p->arg == q->arg &&
                p->cuts == q->cuts && !((p->order ^ q->order) & TWILL_ROW_MAJOR_RANKS);
    for (int d = 0; d < TWILL_DIMS; d++)
        same = same && p->grid[d] == q->grid[d] && p->source[d] == q->source[d] &&
               tw_pattern_super(p, d) == tw_pattern_super(q, d) && p->origin[d] == q->origin[d];
    return same;
}

twill_pattern tw_pattern_part(const twill_pattern *p, const int64_t *first, const int64_t *extent)
{
    twill_pattern q = *p;
    for (int d = 0; d < p->ndim; d++) {
        q.extent[d] = extent[d];
        q.origin[d] += first[d];
        if (p->owner || p->cuts)
            continue;
        int64_t super = tw_pattern_super(p, d);
        q.source[d] = (p->source[d] + q.origin[d] / super) % p->grid[d];
        q.origin[d] %= super;
    }
    q.mapping = NULL; /* it speaks of the whole */
    return q;
}

bool tw_pattern_is_cyclic(const twill_pattern *p, int d)
{
    return !p->owner && (p->grid[d] == 1 || (tw_pattern_super(p, d) == 1 && !p->cuts));
}

/* ---- checks ------------------------------------------------------------------------------ */

static twill_status check_supertile(const twill_pattern *p, int d)
{
    int64_t super = tw_pattern_super(p, d);
    if (p->super[d] < 0 || super > INT64_MAX / 4 / p->grid[d])
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "dimension %d has supertiles of %lld blocks; 1 or more, and at most 2^61 "
                       "over all ranks, is allowed",
                       d, (long long)p->super[d]);
    if (p->origin[d] < 0 || (!p->owner && !p->cuts && p->origin[d] >= super))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "dimension %d begins at block %lld of a supertile of %lld", d,
                       (long long)p->origin[d], (long long)super);
    return TWILL_OK;
}

static twill_status check_cuts(const twill_pattern *p)
{
    const int64_t *cuts = p->cuts;
    for (int d = 0; d < p->ndim; d++, cuts += p->grid[d - 1] + 1) {
        if (p->source[d] || tw_pattern_super(p, d) > 1)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "dimension %d has cuts, and blocks in turns as well: leave source and "
                           "super as they are",
                           d);
        for (int64_t r = 0; r <= p->grid[d]; r++)
            if (r == 0 ? cuts[0] != 0 : cuts[r] < cuts[r - 1])
                return tw_fail(TWILL_ERR_ARGUMENT,
                               "the cuts of dimension %d do not ascend from 0: number %lld is %lld",
                               d, (long long)r, (long long)cuts[r]);
    }
    return TWILL_OK;
}

static twill_status check_mapping(const twill_pattern *p)
{
    const twill_mapping *m = p->mapping;
    if (m->size < sizeof *m)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the size of a mapping is %zu and must be "
                       "sizeof(twill_mapping)",
                       m->size);
    if (!p->owner || m->owner != p->owner)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the mapping %s has another owner function than the "
                       "pattern: use twill_pattern_mapped",
                       m->name ? m->name : "");
    if (!m->count != !m->number || !m->count != !m->block)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the mapping %s has some of count, number and block; it needs all or none",
                       m->name ? m->name : "");
    return TWILL_OK;
}

static twill_status check_no_grid(const twill_pattern *p)
{
    bool none = p->first == 0 && !p->cuts;
    for (int d = 0; d < TWILL_DIMS; d++)
        none = none && p->grid[d] == 1 && tw_pattern_super(p, d) == 1;
    return none ? TWILL_OK
                : tw_fail(TWILL_ERR_ARGUMENT,
                          "a pattern has a grid of ranks or an owner function, "
                          "not both: leave grid, first, super and cuts as they are");
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
    if (p->order & ~(int64_t)(TWILL_ROW_MAJOR | TWILL_LOCAL_ARRAY))
        return tw_fail(TWILL_ERR_ARGUMENT, "a pattern has no order %lld", (long long)p->order);
    if (p->mapping && check_mapping(p) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    if (p->owner)
        return check_no_grid(p);
    return p->cuts ? check_cuts(p) : TWILL_OK;
}
