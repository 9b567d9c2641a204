/* Tasks that end later, and tasks that ask to be run again. */
#include "support/test.h"

#include <pthread.h>
#include <sched.h>

/* ---- asynchronous --------------------------------------------------------------------------- */

enum { BOXES = 16, FOREIGNERS = 3 };

/* Bodies hand their tasks over to threads that Twill does not know, which complete them. */
typedef struct office {
    _Atomic(twill_task *) box[BOXES];
    atomic_int completed;
    int total;
} office;

static twill_outcome hand_over(twill_task *t)
{
    office *o = *(office *const *)twill_task_data(t, 0);
    for (int i = 0;; i++) {
        twill_task *nobody = NULL;
        if (atomic_compare_exchange_strong(&o->box[i % BOXES], &nobody, t))
            return TWILL_ASYNC;
    }
}

static const twill_class handed = {
    .size = sizeof(twill_class), .name = "handed", .chores = {TWILL_CPU(hand_over)}};

static void *foreigner(void *arg)
{
    office *o = arg;
    for (int i = 0; atomic_load(&o->completed) < o->total; i++) {
        twill_task *t = atomic_exchange(&o->box[i % BOXES], NULL);
        if (!t) {
            sched_yield();
            continue;
        }
        *(int64_t *)twill_task_data(t, 1) += 1; /* its data is its own until it is done */
        twill_task_done(t, TWILL_OK);
        atomic_fetch_add(&o->completed, 1);
    }
    return NULL;
}

TEST(foreign_threads_complete_tasks_whose_successors_then_run)
{
    enum { TILES = 5 };
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a = test_integers(tw, TILES);
        office o = {.total = test_slow() ? 100 : 400}, *arg = &o;
        pthread_t thread[FOREIGNERS];
        for (int i = 0; i < FOREIGNERS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, foreigner, &o), 0);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < o.total; i++)
            OK(twill_insert(g, &handed, TWILL_VALUE(arg),
                            TWILL_RW(twill_tile_at(a, i % TILES, 0))));
        OK(twill_wait(g));
        for (int i = 0; i < FOREIGNERS; i++)
            pthread_join(thread[i], NULL);
        for (int i = 0; i < TILES; i++)
            assert_int_equal(test_get(a, i), o.total / TILES);
        twill_stop(tw);
    }
}

/* Completed before the body has returned: the task may be gone by then. */
static twill_outcome done_at_once(twill_task *t)
{
    atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 1);
    twill_task_done(t, TWILL_OK);
    return TWILL_ASYNC;
}

TEST(a_task_may_be_completed_before_its_body_returns)
{
    static const twill_class hasty = {
        .size = sizeof(twill_class), .name = "hasty", .chores = {TWILL_CPU(done_at_once)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        atomic_int ran = 0, *count = &ran;
        twill_array *a = test_integers(tw, 3);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 300; i++)
            OK(twill_insert(g, &hasty, TWILL_VALUE(count), TWILL_RW(twill_tile_at(a, i % 3, 0)),
                            TWILL_SCRATCH(100)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 300);
        twill_stop(tw);
    }
}

TEST(a_task_that_is_completed_with_a_failure_cancels_its_graph)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "device copy", TWILL_RW(twill_tile_at(a, 0, 0)));
    OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 0, 0))));
    twill_task_done(atomic_load(&hold.task), TWILL_ERR_SYSTEM);
    REFUSED(twill_wait(g), TWILL_ERR_SYSTEM, "device copy");
    assert_int_equal(atomic_load(&ran), 0);
    twill_stop(tw);
}

/* ---- again ---------------------------------------------------------------------------------- */

typedef struct turn {
    atomic_int next, attempts;
} turn;

/* Runs only when its turn has come: what comes too early asks to be run again. */
static twill_outcome in_turn(twill_task *t)
{
    turn *order = *(turn *const *)twill_task_data(t, 0);
    int mine = (int)twill_task_int(t, 1);
    atomic_fetch_add(&order->attempts, 1);
    if (atomic_load(&order->next) != mine)
        return TWILL_AGAIN;
    atomic_store(&order->next, mine + 1);
    return TWILL_DONE;
}

