/* Recording real runs: nothing is missing, links are right, and options do what they say. */
#include "support/test.h"

#include "trace/analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static twill_outcome nothing(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static const twill_class plain = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(nothing)}};
static const twill_class named = {.size = sizeof(twill_class),
                                  .name = "named",
                                  .chores = {TWILL_CPU(nothing)},
                                  .parameters = "i  j"};

static twill_trace *end(twill *tw)
{
    twill_trace *t = NULL;
    OK(twill_trace_end(tw, &t));
    assert_non_null(t);
    return t;
}

/* Parts make up the whole, on every worker and in total; causes make up the idle time. */
static void check_sums(const twill_trace *t)
{
    twill_stats s = {.size = sizeof s};
    twill_worker_stats w = {.size = sizeof w};
    twill_class_stats c = {.size = sizeof c};
    twill_idle_cause cause = {.size = sizeof cause};
    double busy = 0, idle = 0, classes = 0, causes = 0;
    int64_t tasks = 0;
    OK(twill_trace_stats(t, &s));
    for (int i = 0; i < s.workers; i++) {
        OK(twill_trace_worker(t, i, &w));
        assert_true(fabs(w.busy + w.idle + w.overhead - s.seconds) <= 1e-9 * s.seconds + 1e-12);
        assert_true(w.busy >= 0 && w.idle >= 0 && w.overhead >= -1e-9 * s.seconds);
        busy += w.busy;
        idle += w.idle;
        tasks += w.tasks;
    }
    for (int i = 0; i < s.classes; i++) {
        OK(twill_trace_class(t, i, &c));
        classes += c.seconds;
    }
    for (int i = 0; i < s.causes; i++) {
        OK(twill_trace_idle(t, i, &cause));
        causes += cause.seconds;
    }
    assert_int_equal(tasks, s.tasks);
    assert_true(fabs(busy - s.busy) <= 1e-9 * s.busy + 1e-12);
    assert_true(classes <= busy * (1 + 1e-9) + 1e-12); /* the rest is work in teams */
    assert_true(s.tasks == 0 || fabs(causes - idle) <= 1e-9 * idle + 1e-12);
    assert_true(s.longest_seconds <= s.seconds * (1 + 1e-9));
    assert_true(s.critical_seconds <= s.seconds * (1 + 1e-9));
}

TEST(every_task_is_there_once_with_its_parameters)
{
    enum { TASKS = 3000, TILES = 7 };
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        twill_array *a = test_integers(tw, TILES);
        twill_graph *g;
        static bool seen[TASKS];
        memset(seen, 0, sizeof seen);
        OK(twill_trace_begin(tw));
        OK(twill_stf_begin(tw, &g));
        for (int k = 0; k < TASKS; k++)
            OK(twill_insert(g, &named, TWILL_INT(k), TWILL_RW(twill_tile_at(a, k % TILES, 0)),
                            TWILL_INT(-k), TWILL_PRIORITY(k % 3), TWILL_COST(10, 20)));
        OK(twill_wait(g));
        twill_trace *t = end(tw);
        assert_int_equal(t->ntasks, TASKS);
        assert_int_equal(t->lost, 0);
        for (int64_t k = 0; k < t->ntasks; k++) {
            int64_t number = t->parameter[0][k];
            assert_in_range(number, 0, TASKS - 1);
            assert_false(seen[number]);
            seen[number] = true;
            assert_int_equal(t->parameter[1][k], -number);
            assert_int_equal(t->nparameters[k], 2);
            assert_int_equal(t->priority[k], number % 3);
            assert_true(t->flops[k] == 10 && t->bytes[k] == 20);
            assert_string_equal(tw_class_name(t, t->cls[k]), "named");
            /* what it waited for is the task before it on the same tile, if that was not over */
            if (t->by[k] >= 0)
                assert_int_equal(t->parameter[0][t->by[k]], number - TILES);
        }
        char label[64];
        CONTAINS(tw_task_label(t, 0, label, sizeof label), "named(i=");
        CONTAINS(label, ", j=");
        check_sums(t);
        twill_trace_free(t);
        twill_stop(tw);
    }
}

