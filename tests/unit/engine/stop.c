/* Stopping a context with work under way: twill_stop waits for all of it, nested graphs included.
 */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 30, OUTER = 4, LEAVES = 20, PAUSE_MS = 30 };

/* ---- nested graphs -------------------------------------------------------------------------- */

static atomic_int begun, leaves;

static twill_outcome leaf_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&leaves, 1);
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome outer_body(twill_task *t);
static const twill_class outer = {
    .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};

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

/* ---- where the workers are not -------------------------------------------------------------- */

/* Bits of what went wrong in a child process that has the context of its parent. */
static int use_in_child(twill *tw, twill_graph *g)
{
    twill_graph *other;
    int wrong = 0;
    if (twill_stf_begin(tw, &other) != TWILL_ERR_STATE)
        wrong |= 1;
    if (twill_insert(g, &leaf, TWILL_INT(0)) != TWILL_OK || twill_wait(g) != TWILL_ERR_STATE ||
        !strstr(twill_message(), "forked"))
        wrong |= 2;
    char text[64];
    if (twill_describe(tw, text, sizeof text) != 0)
        wrong |= 8;
    twill_stop(tw);
#if defined(__SANITIZE_THREAD__)
    return wrong; /* the thread sanitizer lets a forked child have no threads */
#endif
    twill *own;
    if (twill_start(&own,
                    &(twill_options){.size = sizeof(twill_options), .workers = 2, .bind = "off"}) !=
        TWILL_OK)
        return wrong | 4;
    twill_stop(own);
    return wrong;
}

TEST(a_forked_child_is_told_that_the_workers_are_not_there)
{
    twill *tw = test_start(3, "lws");
    twill_graph *g;
    atomic_int ran = 0, *count = &ran;
    int status = -1;
    OK(twill_stf_begin(tw, &g));
    limit_begin(NULL, SECONDS, "a forked child");
    pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(tw, g));
    assert_int_equal(waitpid(child, &status, 0), child);
    limit_end();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 1);
    twill_stop(tw);
}

static twill_graph *waited_for;
static atomic_int waiting;

static void *wait_for_it(void *arg)
{
    atomic_store(&waiting, 1);
    twill_status status = twill_wait(waited_for);
    pthread_testcancel();
    return status == TWILL_OK ? arg : NULL;
}

/* The thread ends when it is out of the wait, not in the middle of it. */
TEST(a_thread_that_is_canceled_in_a_wait_leaves_the_context_whole)
{
    twill *tw = test_start(2, "lws");
    test_hold hold;
    pthread_t thread;
    void *result;
    OK(twill_stf_begin(tw, &waited_for));
    test_hold_begin(&hold, waited_for, "held", TWILL_INT(0));
    limit_begin(tw, SECONDS, "a canceled thread");
    assert_int_equal(pthread_create(&thread, NULL, wait_for_it, NULL), 0);
    REACHES(&waiting, 1);
    test_sleep_ms(PAUSE_MS);
    assert_int_equal(pthread_cancel(thread), 0);
    test_hold_end(&hold);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    OK(twill_wait(waited_for));
    twill_stop(tw);
    limit_end();
}

static void *insert_for_ever(void *arg)
{
    atomic_int *count = arg;
    for (;;) {
        twill_insert(waited_for, &test_count, TWILL_VALUE(count));
        pthread_testcancel();
    }
    return NULL;
}

/* A thread that a report holds is canceled when it goes on. */
TEST(a_thread_that_is_canceled_while_others_report_leaves_the_context_whole)
{
    enum { ROUNDS = 20, REPORTS = 50 };
    twill *tw = test_start(2, "lws");
    atomic_int ran = 0;
    char text[256];
    OK(twill_stf_begin(tw, &waited_for));
    limit_begin(tw, SECONDS, "threads canceled beside reports");
    for (int r = 0; r < ROUNDS; r++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, insert_for_ever, &ran), 0);
        for (int i = 0; i < REPORTS; i++)
            twill_describe(tw, text, sizeof text);
        assert_int_equal(pthread_cancel(thread), 0);
        for (int i = 0; i < REPORTS; i++)
            twill_describe(tw, text, sizeof text);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    OK(twill_wait(waited_for));
    twill_stop(tw);
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_stop_waits_for_a_graph_that_a_body_has_just_opened),
        LIMITED_TEST(a_stop_waits_for_a_graph_that_a_body_fills),
        LIMITED_TEST(a_stop_waits_for_graphs_nested_in_nested_ones),
        LIMITED_TEST(a_stop_waits_for_who_completes_the_last_task),
        LIMITED_TEST(a_forked_child_is_told_that_the_workers_are_not_there),
        LIMITED_TEST(a_thread_that_is_canceled_in_a_wait_leaves_the_context_whole),
        LIMITED_TEST(a_thread_that_is_canceled_while_others_report_leaves_the_context_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
