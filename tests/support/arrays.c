/* Random arrays, and the same as plain memory. */
#include "support/arrays.h"

#include <stdlib.h>
#include <string.h>

int64_t test_pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)test_random(seed, (uint64_t)(high - low + 1));
}

static twill_pattern some_pattern(uint64_t *seed, int ndim, int64_t most, int64_t ranks)
{
    int64_t extent[TWILL_DIMS], block[TWILL_DIMS], grid[TWILL_DIMS], left = ranks;
    for (int d = 0; d < ndim; d++) {
        extent[d] = test_pick(seed, 1, most);
        block[d] = test_pick(seed, extent[d] > 8 ? 2 : 1, extent[d] + 1);
        grid[d] = test_pick(seed, 1, left);
        left /= grid[d];
    }
    twill_pattern p = test_pick(seed, 0, 3) ? twill_pattern_nd(ndim, extent, block, grid)
                                            : twill_pattern_shifted(ndim, extent, block, ranks);
    p.order = test_pick(seed, 0, TWILL_ROW_MAJOR);
    for (int d = 0; d < ndim && !p.owner; d++)
        p.source[d] = test_pick(seed, 0, grid[d] - 1);
    return p;
}

typedef struct memory {
    const twill_pattern *pattern;
    double *plain;
    _Atomic int64_t differ;
} memory;

static void from_plain(void *element, const int64_t *index, void *arg)
{
    const memory *m = arg;
    *(double *)element = m->plain[twill_pattern_index(m->pattern, index)];
}

twill_array *test_array(twill *tw, uint64_t *seed, int ndim, int64_t most, double **plain)
{
    twill_pattern p = some_pattern(seed, ndim, most, twill_ranks(tw));
    twill_array *a;
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= p.extent[d];
    *plain = malloc((size_t)size * sizeof **plain);
    for (int64_t i = 0; i < size; i++)
        (*plain)[i] = (double)test_pick(seed, -9, 9);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    memory m = {.pattern = &p, .plain = *plain};
    OK(twill_generate(twill_view_all(a), from_plain, &m));
    return a;
}

twill_view test_box(twill_array *a, uint64_t *seed, const int64_t *extent)
{
    twill_view v = twill_view_all(a);
    for (int d = 0; d < twill_array_pattern(a)->ndim; d++) {
        int64_t begin = test_pick(seed, 0, v.extent[d] - extent[d]);
        v = twill_view_range(v, d, begin, begin + extent[d]);
    }
    return v;
}

twill_view test_part(twill_array *a, uint64_t *seed)
{
    int64_t extent[TWILL_DIMS];
    for (int d = 0; d < twill_array_pattern(a)->ndim; d++)
        extent[d] = test_pick(seed, 1, twill_array_pattern(a)->extent[d]);
    twill_view v = test_box(a, seed, extent);
    if (twill_view_ndim(v) > 1 && test_pick(seed, 0, 2) == 0)
        v = twill_view_slice(v, (int)test_pick(seed, 0, twill_view_ndim(v) - 1), 0);
    return v;
}

bool test_next(twill_view v, int64_t *at)
{
    for (int d = 0; d < twill_view_ndim(v); d++) {
        if (++at[d] < twill_view_extent(v, d))
            return true;
        at[d] = 0;
    }
    return false;
}

double *test_at(double *plain, twill_view v, const int64_t *at)
{
    int64_t index[TWILL_DIMS];
    twill_view_index(v, at, index);
    return plain + twill_pattern_index(twill_array_pattern(v.array), index);
}

static void compare(const twill_line *line, void *arg)
{
    memory *m = arg;
    int64_t index[TWILL_DIMS];
    memcpy(index, line->index, sizeof index);
    for (int64_t i = 0; i < line->n; i++, index[line->dim]++)
        m->differ += ((double *)line->data)[i] != m->plain[twill_pattern_index(m->pattern, index)];
}

int64_t test_differ(twill_array *a, const double *plain)
{
    memory m = {.pattern = twill_array_pattern(a), .plain = (double *)(uintptr_t)plain};
    OK(twill_for_each(twill_view_all(a), TWILL_READ, compare, &m));
    return m.differ;
}
