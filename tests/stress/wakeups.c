/* No wake-up is lost: work that arrives at the moment a worker goes to sleep is done all the same.
 *
 * Workers do not spin here, so they go to sleep after every task, and the work comes after delays
 * that sweep over the time that takes. Whatever is lost shows as a test without an end.
 * TW_WAKEUPS is the number of rounds. */
#include "base/clock.h"
#include "support/foreign.h"
#include "support/limit.h"
#include "support/test.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60 };

static int rounds(int wanted)
{
    return (int)limit_number("TW_WAKEUPS", test_slow() ? wanted / 10 : wanted);
}

/* A context whose workers go to sleep at once. */
static twill *start_sleepy(int workers, const char *sched)
{
    setenv("TWILL_SPIN_US", "0", 1);
    twill *tw = test_start(workers, sched);
    unsetenv("TWILL_SPIN_US");
    return tw;
}

/* From nothing to the time that going to sleep takes. */
static void delay(int i)
{
    for (int k = 0; k < i % 101 * (i % 8 ? 1 : 50); k++)
        atomic_signal_fence(memory_order_seq_cst);
}

/* Wait without helping, and without leaving the core to nobody. */
static void await(const atomic_int *count, int value)
{
    for (int spins = 0; atomic_load(count) != value; spins++)
        if (spins > 100000)
            sched_yield();
}

static const char *const schedulers[] = {"lws", "prio", "eager", "rand"};

/* A task that leaves its own memory in the cache of whoever ran it. Whoever inserts the next one
 * has to fetch it from there, so its stores, the last of which publishes the task, stay behind its
 * loads for long: the order of the two is all that keeps a wake-up from getting lost. */
typedef struct burden {
    atomic_int *counter;
    char bytes[880];
} burden;

static twill_outcome burden_body(twill_task *t)
{
    burden *b = twill_task_data(t, 0);
    memset(b->bytes, 1, sizeof b->bytes);
    atomic_fetch_add(b->counter, 1);
    return TWILL_DONE;
}

static const twill_class burden_class = {
    .size = sizeof(twill_class), .name = "burden", .chores = {TWILL_CPU(burden_body)}};

/* The program inserts and watches; workers do the work or nobody does. */
TEST(an_insertion_wakes_a_worker)
{
    for (int s = 0; s < COUNT(schedulers); s++) {
        twill *tw = start_sleepy(2, schedulers[s]);
        twill_graph *g = NULL;
        atomic_int count = 0;
        burden b = {.counter = &count};
        int n = rounds(s ? 2000 : 60000);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            delay(i);
            OK(twill_insert(g, &burden_class, TWILL_VALUE(b),
                            TWILL_WORKER(i % 16 ? -1 : i / 16 % 3)));
            await(&count, i + 1);
        }
        twill_stop(tw);
    }
    limit_end();
}

/* Two tasks that wait for each other: workers are there for both. */
static twill_outcome meet_body(twill_task *t)
{
    atomic_int *met = *(atomic_int *const *)twill_task_data(t, 0);
    int both = 2 * (atomic_fetch_add(met, 1) / 2 + 1);
    while (atomic_load(met) < both)
        sched_yield();
    return TWILL_DONE;
}

static const twill_class meet = {
    .size = sizeof(twill_class), .name = "meet", .chores = {TWILL_CPU(meet_body)}};

/* They come at about the time at which the worker that ran the last task gives up its search: the
 * one it finds in its last look must not be the only one that is noticed. */
TEST(two_insertions_wake_two_workers)
{
    for (int s = 0; s < COUNT(schedulers); s++) {
        twill *tw = test_start(4, schedulers[s]);
        twill_graph *g = NULL;
        atomic_int count = 0, met = 0, *counter = &count, *place = &met;
        int n = rounds(2000);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            OK(twill_insert(g, &test_count, TWILL_VALUE(counter)));
            await(&count, i + 1);
            double until = tw_seconds() + 1e-7 * (i % 400); /* they search for 20 us */
            while (tw_seconds() < until)
                ;
            OK(twill_insert(g, &meet, TWILL_VALUE(place)));
            OK(twill_insert(g, &meet, TWILL_VALUE(place)));
            await(&met, 2 * (i + 1));
        }
        OK(twill_wait(g));
        twill_stop(tw);
    }
    limit_end();
}

/* Foreign threads complete tasks, each of which lets the next begin. */
static twill_status nothing(twill_task *t)
{
    (void)t;
    return TWILL_OK;
}

static foreign *helpers;

static twill_outcome leave_body(twill_task *t)
{
    foreign_give(helpers, t);
    return TWILL_ASYNC;
}

static const twill_class leave = {
    .size = sizeof(twill_class), .name = "leave", .chores = {TWILL_CPU(leave_body)}};

