/* Tasks that end later, and tasks that ask to be run again. */
#include "support/test.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

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

/* ---- scratch memory of asynchronous tasks --------------------------------------------------- */

enum { LEFT = 12, BYTES = 3000 };

typedef struct drawer {
    _Atomic(twill_task *) task[LEFT];
    atomic_int left, wrong;
} drawer;

static void fill(unsigned char *scratch, int64_t i)
{
    memset(scratch, (int)i + 1, (size_t)(BYTES + 100 * i));
}

static bool is_filled(const unsigned char *scratch, int64_t i)
{
    for (int64_t k = 0; k < BYTES + 100 * i; k++)
        if (scratch[k] != (unsigned char)(i + 1))
            return false;
    return true;
}

static twill_outcome leave_in_drawer(twill_task *t)
{
    drawer *d = *(drawer *const *)twill_task_data(t, 0);
    int64_t i = twill_task_int(t, 1);
    fill(twill_task_data(t, 3), i);
    atomic_store(&d->task[i], t);
    atomic_fetch_add(&d->left, 1);
    return TWILL_ASYNC;
}

/* Completes all, when all are there: each still has what its body wrote. */
static void *empty_drawer(void *arg)
{
    drawer *d = arg;
    while (atomic_load(&d->left) < LEFT)
        sched_yield();
    for (int i = 0; i < LEFT; i++) {
        twill_task *t = atomic_load(&d->task[i]);
        atomic_fetch_add(&d->wrong, !is_filled(twill_task_data(t, 3), i));
        twill_task_done(t, TWILL_OK);
    }
    return NULL;
}

static twill_outcome scribble(twill_task *t)
{
    memset(twill_task_data(t, 0), 255, 2 * BYTES);
    return TWILL_DONE;
}

static const twill_class leaving = {
    .size = sizeof(twill_class), .name = "leaving", .chores = {TWILL_CPU(leave_in_drawer)}};
static const twill_class scribbling = {
    .size = sizeof(twill_class), .name = "scribbling", .chores = {TWILL_CPU(scribble)}};

TEST(scratch_memory_is_a_task_s_own_until_it_is_done)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        drawer drawer = {.left = 0}, *d = &drawer;
        pthread_t other;
        OK(twill_stf_begin(tw, &g));
        assert_int_equal(pthread_create(&other, NULL, empty_drawer, d), 0);
        for (int i = 0; i < LEFT; i++) {
            OK(twill_insert(g, &leaving, TWILL_VALUE(d), TWILL_INT(i), TWILL_SCRATCH(0),
                            TWILL_SCRATCH((size_t)(BYTES + 100 * i))));
            OK(twill_insert(g, &scribbling, TWILL_SCRATCH(2 * BYTES)));
        }
        OK(twill_wait(g));
        pthread_join(other, NULL);
        assert_int_equal(atomic_load(&drawer.wrong), 0);
        twill_stop(tw);
    }
}

static twill_outcome check_scratch(twill_task *t)
{
    const unsigned char *scratch = *(unsigned char *const *)twill_task_data(t, 0);
    return is_filled(scratch, twill_task_int(t, 1)) ? TWILL_DONE
                                                    : twill_task_fail(t, "overwritten");
}

/* Its nested tasks use what the body left in its scratch memory. */
static twill_outcome nest_with_scratch(twill_task *t)
{
    static const twill_class checking = {
        .size = sizeof(twill_class), .name = "checking", .chores = {TWILL_CPU(check_scratch)}};
    twill_graph *inner;
    unsigned char *scratch = twill_task_data(t, 1);
    int64_t i = twill_task_int(t, 0);
    fill(scratch, i);
    if (twill_nest(t, &inner) != TWILL_OK)
        return TWILL_ERROR;
    for (int k = 0; k < 3; k++) {
        twill_insert(inner, &scribbling, TWILL_SCRATCH(2 * BYTES));
        twill_insert(inner, &checking, TWILL_VALUE(scratch), TWILL_INT(i));
    }
    return twill_task_int(t, 2) ? TWILL_DONE : twill_nest_end(inner);
}

TEST(scratch_memory_lasts_as_long_as_a_nested_graph)
{
    static const twill_class nesting = {
        .size = sizeof(twill_class), .name = "nesting", .chores = {TWILL_CPU(nest_with_scratch)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < LEFT; i++)
            OK(twill_insert(g, &nesting, TWILL_INT(i), TWILL_SCRATCH((size_t)(BYTES + 100 * i)),
                            TWILL_INT(0)));
        OK(twill_wait(g));
        /* and a task that opens one and does not end it gives it back, too */
        OK(twill_insert(g, &nesting, TWILL_INT(0), TWILL_SCRATCH(BYTES), TWILL_INT(1)));
        REFUSED(twill_wait(g), TWILL_ERR_STATE, "did not return");
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
        cmocka_unit_test(scratch_memory_is_a_task_s_own_until_it_is_done),
        cmocka_unit_test(scratch_memory_lasts_as_long_as_a_nested_graph),
        cmocka_unit_test(a_task_that_is_completed_with_a_failure_cancels_its_graph),
        cmocka_unit_test(a_task_that_could_not_run_is_run_again_behind_the_others),
        cmocka_unit_test(a_task_is_run_until_it_is_done),
        cmocka_unit_test(a_body_that_did_nothing_has_not_run_to_the_end),
        cmocka_unit_test(a_canceled_graph_does_not_run_them_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
