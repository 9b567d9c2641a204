/* Statistics without a trace: what is counted, what a path is, and when one may ask. */
#include "support/test.h"

#include "base/clock.h"

#include <twill/critical.h>

static const double ms = 1e-3;

/* Work for so many milliseconds. */
static twill_outcome work(twill_task *t)
{
    double until = tw_seconds() + ms * (double)twill_task_int(t, 0);
    while (tw_seconds() < until)
        ;
    return TWILL_DONE;
}

static twill_outcome work_together(twill_task *t, twill_team *team)
{
    twill_team_barrier(team);
    work(t);
    twill_team_barrier(team);
    return TWILL_DONE;
}

static const twill_class busy = {.size = sizeof(twill_class),
                                 .name = "busy",
                                 .chores = {TWILL_CPU(work), TWILL_TEAM(work_together, 0)}};

static twill_account end(twill *tw)
{
    twill_account a = {.size = sizeof a};
    OK(twill_account_end(tw, &a));
    return a;
}

/* Equal but for rounding. */
static void same(double a, double b)
{
    assert_float_equal(a, b, 1e-9 + 1e-9 * (a > b ? a : b));
}

static void check_sums(const twill_account *a)
{
    same(a->cost, a->workers * a->seconds);
    same(a->cost_reserved + a->cost_other, a->cost);
    same(a->busy_reserved + a->busy_other, a->busy_critical + a->busy_ordinary);
    same(a->utilisation * a->cost, a->busy_reserved + a->busy_other);
    assert_true(a->busy_reserved <= a->cost_reserved + 1e-6);
    assert_true(a->busy_other <= a->cost_other + 1e-6);
    assert_true(a->critical_seconds <= a->longest_seconds + 1e-9);
    assert_true(a->longest_seconds <= a->seconds + 1e-6);
}

/* Two tasks of 2 and 1 ms, then one of 1 ms; beside them one of 5 ms. The path of most tasks is the
 * critical one, that of most time is the long task alone. */
static twill_graph *diamond(twill *tw)
{
    static const int length[] = {2, 1, 1, 5};
    twill_graph *g;
    int64_t node[COUNT(length)];
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < COUNT(length); i++)
        OK(twill_dag_add(g, &node[i], &busy, TWILL_INT(length[i])));
    OK(twill_dag_edge(g, node[0], node[2]));
    OK(twill_dag_edge(g, node[1], node[2]));
    return g;
}

TEST(the_longest_path_may_be_another_one_than_the_critical)
{
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        twill_graph *g = diamond(tw);
        for (int again = 0; again < 2; again++) {
            OK(twill_account_begin(tw));
            OK(twill_dag_run(g));
            OK(twill_wait(g));
            twill_account a = end(tw);
            check_sums(&a);
            assert_int_equal(a.workers, test_setups[i].workers);
            assert_int_equal(a.tasks, 4);
            assert_int_equal(a.critical_tasks, 2);
            assert_true(a.longest_seconds > 5 * ms);
            assert_true(a.critical_seconds > 2 * ms);
            assert_true(a.busy_critical + a.busy_ordinary > 9 * ms);
            assert_true(a.cost_reserved == 0);
        }
        twill_stop(tw);
    }
}

static twill_outcome wait_for_set(twill_task *t)
{
    twill_critical_info info = {.size = sizeof info};
    twill *tw = *(twill *const *)twill_task_data(t, 0);
    if (twill_critical_get(tw, &info) != TWILL_OK)
        return TWILL_ERROR;
    return info.members == info.reserved ? TWILL_DONE : TWILL_AGAIN;
}

static const twill_class gate = {
    .size = sizeof(twill_class), .name = "gate", .chores = {TWILL_CPU(wait_for_set)}};

/* Both members of a team are busy as long as its task lasts. */
TEST(a_team_costs_as_many_workers_as_it_has)
{
    enum { TASKS = 10 };
    twill *tw = test_start_with(
        (twill_options){.workers = 4, .sched = "prio", .mode = "fixed", .reserved = 2});
    twill_graph *g;
    twill_array *x = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    OK(twill_account_begin(tw));
    OK(twill_insert(g, &gate, TWILL_VALUE(tw), TWILL_RW(twill_tile_at(x, 0, 0))));
    for (int i = 0; i < TASKS; i++)
        OK(twill_insert(g, &busy, TWILL_INT(1), TWILL_RW(twill_tile_at(x, 0, 0)), TWILL_CRITICAL));
    OK(twill_wait(g));
    twill_account a = end(tw);
    check_sums(&a);
    assert_int_equal(a.critical_tasks, TASKS);
    assert_int_equal(a.teams, TASKS);
    assert_int_equal(a.longest_tasks, TASKS + 1);
    assert_true(a.busy_critical > 2 * TASKS * ms);
    assert_true(a.critical_seconds > TASKS * ms);
    same(a.busy_reserved, a.busy_critical);
    twill_stop(tw);
}

