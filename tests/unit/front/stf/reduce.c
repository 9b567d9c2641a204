/* REDUCE: the same bits whoever runs what, and nothing is lost on the way. */
#include "support/test.h"

#include "base/mix.h"

#include <string.h>

enum { ROWS = 3, PARTIALS = 8 };

/* ---- a sum whose bits depend on its order --------------------------------------------------- */

static void zero_sum(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            ((double *)into)[i + j * ld] = 0.0;
}

static void add_sum(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            ((double *)into)[i + j * ld_into] += ((const double *)from)[i + j * ld_from];
}

static const twill_reduction plus = {
    .size = sizeof(twill_reduction), .name = "plus", .zero = zero_sum, .combine = add_sum};
static const twill_reduction other_plus = {
    .size = sizeof(twill_reduction), .name = "other", .zero = zero_sum, .combine = add_sum};

/* Numbers of very different sizes, so that no two orders give the same bits. */
static double term(int64_t i)
{
    uint64_t bits = tw_mix((uint64_t)i);
    double x = (double)(bits >> 11) * 0x1p-53 + 0.5;
    return (bits & 1 ? x : -x) * (double)(INT64_C(1) << bits % 40);
}

static twill_outcome term_body(twill_task *t)
{
    double *into = twill_task_data(t, 0);
    for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
        into[i] += term(twill_task_int(t, 1) + i);
    return TWILL_DONE;
}

static const twill_class add_term = {
    .size = sizeof(twill_class), .name = "term", .chores = {TWILL_CPU(term_body)}};

/* The contract, written down: contribution i goes to partial i mod 8, then a fixed tree. */
static void model_reduce(double *tile, int64_t first, int64_t n)
{
    double partial[PARTIALS][ROWS] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < ROWS; k++)
            partial[i % PARTIALS][k] += term(first + i + k);
    int used = n < PARTIALS ? (int)n : PARTIALS;
    for (int stride = 1; stride < PARTIALS; stride *= 2)
        for (int i = 0; i + stride < used; i += 2 * stride)
            for (int k = 0; k < ROWS; k++)
                partial[i][k] += partial[i + stride][k];
    for (int k = 0; n > 0 && k < ROWS; k++)
        tile[k] += partial[0][k];
}

static twill_array *make_vectors(twill *tw, int64_t tiles)
{
    twill_array *a;
    twill_pattern p = twill_tiled(ROWS * tiles, 1, ROWS, 1);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

static void contribute(twill_graph *g, twill_array *a, int64_t tile, int64_t first, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        OK(twill_insert(g, &add_term, TWILL_REDUCE(twill_tile_at(a, tile, 0), &plus),
                        TWILL_INT(first + i)));
}

static void check_vector(twill_array *a, int64_t tile, const double *wanted)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(a, tile, 0);
    OK(twill_map(v, TWILL_READ, &data, &ld));
    bool same = !memcmp(data, wanted, ROWS * sizeof *wanted);
    OK(twill_unmap(v, data));
    assert_true(same);
}

TEST(sums_are_the_same_bit_for_bit_under_every_scheduler_and_number_of_workers)
{
    const int64_t numbers[] = {1, 2, 3, 7, 8, 9, 16, 100};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a = make_vectors(tw, COUNT(numbers));
        double wanted[COUNT(numbers)][ROWS] = {{0}};
        OK(twill_stf_begin(tw, &g));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < COUNT(numbers); i++) {
                contribute(g, a, i, 1000 * i + round, numbers[i]);
                model_reduce(wanted[i], 1000 * i + round, numbers[i]);
            }
            OK(twill_wait(g));
        }
        for (int i = 0; i < COUNT(numbers); i++)
            check_vector(a, i, wanted[i]);
        twill_stop(tw);
    }
}

/* The test above would prove nothing if order did not matter. */
TEST(another_order_gives_other_bits)
{
    double forwards = 0.0, backwards = 0.0;
    for (int64_t i = 0; i < 100; i++) {
        forwards += term(i);
        backwards += term(99 - i);
    }
    assert_true(forwards != backwards);
}

/* ---- before others see it ------------------------------------------------------------------- */

static twill_outcome double_body(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int i = 0; i < ROWS; i++)
        x[i] *= 2;
    return TWILL_DONE;
}

static twill_outcome copy_body(twill_task *t)
{
    memcpy(twill_task_data(t, 1), twill_task_data(t, 0), ROWS * sizeof(double));
    return TWILL_DONE;
}

