/* Contexts: starting, stopping, counting, and several of them side by side. */
#include "support/test.h"

#include "engine/engine.h"
#include "sched/sched.h"

#include <pthread.h>

static void run_tasks(twill *tw, int n)
{
    twill_graph *g;
    atomic_int done = 0, *count = &done;
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < n; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&done), n);
    twill_graph_free(g);
}

/* ---- starting and stopping ------------------------------------------------------------------ */

TEST(contexts_follow_one_another)
{
    for (int i = 0; i < (test_slow() ? 20 : 100); i++) {
        twill *tw = test_start(1 + i % 4, tw_schedulers[i % 5]->name);
        if (i % 3)
            run_tasks(tw, 10);
        twill_stop(tw);
    }
}

/* Workers that have not come so far as to sleep must see the end too. */
TEST(a_context_stops_at_once_after_it_started)
{
    for (int i = 0; i < (test_slow() ? 50 : 200); i++)
        twill_stop(test_start(4, NULL));
    twill_stop(NULL);
}

TEST(stopping_waits_for_tasks_and_frees_what_is_left)
{
    atomic_int done = 0, *count = &done;
    twill *tw = test_start(2, NULL);
    for (int i = 0; i < 5; i++) {
        twill_graph *g;
        twill_array *a = test_integers(tw, 10);
        OK(twill_stf_begin(tw, &g));
        for (int k = 0; k < 100; k++)
            OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_RW(twill_tile_at(a, 0, 0))));
    }
    twill_stop(tw);
    assert_int_equal(atomic_load(&done), 500);
}

static int stop_while_mapped(void *arg)
{
    (void)arg;
    twill *tw;
    twill_array *a;
    void *data;
    int64_t ld;
    twill_pattern p = twill_tiled(4, 4, 2, 2);
    if (twill_start(&tw, NULL) != TWILL_OK ||
        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) != TWILL_OK ||
        twill_map(twill_view_all(a), TWILL_WRITE, &data, &ld) != TWILL_OK)
        return 1;
    twill_stop(tw);
    return 0;
}

TEST(a_program_that_forgets_to_unmap_still_stops)
{
    assert_int_equal(test_child(stop_while_mapped, NULL, 2), 0);
}

static int stop_with_tasks_behind_a_map(void *arg)
{
    twill *tw;
    twill_array *a;
    twill_graph *g;
    void *data;
    int64_t ld;
    atomic_int done = 0, *count = &done;
    twill_pattern p = twill_tiled(4, 4, 2, 2);
    (void)arg;
    if (twill_start(&tw, NULL) != TWILL_OK ||
        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) != TWILL_OK ||
        twill_map(twill_view_all(a), TWILL_WRITE, &data, &ld) != TWILL_OK ||
        twill_stf_begin(tw, &g) != TWILL_OK ||
        twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 0, 0))) !=
            TWILL_OK)
        return 1;
    twill_stop(tw);
    return 0;
}

TEST(tasks_behind_a_forgotten_map_do_not_keep_it_from_stopping)
{
    assert_int_equal(test_child(stop_with_tasks_behind_a_map, NULL, 2), 0);
}

/* ---- counting ------------------------------------------------------------------------------- */

TEST(counters_count_tasks_and_only_grow)
{
    twill *tw = test_start(3, NULL);
    twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
    twill_count(tw, &before);
    assert_int_equal(before.inserted + before.executed + before.skipped, 0);
    for (int round = 0; round < 10; round++) {
        run_tasks(tw, 50);
        twill_count(tw, &after);
        assert_int_equal(after.inserted, before.inserted + 50);
        assert_int_equal(after.executed, before.executed + 50);
        assert_int_equal(after.skipped, 0);
        assert_true(after.stolen >= before.stolen && after.sleeps >= before.sleeps);
        before = after;
    }
    twill_stop(tw);
}

TEST(tasks_that_do_not_run_are_counted_as_skipped)
{
    twill_graph *g;
    twill_counters c = {.size = sizeof c};
    atomic_int done = 0, *count = &done;
    twill *tw = test_start(1, NULL);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 40; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    twill_cancel(g);
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "canceled");
    twill_count(tw, &c);
    assert_int_equal(c.inserted, 40);
    assert_int_equal(c.skipped, 40);
    assert_int_equal(c.executed, 0);
    assert_int_equal(atomic_load(&done), 0);
    twill_stop(tw);
}

