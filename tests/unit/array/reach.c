/* Copies of elements that other ranks own: against plain arrays that every rank works out. */
#include "support/ranks.h"

#include "comm/comm.h"

#include <stdlib.h>
#include <string.h>

static int64_t pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)test_random(seed, (uint64_t)(high - low + 1));
}

static void numbers(const twill_line *line, void *arg)
{
    const twill_pattern *p = arg;
    for (int64_t i = 0; i < line->n; i++) {
        int64_t index[TWILL_DIMS];
        memcpy(index, line->index, sizeof index);
        index[line->dim] += i;
        ((double *)line->data)[i] = (double)twill_pattern_index(p, index);
    }
}

/* ---- random views of random arrays ---------------------------------------------------------- */

static twill_pattern some_pattern(uint64_t *seed, int ranks)
{
    int64_t extent[TWILL_DIMS], block[TWILL_DIMS], grid[TWILL_DIMS];
    int ndim = (int)pick(seed, 1, 4);
    for (int d = 0; d < ndim; d++) {
        extent[d] = pick(seed, 1, ndim < 3 ? 23 : 7);
        block[d] = pick(seed, 1, extent[d] + 1);
        grid[d] = pick(seed, 1, ranks);
        ranks /= (int)grid[d];
    }
    twill_pattern p = twill_pattern_nd(ndim, extent, block, grid);
    p.order = pick(seed, 0, TWILL_ROW_MAJOR);
    for (int d = 0; d < ndim; d++)
        p.source[d] = pick(seed, 0, grid[d] - 1);
    return p;
}

static twill_view some_view(twill_array *a, uint64_t *seed)
{
    twill_view v = twill_view_all(a);
    for (int64_t steps = pick(seed, 0, 4); steps > 0; steps--) {
        int n = twill_view_ndim(v);
        int d = n ? (int)pick(seed, 0, n - 1) : 0;
        int64_t extent = n ? twill_view_extent(v, d) : 0;
        if (extent < 2)
            continue;
        if (pick(seed, 0, 3) == 0) {
            v = twill_view_slice(v, d, pick(seed, 0, extent - 1));
        } else if (pick(seed, 0, 3) == 0) {
            v = twill_view_block_nth(v, pick(seed, 0, twill_view_all_blocks(v) - 1));
        } else {
            int64_t begin = pick(seed, 0, extent - 2);
            v = twill_view_range(v, d, begin, pick(seed, begin + 1, extent));
        }
    }
    return v;
}

static bool advance(int64_t *at, const int64_t *extent, int n)
{
    for (int d = 0; d < n; d++) {
        if (++at[d] < extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* Number of an element in memory for the view: in the order of the array's elements. */
static int64_t number_in(twill_view v, const int64_t *at)
{
    int n = twill_view_ndim(v);
    bool row_major = twill_array_pattern(v.array)->order & TWILL_ROW_MAJOR_ELEMENTS;
    int64_t number = 0;
    for (int k = n - 1; k >= 0; k--) {
        int d = row_major ? n - 1 - k : k;
        number = number * twill_view_extent(v, d) + at[d];
    }
    return number;
}

static int64_t element_at(twill_view v, const int64_t *at)
{
    int64_t index[TWILL_DIMS];
    twill_view_index(v, at, index);
    return twill_pattern_index(twill_array_pattern(v.array), index);
}

static void check_get(twill_view v, const double *plain)
{
    int64_t at[TWILL_DIMS] = {0}, shape[TWILL_DIMS];
    double *memory = malloc((size_t)twill_view_size(v) * sizeof *memory);
    twill_view_shape(v, shape);
    OK(twill_get(v, memory));
    do
        assert_true(memory[number_in(v, at)] == plain[element_at(v, at)]);
    while (advance(at, shape, twill_view_ndim(v)));
    free(memory);
}

/* One rank writes, and then all look: after a barrier. */
static void check_change(twill *tw, twill_view v, double *plain, int writer, int what,
                         uint64_t *seed)
{
    int64_t at[TWILL_DIMS] = {0}, shape[TWILL_DIMS];
    double *memory = malloc((size_t)twill_view_size(v) * sizeof *memory);
    twill_view_shape(v, shape);
    for (int64_t i = 0; i < twill_view_size(v); i++)
        memory[i] = (double)pick(seed, 0, 1 << 20);
    if (writer == twill_rank(tw))
        OK(what ? twill_put(memory, v) : twill_accumulate(memory, v));
    do {
        double *x = &plain[element_at(v, at)], y = memory[number_in(v, at)];
        *x = what ? y : *x + y;
    } while (advance(at, shape, twill_view_ndim(v)));
    OK(twill_barrier(tw));
    free(memory);
}

static void on_random_views(twill *tw, void *arg)
{
    uint64_t seed = *(uint64_t *)arg, own = seed + 100 + (uint64_t)twill_rank(tw);
    twill_pattern p = some_pattern(&seed, twill_ranks(tw));
    int64_t n = 1;
    twill_array *a;
    for (int d = 0; d < p.ndim; d++)
        n *= p.extent[d];
    double *plain = malloc((size_t)n * sizeof *plain);
    for (int64_t i = 0; i < n; i++)
        plain[i] = (double)i;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_for_each(twill_view_all(a), TWILL_WRITE, numbers, &p));
    OK(twill_barrier(tw));
    for (int i = 0; i < 8; i++)
        check_get(some_view(a, &own), plain);
    OK(twill_barrier(tw));
    for (int i = 0; i < 2; i++) {
        int writer = (int)pick(&seed, 0, twill_ranks(tw) - 1), what = (int)pick(&seed, 0, 1);
        check_change(tw, some_view(a, &seed), plain, writer, what, &seed);
        check_get(some_view(a, &own), plain);
        OK(twill_barrier(tw));
    }
    twill_array_free(a);
    free(plain);
}

TEST(copies_are_those_of_a_plain_array)
{
    for (uint64_t seed = 1; seed <= (test_slow() ? 9 : 27); seed++) {
        test_ranks r = {.ranks = 1 + (int)(seed % 9),
                        .workers = 1 + (int)(seed % 2),
                        .network = {.seed = seed, .delay = seed % 3 ? 3 : 0, .reorder = seed % 2}};
        test_on_ranks(&r, on_random_views, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_are_those_of_a_plain_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
