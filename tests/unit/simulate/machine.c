/* Runs in virtual time, where the right answer is known. */
#include "support/test.h"

#include <twill/simulate.h>

#include <math.h>

static const char *const policies[] = {"lws", "prio", "eager", "rand"};
static const char *const modes[] = {NULL, "fixed", "prescribed"};

/* Prescribed sizes of it are 2, and then 1. */
static const int two_and_one[] = {2, 1};

static twill_simulation machine(int workers, const char *mode, int reserved)
{
    return (twill_simulation){.size = sizeof(twill_simulation),
                              .workers = workers,
                              .mode = mode,
                              .reserved = reserved,
                              .prescribed = two_and_one,
                              .prescribed_count = COUNT(two_and_one)};
}

static twill_simulated run(const twill_model *m, twill_simulation s)
{
    twill_simulated cost = {.size = sizeof cost};
    OK(twill_simulate(m, &s, &cost));
    assert_int_equal(cost.tasks, twill_model_tasks(m));
    /* parts sum to the whole */
    double eps = 1e-9 * (1 + cost.cost);
    assert_true(fabs(cost.cost - cost.workers * cost.seconds) < eps);
    assert_true(fabs(cost.cost - cost.cost_reserved - cost.cost_other) < eps);
    assert_true(
        fabs(cost.busy_reserved + cost.busy_other - cost.busy_critical - cost.busy_ordinary) < eps);
    assert_true(cost.busy_reserved <= cost.cost_reserved + eps);
    assert_true(cost.busy_other <= cost.cost_other + eps);
    assert_true(cost.longest_seconds >= cost.critical_seconds - eps);
    assert_true(cost.seconds >= cost.longest_seconds - eps);
    return cost;
}

static void near(double got, double want)
{
    if (fabs(got - want) > 1e-9)
        fail_msg("%.12g, and not %.12g", got, want);
}

static twill_model *model(void)
{
    twill_model *m;
    OK(twill_model_make(&m));
    return m;
}

static int64_t add(twill_model *m, double seconds)
{
    int64_t task;
    OK(twill_model_task(m, "work", seconds, &task));
    return task;
}

static twill_model *chain(int n)
{
    twill_model *m = model();
    for (int i = 0; i < n; i++) {
        add(m, 1);
        if (i > 0)
            OK(twill_model_edge(m, i - 1, i));
    }
    return m;
}

TEST(a_model_without_tasks_takes_no_time)
{
    twill_model *m = model();
    for (int i = 0; i < COUNT(modes); i++)
        near(run(m, machine(4, modes[i], 2)).seconds, 0);
    twill_model_free(m);
    twill_model_free(NULL);
}

TEST(independent_tasks_share_the_workers)
{
    twill_model *m = model();
    for (int i = 0; i < 12; i++)
        add(m, 2);
    for (int p = 0; p < COUNT(policies); p++)
        for (int workers = 1; workers <= 12; workers++) {
            twill_simulation s = machine(workers, "regular", 0);
            s.sched = policies[p];
            near(run(m, s).seconds, 2.0 * ((12 + workers - 1) / workers));
        }
    twill_model_free(m);
}

TEST(a_chain_gains_from_nothing_but_teams)
{
    twill_model *m = chain(10);
    for (int workers = 1; workers <= 5; workers++)
        near(run(m, machine(workers, "regular", 0)).seconds, 10);
    near(run(m, machine(4, "fixed", 1)).seconds, 10);
    near(run(m, machine(4, "fixed", 2)).seconds, 10 / 1.5);
    near(run(m, machine(4, "fixed", 3)).seconds, 10 / 1.8);
    /* all but one worker at most */
    near(run(m, machine(4, "fixed", 100)).seconds, 10 / 1.8);
    near(run(m, machine(1, "fixed", 1)).seconds, 10);
    twill_model_free(m);
}