/* The first call inserts two tasks and wants another one; the second call ends it. */
static twill_outcome again(twill_task *t)
{
    twill_graph *g = *(twill_graph *const *)twill_task_data(t, 0);
    atomic_int *calls = *(atomic_int *const *)twill_task_data(t, 1);
    if (atomic_fetch_add(calls, 1) > 0)
        return TWILL_DONE;
    for (int i = 0; i < 2; i++)
        if (twill_insert(g, &busy, TWILL_INT(1)) != TWILL_OK)
            return TWILL_ERROR;
    return TWILL_AGAIN;
}

static const twill_class again_class = {
    .size = sizeof(twill_class), .name = "again", .chores = {TWILL_CPU(again)}};

TEST(tasks_that_come_again_or_insert_others_or_end_later)
{
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        twill_array *x = test_integers(tw, 1);
        atomic_int calls = 0, *place = &calls;
        twill_graph *g;
        test_hold hold = {0};
        OK(twill_stf_begin(tw, &g));
        OK(twill_account_begin(tw));
        OK(twill_insert(g, &again_class, TWILL_VALUE(g), TWILL_VALUE(place)));
        OK(twill_wait(g));
        twill_account a = end(tw);
        check_sums(&a);
        assert_int_equal(a.tasks, 3);
        assert_int_equal(a.longest_tasks, 2); /* a task, and who inserted it */
        if (test_setups[i].workers > 1) {
            OK(twill_account_begin(tw));
            test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(x, 0, 0)));
            OK(twill_insert(g, &busy, TWILL_INT(1), TWILL_RW(twill_tile_at(x, 0, 0))));
            test_sleep_ms(5);
            test_hold_end(&hold);
            OK(twill_wait(g));
            a = end(tw);
            assert_int_equal(a.longest_tasks, 2);
            assert_true(a.longest_seconds > 6 * ms); /* it lasts until somebody ends it */
            assert_true(a.busy_ordinary < a.longest_seconds);
        }
        twill_stop(tw);
    }
}

TEST(tasks_that_are_skipped_take_no_time)
{
    twill *tw = test_start(2, "lws");
    twill_array *x = test_integers(tw, 1);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_account_begin(tw));
    OK(twill_insert(g, &test_planted, TWILL_RW(twill_tile_at(x, 0, 0))));
    OK(twill_insert(g, &busy, TWILL_INT(50), TWILL_RW(twill_tile_at(x, 0, 0))));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    twill_account a = end(tw);
    check_sums(&a);
    assert_int_equal(a.tasks, 1);
    assert_true(a.longest_seconds < 50 * ms);
    twill_stop(tw);
}

TEST(nothing_ran_and_nothing_was_asked)
{
    twill_account a = {.size = sizeof a};
    twill *tw = test_start(2, "lws");
    REFUSED(twill_account_begin(NULL), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_account_end(tw, NULL), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_account_end(tw, &a), TWILL_ERR_STATE, "comes first");
    OK(twill_account_begin(tw));
    REFUSED(twill_account_begin(tw), TWILL_ERR_STATE, "already");
    a = end(tw);
    assert_int_equal(a.tasks, 0);
    assert_true(a.seconds == 0 && a.cost == 0 && a.utilisation == 0 && a.longest_seconds == 0);
    OK(twill_account_begin(tw)); /* and is not ended: the context does that */
    twill_stop(tw);
}

/* A trace sees the same run, whichever begins first. */
TEST(a_trace_may_be_recorded_meanwhile)
{
    twill *tw = test_start(2, "lws");
    twill_graph *g = diamond(tw);
    for (int first = 0; first < 2; first++) {
        twill_trace *trace = NULL;
        twill_stats stats = {.size = sizeof stats};
        if (first)
            OK(twill_trace_begin(tw));
        OK(twill_account_begin(tw));
        if (!first)
            OK(twill_trace_begin(tw));
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        OK(twill_trace_end(tw, &trace));
        REFUSED(twill_trace_end(tw, &trace), TWILL_ERR_STATE, "nothing is being recorded");
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        twill_account a = end(tw);
        OK(twill_trace_stats(trace, &stats));
        assert_int_equal(stats.tasks, 4);
        assert_int_equal(a.tasks, 8);
        twill_trace_free(trace);
    }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_path_may_be_another_one_than_the_critical),
        cmocka_unit_test(a_team_costs_as_many_workers_as_it_has),
        cmocka_unit_test(tasks_that_come_again_or_insert_others_or_end_later),
        cmocka_unit_test(tasks_that_are_skipped_take_no_time),
        cmocka_unit_test(nothing_ran_and_nothing_was_asked),
        cmocka_unit_test(a_trace_may_be_recorded_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