TEST(idle_workers_sleep)
{
    twill *tw = test_start(3, NULL);
    twill_counters c = {.size = sizeof(twill_counters)};
    for (int i = 0; i < 1000 && c.sleeps < 2; i++) {
        test_sleep_ms(1);
        twill_count(tw, &c);
    }
    assert_int_equal(c.sleeps, 2);
    test_sleep_ms(20);
    twill_count(tw, &c);
    assert_int_equal(c.sleeps, 2); /* and stay asleep */
    twill_stop(tw);
}

/* ---- side by side --------------------------------------------------------------------------- */

typedef struct hermit {
    pthread_t thread;
    int rounds, done;
} hermit;

static void *live_alone(void *arg)
{
    hermit *h = arg;
    for (int i = 0; i < h->rounds; i++) {
        twill *tw;
        twill_graph *g;
        atomic_int done = 0, *count = &done;
        if (twill_start(&tw, &(twill_options){.size = sizeof(twill_options),
                                              .workers = 2,
                                              .bind = "off"}) != TWILL_OK)
            return NULL;
        twill_stf_begin(tw, &g);
        for (int k = 0; k < 100; k++)
            twill_insert(g, &test_count, TWILL_VALUE(count));
        twill_stop(tw);
        h->done += atomic_load(&done);
    }
    return NULL;
}

TEST(contexts_of_several_threads_do_not_know_each_other)
{
    hermit hermits[4];
    for (int i = 0; i < COUNT(hermits); i++) {
        hermits[i] = (hermit){.rounds = test_slow() ? 5 : 30};
        assert_int_equal(pthread_create(&hermits[i].thread, NULL, live_alone, &hermits[i]), 0);
    }
    for (int i = 0; i < COUNT(hermits); i++) {
        pthread_join(hermits[i].thread, NULL);
        assert_int_equal(hermits[i].done, 100 * hermits[i].rounds);
    }
}

TEST(one_thread_can_use_two_contexts_in_turn)
{
    twill *one = test_start(2, "lws"), *two = test_start(3, "prio");
    twill_counters c = {.size = sizeof c};
    for (int i = 1; i <= 20; i++) {
        run_tasks(one, 10);
        run_tasks(two, 20);
    }
    twill_count(one, &c);
    assert_int_equal(c.executed, 200);
    twill_count(two, &c);
    assert_int_equal(c.executed, 400);
    twill_stop(one);
    run_tasks(two, 10);
    twill_stop(two);
}

/* A task of one context fills the window of a graph of another, and then tries to wait. */
typedef struct visitor {
    twill_graph *abroad, *at_home;
    atomic_int done, refused;
} visitor;

static twill_outcome visit_body(twill_task *t)
{
    visitor *v = *(visitor *const *)twill_task_data(t, 0);
    atomic_int *count = &v->done;
    for (int i = 0; i < 1000; i++)
        twill_insert(v->abroad, &test_count, TWILL_VALUE(count));
    atomic_store(&v->refused, twill_wait(v->at_home) == TWILL_ERR_STATE);
    return TWILL_DONE;
}

TEST(a_task_that_works_for_another_context_is_still_a_task)
{
    static const twill_class visit = {
        .size = sizeof(twill_class), .name = "visit", .chores = {TWILL_CPU(visit_body)}};
    twill *one = test_start(2, NULL),
          *two = test_start_with((twill_options){.workers = 1, .window = 8});
    visitor v = {0}, *arg = &v;
    twill_graph *g;
    OK(twill_stf_begin(one, &g));
    OK(twill_stf_begin(one, &v.at_home));
    OK(twill_stf_begin(two, &v.abroad));
    OK(twill_insert(g, &visit, TWILL_VALUE(arg)));
    OK(twill_wait(g));
    OK(twill_wait(v.abroad));
    twill_stop(one);
    twill_stop(two);
    assert_int_equal(atomic_load(&v.done), 1000);
    assert_int_equal(atomic_load(&v.refused), 1);
}

TEST(a_tile_of_another_context_is_refused)
{
    twill_graph *g;
    atomic_int done = 0, *count = &done;
    twill *one = test_start(1, NULL), *two = test_start(1, NULL);
    twill_array *a = test_integers(two, 1);
    OK(twill_stf_begin(one, &g));
    REFUSED(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 0, 0))),
            TWILL_ERR_ARGUMENT, "another context");
    REFUSED(twill_wait(g), TWILL_ERR_ARGUMENT, "another context");
    twill_stop(one);
    twill_stop(two);
}

/* ---- options -------------------------------------------------------------------------------- */