static const twill_class twice = {
    .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_CPU(double_body)}};
static const twill_class copy = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(copy_body)}};

TEST(whoever_comes_next_sees_all_contributions)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g, *other;
        twill_array *a = make_vectors(tw, 2);
        double wanted[ROWS] = {0};
        OK(twill_stf_begin(tw, &g));
        OK(twill_stf_begin(tw, &other));
        for (int round = 0; round < 5; round++) {
            contribute(g, a, 0, round, 20);
            model_reduce(wanted, round, 20);
            OK(twill_insert(round % 2 ? g : other, &twice, TWILL_RW(twill_tile_at(a, 0, 0))));
            for (int i = 0; i < ROWS; i++)
                wanted[i] *= 2;
            OK(twill_insert(other, &copy, TWILL_R(twill_tile_at(a, 0, 0)),
                            TWILL_W(twill_tile_at(a, 1, 0))));
        }
        OK(twill_wait(other));
        check_vector(a, 0, wanted);
        check_vector(a, 1, wanted);
        twill_stop(tw);
    }
}

TEST(the_host_sees_all_contributions_without_a_wait)
{
    twill *tw = test_start(3, NULL);
    twill_graph *g;
    twill_array *a = make_vectors(tw, 1);
    double wanted[ROWS] = {0};
    OK(twill_stf_begin(tw, &g));
    for (int round = 0; round < 10; round++) {
        contribute(g, a, 0, round, 11);
        model_reduce(wanted, round, 11);
        if (round % 2)
            OK(twill_wait_tile(twill_tile_at(a, 0, 0), TWILL_READ));
        check_vector(a, 0, wanted);
    }
    twill_stop(tw);
}

/* A wait, another graph that contributes, and another reduction each close the run. */
TEST(runs_are_closed_by_what_is_not_part_of_them)
{
    twill *tw = test_start(3, NULL);
    twill_graph *g, *other;
    twill_array *a = make_vectors(tw, 1);
    double wanted[ROWS] = {0};
    OK(twill_stf_begin(tw, &g));
    OK(twill_stf_begin(tw, &other));
    contribute(g, a, 0, 0, 5);
    model_reduce(wanted, 0, 5);
    OK(twill_wait(g));
    contribute(g, a, 0, 100, 3);
    contribute(other, a, 0, 103, 4); /* the same run: only the reduction counts */
    model_reduce(wanted, 100, 7);
    for (int i = 0; i < 6; i++)
        OK(twill_insert(g, &add_term, TWILL_REDUCE(twill_tile_at(a, 0, 0), &other_plus),
                        TWILL_INT(200 + i)));
    model_reduce(wanted, 200, 6);
    OK(twill_wait(other));
    OK(twill_wait(g));
    check_vector(a, 0, wanted);
    twill_stop(tw);
}

/* Argument 2 says which argument is the partial result; the other is the tile itself. */
static twill_outcome grow_body(twill_task *t)
{
    int partial = (int)twill_task_int(t, 2);
    double *into = twill_task_data(t, partial);
    const double *seen = twill_task_data(t, 1 - partial);
    for (int i = 0; i < ROWS; i++)
        into[i] += seen[i] + 1;
    return TWILL_DONE;
}

/* Each task sees all contributions before its own: what it adds is that and one more. */
TEST(a_task_may_read_the_tile_that_it_contributes_to)
{
    static const twill_class grow = {
        .size = sizeof(twill_class), .name = "grow", .chores = {TWILL_CPU(grow_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a = make_vectors(tw, 1);
        twill_arg read = TWILL_R(twill_tile_at(a, 0, 0));
        twill_arg reduce = TWILL_REDUCE(twill_tile_at(a, 0, 0), &plus);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 10; i++)
            OK(twill_insert(g, &grow, i % 2 ? read : reduce, i % 2 ? reduce : read,
                            TWILL_INT(i % 2)));
        OK(twill_wait(g));
        check_vector(a, 0, (double[ROWS]){1023, 1023, 1023});
        twill_stop(tw);
    }
}

TEST(an_array_with_open_contributions_can_be_freed)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 20; i++) {
        twill_array *a = make_vectors(tw, 1);
        contribute(g, a, 0, 0, 9);
        twill_array_free(a);
    }
    contribute(g, make_vectors(tw, 1), 0, 0, 9); /* and left to twill_stop */
    twill_stop(tw);
}

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *inner;
    twill_array *a = *(twill_array *const *)twill_task_data(t, 0);
    if (twill_nest(t, &inner) != TWILL_OK)
        return TWILL_ERROR;
    for (int i = 0; i < 10; i++)
        twill_insert(inner, &add_term, TWILL_REDUCE(twill_tile_at(a, 0, 0), &plus), TWILL_INT(i));
    return twill_nest_end(inner);
}

