/* Runs of parameterised graphs among other users of the tiles of their arrays. */
#include "support/test.h"
#include "support/touch.h"

#include "engine/engine.h"

#include <stdio.h>
#include <string.h>

enum { TILES = 12 };

static twill *tw;
static twill_array *a;
static twill_graph *stf;

static int start(void **state)
{
    (void)state;
    tw = test_start(3, NULL);
    a = test_integers(tw, TILES);
    OK(twill_stf_begin(tw, &stf));
    return 0;
}

static int stop(void **state)
{
    (void)state;
    twill_stop(tw);
    return 0;
}

static twill_array *part(int64_t first, int64_t n)
{
    twill_array *sub = NULL;
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), first, 0, n, 1), &sub));
    return sub;
}

static twill_tile *tile(int64_t i)
{
    return twill_tile_at(a, i, 0);
}

/* ---- graphs that stay, count and fail ------------------------------------------------------- */

static twill_outcome stay(twill_task *t, void *arg)
{
    atomic_store(&((test_hold *)arg)->task, t);
    return TWILL_ASYNC;
}

static twill_outcome count(twill_task *t, void *arg)
{
    (void)t;
    atomic_fetch_add((atomic_int *)arg, 1);
    return TWILL_DONE;
}

static twill_outcome fail_now(twill_task *t, void *arg)
{
    (void)arg;
    return twill_task_fail(t, "planted");
}

/* A run that uses an array in this way. */
static twill_graph *run(touch *t, twill_outcome (*body)(twill_task *, void *), void *arg,
                        twill_array *x, twill_access access)
{
    twill_graph *g;
    *t = (touch){.body = body, .arg = arg};
    touch_add(t, x, access);
    OK(touch_new(tw, t, &g));
    OK(twill_ptg_run(g));
    return g;
}

/* A run that goes on until test_hold_end. */
static twill_graph *hold_array(touch *t, test_hold *hold, twill_array *x, twill_access access)
{
    *hold = (test_hold){NULL};
    twill_graph *g = run(t, stay, hold, x, access);
    while (!atomic_load(&hold->task))
        test_sleep_ms(1);
    return g;
}

static void insert_count(atomic_int *ran, twill_arg data)
{
    OK(twill_insert(stf, &test_count, TWILL_VALUE(ran), data));
}

/* ---- order ---------------------------------------------------------------------------------- */

TEST(tasks_on_tiles_wait_for_a_run_and_a_run_for_them)
{
    touch t, u;
    test_hold hold;
    atomic_int ran = 0;
    twill_graph *g = hold_array(&t, &hold, a, TWILL_READ_WRITE);
    for (int i = 0; i < TILES; i += 3)
        insert_count(&ran, TWILL_R(tile(i)));
    twill_graph *after = run(&u, count, &ran, a, TWILL_READ_WRITE);
    insert_count(&ran, TWILL_R(tile(0)));
    insert_count(&ran, TWILL_R(tile(1)));
    test_sleep_ms(2);
    assert_int_equal(ran, 0);
    test_hold_end(&hold);
    OK(twill_wait(stf));
    assert_int_equal(ran, 7);
    OK(twill_wait(after));
    OK(twill_wait(g));
    test_hold_begin(&hold, stf, "holder", TWILL_RW(tile(5)));
    OK(twill_ptg_run(after));
    test_sleep_ms(2);
    assert_int_equal(ran, 7);
    test_hold_end(&hold);
    OK(twill_wait(after));
    assert_int_equal(ran, 8);
}

TEST(readers_do_not_wait_for_readers)
{
    touch t, u, v;
    test_hold hold;
    atomic_int ran = 0;
    twill_graph *g = hold_array(&t, &hold, a, TWILL_READ);
    twill_graph *reader = run(&u, count, &ran, a, TWILL_READ);
    OK(twill_wait(reader));
    insert_count(&ran, TWILL_R(tile(3)));
    OK(twill_wait(stf));
    assert_int_equal(ran, 2);
    insert_count(&ran, TWILL_RW(tile(3))); /* behind the first reader */
    insert_count(&ran, TWILL_R(tile(3)));  /* and behind that */
    OK(twill_ptg_run(reader));             /* too */
    twill_graph *writer = run(&v, count, &ran, a, TWILL_WRITE);
    test_sleep_ms(2);
    assert_int_equal(ran, 2);
    test_hold_end(&hold);
    OK(twill_wait(writer));
    assert_int_equal(ran, 6);
    OK(twill_wait(reader));
    OK(twill_wait(stf));
    OK(twill_wait(g));
}