TEST(times_between_tasks_count)
{
    twill_model *m = chain(10);
    twill_simulation s = machine(3, "regular", 0);
    s.dispatch = 0.25;
    s.wake = 0.5;
    near(run(m, s).seconds, 10 + 9 * 0.25 + 0.5);
    s = machine(3, "fixed", 2);
    s.barrier = 0.125;
    near(run(m, s).seconds, 10 / 1.5 + 10 * 0.25);
    double alone = 0.5;
    s = machine(3, "fixed", 2);
    s.team = twill_simulate_amdahl;
    s.arg = &alone;
    near(run(m, s).seconds, 7.5);
    twill_model_free(m);
}

/* A chain, and as much other work for each of two workers: the reserved one does its chain. */
TEST(in_fixed_mode_the_set_does_critical_tasks_and_nothing_else)
{
    twill_model *m = chain(10);
    for (int i = 0; i < 20; i++)
        add(m, 1);
    twill_simulated cost = run(m, machine(3, "fixed", 1));
    near(cost.seconds, 10);
    near(cost.busy_reserved, 10);
    near(cost.cost_reserved, 10);
    near(cost.busy_critical, 10);
    near(cost.busy_ordinary, 20);
    assert_int_equal(cost.critical_tasks, 10);
    twill_model_free(m);
}

TEST(prescribed_sizes_are_those_of_the_tasks)
{
    static const int sizes[] = {1, 2, 3, 1};
    twill_model *m = chain(5);
    twill_simulation s = machine(4, "prescribed", 0);
    s.prescribed = sizes;
    s.prescribed_count = COUNT(sizes);
    twill_simulated cost = run(m, s);
    near(cost.seconds, 1 + 1 / 1.5 + 1 / 1.8 + 1 + 1);
    near(cost.busy_reserved, 1 + 2 / 1.5 + 3 / 1.8 + 1 + 1);
    assert_int_equal(cost.changes, 3);
    twill_model_free(m);
}

/* Workers that are busy join when they are through; the path does not wait for them. */
TEST(a_set_that_grows_waits_for_nobody)
{
    static const int sizes[] = {1, 3, 3, 3};
    twill_model *m = chain(4);
    for (int i = 0; i < 3; i++)
        add(m, 2.5); /* on workers 1 to 3 */
    twill_simulation s = machine(4, "prescribed", 0);
    s.prescribed = sizes;
    s.prescribed_count = COUNT(sizes);
    near(run(m, s).seconds, 3 + 1 / 1.8);
    twill_model_free(m);
}

/* Layers of tasks, each of which waits for three of the layer before. */
static twill_model *layers(uint64_t seed)
{
    enum { WIDE = 20, DEEP = 30 };
    twill_model *m = model();
    for (int d = 0; d < DEEP; d++)
        for (int i = 0; i < WIDE; i++) {
            int64_t task = add(m, (double)(1 + test_random(&seed, 100)) / 100);
            for (int e = 0; e < 3 && d > 0; e++)
                OK(twill_model_edge(m, (d - 1) * WIDE + (int)test_random(&seed, WIDE), task));
        }
    return m;
}

/* Graham's bound holds for every policy that leaves no worker idle beside a ready task. */
TEST(runs_keep_to_the_bounds)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        twill_model *m = layers(seed);
        for (int p = 0; p < COUNT(policies); p++)
            for (int workers = 1; workers <= 28; workers += 9) {
                twill_simulation s = machine(workers, "regular", 0);
                s.sched = policies[p];
                twill_simulated c = run(m, s);
                double work = c.busy_other / workers;
                assert_true(c.seconds >= work - 1e-9);
                assert_true(c.seconds <= work + c.longest_seconds + 1e-9);
                for (int mode = 1; mode < COUNT(modes); mode++)
                    for (int q = 0; q <= 3; q++) {
                        s.mode = modes[mode];
                        s.reserved = q;
                        run(m, s);
                    }
            }
        twill_model_free(m);
    }
}

TEST(the_model_of_the_paper_has_its_efficiencies)
{
    near(twill_simulate_seed(NULL, "any", 12, 1), 12);
    near(twill_simulate_seed(NULL, "any", 12, 2), 12 / (2 * 0.75));
    near(twill_simulate_seed(NULL, "any", 12, 4), 12 / (4 * 0.5));
}