TEST(a_completion_from_outside_wakes_a_worker)
{
    for (int s = 0; s < COUNT(schedulers); s++) {
        twill *tw = start_sleepy(1 + s % 3, schedulers[s]);
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 2);
        helpers = foreign_start(2, 1, nothing);
        int n = rounds(5000);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++)
            OK(twill_insert(g, &leave, TWILL_RW(twill_tile_at(a, i % (1 + s % 2), 0))));
        OK(twill_wait(g));
        foreign_stop(helpers);
        twill_stop(tw);
    }
    limit_end();
}

/* A body that inserts tasks stays until others have done all but the one its worker may keep. */
typedef struct crowd {
    atomic_int count, seen;
    int size;
} crowd;

static twill_outcome crowd_body(twill_task *t)
{
    crowd *c = *(crowd **)twill_task_data(t, 0);
    atomic_int *counter = &c->count;
    for (int i = 0; i < c->size; i++)
        if (twill_insert(twill_task_graph(t), &test_count, TWILL_VALUE(counter)) != TWILL_OK)
            return TWILL_ERROR;
    while (atomic_load(&c->count) < c->size - 1)
        sched_yield();
    atomic_fetch_add(&c->seen, 1);
    return TWILL_DONE;
}

static const twill_class crowd_class = {
    .size = sizeof(twill_class), .name = "crowd", .chores = {TWILL_CPU(crowd_body)}};

TEST(a_body_that_inserts_wakes_a_worker)
{
    for (int s = 0; s < COUNT(schedulers); s++) {
        twill *tw = start_sleepy(3, schedulers[s]);
        twill_graph *g = NULL;
        crowd all = {.size = 3}, *c = &all;
        int n = rounds(2000);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            atomic_store(&all.count, 0);
            delay(i);
            OK(twill_insert(g, &crowd_class, TWILL_VALUE(c)));
            OK(twill_wait(g));
        }
        assert_int_equal(atomic_load(&all.seen), n);
        twill_stop(tw);
    }
    limit_end();
}

/* The last task of a graph ends while the waiting thread goes to sleep. */
TEST(an_end_wakes_the_waiting_thread)
{
    for (int s = 0; s < COUNT(schedulers); s++) {
        twill *tw = start_sleepy(2, schedulers[s]);
        twill_graph *g = NULL;
        atomic_int count = 0, *counter = &count;
        int n = rounds(s ? 2000 : 20000);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            OK(twill_insert(g, &test_count, TWILL_VALUE(counter)));
            delay(i);
            OK(twill_wait(g));
            assert_int_equal(atomic_load(&count), i + 1);
        }
        twill_stop(tw);
    }
    limit_end();
}

/* The program fills the window of a graph, works because it is full, and goes: what it kept for
 * itself is left for the others. */
TEST(nothing_is_left_to_the_primary_worker)
{
    enum { WINDOW = 64, CHAIN = 72 }; /* it is full when 64 are in flight, and looked at then */
    for (int s = 0; s < COUNT(schedulers); s++) {
        setenv("TWILL_SPIN_US", "0", 1);
        twill *tw = test_start_with(
            (twill_options){.workers = 2, .sched = schedulers[s], .window = WINDOW});
        unsetenv("TWILL_SPIN_US");
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 1);
        atomic_int count = 0, *counter = &count;
        int n = rounds(500);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < CHAIN; k++)
                OK(twill_insert(g, &test_count, TWILL_VALUE(counter),
                                TWILL_RW(twill_tile_at(a, 0, 0))));
            await(&count, CHAIN * (i + 1));
        }
        twill_stop(tw);
    }
    limit_end();
}

/* Tasks that ask for the primary worker, while no thread acts as it. */
static twill_outcome letters_body(twill_task *t)
{
    atomic_int *counter = *(atomic_int **)twill_task_data(t, 0);
    for (int i = 0; i < 3; i++)
        if (twill_insert(twill_task_graph(t), &test_count, TWILL_VALUE(counter),
                         TWILL_WORKER(i % 2)) != TWILL_OK)
            return TWILL_ERROR;
    return TWILL_DONE;
}

static const twill_class letters = {
    .size = sizeof(twill_class), .name = "letters", .chores = {TWILL_CPU(letters_body)}};

TEST(nothing_is_left_for_who_is_not_there)
{
    for (int s = 0; s < COUNT(schedulers); s++) {
        twill *tw = start_sleepy(2, schedulers[s]);
        twill_graph *g = NULL;
        atomic_int count = 0, *counter = &count;
        int n = rounds(500);
        limit_begin(tw, SECONDS, "scheduler %s", schedulers[s]);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < n; i++) {
            OK(twill_insert(g, &letters, TWILL_VALUE(counter)));
            await(&count, 3 * (i + 1));
        }
        twill_stop(tw);
    }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(an_insertion_wakes_a_worker),
        LIMITED_TEST(two_insertions_wake_two_workers),
        LIMITED_TEST(a_completion_from_outside_wakes_a_worker),
        LIMITED_TEST(a_body_that_inserts_wakes_a_worker),
        LIMITED_TEST(an_end_wakes_the_waiting_thread),
        LIMITED_TEST(nothing_is_left_to_the_primary_worker),
        LIMITED_TEST(nothing_is_left_for_who_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