TEST(bad_options_start_nothing)
{
    static const struct {
        twill_options options;
        const char *sentence;
    } cases[] = {
        {{.sched = "lsw"}, "did you mean lws?"},
        {{.sched = "nonsense"}, "known: lws, prio, eager, rand, cw, dmda, serial"},
        {{.topology = "not a machine"}, "not a machine"},
        {{.workers = -2}, "workers"},
        {{.bind = "maybe"}, "maybe"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        twill *tw = NULL;
        twill_options options = cases[i].options;
        options.size = sizeof options;
        REFUSED(twill_start(&tw, &options), TWILL_ERR_OPTION, cases[i].sentence);
        assert_null(tw);
    }
    REFUSED(twill_start(NULL, NULL), TWILL_ERR_ARGUMENT, "NULL");
}

TEST(a_serial_context_has_one_worker)
{
    twill_option_info info = {.size = sizeof info};
    twill *tw = test_start(6, "serial");
    assert_int_equal(twill_workers(tw), 1);
    assert_int_equal(twill_rank(tw), 0);
    assert_int_equal(twill_ranks(tw), 1);
    OK(twill_option(tw, TW_OPT_WORKERS, &info));
    assert_string_equal(info.value, "1");
    twill_stop(tw);
}

static twill_status refuse_to_open(const twill_sched_env *env, void **state)
{
    (void)env, (void)state;
    return tw_fail(TWILL_ERR_UNSUPPORTED, "not on a %s", "Sunday");
}

TEST(a_scheduler_of_the_program_is_listed_first_and_may_refuse)
{
    twill_sched_ops mine = tw_sched_eager, lazy = tw_sched_eager;
    mine.name = "mine";
    lazy.name = "lazy";
    lazy.open = refuse_to_open;
    const twill_sched_ops *const list[] = {&mine, &lazy, NULL};
    twill *tw = test_start_with((twill_options){.workers = 2, .sched = "mine", .schedulers = list});
    assert_ptr_equal(twill_scheduler(tw, 0), &mine);
    assert_ptr_equal(twill_scheduler(tw, 1), &lazy);
    assert_ptr_equal(twill_scheduler(tw, 2), tw_schedulers[0]);
    assert_ptr_equal(twill_scheduler(tw, 8), tw_schedulers[6]);
    assert_null(twill_scheduler(tw, 9));
    assert_null(twill_scheduler(tw, -1));
    run_tasks(tw, 100);
    twill_stop(tw);
    tw = NULL;
    REFUSED(twill_start(&tw, &(twill_options){.size = sizeof(twill_options),
                                              .sched = "lazy",
                                              .schedulers = list}),
            TWILL_ERR_UNSUPPORTED, "not on a Sunday");
    assert_null(tw);
}

TEST(a_context_describes_its_machine)
{
    twill_machine m = {.size = sizeof m};
    twill *tw = test_start_with((twill_options){.topology = "package:2 l3:1 core:4 pu:2"});
    OK(twill_machine_info(tw, &m));
    assert_int_equal(m.packages, 2);
    assert_int_equal(m.cores, 8);
    assert_int_equal(m.cores_allowed, 8);
    assert_true(m.l3 > 0 && m.memory > 0);
    REFUSED(twill_machine_info(tw, NULL), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_follow_one_another),
        cmocka_unit_test(a_context_stops_at_once_after_it_started),
        cmocka_unit_test(stopping_waits_for_tasks_and_frees_what_is_left),
        cmocka_unit_test(a_program_that_forgets_to_unmap_still_stops),
        cmocka_unit_test(tasks_behind_a_forgotten_map_do_not_keep_it_from_stopping),
        cmocka_unit_test(counters_count_tasks_and_only_grow),
        cmocka_unit_test(tasks_that_do_not_run_are_counted_as_skipped),
        cmocka_unit_test(idle_workers_sleep),
        cmocka_unit_test(contexts_of_several_threads_do_not_know_each_other),
        cmocka_unit_test(one_thread_can_use_two_contexts_in_turn),
        cmocka_unit_test(a_task_that_works_for_another_context_is_still_a_task),
        cmocka_unit_test(a_tile_of_another_context_is_refused),
        cmocka_unit_test(bad_options_start_nothing),
        cmocka_unit_test(a_serial_context_has_one_worker),
        cmocka_unit_test(a_scheduler_of_the_program_is_listed_first_and_may_refuse),
        cmocka_unit_test(a_context_describes_its_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
