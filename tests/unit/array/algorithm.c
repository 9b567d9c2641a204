/* Algorithms over views: each element once, with its place; reductions that depend on tiles alone.
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static twill *tw;

static int start(void **state)
{
    (void)state;
    tw = test_start(3, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    twill_stop(tw);
    return 0;
}

static int64_t pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)test_random(seed, (uint64_t)(high - low + 1));
}

/* Every element gets 1 and its number in the array. */
static void mark(const twill_line *line, void *arg)
{
    const twill_pattern *p = arg;
    int64_t index[TWILL_DIMS];
    memcpy(index, line->index, sizeof index);
    for (int64_t i = 0; i < line->n; i++, index[line->dim]++)
        ((double *)line->data)[i] += 1 + (double)twill_pattern_index(p, index);
}

static twill_array *some_array(uint64_t *seed)
{
    int64_t extent[TWILL_DIMS], block[TWILL_DIMS];
    int n = (int)pick(seed, 1, 5);
    twill_array *a;
    for (int d = 0; d < n; d++) {
        extent[d] = pick(seed, 1, n < 3 ? 13 : 5);
        block[d] = pick(seed, 1, extent[d] + 1);
    }
    twill_pattern p = twill_pattern_nd(n, extent, block, NULL);
    p.order = pick(seed, 0, TWILL_ROW_MAJOR);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

static twill_view some_part(twill_array *a, uint64_t *seed)
{
    twill_view v = twill_view_all(a);
    for (int d = 0; d < twill_array_pattern(a)->ndim; d++) {
        int64_t begin = pick(seed, 0, v.extent[d] - 1);
        v = twill_view_range(v, d, begin, pick(seed, begin + 1, v.extent[d]));
    }
    return pick(seed, 0, 2) ? v : twill_view_local(v);
}

static bool is_marked(const void *element, void *arg)
{
    (void)arg;
    return *(const double *)element != 0;
}

TEST(a_body_sees_each_element_once_and_knows_which)
{
    uint64_t seed = 3;
    for (int i = 0; i < (test_slow() ? 60 : 300); i++) {
        twill_array *a = some_array(&seed);
        const twill_pattern *p = twill_array_pattern(a);
        twill_view v = some_part(a, &seed), all = twill_view_all(a);
        int64_t size = twill_view_size(v), elements = twill_view_size(all), n;
        double *memory = malloc((size_t)elements * sizeof *memory), sum, most = 0, wanted = 0;
        int64_t index[TWILL_DIMS];
        bool every, some;
        OK(twill_for_each(v, TWILL_READ_WRITE, mark, (void *)(uintptr_t)p));
        OK(twill_get(all, memory));
        for (int64_t k = 0; k < elements; k++) {
            assert_true(memory[k] == 0 || memory[k] == (double)k + 1);
            wanted += memory[k];
        }
        OK(twill_view_sum(v, &sum));
        assert_true(sum == wanted);
        OK(twill_count_of(all, is_marked, NULL, &n));
        assert_int_equal(n, size);
        OK(twill_all_of(v, is_marked, NULL, &every));
        assert_true(every);
        OK(twill_all_of(all, is_marked, NULL, &every));
        assert_int_equal(every, size == elements);
        OK(twill_any_of(all, is_marked, NULL, &some));
        assert_true(some);
        OK(twill_view_max(all, &most, index));
        assert_true(most == (double)twill_pattern_index(p, index) + 1);
        OK(twill_view_min(v, &most, index));
        assert_true(most == (double)twill_pattern_index(p, index) + 1);
        twill_array_free(a);
        free(memory);
    }
}

TEST(fill_sets_what_the_view_has)
{
    uint64_t seed = 6;
    for (int i = 0; i < 100; i++) {
        twill_array *a = some_array(&seed);
        twill_view v = some_part(a, &seed);
        double value = 2.5, sum;
        OK(twill_fill(v, &value));
        OK(twill_view_sum(twill_view_all(a), &sum));
        assert_true(sum == 2.5 * (double)twill_view_size(v));
        twill_array_free(a);
    }
}

/* The same bits with any workers and scheduler. */
TEST(sums_depend_on_tiles_alone)
{
    double first = 0;
    for (int s = 0; s < test_nsetups; s++) {
        twill *other = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_pattern p = twill_tiled(60, 50, 7, 9);
        twill_array *a;
        double sum;
        OK(twill_array_create(other, &p, TWILL_FLOAT64, 0, &a));
        OK(twill_fill_random(a, 5));
        OK(twill_view_sum(twill_view_all(a), &sum));
        first = s == 0 ? sum : first;
        assert_memory_equal(&first, &sum, sizeof sum);
        twill_stop(other);
    }
}

TEST(extremes_pass_over_what_is_no_number)
{
    float x[] = {NAN, 3, -7, NAN, 8, -7, 8}, nothing = NAN;
    double value;
    int64_t index[1];
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){7}, (int64_t[]){3}, NULL);
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_FLOAT32, 0, &a));
    twill_view all = twill_view_all(a);
    OK(twill_put(x, all));
    OK(twill_view_min(all, &value, index));
    assert_true(value == -7 && index[0] == 2);
    OK(twill_view_max(all, &value, index));
    assert_true(value == 8 && index[0] == 4);
    OK(twill_view_max(all, &value, NULL));
    OK(twill_fill(all, &nothing));
    REFUSED(twill_view_min(all, &value, index), TWILL_ERR_ARGUMENT, "no numbers");
    REFUSED(twill_view_max(twill_view_range(all, 0, 2, 2), &value, index), TWILL_ERR_ARGUMENT,
            "no numbers");
    OK(twill_view_sum(twill_view_range(all, 0, 2, 2), &value));
    assert_true(value == 0);
    twill_array_free(a);
}

