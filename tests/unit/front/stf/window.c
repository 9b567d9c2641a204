/* The window: an inserter does not run far ahead of the tasks, and never gets stuck for it. */
#include "support/limit.h"
#include "support/test.h"

#include "sched/sched.h"

#include <pthread.h>
#include <time.h>

/* The window is looked at now and then, so a few more may be in flight. */
enum { SECONDS = 30, SLACK = 64, MANY = 3000 };

static twill *start(int workers, int64_t window, const char *sched)
{
    return test_start_with((twill_options){.workers = workers, .window = window, .sched = sched});
}

static int64_t in_flight(const twill_graph *g)
{
    int64_t added, done;
    twill_graph_progress(g, &added, &done);
    return added - done;
}

TEST(not_many_more_tasks_than_the_window_are_in_flight)
{
    const int64_t windows[] = {1, 10, 100, 1000};
    for (int s = 0; s < test_nsetups; s++)
        for (int k = 0; k < COUNT(windows); k++) {
            twill *tw = start(test_setups[s].workers, windows[k], test_setups[s].sched);
            twill_graph *g;
            int64_t most = 0;
            atomic_int ran = 0, *count = &ran;
            twill_array *a = test_integers(tw, 5);
            OK(twill_stf_begin(tw, &g));
            for (int i = 0; i < 5000; i++) {
                OK(twill_insert(g, &test_count, TWILL_VALUE(count),
                                TWILL_RW(twill_tile_at(a, i % 5, 0))));
                int64_t now = in_flight(g);
                most = now > most ? now : most;
            }
            OK(twill_wait(g));
            twill_stop(tw);
            assert_int_equal(atomic_load(&ran), 5000);
            assert_in_range(most, 0, windows[k] + SLACK);
        }
}

/* A scheduler that takes its time between finding a task and handing it over, and gives the
 * inserting thread none. */
static twill_item *slow_pop(void *state, int w)
{
    twill_item *item = w == 0 ? NULL : tw_sched_eager.pop(state, w);
    if (item)
        test_sleep_ms(1);
    return item;
}

/* A task on its way from the queue to a worker is neither queued nor running, and yet it will make
 * room: the inserter must wait for it. */
TEST(tasks_on_their_way_to_a_worker_are_waited_for)
{
    twill_sched_ops slow = tw_sched_eager;
    slow.name = "slow";
    slow.pop = slow_pop;
    const twill_sched_ops *const list[] = {&slow, NULL};
    twill *tw = test_start_with(
        (twill_options){.workers = 2, .window = 10, .sched = "slow", .schedulers = list});
    twill_graph *g;
    int64_t most = 0;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 300; i++) {
        OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(twill_tile_at(a, 0, 0))));
        int64_t now = in_flight(g);
        most = now > most ? now : most;
    }
    OK(twill_wait(g));
    twill_stop(tw);
    assert_in_range(most, 0, 10 + SLACK);
}

/* Each graph has a window of its own. */
typedef struct inserter {
    pthread_t thread;
    twill_graph *graph;
    atomic_int go, ran;
    int64_t most;
} inserter;

static void *insert_many(void *arg)
{
    inserter *in = arg;
    atomic_int *count = &in->ran;
    while (!atomic_load(&in->go))
        test_sleep_ms(1);
    for (int i = 0; i < MANY; i++) {
        twill_insert(in->graph, &test_count, TWILL_VALUE(count));
        int64_t now = in_flight(in->graph);
        in->most = now > in->most ? now : in->most;
    }
    twill_wait(in->graph);
    return NULL;
}

TEST(several_inserters_each_keep_to_their_window)
{
    const test_setup setups[] = {{"lws", 2}, {"lws", 3}, {"eager", 2}, {"prio", 4}};
    for (int s = 0; s < COUNT(setups); s++) {
        twill *tw = start(setups[s].workers, 50, setups[s].sched);
        inserter in[3] = {0};
        for (int i = 0; i < COUNT(in); i++) {
            atomic_store(&in[i].go, 1);
            OK(twill_stf_begin(tw, &in[i].graph));
            assert_int_equal(pthread_create(&in[i].thread, NULL, insert_many, &in[i]), 0);
        }
        for (int i = 0; i < COUNT(in); i++) {
            pthread_join(in[i].thread, NULL);
            assert_int_equal(atomic_load(&in[i].ran), MANY);
            /* it acts now as worker 0, now as external, and each looks now and then */
            assert_in_range(in[i].most, 0, 50 + 2 * SLACK);
        }
        twill_stop(tw);
    }
}

/* The second thread begins when the first is busy, and takes a while to fill its window. */
static twill_outcome nap_body(twill_task *t)
{
    inserter *in = *(inserter *const *)twill_task_data(t, 0);
    atomic_store(&in->go, 1);
    test_sleep_ms(5);
    return TWILL_DONE;
}

