/* Failures: what is said, what does not run, what is clean afterwards. */
#include "support/test.h"

static twill *tw;
static twill_graph *g;
static twill_array *a;

static int start(void **state)
{
    (void)state;
    tw = test_start(3, NULL);
    OK(twill_stf_begin(tw, &g));
    a = test_integers(tw, 8);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    twill_stop(tw);
    return 0;
}

static twill_tile *tile(int64_t i)
{
    return twill_tile_at(a, i, 0);
}

/* Insertions meet a graph that has failed already; the test is about what comes of it. */
static void insert_count(twill_graph *graph, atomic_int *count, twill_arg data)
{
    twill_status status = twill_insert(graph, &test_count, TWILL_VALUE(count), data);
    assert_true(status == TWILL_OK || status == TWILL_ERR_TASK || status == TWILL_ERR_CANCELED);
}

/* A task that will fail as soon as `hold` is over, so that others can be inserted behind it. */
static void plant(test_hold *hold, int64_t i, const char *name)
{
    test_hold_begin(hold, g, "hold", TWILL_RW(tile(i)));
    OK(twill_insert(g, &test_planted, TWILL_RW(tile(i)), TWILL_NAME(name)));
}

/* Wait until what was planted has failed, without reporting it. */
static void spring(test_hold *hold)
{
    test_hold_end(hold);
    int64_t added = 0, done = -1;
    for (int i = 0; i < 10000 && added != done; i++) {
        test_sleep_ms(1);
        twill_graph_progress(g, &added, &done);
    }
    assert_int_equal(added, done);
}

/* ---- what is said --------------------------------------------------------------------------- */

static twill_outcome silent_body(twill_task *t)
{
    (void)t;
    return TWILL_ERROR;
}

static twill_outcome talkative_body(twill_task *t)
{
    return twill_task_fail(t, "column %d of %s", 7, "the panel");
}

static const twill_class silent = {
    .size = sizeof(twill_class), .name = "silent", .chores = {TWILL_CPU(silent_body)}};
static const twill_class talkative = {
    .size = sizeof(twill_class), .name = "talkative", .chores = {TWILL_CPU(talkative_body)}};

TEST(the_wait_names_the_task_and_the_cause)
{
    OK(twill_insert(g, &talkative, TWILL_NAME("panel(3)")));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "column 7 of the panel");
    CONTAINS(twill_message(), "panel(3)");
    OK(twill_insert(g, &talkative, TWILL_INT(0)));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "talkative");
    OK(twill_insert(g, &silent, TWILL_INT(0)));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "silent");
}

TEST(the_first_failure_sticks)
{
    test_hold hold;
    plant(&hold, 0, "first");
    OK(twill_insert(g, &test_planted, TWILL_RW(tile(0)), TWILL_NAME("second")));
    test_hold_end(&hold);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "first");
    OK(twill_wait(g)); /* and is reported once */
}

TEST(once_failed_a_graph_takes_no_tasks_until_the_failure_is_reported)
{
    test_hold hold;
    atomic_int ran = 0, *count = &ran;
    twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
    plant(&hold, 0, "bad");
    spring(&hold);
    twill_count(tw, &before);
    REFUSED(twill_insert(g, &test_count, TWILL_VALUE(count)), TWILL_ERR_TASK, "bad");
    twill_count(tw, &after);
    assert_int_equal(after.inserted, before.inserted);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
    OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 1);
}

/* ---- what does not run ---------------------------------------------------------------------- */

TEST(what_comes_after_does_not_run)
{
    for (int s = 0; s < test_nsetups; s++) {
        atomic_int ran = 0;
        twill *other = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_array *b = test_integers(other, 2);
        twill_graph *graph;
        OK(twill_stf_begin(other, &graph));
        twill_status status = twill_insert(graph, &test_planted, TWILL_RW(twill_tile_at(b, 0, 0)));
        assert_true(status == TWILL_OK);
        insert_count(graph, &ran, TWILL_R(twill_tile_at(b, 0, 0)));
        insert_count(graph, &ran, TWILL_RW(twill_tile_at(b, 0, 0)));
        insert_count(graph, &ran, TWILL_COMMUTE(twill_tile_at(b, 0, 0)));
        REFUSED(twill_wait(graph), TWILL_ERR_TASK, "planted");
        assert_int_equal(atomic_load(&ran), 0);
        twill_stop(other);
    }
}