TEST(nested_graphs_complete_their_contributions)
{
    static const twill_class nest = {
        .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a = make_vectors(tw, 1);
        double wanted[ROWS] = {0};
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &nest, TWILL_VALUE(a)));
        OK(twill_wait(g));
        model_reduce(wanted, 0, 10);
        check_vector(a, 0, wanted);
        twill_stop(tw);
    }
}

/* ---- failures ------------------------------------------------------------------------------- */

/* In a process of its own, as long as a failure among contributions may bring it down. */
static int fail_among_contributions(void *arg)
{
    bool inside = *(bool *)arg;
    twill *tw;
    twill_graph *g;
    twill_array *a;
    twill_pattern p = twill_tiled(ROWS, 1, ROWS, 1);
    if (twill_start(&tw,
                    &(twill_options){.size = sizeof(twill_options), .workers = 2, .bind = "off"}) !=
            TWILL_OK ||
        twill_stf_begin(tw, &g) != TWILL_OK ||
        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) != TWILL_OK)
        return 1;
    for (int round = 0; round < 3; round++) {
        twill_tile *tile = twill_tile_at(a, 0, 0);
        for (int i = 0; i < 10; i++)
            twill_insert(g, &add_term, TWILL_REDUCE(tile, &plus), TWILL_INT(i));
        twill_insert(g, &test_planted, inside ? TWILL_REDUCE(tile, &plus) : TWILL_RW(tile));
        if (twill_wait(g) != TWILL_ERR_TASK)
            return 2;
        if (twill_insert(g, &add_term, TWILL_REDUCE(tile, &plus), TWILL_INT(0)) != TWILL_OK ||
            twill_wait(g) != TWILL_OK)
            return 3; /* the graph and the tile are usable again */
    }
    twill_stop(tw);
    return 0;
}

TEST(a_contribution_that_fails_is_reported_and_forgotten)
{
    bool inside = true;
    assert_int_equal(test_child(fail_among_contributions, &inside, 10), 0);
}

TEST(a_failure_after_contributions_is_reported_and_forgotten)
{
    bool inside = false;
    assert_int_equal(test_child(fail_among_contributions, &inside, 10), 0);
}

TEST(reductions_that_make_no_sense_are_refused)
{
    static const twill_reduction half = {
        .size = sizeof(twill_reduction), .name = "half", .zero = zero_sum};
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    twill_array *a = make_vectors(tw, 1);
    twill_tile *tile = twill_tile_at(a, 0, 0);
    OK(twill_stf_begin(tw, &g));
    const struct {
        twill_arg arg;
        const char *sentence;
    } cases[] = {{TWILL_REDUCE(tile, NULL), "TWILL_REDUCE"},
                 {TWILL_REDUCE(tile, &half), "combine"},
                 {TWILL_REDUCE(NULL, &plus), "tile"}};
    for (int i = 0; i < COUNT(cases); i++) {
        REFUSED(twill_insert(g, &add_term, cases[i].arg, TWILL_INT(0)), TWILL_ERR_ARGUMENT,
                cases[i].sentence);
        REFUSED(twill_wait(g), TWILL_ERR_ARGUMENT, cases[i].sentence);
    }
    check_vector(a, 0, (double[ROWS]){0});
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_same_bit_for_bit_under_every_scheduler_and_number_of_workers),
        cmocka_unit_test(another_order_gives_other_bits),
        cmocka_unit_test(whoever_comes_next_sees_all_contributions),
        cmocka_unit_test(the_host_sees_all_contributions_without_a_wait),
        cmocka_unit_test(runs_are_closed_by_what_is_not_part_of_them),
        cmocka_unit_test(a_task_may_read_the_tile_that_it_contributes_to),
        cmocka_unit_test(an_array_with_open_contributions_can_be_freed),
        cmocka_unit_test(nested_graphs_complete_their_contributions),
        cmocka_unit_test(a_contribution_that_fails_is_reported_and_forgotten),
        cmocka_unit_test(a_failure_after_contributions_is_reported_and_forgotten),
        cmocka_unit_test(reductions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