static twill_outcome spin(twill_task *t)
{
    (void)t;
    test_sleep_ms(1);
    return TWILL_DONE;
}

/* Two chains of a recorded run: the model has their tasks and their order. */
TEST(a_model_of_a_trace_has_its_tasks_and_edges)
{
    enum { LONG = 5 };
    static const twill_class cls = {
        .size = sizeof(twill_class), .name = "spin", .chores = {TWILL_CPU(spin)}};
    twill *tw = test_start(2, "lws");
    twill_array *a = test_integers(tw, 2);
    twill_graph *g;
    twill_trace *trace;
    twill_model *m;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 2 * LONG; i++)
        OK(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, i % 2, 0))));
    OK(twill_wait(g));
    OK(twill_trace_end(tw, &trace));
    OK(twill_model_load(trace, &m));
    assert_int_equal(twill_model_tasks(m), 2 * LONG);
    twill_simulated one = run(m, machine(1, "regular", 0)), many = run(m, machine(9, NULL, 0));
    assert_int_equal(many.critical_tasks, LONG);
    near(one.seconds, one.busy_other);
    near(many.seconds, many.longest_seconds);
    assert_true(many.seconds < one.seconds);
    twill_model_free(m);
    twill_trace_free(trace);
    twill_graph_free(g);
    twill_array_free(a);
    twill_stop(tw);
}

TEST(bad_arguments_are_refused)
{
    twill_model *m = chain(2);
    int64_t task;
    twill_simulated cost = {.size = sizeof cost};
    REFUSED(twill_model_edge(m, 1, 1), TWILL_ERR_ARGUMENT, "added later");
    REFUSED(twill_model_edge(m, 0, 2), TWILL_ERR_ARGUMENT, "there are 2");
    REFUSED(twill_model_edge(m, -1, 1), TWILL_ERR_ARGUMENT, "-1 to 1");
    REFUSED(twill_model_task(m, "x", -1, &task), TWILL_ERR_ARGUMENT, "no seconds or more");
    REFUSED(twill_model_task(m, NULL, 1, &task), TWILL_ERR_ARGUMENT, "class");
    twill_simulation s = machine(0, "regular", 0);
    REFUSED(twill_simulate(m, &s, &cost), TWILL_ERR_ARGUMENT, "0 workers");
    s = machine(2, "steady", 0);
    REFUSED(twill_simulate(m, &s, &cost), TWILL_ERR_ARGUMENT, "'steady'");
    s = machine(2, "prescribed", 0);
    s.prescribed_count = 0;
    REFUSED(twill_simulate(m, &s, &cost), TWILL_ERR_ARGUMENT, "wants sizes");
    s = machine(2, "fixed", -1);
    REFUSED(twill_simulate(m, &s, &cost), TWILL_ERR_ARGUMENT, "-1 reserved");
    s = machine(2, "fixed", 1);
    s.sched = "none";
    REFUSED(twill_simulate(m, &s, &cost), TWILL_ERR_ARGUMENT, "'none'");
    s.sched = NULL;
    s.barrier = NAN;
    REFUSED(twill_simulate(m, &s, &cost), TWILL_ERR_ARGUMENT, "negative");
    twill_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_without_tasks_takes_no_time),
        cmocka_unit_test(independent_tasks_share_the_workers),
        cmocka_unit_test(a_chain_gains_from_nothing_but_teams),
        cmocka_unit_test(times_between_tasks_count),
        cmocka_unit_test(in_fixed_mode_the_set_does_critical_tasks_and_nothing_else),
        cmocka_unit_test(prescribed_sizes_are_those_of_the_tasks),
        cmocka_unit_test(a_set_that_grows_waits_for_nobody),
        cmocka_unit_test(runs_keep_to_the_bounds),
        cmocka_unit_test(the_model_of_the_paper_has_its_efficiencies),
        cmocka_unit_test(a_model_of_a_trace_has_its_tasks_and_edges),
        cmocka_unit_test(bad_arguments_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
