/* Statistics of runs made by hand, whose numbers can be worked out on paper. */
#include "support/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-12 + 1e-9 * fabs(wanted))
        fail_msg("%.12g instead of %.12g", got, wanted);
}

static twill_trace *analysed(const test_run *run)
{
    twill_trace *t = test_trace(run);
    OK(tw_trace_check(t, "the run"));
    OK(tw_analyse(t));
    return t;
}

/* Two workers, 1000 ns. Task 0 enables 1 and 2; 3 needs both; 2 is the longer way. */
static const test_task diamond_tasks[] = {{0, 100, 0, 0, 0, TW_BY_PROGRAM, 0},
                                          {150, 350, 100, 0, 1, 0, 0},
                                          {200, 700, 100, 1, 1, 0, 0},
                                          {800, 1000, 700, 0, 2, 2, 0},
                                          TASKS_END};
static const test_edge diamond_edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, EDGES_END};
static const test_state diamond_states[] = {{100, 150, 0, TW_STATE_SEARCH},
                                            {350, 790, 0, TW_STATE_SLEEP},
                                            {0, 180, 1, TW_STATE_SLEEP},
                                            {710, 1000, 1, TW_STATE_SEARCH},
                                            STATES_END};
static const test_run diamond = {1000, 2, 3, diamond_tasks, diamond_edges, diamond_states};

TEST(times_of_workers_add_up)
{
    twill_trace *t = analysed(&diamond);
    twill_stats s = {.size = sizeof s};
    twill_worker_stats w = {.size = sizeof w};
    OK(twill_trace_stats(t, &s));
    near(s.seconds, 1e-6);
    assert_int_equal(s.tasks, 4);
    assert_int_equal(s.edges, 4);
    near(s.busy, 1000e-9);
    near(s.idle, 960e-9);
    near(s.overhead, 40e-9);
    near(s.utilisation, 0.5);
    near(s.busy + s.idle + s.overhead, s.seconds * s.workers);
    OK(twill_trace_worker(t, 0, &w));
    assert_string_equal(w.name, "worker 0");
    near(w.busy, 500e-9);
    near(w.idle, 490e-9);
    near(w.overhead, 10e-9);
    assert_int_equal(w.tasks, 3);
    OK(twill_trace_worker(t, 1, &w));
    near(w.busy, 500e-9);
    near(w.idle, 470e-9);
    REFUSED(twill_trace_worker(t, 2, &w), TWILL_ERR_ARGUMENT, "no worker number 2");
    twill_trace_free(t);
}

TEST(classes_have_counts_means_and_spreads)
{
    twill_trace *t = analysed(&diamond);
    twill_class_stats c = {.size = sizeof c};
    OK(twill_trace_class(t, 1, &c));
    assert_string_equal(c.name, "class 1");
    assert_int_equal(c.count, 2);
    near(c.seconds, 700e-9);
    near(c.mean, 350e-9);
    near(c.least, 200e-9);
    near(c.most, 500e-9);
    near(c.deviation, 150e-9);
    assert_string_equal(c.verdict, "unknown");
    REFUSED(twill_trace_class(t, 3, &c), TWILL_ERR_ARGUMENT, "no class number 3");
    twill_trace_free(t);
}

TEST(the_longest_path_and_the_bounds)
{
    twill_trace *t = analysed(&diamond);
    twill_stats s = {.size = sizeof s};
    OK(twill_trace_stats(t, &s));
    near(s.longest_seconds, 800e-9);
    assert_int_equal(s.longest_tasks, 3);
    assert_int_equal(t->analysis->npath, 3);
    assert_int_equal(t->analysis->path[0], 0);
    assert_int_equal(t->analysis->path[1], 2);
    assert_int_equal(t->analysis->path[2], 3);
    near(s.critical_seconds, 800e-9);
    near(s.critical_waited, 200e-9);
    assert_int_equal(s.critical_tasks, 3);
    near(s.bound_work, 500e-9);
    near(s.bound_path, 800e-9);
    near(s.efficiency, 0.8);
    twill_trace_free(t);
}