TEST(runs_on_other_tiles_of_a_matrix_do_not_wait)
{
    touch t, u, v;
    test_hold hold;
    atomic_int ran = 0;
    twill_array *upper = part(0, 6), *lower = part(6, 6), *middle = part(4, 4);
    twill_graph *g = hold_array(&t, &hold, upper, TWILL_READ_WRITE);
    twill_graph *other = run(&u, count, &ran, lower, TWILL_READ_WRITE);
    OK(twill_wait(other));
    insert_count(&ran, TWILL_RW(tile(7)));
    OK(twill_wait(stf));
    assert_int_equal(ran, 2);
    twill_graph *both = run(&v, count, &ran, middle, TWILL_READ);
    insert_count(&ran, TWILL_RW(tile(6))); /* behind that one */
    OK(twill_ptg_run(other));
    test_sleep_ms(2);
    assert_int_equal(ran, 2);
    test_hold_end(&hold);
    OK(twill_wait(both));
    OK(twill_wait(other));
    OK(twill_wait(stf));
    assert_int_equal(ran, 5);
    OK(twill_wait(g));
}

TEST(contributions_are_combined_before_a_run)
{
    touch t;
    twill_array *other = part(0, 3);
    atomic_int ran = 0, *counter = &ran;
    OK(twill_insert(stf, &test_count, TWILL_VALUE(counter), TWILL_REDUCE(tile(1), &test_plus)));
    OK(twill_insert(stf, &test_count, TWILL_VALUE(counter), TWILL_REDUCE(tile(7), &test_plus)));
    twill_graph *g = run(&t, count, &ran, other, TWILL_READ);
    OK(twill_wait(g));
    assert_null(atomic_load(&tile(1)->reducing));
    assert_non_null(atomic_load(&tile(7)->reducing)); /* the run does not use it */
    OK(twill_wait(stf));
}

/* ---- cost ----------------------------------------------------------------------------------- */

TEST(a_run_looks_at_no_tile_that_is_not_in_use)
{
    touch t;
    atomic_int ran = 0;
    twill_graph *g = run(&t, count, &ran, a, TWILL_READ_WRITE);
    OK(twill_wait(g));
    assert_null(a->made); /* no record */
    insert_count(&ran, TWILL_RW(tile(4)));
    OK(twill_wait(stf));
    for (int i = 0; i < 2; i++) {
        OK(twill_ptg_run(g));
        OK(twill_wait(g));
    }
    assert_null(tile(5)->chain.tail);
    assert_int_equal(tile(4)->seen, 1); /* it was idle when the others came */
    assert_false(a->touched);
    assert_null(a->wholes);
    insert_count(&ran, TWILL_RW(tile(4)));
    assert_false(a->coarse); /* what follows does not look at this again */
    OK(twill_wait(stf));
}

TEST(arrays_are_freed_after_runs_that_use_them)
{
    touch t, u;
    test_hold hold;
    atomic_int ran = 0;
    twill_array *other = part(0, 6);
    twill_graph *g = hold_array(&t, &hold, a, TWILL_READ_WRITE);
    twill_graph *next = run(&u, count, &ran, other, TWILL_READ_WRITE);
    test_hold_end(&hold);
    twill_array_free(other); /* waits for the second, which waits for the first */
    assert_int_equal(ran, 1);
    twill_array_free(a);
    OK(twill_wait(next));
    OK(twill_wait(g));
}

/* ---- failures ------------------------------------------------------------------------------- */

static void cancels_reader(int64_t i, bool canceled)
{
    atomic_int ran = 0;
    insert_count(&ran, TWILL_R(tile(i)));
    if (canceled)
        REFUSED(twill_wait(stf), TWILL_ERR_CANCELED, "failed");
    else
        OK(twill_wait(stf));
    assert_int_equal(ran, !canceled);
}

static void cancels_run(twill_array *x, twill_access access, bool canceled)
{
    touch t;
    atomic_int ran = 0;
    twill_graph *g = run(&t, count, &ran, x, access);
    if (canceled)
        REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "a graph that failed");
    else
        OK(twill_wait(g));
    assert_int_equal(ran, !canceled);
    twill_graph_free(g);
}

static void wait_ended(twill_graph *g)
{
    while (!tw_graph_failed(g))
        test_sleep_ms(1);
    test_sleep_ms(2);
}

TEST(what_a_failed_run_should_have_written_is_poisoned)
{
    touch t;
    twill_array *upper = part(0, 6), *lower = part(6, 6), *inner = part(2, 2);
    twill_graph *g = run(&t, fail_now, NULL, upper, TWILL_READ_WRITE);
    wait_ended(g);
    cancels_reader(3, true); /* a tile that nobody had used */
    cancels_reader(3, true);
    cancels_reader(6, false);
    cancels_run(a, TWILL_READ, true);
    cancels_run(lower, TWILL_READ, false);
    atomic_int ran = 0;
    insert_count(&ran, TWILL_W(tile(0))); /* a tile that is written is good again */
    OK(twill_wait(stf));
    cancels_reader(0, false);
    cancels_run(inner, TWILL_WRITE, false);
    cancels_run(inner, TWILL_READ, false);
    cancels_reader(2, false);
    cancels_reader(4, true);
    cancels_run(upper, TWILL_READ, true);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    cancels_reader(4, false);
    cancels_reader(5, false);
    cancels_run(a, TWILL_READ_WRITE, false);
    assert_null(a->wholes);
}

