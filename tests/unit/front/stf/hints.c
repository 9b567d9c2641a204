/* Hints: priorities and preferred workers. */
#include "support/test.h"

#include <string.h>

enum { TASKS = 64 };

/* ---- priorities ----------------------------------------------------------------------------- */

typedef struct order {
    atomic_int n;
    int64_t ran[TASKS];
} order;

static twill_outcome note_body(twill_task *t)
{
    order *o = *(order *const *)twill_task_data(t, 0);
    o->ran[atomic_fetch_add(&o->n, 1)] = twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class note = {
    .size = sizeof(twill_class), .name = "note", .chores = {TWILL_CPU(note_body)}};

/* With one worker nothing runs before the wait, so all tasks are ready then. */
static void run_with_priorities(const char *sched, const int64_t *priority, int n, order *o)
{
    twill *tw = test_start(1, sched);
    twill_graph *g;
    *o = (order){0};
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < n; i++)
        OK(twill_insert(g, &note, TWILL_VALUE(o), TWILL_INT(i), TWILL_PRIORITY(priority[i])));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&o->n), n);
    twill_stop(tw);
}

TEST(prio_runs_ready_tasks_by_priority_then_in_order)
{
    order o;
    int64_t priority[TASKS];
    uint64_t seed = 1;
    for (int i = 0; i < TASKS; i++)
        priority[i] = (int64_t)test_random(&seed, 9) - 4;
    run_with_priorities("prio", priority, TASKS, &o);
    for (int i = 1; i < TASKS; i++) {
        int64_t before = o.ran[i - 1], now = o.ran[i];
        assert_true(priority[before] > priority[now] ||
                    (priority[before] == priority[now] && before < now));
    }
}

TEST(priorities_beyond_32_bits_are_the_highest_and_the_lowest)
{
    const int64_t priority[] = {5, INT64_MAX, INT64_MIN, INT64_C(1) << 32, -5, 0};
    const int64_t wanted[] = {1, 3, 0, 5, 4, 2};
    order o;
    run_with_priorities("prio", priority, COUNT(priority), &o);
    assert_memory_equal(o.ran, wanted, sizeof wanted);
}

TEST(lws_runs_what_has_priority_before_what_has_none)
{
    const int64_t priority[] = {0, 2, 0, 9, -3, 2, 0, 1};
    order o;
    run_with_priorities("lws", priority, COUNT(priority), &o);
    const int64_t first[] = {3, 1, 5, 7};
    assert_memory_equal(o.ran, first, sizeof first);
}

TEST(serial_runs_in_program_order_inside_the_insertion)
{
    twill *tw = test_start(1, "serial");
    twill_graph *g;
    order o = {0}, *arg = &o;
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < TASKS; i++) {
        OK(twill_insert(g, &note, TWILL_VALUE(arg), TWILL_INT(i), TWILL_PRIORITY(i % 5)));
        assert_int_equal(atomic_load(&o.n), i + 1);
        assert_int_equal(o.ran[i], i);
    }
    OK(twill_wait(g));
    twill_stop(tw);
}

TEST(the_same_seed_gives_the_same_order)
{
    order o[3];
    const char *const seeds[] = {"7", "7", "8"};
    for (int k = 0; k < 3; k++) {
        twill *tw =
            test_start_with((twill_options){.workers = 1, .sched = "rand", .sched_seed = seeds[k]});
        twill_graph *g;
        order *arg = &o[k];
        o[k] = (order){0};
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < TASKS; i++)
            OK(twill_insert(g, &note, TWILL_VALUE(arg), TWILL_INT(i)));
        OK(twill_wait(g));
        twill_stop(tw);
    }
    assert_memory_equal(o[0].ran, o[1].ran, sizeof o[0].ran);
    assert_memory_not_equal(o[0].ran, o[2].ran, sizeof o[0].ran);
}

/* ---- preferred workers ---------------------------------------------------------------------- */

static twill_outcome where_body(twill_task *t)
{
    atomic_store(*(atomic_int *const *)twill_task_data(t, 0), twill_task_worker(t) + 1);
    return TWILL_DONE;
}

static const twill_class where = {
    .size = sizeof(twill_class), .name = "where", .chores = {TWILL_CPU(where_body)}};

/* Run one task and say which worker ran it. The caller does not wait for the graph: as a waiting
 * thread it would be a worker, and not an idle one. */
static int worker_of(twill *tw, twill_graph *g, int64_t wanted)
{
    atomic_int ran = 0, *arg = &ran;
    twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
    OK(twill_insert(g, &where, TWILL_VALUE(arg), TWILL_WORKER(wanted)));
    for (int i = 0; i < 10000 && !atomic_load(&ran); i++)
        test_sleep_ms(1);
    /* until everybody is asleep again */
    do {
        twill_count(tw, &before);
        test_sleep_ms(2);
        twill_count(tw, &after);
    } while (before.sleeps != after.sleeps);
    return atomic_load(&ran) - 1;
}

TEST(a_task_runs_on_the_worker_it_asks_for_when_that_one_is_idle)
{
    enum { WORKERS = 4, ROUNDS = 20 };
    twill *tw = test_start(WORKERS, NULL);
    twill_graph *g;
    int honoured = 0;
    OK(twill_stf_begin(tw, &g));
    test_sleep_ms(20);
    for (int i = 0; i < ROUNDS; i++) {
        int wanted = 1 + i % (WORKERS - 1);
        honoured += worker_of(tw, g, wanted) == wanted;
    }
    twill_stop(tw);
    print_message("%d of %d on the worker asked for\n", honoured, ROUNDS);
    assert_true(honoured >= ROUNDS / 2); /* a thief that was still awake may come first */
}

TEST(workers_that_do_not_exist_are_no_reason_not_to_run)
{
    const int64_t strange[] = {-1, -100, 3, 99, 40000, INT64_MAX, INT64_MIN};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        order o = {0}, *arg = &o;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < COUNT(strange); i++)
            OK(twill_insert(g, &note, TWILL_VALUE(arg), TWILL_INT(i), TWILL_WORKER(strange[i])));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&o.n), COUNT(strange));
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prio_runs_ready_tasks_by_priority_then_in_order),
        cmocka_unit_test(priorities_beyond_32_bits_are_the_highest_and_the_lowest),
        cmocka_unit_test(lws_runs_what_has_priority_before_what_has_none),
        cmocka_unit_test(serial_runs_in_program_order_inside_the_insertion),
        cmocka_unit_test(the_same_seed_gives_the_same_order),
        cmocka_unit_test(a_task_runs_on_the_worker_it_asks_for_when_that_one_is_idle),
        cmocka_unit_test(workers_that_do_not_exist_are_no_reason_not_to_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