static const twill_class turns = {
    .size = sizeof(twill_class), .name = "turn", .chores = {TWILL_CPU(in_turn)}};

TEST(a_task_that_could_not_run_is_run_again_behind_the_others)
{
    const test_setup setups[] = {{"eager", 1}, {"eager", 3}, {"rand", 1}, {"rand", 4}};
    enum { TASKS = 20 };
    for (int s = 0; s < COUNT(setups); s++) {
        twill *tw = test_start(setups[s].workers, setups[s].sched);
        twill_graph *g;
        turn order = {0}, *arg = &order;
        OK(twill_stf_begin(tw, &g));
        for (int i = TASKS - 1; i >= 0; i--)
            OK(twill_insert(g, &turns, TWILL_VALUE(arg), TWILL_INT(i)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&order.next), TASKS);
        assert_true(atomic_load(&order.attempts) > TASKS);
        twill_stop(tw);
    }
}

static twill_outcome third_time(twill_task *t)
{
    return atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 1) < 2 ? TWILL_AGAIN
                                                                                : TWILL_DONE;
}

static const twill_class third = {
    .size = sizeof(twill_class), .name = "third", .chores = {TWILL_CPU(third_time)}};

/* Under every scheduler, with one worker too; the successor comes after the last attempt. */
TEST(a_task_is_run_until_it_is_done)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        atomic_int attempts[30] = {0}, after = 0, *last = &after;
        twill_array *a = test_integers(tw, COUNT(attempts));
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < COUNT(attempts); i++) {
            atomic_int *mine = &attempts[i];
            OK(twill_insert(g, &third, TWILL_VALUE(mine), TWILL_RW(twill_tile_at(a, i, 0))));
            OK(twill_insert(g, &test_count, TWILL_VALUE(last), TWILL_R(twill_tile_at(a, i, 0))));
        }
        OK(twill_wait(g));
        for (int i = 0; i < COUNT(attempts); i++)
            assert_int_equal(atomic_load(&attempts[i]), 3);
        assert_int_equal(atomic_load(&after), COUNT(attempts));
        twill_stop(tw);
    }
}

TEST(a_body_that_did_nothing_has_not_run_to_the_end)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    twill_counters c = {.size = sizeof c};
    atomic_int attempts = 0, *count = &attempts;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &third, TWILL_VALUE(count)));
    OK(twill_wait(g));
    twill_count(tw, &c);
    twill_stop(tw);
    assert_int_equal(c.inserted, 1);
    assert_int_equal(c.executed, 1);
}

static twill_outcome again_for_ever(twill_task *t)
{
    atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 1);
    return TWILL_AGAIN;
}

TEST(a_canceled_graph_does_not_run_them_again)
{
    static const twill_class forever = {
        .size = sizeof(twill_class), .name = "for ever", .chores = {TWILL_CPU(again_for_ever)}};
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    atomic_int attempts = 0, *count = &attempts;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &forever, TWILL_VALUE(count)));
    for (int i = 0; i < 10000 && atomic_load(&attempts) < 10; i++)
        test_sleep_ms(1);
    assert_true(atomic_load(&attempts) >= 10);
    twill_cancel(g);
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "canceled");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_threads_complete_tasks_whose_successors_then_run),
        cmocka_unit_test(a_task_may_be_completed_before_its_body_returns),
        cmocka_unit_test(a_task_that_is_completed_with_a_failure_cancels_its_graph),
        cmocka_unit_test(a_task_that_could_not_run_is_run_again_behind_the_others),
        cmocka_unit_test(a_task_is_run_until_it_is_done),
        cmocka_unit_test(a_body_that_did_nothing_has_not_run_to_the_end),
        cmocka_unit_test(a_canceled_graph_does_not_run_them_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