TEST(what_only_a_failed_run_read_is_not_poisoned)
{
    touch t;
    twill_graph *g = run(&t, fail_now, NULL, a, TWILL_READ);
    wait_ended(g);
    cancels_reader(3, false);
    cancels_run(a, TWILL_READ, false);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
}

TEST(a_run_that_reads_what_a_task_failed_to_write_is_canceled)
{
    twill_array *upper = part(0, 6), *lower = part(6, 6);
    OK(twill_insert(stf, &test_planted, TWILL_RW(tile(2))));
    wait_ended(stf);
    cancels_run(lower, TWILL_READ_WRITE, false);
    cancels_run(upper, TWILL_READ, true);
    cancels_run(a, TWILL_READ, true);
    cancels_run(upper, TWILL_WRITE, false);
    cancels_run(a, TWILL_READ, false);
    REFUSED(twill_wait(stf), TWILL_ERR_TASK, "planted");
}

TEST(failures_reach_those_who_wait_already)
{
    touch t, u, v, x;
    test_hold hold;
    atomic_int ran = 0, *counter = &ran;
    twill_array *upper = part(0, 6);
    twill_graph *g = hold_array(&t, &hold, a, TWILL_READ_WRITE), *other;
    twill_graph *reader = run(&u, count, &ran, a, TWILL_READ);
    twill_graph *writer = run(&v, count, &ran, upper, TWILL_WRITE);
    twill_graph *second = run(&x, count, &ran, upper, TWILL_READ);
    OK(twill_stf_begin(tw, &other));
    OK(twill_insert(other, &test_count, TWILL_VALUE(counter), TWILL_R(tile(8))));
    twill_task_done(atomic_load(&hold.task), TWILL_ERR_TASK);
    REFUSED(twill_wait(reader), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait(other), TWILL_ERR_CANCELED, "failed");
    OK(twill_wait(writer));
    OK(twill_wait(second));
    assert_int_equal(ran, 2);
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "");
}

/* ---- reports -------------------------------------------------------------------------------- */

TEST(reports_name_the_run_that_holds_a_tile)
{
    touch t, u;
    test_hold hold;
    char text[4096];
    atomic_int ran = 0;
    twill_graph *g = hold_array(&t, &hold, a, TWILL_READ_WRITE);
    twill_graph *next = run(&u, count, &ran, a, TWILL_READ);
    insert_count(&ran, TWILL_RW(tile(2)));
    twill_describe(tw, text, sizeof text);
    CONTAINS(text, "touch holds all tiles of 1 array");
    CONTAINS(text, "touch waits for all tiles of 1 array");
    CONTAINS(text, "waits for tile (2, 0), held by touch (waiting itself)");
    assert_null(strstr(text, "task touch"));
    test_hold_end(&hold);
    OK(twill_wait(next));
    OK(twill_wait(stf));
    OK(twill_wait(g));
}

/* In a process of its own, as long as it may wait for ever. */
static int wait_behind_own_map(void *arg)
{
    touch t;
    atomic_int ran = 0;
    void *data;
    int64_t ld;
    (void)arg;
    start(NULL);
    twill_view v = twill_view_tile(a, 1, 0);
    if (twill_map(v, TWILL_WRITE, &data, &ld) != TWILL_OK)
        return 1;
    twill_graph *g = run(&t, count, &ran, a, TWILL_READ);
    if (twill_wait(g) != TWILL_ERR_STUCK)
        return 2;
    if (twill_unmap(v, data) != TWILL_OK || twill_wait(g) != TWILL_OK)
        return 3;
    stop(NULL);
    return 0;
}

TEST(waiting_for_a_run_behind_ones_own_map_is_told)
{
    assert_int_equal(test_child(wait_behind_own_map, NULL, 5), 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_a_run_behind_ones_own_map_is_told),
        test(tasks_on_tiles_wait_for_a_run_and_a_run_for_them),
        test(readers_do_not_wait_for_readers),
        test(runs_on_other_tiles_of_a_matrix_do_not_wait),
        test(contributions_are_combined_before_a_run),
        test(a_run_looks_at_no_tile_that_is_not_in_use),
        test(arrays_are_freed_after_runs_that_use_them),
        test(what_a_failed_run_should_have_written_is_poisoned),
        test(what_only_a_failed_run_read_is_not_poisoned),
        test(a_run_that_reads_what_a_task_failed_to_write_is_canceled),
        test(failures_reach_those_who_wait_already),
        test(reports_name_the_run_that_holds_a_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