TEST(the_curve_of_ready_tasks)
{
    static const tw_ready_point wanted[] = {{0, 0},   {100, 2}, {150, 1},
                                            {200, 0}, {700, 1}, {800, 0}};
    twill_trace *t = analysed(&diamond);
    assert_int_equal(t->analysis->ncurve, COUNT(wanted));
    for (int i = 0; i < COUNT(wanted); i++) {
        near(t->analysis->curve[i].time, wanted[i].time);
        assert_int_equal(t->analysis->curve[i].count, wanted[i].count);
    }
    twill_trace_free(t);
}

/* Time of a cause, over all classes. */
static double time_of(const twill_trace *t, const char *cause)
{
    twill_idle_cause c = {.size = sizeof c};
    double seconds = 0;
    for (int i = 0; twill_trace_idle(t, i, &c) == TWILL_OK; i++)
        if (!strcmp(c.cause, cause))
            seconds += c.seconds;
    return seconds;
}

TEST(idle_time_is_explained_to_the_last_nanosecond)
{
    twill_trace *t = analysed(&diamond);
    twill_stats s = {.size = sizeof s};
    OK(twill_trace_stats(t, &s));
    /* worker 1: 0-100 waits for task 0, 100-180 asleep with ready tasks; worker 0: 100-150 looks
     * for them, 350-700 waits for the last of two, 700-790 asleep with a ready task; worker 1: from
     * 710 looks for it, from 800 has nothing left */
    near(time_of(t, "chain"), 100e-9);
    near(time_of(t, "wake-up"), 170e-9);
    near(time_of(t, "reach"), 140e-9);
    near(time_of(t, "join"), 350e-9);
    near(time_of(t, "end"), 200e-9);
    double sum = 0, share = 0;
    twill_idle_cause c = {.size = sizeof c};
    for (int i = 0; i < s.causes; i++) {
        OK(twill_trace_idle(t, i, &c));
        sum += c.seconds;
        share += c.share;
        assert_true(*c.detail && *c.advice);
    }
    near(sum, s.idle);
    near(share, 1);
    REFUSED(twill_trace_idle(t, s.causes, &c), TWILL_ERR_ARGUMENT, "no cause");
    twill_trace_free(t);
}

TEST(workers_that_share_cores_wait_for_these)
{
    twill_trace *t = test_trace(&diamond);
    tw_trace_set_cores(t, 1);
    OK(tw_trace_check(t, "the run"));
    OK(tw_analyse(t));
    near(time_of(t, "oversubscribed"), 310e-9); /* else wake-up and reach */
    near(time_of(t, "join"), 350e-9);
    tw_trace_set_cores(t, 2);
    OK(tw_analyse(t));
    near(time_of(t, "oversubscribed"), 0);
    twill_trace_free(t);
}

TEST(gaps_are_where_the_idle_time_of_their_cause_is)
{
    twill_trace *t = analysed(&diamond);
    const tw_analysis *a = t->analysis;
    double sums[TW_MOST_CAUSES] = {0};
    for (int64_t i = 0; i < a->ngaps; i++) {
        const tw_gap *g = &a->gaps[i];
        assert_in_range(g->cause, 0, a->ncauses - 1);
        sums[g->cause] += g->end - g->start;
        if (!strcmp(a->cause[g->cause].cause, "join"))
            assert_true(g->row == 0 && g->start == 350 && g->end == 700);
        if (!strcmp(a->cause[g->cause].cause, "chain"))
            assert_true(g->row == 1 && g->start == 0 && g->end == 100);
    }
    for (int i = 0; i < a->ncauses; i++) {
        near(1e-9 * sums[i], a->cause[i].seconds);
        if (!strcmp(a->cause[i].cause, "join")) {
            assert_non_null(strstr(a->cause[i].advice, "longest gap, 0.35 us, was for class 1"));
            assert_non_null(strstr(a->cause[i].advice, ", before class 2"));
        }
    }
    twill_trace_free(t);
}

/* A chain of two long tasks was ready at 0; two short ones that nothing follows went first. */
static const test_task late_tasks[] = {{0, 5000, 0, 0, 1, TW_BY_PROGRAM, 9},
                                       {0, 5000, 0, 1, 1, TW_BY_PROGRAM, 9},
                                       {5000, 25000, 0, 0, 0, TW_BY_PROGRAM, 0},
                                       {25000, 45000, 25000, 0, 0, 2, 0},
                                       TASKS_END};