TEST(an_explicit_graph_shows_all_its_edges_in_every_run)
{
    enum { FAN = 20, RUNS = 3 };
    twill *tw = test_start(3, NULL);
    twill_graph *g;
    int64_t root, leaf, node;
    OK(twill_dag_begin(tw, &g));
    OK(twill_dag_add(g, &root, &plain));
    OK(twill_dag_add(g, &leaf, &plain));
    for (int i = 0; i < FAN; i++) {
        OK(twill_dag_add(g, &node, &plain, TWILL_INT(i)));
        OK(twill_dag_edge(g, root, node));
        OK(twill_dag_edge(g, node, leaf));
    }
    OK(twill_trace_begin(tw));
    for (int r = 0; r < RUNS; r++) {
        OK(twill_dag_run(g));
        OK(twill_wait(g));
    }
    twill_trace *t = end(tw);
    twill_stats s = {.size = sizeof s};
    OK(twill_trace_stats(t, &s));
    assert_int_equal(s.tasks, RUNS * (FAN + 2));
    assert_int_equal(s.edges, RUNS * 2 * FAN);
    assert_int_equal(s.critical_tasks, 3);
    assert_int_equal(s.longest_tasks, 3);
    check_sums(t);
    twill_trace_free(t);
    twill_stop(tw);
}

/* ---- tasks that end in other ways ---------------------------------------------------------- */

static twill_outcome nest_body(twill_task *task)
{
    twill_graph *g;
    if (twill_nest(task, &g) != TWILL_OK)
        return TWILL_ERROR;
    for (int i = 0; i < 5; i++)
        if (twill_insert(g, &plain, TWILL_INT(i)) != TWILL_OK)
            return TWILL_ERROR;
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

TEST(what_waits_for_a_nested_graph_was_enabled_by_the_last_of_its_tasks)
{
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        twill_array *a = test_integers(tw, 1);
        twill_graph *g;
        OK(twill_trace_begin(tw));
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &nest, TWILL_RW(twill_tile_at(a, 0, 0))));
        OK(twill_insert(g, &named, TWILL_RW(twill_tile_at(a, 0, 0))));
        OK(twill_wait(g));
        twill_trace *t = end(tw);
        assert_int_equal(t->ntasks, 7);
        assert_int_equal(t->ngraphs, 2);
        for (int64_t k = 0; k < t->ntasks; k++) {
            const char *name = tw_class_name(t, t->cls[k]);
            if (!strcmp(name, "plain"))
                assert_true(t->by[k] >= 0);
            if (!strcmp(name, "plain"))
                assert_string_equal(tw_class_name(t, t->cls[t->by[k]]), "nest");
            if (!strcmp(name, "named") && t->by[k] >= 0)
                assert_string_equal(tw_class_name(t, t->cls[t->by[k]]), "plain");
        }
        check_sums(t);
        twill_trace_free(t);
        twill_stop(tw);
    }
}

static twill_outcome again_body(twill_task *task)
{
    atomic_int *left = *(atomic_int *const *)twill_task_data(task, 0);
    return atomic_fetch_sub(left, 1) > 0 ? TWILL_AGAIN : TWILL_DONE;
}

static const twill_class again = {
    .size = sizeof(twill_class), .name = "again", .chores = {TWILL_CPU(again_body)}};

TEST(tries_that_came_to_nothing_are_no_tasks)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    atomic_int left = 3, *counter = &left;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &again, TWILL_VALUE(counter)));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    assert_int_equal(t->ntasks, 1);
    assert_int_equal(t->by[0], TW_BY_UNKNOWN);
    int tries = 0;
    for (int64_t i = 0; i < t->nstates; i++)
        tries += t->state_kind[i] == TW_STATE_AGAIN;
    assert_int_equal(tries, 3);
    check_sums(t);
    twill_trace_free(t);
    twill_stop(tw);
}

TEST(skipped_tasks_are_not_in_the_trace)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    twill_array *a = test_integers(tw, 1);
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "hold", TWILL_RW(twill_tile_at(a, 0, 0)));
    for (int i = 0; i < 10; i++)
        OK(twill_insert(g, &plain, TWILL_RW(twill_tile_at(a, 0, 0))));
    twill_cancel(g);
    test_hold_end(&hold);
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "canceled");
    OK(twill_insert(g, &named, TWILL_RW(twill_tile_at(a, 0, 0))));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    assert_int_equal(t->ntasks, 2);
    assert_true(t->by[1] != 0); /* the address that `hold` enabled was another task then */
    check_sums(t);
    twill_trace_free(t);
    twill_stop(tw);
}

static twill_outcome team_body(twill_task *task, twill_team *team)
{
    (void)task;
    test_sleep_ms(2);
    twill_team_barrier(team);
    return TWILL_DONE;
}