/* Wait some seconds for the thread; if it does not come, run its tasks for it. */
static bool ends_alone(inserter *in)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3;
    if (!pthread_timedjoin_np(in->thread, NULL, &until))
        return true;
    while (atomic_load(&in->ran) < MANY)
        OK(twill_wait(in->graph));
    pthread_join(in->thread, NULL);
    return false;
}

/* There is one worker, and that is whoever waits. While the first thread does, the second fills its
 * window; then the first is through, and nobody but the second is left to run its tasks. A waiting
 * thread looks only now and then whether it is through: some number of tasks makes it look just
 * then. */
TEST(an_inserter_that_is_left_alone_runs_its_tasks_itself)
{
    static const twill_class nap = {
        .size = sizeof(twill_class), .name = "nap", .chores = {TWILL_CPU(nap_body)}};
    bool alone = true;
    for (int before = 0; before < 70 && alone; before++) {
        twill *tw = start(1, 100, "eager"); /* room for all that come before */
        twill_graph *g;
        atomic_int ran = 0, *count = &ran;
        inserter in = {.go = 0}, *arg = &in;
        OK(twill_stf_begin(tw, &g));
        OK(twill_stf_begin(tw, &in.graph));
        assert_int_equal(pthread_create(&in.thread, NULL, insert_many, &in), 0);
        for (int i = 0; i < before; i++)
            OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
        OK(twill_insert(g, &nap, TWILL_VALUE(arg)));
        OK(twill_wait(g));
        alone = ends_alone(&in);
        assert_int_equal(atomic_load(&in.ran), MANY);
        twill_stop(tw);
    }
    assert_true(alone);
}

/* Nothing behind the held tile can run, so no amount of helping makes room. */
TEST(an_inserter_goes_on_when_nothing_can_run)
{
    twill *tw = start(2, 8, NULL);
    twill_graph *g;
    test_hold hold;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(a, 0, 0)));
    for (int i = 0; i < 200; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(twill_tile_at(a, 0, 0))));
    assert_int_equal(atomic_load(&ran), 0);
    test_hold_end(&hold);
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 200);
    twill_stop(tw);
}

static twill_outcome until_body(twill_task *t)
{
    return atomic_load(*(atomic_int *const *)twill_task_data(t, 0)) ? TWILL_DONE : TWILL_AGAIN;
}

/* A task asks to be run again until one that is inserted last has run; the window is full of tasks
 * behind it. */
TEST(an_inserter_goes_on_when_all_that_runs_asks_again)
{
    static const twill_class until = {
        .size = sizeof(twill_class), .name = "until", .chores = {TWILL_CPU(until_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = start(test_setups[s].workers, 8, test_setups[s].sched);
        twill_graph *g;
        atomic_int opened = 0, ran = 0, *flag = &opened, *count = &ran;
        twill_array *a = test_integers(tw, 1);
        twill_tile *tile = twill_tile_at(a, 0, 0);
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &until, TWILL_VALUE(flag), TWILL_RW(tile)));
        for (int i = 0; i < 100; i++)
            OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(tile)));
        OK(twill_insert(g, &test_count, TWILL_VALUE(flag)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 100);
        limit_end();
        twill_stop(tw);
    }
}

/* ---- inside tasks --------------------------------------------------------------------------- */

static twill_outcome insert_body(twill_task *t)
{
    atomic_int *count = *(atomic_int *const *)twill_task_data(t, 0);
    for (int i = 0; i < 500; i++)
        if (twill_insert(twill_task_graph(t), &test_count, TWILL_VALUE(count)) != TWILL_OK)
            return TWILL_ERROR;
    return TWILL_DONE;
}

TEST(insertion_inside_tasks_never_waits_for_room)
{
    static const twill_class inserts = {
        .size = sizeof(twill_class), .name = "inserts", .chores = {TWILL_CPU(insert_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = start(test_setups[s].workers, 4, test_setups[s].sched);
        twill_graph *g;
        atomic_int ran = 0, *count = &ran;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 10; i++)
            OK(twill_insert(g, &inserts, TWILL_VALUE(count)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 5000);
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_many_more_tasks_than_the_window_are_in_flight),
        cmocka_unit_test(tasks_on_their_way_to_a_worker_are_waited_for),
        cmocka_unit_test(several_inserters_each_keep_to_their_window),
        cmocka_unit_test(an_inserter_that_is_left_alone_runs_its_tasks_itself),
        cmocka_unit_test(an_inserter_goes_on_when_nothing_can_run),
        LIMITED_TEST(an_inserter_goes_on_when_all_that_runs_asks_again),
        cmocka_unit_test(insertion_inside_tasks_never_waits_for_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