static const test_edge late_edges[] = {{2, 3}, EDGES_END};
static const test_state late_states[] = {{5000, 45000, 1, TW_STATE_SLEEP}, STATES_END};

TEST(a_task_that_was_started_late_is_blamed_for_as_much_as_it_was_late)
{
    twill_trace *t = analysed(&(test_run){45000, 2, 2, late_tasks, late_edges, late_states});
    near(time_of(t, "priority"), 5000e-9);
    near(time_of(t, "chain"), 15000e-9);
    near(time_of(t, "end"), 20000e-9);
    twill_idle_cause c = {.size = sizeof c};
    bool named = false;
    for (int i = 0; twill_trace_idle(t, i, &c) == TWILL_OK; i++)
        named |= !strcmp(c.detail, "class 0 was ready, but class 1 was started first");
    assert_true(named);
    twill_trace_free(t);
}

TEST(the_longest_gap_is_told_in_a_unit_that_fits)
{
    static const struct {
        double scale;
        const char *says;
    } runs[] = {{1, "longest gap, 20 us, "},
                {100, "longest gap, 2 ms, "},
                {123456, "longest gap, 2.47 s, "}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        double x = runs[r].scale;
        test_task tasks[5];
        memcpy(tasks, late_tasks, sizeof tasks);
        for (int i = 0; i < 4; i++) {
            tasks[i].start *= x;
            tasks[i].end *= x;
            tasks[i].ready *= x;
        }
        const test_state states[] = {{5000 * x, 45000 * x, 1, TW_STATE_SLEEP}, STATES_END};
        twill_trace *t = analysed(&(test_run){45000 * x, 2, 2, tasks, late_edges, states});
        twill_idle_cause c = {.size = sizeof c};
        bool told = false;
        for (int i = 0; twill_trace_idle(t, i, &c) == TWILL_OK; i++)
            told |= strstr(c.advice, runs[r].says) != NULL;
        assert_true(told);
        twill_trace_free(t);
    }
}

TEST(tasks_inside_a_task_are_not_counted_twice)
{
    static const test_task tasks[] = {{0, 1000, 0, 0, 0, TW_BY_PROGRAM, 0},
                                      {100, 300, 50, 0, 1, 0, 0},
                                      {150, 200, 140, 0, 1, 1, 0},
                                      {400, 600, 400, 0, 1, 0, 0},
                                      TASKS_END};
    static const test_edge edges[] = {{0, 1}, {1, 2}, {0, 3}, EDGES_END};
    twill_trace *t = analysed(&(test_run){1000, 1, 2, tasks, edges, NULL});
    twill_stats s = {.size = sizeof s};
    twill_class_stats c = {.size = sizeof c};
    OK(twill_trace_stats(t, &s));
    near(s.busy, 1e-6);
    near(s.overhead, 0);
    OK(twill_trace_class(t, 0, &c));
    near(c.seconds, 600e-9);
    near(c.mean, 1e-6);
    OK(twill_trace_class(t, 1, &c));
    near(c.seconds, 400e-9);
    assert_true(s.longest_seconds <= s.seconds * (1 + 1e-12));
    twill_trace_free(t);
}