static const twill_class teamed = {
    .size = sizeof(twill_class), .name = "team", .chores = {TWILL_TEAM(team_body, 0)}};

TEST(bytes_are_those_of_the_data_unless_given)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_integers(tw, 2);
    twill_tile *x = twill_tile_at(a, 0, 0), *y = twill_tile_at(a, 1, 0);
    twill_graph *g;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &plain, TWILL_R(x), TWILL_RW(y)));
    OK(twill_insert(g, &plain, TWILL_R(x), TWILL_R(x))); /* once is enough */
    OK(twill_insert(g, &plain, TWILL_R(x), TWILL_COST(1.0, 100.0)));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    double sum = (double)t->bytes[0] + t->bytes[1] + t->bytes[2];
    assert_true(t->ntasks == 3 && sum == 24 + 8 + 100);
    twill_trace_free(t);
    twill_stop(tw);
}

TEST(members_of_a_team_are_busy)
{
    twill *tw = test_start_with((twill_options){.workers = 3, .patience_us = 2000000});
    twill_graph *g;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &teamed));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    int members = 0;
    assert_int_equal(t->ntasks, 1);
    for (int64_t i = 0; i < t->nstates; i++)
        if (t->state_kind[i] == TW_STATE_TEAM) {
            members++;
            assert_true(t->state_end[i] - t->state_start[i] >= 1.9e6);
        }
    assert_int_equal(members, 2);
    check_sums(t);
    twill_trace_free(t);
    twill_stop(tw);
}

/* ---- beginning and end --------------------------------------------------------------------- */

TEST(a_context_is_recorded_once_at_a_time_and_as_often_as_one_likes)
{
    twill *tw = test_start(3, NULL);
    twill_trace *t = NULL;
    twill_graph *g;
    REFUSED(twill_trace_end(tw, &t), TWILL_ERR_STATE, "twill_trace_begin comes first");
    OK(twill_stf_begin(tw, &g));
    for (int round = 0; round < 20; round++) {
        OK(twill_trace_begin(tw));
        REFUSED(twill_trace_begin(tw), TWILL_ERR_STATE, "recorded already");
        for (int i = 0; i < 50 * round; i++)
            OK(twill_insert(g, &plain, TWILL_INT(i)));
        OK(twill_wait(g));
        t = end(tw);
        /* those that the round before left running may be there, or not */
        assert_in_range(t->ntasks, 50 * round, 50 * round + 50);
        check_sums(t);
        twill_trace_free(t);
        for (int i = 0; i < 50; i++)
            OK(twill_insert(g, &plain, TWILL_INT(i)));
    }
    OK(twill_trace_begin(tw)); /* and one that nobody asks for */
    OK(twill_insert(g, &plain));
    twill_stop(tw);
}

TEST(what_does_not_fit_is_counted)
{
    enum { TASKS = 300000 };
    twill *tw = test_start_with((twill_options){.workers = 2, .trace_mib = 1});
    twill_graph *g;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < TASKS; i++)
        OK(twill_insert(g, &plain, TWILL_INT(i)));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    assert_true(t->ntasks > 0 && t->ntasks < TASKS);
    assert_true(t->lost > 0);
    /* each task is two records, one of its beginning and one of being enabled */
    assert_true((int64_t)t->lost >= TASKS - t->ntasks);
    int64_t last = -1; /* what is left is the end of the run */
    for (int64_t i = 0; i < t->ntasks; i++)
        last = t->parameter[0][i] > last ? t->parameter[0][i] : last;
    assert_int_equal(last, TASKS - 1);
    char text[4096];
    assert_true(twill_trace_report(t, TWILL_REPORT_STATS, text, sizeof text) > 0);
    CONTAINS(text, "TWILL_TRACE_MIB");
    check_sums(t);
    twill_trace_free(t);
    twill_stop(tw);
}

TEST(arrays_show_in_the_curve_of_memory)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 100, 100, 100), *b;
    twill_graph *g;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &plain));
    OK(twill_wait(g));
    b = test_matrix(tw, TWILL_FLOAT64, 200, 100, 100);
    twill_array_free(b);
    OK(twill_insert(g, &plain));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    assert_int_equal(t->nmemory, 3);
    assert_true(t->memory_time[0] == 0 && t->memory_bytes[0] == 80000);
    assert_true(t->memory_bytes[1] == 240000 && t->memory_bytes[2] == 80000);
    twill_trace_free(t);
    twill_array_free(a);
    twill_stop(tw);
}

