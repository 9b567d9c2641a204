/* More of something than there is room for, or than makes sense: full windows, long queues, large
 * tasks, waiting for oneself. */
#include "support/limit.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60, LARGE = 5000 };

static twill_outcome add_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* ---- the window -------------------------------------------------------------------------- */

/* Whoever inserts from outside works when the window is full, so the tasks in flight never become
 * many. How many exactly depends on who is kept from running by whom. */
TEST(the_window_holds)
{
    enum { WINDOW = 50, TASKS = 20000 };
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start_with((twill_options){
            .workers = test_setups[s].workers, .sched = test_setups[s].sched, .window = WINDOW});
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 2);
        int n = test_slow() ? TASKS / 10 : TASKS;
        int64_t most = 0;
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            int64_t added, done;
            OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, i % 2, 0))));
            twill_graph_progress(g, &added, &done);
            most = added - done > most ? added - done : most;
        }
        OK(twill_wait(g));
        assert_int_equal(test_get(a, 0) + test_get(a, 1), n);
        assert_in_range(most, 0, n / 4);
        twill_stop(tw);
    }
    limit_end();
}

/* ---- long queues and large tasks --------------------------------------------------------- */

/* Leave some tasks to the other workers, so that queues do not begin where they began. */
static void run_some(twill_graph *g, const test_setup *setup)
{
    atomic_int count = 0, *counter = &count;
    for (int i = 0; i < 700; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(counter)));
    if (setup->workers > 1)
        REACHES(&count, 700);
    OK(twill_wait(g));
}

/* Thousands of tasks become ready at once, with and without priorities, and each runs once. */
TEST(thousands_become_ready_at_once)
{
    int n = test_slow() ? 3000 : 10000;
    atomic_int *counts = calloc((size_t)n, sizeof *counts);
    assert_non_null(counts);
    for (int s = 0; s < 2 * test_nsetups; s++) {
        const test_setup *setup = &test_setups[s / 2];
        twill *tw = test_start_with(
            (twill_options){.workers = setup->workers, .sched = setup->sched, .window = 100000});
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 1);
        twill_tile *gate = twill_tile_at(a, 0, 0);
        void *data;
        int64_t ld;
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", setup->sched, setup->workers);
        OK(twill_stf_begin(tw, &g));
        run_some(g, setup);
        OK(twill_map(twill_view_all(a), TWILL_READ_WRITE, &data, &ld));
        for (int i = 0; i < n; i++) {
            atomic_int *counter = &counts[i];
            OK(twill_insert(g, &test_count, TWILL_VALUE(counter), TWILL_R(gate),
                            TWILL_PRIORITY(s % 2 ? i % 7 : 0), TWILL_WORKER(i % 5 - 1)));
        }
        OK(twill_unmap(twill_view_all(a), data));
        OK(twill_wait(g));
        for (int i = 0; i < n; i++)
            assert_int_equal(atomic_load(&counts[i]), s + 1);
        twill_stop(tw);
    }
    free(counts);
    limit_end();
}

typedef struct cargo {
    unsigned char bytes[LARGE];
} cargo;

static twill_outcome cargo_body(twill_task *t)
{
    const cargo *c = twill_task_data(t, 1);
    for (int i = 0; i < LARGE; i++)
        if (c->bytes[i] != c->bytes[0])
            return twill_task_fail(t, "the bytes of a value have changed");
    *(int64_t *)twill_task_data(t, 0) += c->bytes[0];
    return TWILL_DONE;
}

static const twill_class cargo_class = {
    .size = sizeof(twill_class), .name = "cargo", .chores = {TWILL_CPU(cargo_body)}};

TEST(large_tasks_come_and_go)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 4);
        int64_t expected = 0;
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 2000; i++) {
            cargo c;
            memset(c.bytes, i & 255, LARGE);
            expected += i & 255;
            OK(twill_insert(g, &cargo_class, TWILL_RW(twill_tile_at(a, i % 4, 0)),
                            TWILL_COPY(&c, i % 3 ? sizeof c : LARGE)));
        }
        OK(twill_wait(g));
        for (int i = 0; i < 4; i++)
            expected -= test_get(a, i);
        assert_int_equal(expected, 0);
        twill_stop(tw);
    }
    limit_end();
}

/* ---- waiting for oneself ----------------------------------------------------------------- */

/* A wait that can never end is refused, and leaves no trace in the order of things. */
TEST(a_refused_wait_is_not_in_the_way)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 1);
        twill_tile *tile = twill_tile_at(a, 0, 0);
        twill_view v = twill_view_all(a);
        void *data, *other;
        int64_t ld;
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 20; i++) {
            OK(twill_map(v, TWILL_READ_WRITE, &data, &ld));
            OK(twill_insert(g, &add, TWILL_RW(tile)));
            REFUSED(twill_wait(g), TWILL_ERR_STUCK, "wait for itself");
            REFUSED(twill_wait_tile(tile, TWILL_READ_WRITE), TWILL_ERR_STUCK, "wait for itself");
            REFUSED(twill_map(v, TWILL_READ, &other, &ld), TWILL_ERR_STUCK, "wait for itself");
            OK(twill_insert(g, &add, TWILL_RW(tile)));
            OK(twill_unmap(v, data));
            OK(twill_wait(g));
            assert_int_equal(test_get(a, 0), 2 * (i + 1));
        }
        twill_stop(tw);
    }
    limit_end();
}

static twill_outcome second_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 1);
    return TWILL_DONE;
}

static const twill_class second = {
    .size = sizeof(twill_class), .name = "second", .chores = {TWILL_CPU(second_body)}};

/* A task that contributes to a tile and uses it too is refused, or does both. */
TEST(a_contribution_is_not_lost_beside_a_use)
{
    for (int order = 0; order < 2; order++) {
        twill *tw = test_start(2, "lws");
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 1);
        twill_tile *tile = twill_tile_at(a, 0, 0);
        limit_begin(tw, SECONDS, "REDUCE %s R", order ? "after" : "before");
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &add, TWILL_REDUCE(tile, &test_plus)));
        twill_status status =
            order ? twill_insert(g, &second, TWILL_R(tile), TWILL_REDUCE(tile, &test_plus))
                  : twill_insert(g, &add, TWILL_REDUCE(tile, &test_plus), TWILL_R(tile));
        assert_int_equal(twill_wait(g), status); /* a bad insertion is a failure of the graph */
        if (status == TWILL_OK)
            assert_int_equal(test_get(a, 0), 2);
        else
            assert_int_equal(status, TWILL_ERR_ARGUMENT);
        twill_stop(tw);
    }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(the_window_holds),
        LIMITED_TEST(thousands_become_ready_at_once),
        LIMITED_TEST(large_tasks_come_and_go),
        LIMITED_TEST(a_refused_wait_is_not_in_the_way),
        LIMITED_TEST(a_contribution_is_not_lost_beside_a_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