TEST(the_graph_and_its_data_are_usable_afterwards)
{
    for (int round = 0; round < 5; round++) {
        test_hold hold;
        atomic_int ran = 0;
        plant(&hold, 0, "bad");
        insert_count(g, &ran, TWILL_RW(tile(0)));
        test_hold_end(&hold);
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
        assert_int_equal(atomic_load(&ran), 0);
        insert_count(g, &ran, TWILL_R(tile(0)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 1);
    }
}

/* The same after the graph has used the array, and was waited for, in peace. */
TEST(data_is_usable_after_a_failure_that_followed_a_success)
{
    atomic_int ran = 0;
    insert_count(g, &ran, TWILL_RW(tile(0)));
    OK(twill_wait(g));
    OK(twill_insert(g, &test_planted, TWILL_RW(tile(0))));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    insert_count(g, &ran, TWILL_R(tile(0)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 2);
    assert_int_equal(test_get(a, 0), 0);
}

/* ---- other graphs --------------------------------------------------------------------------- */

TEST(another_graph_that_reads_the_data_is_canceled)
{
    const twill_arg_kind reads[] = {TWILL_ARG_READ, TWILL_ARG_READ_WRITE, TWILL_ARG_COMMUTE};
    for (int i = 0; i < COUNT(reads); i++)
        for (int late = 0; late < 2; late++) {
            twill_graph *other;
            test_hold hold;
            atomic_int ran = 0, *count = &ran;
            OK(twill_stf_begin(tw, &other));
            plant(&hold, 0, "bad");
            if (late)
                spring(&hold);
            OK(twill_insert(other, &test_count, TWILL_VALUE(count),
                            twill_arg_tile(reads[i], tile(0)), TWILL_NAME("reader")));
            if (!late)
                test_hold_end(&hold);
            REFUSED(twill_wait(other), TWILL_ERR_CANCELED, "reader");
            REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
            assert_int_equal(atomic_load(&ran), 0);
            OK(twill_insert(other, &test_count, TWILL_VALUE(count),
                            twill_arg_tile(reads[i], tile(0))));
            OK(twill_wait(other));
            twill_graph_free(other);
        }
}

TEST(data_that_is_overwritten_is_clean)
{
    twill_graph *other;
    test_hold hold;
    atomic_int ran = 0;
    OK(twill_stf_begin(tw, &other));
    plant(&hold, 0, "bad");
    insert_count(other, &ran, TWILL_W(tile(0)));
    insert_count(other, &ran, TWILL_R(tile(0)));
    test_hold_end(&hold);
    OK(twill_wait(other));
    assert_int_equal(atomic_load(&ran), 2);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
}

TEST(data_that_the_failed_graph_only_read_is_clean)
{
    twill_graph *other;
    test_hold hold;
    atomic_int ran = 0;
    OK(twill_stf_begin(tw, &other));
    test_hold_begin(&hold, g, "hold", TWILL_RW(tile(1)));
    OK(twill_insert(g, &test_planted, TWILL_R(tile(0)), TWILL_RW(tile(1))));
    spring(&hold);
    insert_count(other, &ran, TWILL_R(tile(0)));
    insert_count(other, &ran, TWILL_RW(tile(0)));
    OK(twill_wait(other));
    assert_int_equal(atomic_load(&ran), 2);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
}

/* Each failure stands for itself: reporting one says nothing about the data of another. */
TEST(reporting_one_failure_leaves_the_data_of_another_alone)
{
    twill_graph *other, *reader;
    test_hold hold;
    atomic_int ran = 0;
    OK(twill_stf_begin(tw, &other));
    OK(twill_stf_begin(tw, &reader));
    plant(&hold, 0, "bad");
    spring(&hold);
    OK(twill_insert(other, &test_planted, TWILL_RW(tile(1)), TWILL_NAME("other")));
    REFUSED(twill_wait(other), TWILL_ERR_TASK, "other");
    insert_count(reader, &ran, TWILL_R(tile(0)));
    REFUSED(twill_wait(reader), TWILL_ERR_CANCELED, "count");
    assert_int_equal(atomic_load(&ran), 0);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
}

/* ---- the host ------------------------------------------------------------------------------- */

TEST(the_host_cannot_read_the_data_before_the_failure_is_reported)
{
    test_hold hold;
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(a, 0, 0);
    plant(&hold, 0, "bad");
    spring(&hold);
    REFUSED(twill_map(v, TWILL_READ, &data, &ld), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_map(v, TWILL_READ_WRITE, &data, &ld), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait_tile(tile(0), TWILL_READ), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
    OK(twill_map(v, TWILL_READ, &data, &ld));
    OK(twill_unmap(v, data));
}

TEST(what_the_host_overwrites_is_clean)
{
    test_hold hold;
    twill_view v = twill_view_tile(a, 0, 0);
    void *data;
    int64_t ld;
    plant(&hold, 0, "bad");
    spring(&hold);
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    *(int64_t *)data = 11;
    OK(twill_unmap(v, data));
    assert_int_equal(test_get(a, 0), 11);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
}

/* The view has as many elements as a tile, and covers only half of each of two. */
TEST(what_the_host_overwrites_in_part_is_not_clean)
{
    void *data;
    int64_t ld;
    test_hold hold;
    twill_array *b = test_matrix(tw, TWILL_FLOAT64, 4, 8, 4);
    twill_tile *left = twill_tile_at(b, 0, 0);
    twill_view v = twill_view_sub(twill_view_all(b), 0, 0, 2, 8);
    test_hold_begin(&hold, g, "hold", TWILL_RW(left));
    OK(twill_insert(g, &test_planted, TWILL_RW(left)));
    spring(&hold);
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    OK(twill_unmap(v, data));
    twill_view all_left = twill_view_tile(b, 0, 0);
    twill_status status = twill_map(all_left, TWILL_READ, &data, &ld);
    if (status == TWILL_OK)
        OK(twill_unmap(all_left, data));
    assert_int_equal(status, TWILL_ERR_CANCELED);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "bad");
}

/* ---- cancel and numerical failure ----------------------------------------------------------- */

TEST(a_canceled_graph_says_so_and_goes_on_after_it)
{
    test_hold hold;
    atomic_int ran = 0;
    test_hold_begin(&hold, g, "hold", TWILL_RW(tile(0)));
    insert_count(g, &ran, TWILL_RW(tile(0)));
    twill_cancel(g);
    REFUSED(twill_insert(g, &test_planted, TWILL_INT(0)), TWILL_ERR_CANCELED, "canceled");
    test_hold_end(&hold);
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "canceled");
    assert_int_equal(atomic_load(&ran), 0);
    insert_count(g, &ran, TWILL_RW(tile(0)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 1);
    twill_cancel(NULL);
}

static twill_outcome numerical_body(twill_task *t)
{
    return twill_task_numerical(t, twill_task_int(t, 0));
}

static const twill_class numerical = {
    .size = sizeof(twill_class), .name = "pivot", .chores = {TWILL_CPU(numerical_body)}};

TEST(numerical_failure_gives_its_info_once)
{
    OK(twill_insert(g, &numerical, TWILL_INT(42)));
    REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "info = 42");
    CONTAINS(twill_message(), "pivot");
    assert_int_equal(twill_graph_info(g), 42);
    OK(twill_wait(g));
    assert_int_equal(twill_graph_info(g), 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_wait_names_the_task_and_the_cause),
        test(the_first_failure_sticks),
        test(once_failed_a_graph_takes_no_tasks_until_the_failure_is_reported),
        test(what_comes_after_does_not_run),
        test(the_graph_and_its_data_are_usable_afterwards),
        test(data_is_usable_after_a_failure_that_followed_a_success),
        test(another_graph_that_reads_the_data_is_canceled),
        test(data_that_is_overwritten_is_clean),
        test(data_that_the_failed_graph_only_read_is_clean),
        test(reporting_one_failure_leaves_the_data_of_another_alone),
        test(the_host_cannot_read_the_data_before_the_failure_is_reported),
        test(what_the_host_overwrites_is_clean),
        test(what_the_host_overwrites_in_part_is_not_clean),
        test(a_canceled_graph_says_so_and_goes_on_after_it),
        test(numerical_failure_gives_its_info_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