TEST(the_roofline_tells_what_limits_a_class)
{
    static const test_task tasks[] = {{0, 1000, 0, 0, 0, TW_BY_PROGRAM, 0},
                                      {1000, 2000, 0, 0, 1, TW_BY_PROGRAM, 0},
                                      {2000, 3000, 0, 0, 2, TW_BY_PROGRAM, 0},
                                      TASKS_END};
    static const float flops[] = {8000, 1000, 4000}, bytes[] = {100, 8000, 8000};
    static const char *const verdicts[] = {"compute-bound", "memory-bound", "from cache"};
    static const double ceilings[] = {10, 1.25, 5};
    twill_trace *t = test_trace(&(test_run){3000, 1, 3, tasks, NULL, NULL});
    t->peak = 10;
    t->bandwidth = 10;
    for (int i = 0; i < 3; i++) {
        t->flops[i] = flops[i];
        t->bytes[i] = bytes[i];
    }
    t->bandwidth = 10;
    OK(tw_analyse(t));
    for (int i = 0; i < 2; i++) {
        twill_class_stats c = {.size = sizeof c};
        OK(twill_trace_class(t, i, &c));
        near(c.gflops, flops[i] / 1000);
        near(c.intensity, (double)flops[i] / bytes[i]);
        near(c.ceiling, ceilings[i]);
        assert_string_equal(c.verdict, verdicts[i]);
    }
    t->bandwidth = 5; /* 4 GFLOP/s with half a flop per byte: more than memory gives */
    OK(tw_analyse(t));
    twill_class_stats c = {.size = sizeof c};
    OK(twill_trace_class(t, 2, &c));
    assert_string_equal(c.verdict, verdicts[2]);
    twill_trace_free(t);
}

TEST(a_trace_without_tasks_has_statistics_too)
{
    static const test_task none[] = {TASKS_END};
    static const test_state states[] = {{0, 10, 0, TW_STATE_SLEEP}, STATES_END};
    twill_trace *t = analysed(&(test_run){10, 1, 1, none, NULL, states});
    twill_stats s = {.size = sizeof s};
    OK(twill_trace_stats(t, &s));
    assert_int_equal(s.tasks, 0);
    near(s.idle, 10e-9);
    assert_int_equal(s.causes, 0);
    twill_trace_free(t);
}

TEST(reports_say_how_long_they_are)
{
    twill_trace *t = analysed(&diamond);
    for (int r = TWILL_REPORT_STATS; r <= TWILL_REPORT_JSON; r++) {
        size_t size = twill_trace_report(t, (twill_report)r, NULL, 0);
        char *text = malloc(size);
        assert_non_null(text);
        assert_int_equal(twill_trace_report(t, (twill_report)r, text, size), size);
        assert_int_equal(strlen(text) + 1, size);
        char few[8] = "xxxxxxx";
        assert_int_equal(twill_trace_report(t, (twill_report)r, few, sizeof few), size);
        assert_memory_equal(few, text, 7);
        assert_int_equal(few[7], 0);
        free(text);
    }
    twill_trace_free(t);
}

TEST(a_comparison_names_what_got_slower)
{
    twill_trace *a = analysed(&diamond);
    test_task slower[COUNT(diamond_tasks)];
    memcpy(slower, diamond_tasks, sizeof slower);
    slower[3].end = 2000;
    twill_trace *b = analysed(&(test_run){2000, 2, 3, slower, diamond_edges, diamond_states});
    char text[4096];
    assert_in_range(twill_trace_compare(a, b, false, text, sizeof text), 100, sizeof text);
    CONTAINS(text, "The second run is 2.00 times as long; most of it is class 2.");
    assert_in_range(twill_trace_compare(a, a, false, text, sizeof text), 100, sizeof text);
    CONTAINS(text, "the same time");
    twill_trace_free(a);
    twill_trace_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_workers_add_up),
        cmocka_unit_test(classes_have_counts_means_and_spreads),
        cmocka_unit_test(the_longest_path_and_the_bounds),
        cmocka_unit_test(the_curve_of_ready_tasks),
        cmocka_unit_test(idle_time_is_explained_to_the_last_nanosecond),
        cmocka_unit_test(workers_that_share_cores_wait_for_these),
        cmocka_unit_test(gaps_are_where_the_idle_time_of_their_cause_is),
        cmocka_unit_test(a_task_that_was_started_late_is_blamed_for_as_much_as_it_was_late),
        cmocka_unit_test(the_longest_gap_is_told_in_a_unit_that_fits),
        cmocka_unit_test(tasks_inside_a_task_are_not_counted_twice),
        cmocka_unit_test(the_roofline_tells_what_limits_a_class),
        cmocka_unit_test(a_trace_without_tasks_has_statistics_too),
        cmocka_unit_test(reports_say_how_long_they_are),
        cmocka_unit_test(a_comparison_names_what_got_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