static twill_outcome nested(twill_task *t)
{
    twill_view all = twill_view_all(twill_task_array(t, 0));
    double x = 0;
    return twill_fill(all, &x) == TWILL_ERR_STATE && twill_get(all, &x) == TWILL_ERR_STATE
               ? TWILL_DONE
               : TWILL_ERROR;
}

static const twill_class nested_class = {
    .size = sizeof(twill_class), .name = "nested", .chores = {TWILL_CPU(nested)}};

TEST(what_makes_no_sense_is_refused)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 4, 4, 2);
    twill_array *c = test_matrix(tw, TWILL_COMPLEX64, 4, 4, 2);
    twill_view all = twill_view_all(a), outside = twill_view_range(all, 0, 2, 5);
    twill_reducer r = {.struct_size = sizeof r};
    twill_graph *g;
    double x = 1;
    int64_t n;
    void *data;
    REFUSED(twill_for_each(all, TWILL_READ, NULL, NULL), TWILL_ERR_ARGUMENT, "no body");
    REFUSED(twill_for_each(all, (twill_access)7, mark, NULL), TWILL_ERR_ARGUMENT, "mode 7");
    REFUSED(twill_fill(all, NULL), TWILL_ERR_ARGUMENT, "no element");
    REFUSED(twill_fill(outside, &x), TWILL_ERR_ARGUMENT, "leaves");
    REFUSED(twill_reduce(all, &r, &x), TWILL_ERR_ARGUMENT, "needs its struct_size");
    REFUSED(twill_reduce(all, NULL, &x), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_view_sum(twill_view_all(c), &x), TWILL_ERR_ARGUMENT, "FLOAT32 or FLOAT64");
    REFUSED(twill_count_of(all, NULL, NULL, &n), TWILL_ERR_ARGUMENT, "nothing to ask");
    OK(twill_map(all, TWILL_READ, &data, &n));
    REFUSED(twill_fill(all, &x), TWILL_ERR_STUCK, "unmap");
    OK(twill_unmap(all, data));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &nested_class, TWILL_R(twill_tile_at(a, 0, 0))));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(c);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_body_sees_each_element_once_and_knows_which),
        WITH_CONTEXT(fill_sets_what_the_view_has),
        cmocka_unit_test(sums_depend_on_tiles_alone),
        WITH_CONTEXT(extremes_pass_over_what_is_no_number),
        WITH_CONTEXT(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
