/* Stopping a context with work under way: twill_stop waits for all of it, nested graphs included.
 */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { SECONDS = 30, OUTER = 4, LEAVES = 20, PAUSE_MS = 30 };

/* ---- nested graphs -------------------------------------------------------------------------- */

static atomic_int begun, leaves;

static twill_outcome leaf_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&leaves, 1);
    return TWILL_DONE;
}

static const twill_class leaf = {.name = "leaf", .cpu = leaf_body};

static twill_outcome outer_body(twill_task *t);
static const twill_class outer = {.name = "outer", .cpu = outer_body};

/* Nests as deep as argument 1 says. The pauses give the stop time to meet a graph that is open and
 * empty (argument 0 is 0), or one that has tasks and is not complete. */
static twill_outcome outer_body(twill_task *t)
{
    twill_graph *g;
    int64_t late = twill_task_int(t, 0), deeper = twill_task_int(t, 1);
    if (twill_nest(t, &g) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    atomic_fetch_add(&begun, 1);
    for (int i = 0; i <= LEAVES; i++) {
        if (i == late)
            test_sleep_ms(PAUSE_MS);
        if (i < LEAVES)
            twill_insert(g, &leaf, TWILL_INT(i));
    }
    if (deeper)
        twill_insert(g, &outer, TWILL_INT(late), TWILL_INT(deeper - 1));
    return twill_nest_end(g);
}

static void stop_among(int tasks, int64_t late, int64_t depth)
{
    twill *tw = test_start(3, "lws");
    twill_graph *g;
    limit_begin(NULL, SECONDS, "%d tasks, pause before leaf %d, depth %d", tasks, (int)late,
                (int)depth);
    atomic_store(&begun, 0);
    atomic_store(&leaves, 0);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < tasks; i++)
        OK(twill_insert(g, &outer, TWILL_INT(late), TWILL_INT(depth)));
    while (atomic_load(&begun) == 0)
        test_sleep_ms(1);
    twill_stop(tw);
    limit_end();
    assert_int_equal(atomic_load(&leaves), tasks * LEAVES * (depth + 1));
}

TEST(a_stop_waits_for_a_graph_that_a_body_has_just_opened)
{
    stop_among(1, 0, 0);
    stop_among(OUTER, 0, 0);
}

TEST(a_stop_waits_for_a_graph_that_a_body_fills)
{
    stop_among(1, LEAVES / 2, 0);
    stop_among(OUTER, LEAVES / 2, 0);
    stop_among(OUTER, LEAVES, 0);
}

TEST(a_stop_waits_for_graphs_nested_in_nested_ones)
{
    stop_among(1, 0, 2);
    stop_among(OUTER, LEAVES / 2, 2);
}

/* ---- completion from outside ----------------------------------------------------------------- */

static void *complete(void *arg)
{
    test_hold *hold = arg;
    twill_task *t;
    while (!(t = atomic_load(&hold->task)))
        test_sleep_ms(1);
    twill_task_done(t, TWILL_OK);
    return NULL;
}

/* The wait is over as soon as the task is; the thread that completed it is still on its way out of
 * twill_task_done. The thread sanitizer sees what is freed under it. */
TEST(a_stop_waits_for_who_completes_the_last_task)
{
    for (int i = 0; i < 20; i++) {
        twill *tw = test_start(2, i % 2 ? "lws" : "eager");
        twill_graph *g;
        pthread_t thread;
        test_hold hold = {NULL}, *argument = &hold;
        limit_begin(NULL, SECONDS, "round %d", i);
        OK(twill_stf_begin(tw, &g));
        assert_int_equal(pthread_create(&thread, NULL, complete, &hold), 0);
        OK(twill_insert(g, &test_hold_class, TWILL_VALUE(argument)));
        if (i % 4 < 2)
            OK(twill_wait(g));
        twill_stop(tw);
        pthread_join(thread, NULL);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_stop_waits_for_a_graph_that_a_body_has_just_opened),
        LIMITED_TEST(a_stop_waits_for_a_graph_that_a_body_fills),
        LIMITED_TEST(a_stop_waits_for_graphs_nested_in_nested_ones),
        LIMITED_TEST(a_stop_waits_for_who_completes_the_last_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