static twill_outcome place_body(twill_task *task)
{
    int64_t i, j, *out = *(int64_t *const *)twill_task_data(task, 1);
    twill_task_tile(task, 0, &out[0], &out[1]);
    twill_task_tile(task, 1, &i, &j);
    return i == -1 && j == -1 ? TWILL_DONE : TWILL_ERROR;
}

static void place_about(const twill_task *task, twill_about *about)
{
    about->parameters = 2;
    twill_task_tile(task, 0, &about->parameter[0], &about->parameter[1]);
    about->flops *= 2;
}

static const twill_class place = {.size = sizeof(twill_class),
                                  .name = "place",
                                  .chores = {TWILL_CPU(place_body)},
                                  .parameters = "row column",
                                  .describe = place_about};

TEST(a_class_can_describe_its_tasks)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 50, 30, 10);
    twill_graph *g;
    int64_t where[2] = {0, 0}, *pointer = where;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &place, TWILL_R(twill_tile_at(a, 4, 2)), TWILL_VALUE(pointer),
                    TWILL_COST(21, 0)));
    OK(twill_wait(g));
    twill_trace *t = end(tw);
    char label[64];
    assert_true(where[0] == 4 && where[1] == 2);
    assert_string_equal(tw_task_label(t, 0, label, sizeof label), "place(row=4, column=2)");
    assert_true(t->flops[0] == 42);
    twill_trace_free(t);
    twill_stop(tw);
}

/* ---- options ------------------------------------------------------------------------------- */

static char reported[65536];

static void hear(void *arg, const char *text)
{
    (void)arg;
    strncat(reported, text, sizeof reported - strlen(reported) - 1);
}

static void run_with(twill_options options)
{
    reported[0] = '\0';
    options.report = hear;
    options.workers = 2;
    twill *tw = test_start_with(options);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 10; i++)
        OK(twill_insert(g, &plain));
    OK(twill_wait(g));
    twill_stop(tw);
}

TEST(option_trace_leaves_a_file_and_option_stats_a_report)
{
    twill_trace *t;
    unlink("run.twt");
    run_with((twill_options){.size = sizeof(twill_options), .trace = "run.twt"});
    assert_string_equal(reported, "");
    OK(twill_trace_load("run.twt", &t));
    assert_int_equal(t->ntasks, 10);
    twill_trace_free(t);
    run_with((twill_options){.size = sizeof(twill_options), .stats = "on"});
    CONTAINS(reported, "tasks       10");
    CONTAINS(reported, "idle ");
    /* what only the end can tell: the name is that of a folder */
    mkdir("taken.twt", 0777);
    run_with((twill_options){.size = sizeof(twill_options), .trace = "taken.twt"});
    CONTAINS(reported, "there is no trace: taken.twt cannot be written");
    rmdir("taken.twt");
}

TEST(options_that_cannot_be_are_refused)
{
    twill *tw = NULL;
    twill_options ending = {.size = sizeof(twill_options), .trace = "run.png"},
                  other = {.size = sizeof(twill_options), .stats = "yes"},
                  size = {.size = sizeof(twill_options), .trace_mib = -1};
    REFUSED(twill_start(&tw, &ending), TWILL_ERR_OPTION, "must end with .html");
    twill_options folder = {.size = sizeof(twill_options), .trace = "no/such/folder.twt"};
    REFUSED(twill_start(&tw, &folder), TWILL_ERR_OPTION, "'no/such/folder.twt' cannot be written");
    REFUSED(twill_start(&tw, &other), TWILL_ERR_OPTION, "neither on nor off");
    REFUSED(twill_start(&tw, &size), TWILL_ERR_OPTION, "trace_mib");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_there_once_with_its_parameters),
        cmocka_unit_test(an_explicit_graph_shows_all_its_edges_in_every_run),
        cmocka_unit_test(what_waits_for_a_nested_graph_was_enabled_by_the_last_of_its_tasks),
        cmocka_unit_test(tries_that_came_to_nothing_are_no_tasks),
        cmocka_unit_test(skipped_tasks_are_not_in_the_trace),
        cmocka_unit_test(bytes_are_those_of_the_data_unless_given),
        cmocka_unit_test(members_of_a_team_are_busy),
        cmocka_unit_test(a_context_is_recorded_once_at_a_time_and_as_often_as_one_likes),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(arrays_show_in_the_curve_of_memory),
        cmocka_unit_test(a_class_can_describe_its_tasks),
        cmocka_unit_test(option_trace_leaves_a_file_and_option_stats_a_report),
        cmocka_unit_test(options_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
