/* Arrays are the data of tasks: the same array is filled by an algorithm, worked on by inserted
 * tasks, linear algebra and views, without a copy; arrays of any dimensions are. */
#include "support/arrays.h"

#include <stdlib.h>

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

static void *bytes_of(twill_array *a)
{
    void *data;
    int64_t ld;
    twill_view first = twill_view_lblock(a, 0);
    OK(twill_map(first, TWILL_READ, &data, &ld));
    OK(twill_unmap(first, data));
    return data;
}

static void spd(void *element, const int64_t *index, void *arg)
{
    (void)arg;
    int64_t apart = index[0] > index[1] ? index[0] - index[1] : index[1] - index[0];
    *(double *)element = apart == 0 ? 20 : 1.0 / (double)apart;
}

/* L times its transpose, by SUMMA on the lower triangle, is what the matrix was. */
static void clear_above(const twill_line *line, void *arg)
{
    (void)arg;
    for (int64_t i = 0; i < line->n; i++)
        if (line->index[0] + i < line->index[1])
            ((double *)line->data)[i] = 0;
}

TEST(one_matrix_goes_through_all_of_the_library)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 60, 60, 16);
    twill_array *t = test_matrix(tw, TWILL_FLOAT64, 60, 60, 16);
    twill_array *c = test_matrix(tw, TWILL_FLOAT64, 60, 60, 16);
    void *where = bytes_of(a);
    double most;
    int64_t info = 0;
    OK(twill_generate(twill_view_all(a), spd, NULL));
    OK(twill_generate(twill_view_all(c), spd, NULL));
    OK(twill_potrf(TWILL_LOWER, a, &info));
    assert_int_equal(info, 0);
    OK(twill_for_each(twill_view_all(a), TWILL_READ_WRITE, clear_above, NULL));
    OK(twill_permute(twill_view_all(a), twill_view_all(t), NULL));
    OK(twill_summa(twill_real(-1), a, t, twill_real(1), c));
    OK(twill_view_max(twill_view_all(c), &most, NULL));
    assert_true(most < 1e-12);
    assert_ptr_equal(bytes_of(a), where); /* it has never been anywhere else */
    twill_array_free(a);
    twill_array_free(t);
    twill_array_free(c);
}

/* All elements of a tile of any dimensions. */
static twill_outcome add_one(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++)
        for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
            x[i + j * twill_task_ld(t, 0)] += 1;
    return TWILL_DONE;
}

static const twill_class adder = {
    .size = sizeof(twill_class), .name = "add_one", .chores = {TWILL_CPU(add_one)}};

static void random_tasks(twill *ranks, void *arg)
{
    uint64_t seed = 51;
    (void)arg;
    for (int i = 0; i < (twill_ranks(ranks) > 1 ? 10 : 100); i++) {
        double *plain, sum, wanted = 0;
        int ndim = (int)test_pick(&seed, 1, 6);
        twill_array *a = test_array(ranks, &seed, ndim, ndim < 3 ? 12 : 4, &plain);
        const twill_pattern *p = twill_array_pattern(a);
        int64_t block[TWILL_DIMS], blocks = 1, size = twill_view_size(twill_view_all(a));
        twill_graph *g;
        for (int d = 0; d < ndim; d++)
            blocks *= twill_pattern_blocks(p, d);
        OK(twill_stf_begin(ranks, &g));
        for (int64_t n = 0; n < 2 * blocks; n++) {
            twill_pattern_block(p, n % blocks, block);
            OK(twill_insert(g, &adder, TWILL_RW(twill_tile_nd(a, block))));
        }
        OK(twill_view_sum(twill_view_all(a), &sum)); /* stands in line behind the tasks */
        OK(twill_wait(g));
        twill_graph_free(g);
        for (int64_t k = 0; k < size; k++)
            wanted += plain[k] += 2;
        assert_true(sum == wanted);
        assert_int_equal(test_differ(a, plain), 0);
        twill_array_free(a);
        free(plain);
    }
}

TEST(tasks_and_algorithms_share_arrays_of_any_dimensions)
{
    for (int n = 1; n <= 3; n++) {
        test_ranks r = {.ranks = n, .workers = 2};
        test_on_ranks(&r, random_tasks, NULL);
    }
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(one_matrix_goes_through_all_of_the_library),
        cmocka_unit_test(tasks_and_algorithms_share_arrays_of_any_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
