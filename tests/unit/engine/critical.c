/* The critical set: who runs what, in which mode, with how many workers. */
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <twill/critical.h>

enum { LENGTH = 30, WIDTH = 4, MOST = 8 };

/* What the tasks of one run have seen. */
typedef struct record {
    atomic_int path_next; /* critical tasks in path order */
    atomic_int out_of_order, elsewhere, intruders, wrong_size;
    atomic_int alone, together, ordinary;
    int reserved; /* of mode fixed; 0: any worker may run anything */
} record;
static record r;

static void in_path_order(const twill_task *t)
{
    if (atomic_fetch_add(&r.path_next, 1) != (int)twill_task_int(t, 0))
        atomic_fetch_add(&r.out_of_order, 1);
}

static twill_outcome alone(twill_task *t)
{
    bool critical = twill_task_int(t, 0) >= 0;
    int worker = twill_task_worker(t);
    if (critical)
        in_path_order(t);
    atomic_fetch_add(critical ? &r.alone : &r.ordinary, 1);
    if (r.reserved && critical && worker != 0)
        atomic_fetch_add(&r.elsewhere, 1);
    if (r.reserved && !critical && worker < r.reserved)
        atomic_fetch_add(&r.intruders, 1);
    return TWILL_DONE;
}

static twill_outcome together(twill_task *t, twill_team *team)
{
    if (twill_team_rank(team) == 0) {
        in_path_order(t);
        atomic_fetch_add(&r.together, 1);
        if (r.reserved && twill_team_size(team) != r.reserved)
            atomic_fetch_add(&r.wrong_size, 1);
        if (r.reserved && twill_task_worker(t) != 0)
            atomic_fetch_add(&r.elsewhere, 1);
    }
    twill_team_barrier(team);
    return TWILL_DONE;
}

static const twill_class both = {.size = sizeof(twill_class),
                                 .name = "both",
                                 .chores = {TWILL_CPU(alone), TWILL_TEAM(together, 0)}};

/* It ends when the thread of the test leads the set, if there is to be one. */
static twill_outcome gate(twill_task *t)
{
    twill_critical_info info = {.size = sizeof info};
    twill *tw = *(twill *const *)twill_task_data(t, 0);
    if (twill_critical_get(tw, &info) != TWILL_OK)
        return TWILL_ERROR;
    bool ready = r.reserved == 0 || (info.first == 0 && info.members == r.reserved);
    return ready ? TWILL_DONE : TWILL_AGAIN;
}

static const twill_class gate_class = {
    .size = sizeof(twill_class), .name = "gate", .chores = {TWILL_CPU(gate)}};

/* A gate, then a path of LENGTH tasks; each enables WIDTH others, too, for which the next but one
 * waits. */
static twill_graph *ladder(twill *tw)
{
    twill_graph *g;
    int64_t path[LENGTH], side[LENGTH][WIDTH], first;
    OK(twill_dag_begin(tw, &g));
    OK(twill_dag_add(g, &first, &gate_class, TWILL_VALUE(tw)));
    for (int i = 0; i < LENGTH; i++) {
        OK(twill_dag_add(g, &path[i], &both, TWILL_INT(i)));
        OK(twill_dag_edge(g, i > 0 ? path[i - 1] : first, path[i]));
        for (int k = 0; k < WIDTH; k++) {
            OK(twill_dag_add(g, &side[i][k], &both, TWILL_INT(-1)));
            if (i > 0)
                OK(twill_dag_edge(g, path[i - 1], side[i][k]));
            if (i > 1)
                OK(twill_dag_edge(g, side[i - 1][k], path[i]));
        }
    }
    return g;
}

static void check_run(int reserved)
{
    assert_int_equal(atomic_load(&r.out_of_order), 0);
    assert_int_equal(atomic_load(&r.path_next), LENGTH);
    assert_int_equal(atomic_load(&r.ordinary), LENGTH * WIDTH);
    assert_int_equal(atomic_load(&r.alone) + atomic_load(&r.together), LENGTH);
    assert_int_equal(atomic_load(&r.elsewhere), 0);
    assert_int_equal(atomic_load(&r.intruders), 0);
    assert_int_equal(atomic_load(&r.wrong_size), 0);
    if (reserved)
        assert_int_equal(atomic_load(reserved > 1 ? &r.together : &r.alone), LENGTH);
}

static void run(twill_graph *g, int reserved)
{
    r = (record){.reserved = reserved};
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    check_run(reserved);
}

TEST(a_fixed_set_runs_all_critical_tasks_and_nothing_else)
{
    for (int i = 0; i < test_nsetups; i++)
        for (int reserved = 1; reserved < test_setups[i].workers; reserved++) {
            twill *tw = test_start_with((twill_options){.workers = test_setups[i].workers,
                                                        .sched = test_setups[i].sched,
                                                        .mode = "fixed",
                                                        .reserved = reserved});
            twill_graph *g = ladder(tw);
            for (int again = 0; again < 3; again++)
                run(g, reserved);
            twill_stop(tw);
        }
}

TEST(every_mode_works_with_every_scheduler_and_one_worker)
{
    static const char *const modes[] = {"regular", "fixed", "adaptive", "prescribed"};
    for (int i = 0; i < test_nsetups; i++)
        for (int mode = 0; mode < COUNT(modes); mode++) {
            twill *tw = test_start_with((twill_options){.workers = test_setups[i].workers,
                                                        .sched = test_setups[i].sched,
                                                        .prescribed = "1,3,2,0,2",
                                                        .mode = modes[mode]});
            twill_graph *g = ladder(tw);
            for (int again = 0; again < 3; again++)
                run(g, 0);
            twill_stop(tw);
        }
}

TEST(the_set_changes_between_runs)
{
    twill *tw = test_start(4, NULL);
    twill_graph *g = ladder(tw);
    run(g, 0);
    for (int again = 0; again < 16; again++) {
        int q = again % 4;
        OK(twill_critical_set(tw,
                              &(twill_critical){.size = sizeof(twill_critical),
                                                .mode = q ? TWILL_MODE_FIXED : TWILL_MODE_REGULAR,
                                                .reserved = q}));
        run(g, q);
    }
    twill_stop(tw);
}

/* ---- changes while tasks run ----------------------------------------------------------------- */

static atomic_bool enough;

/* Another thread changes mode and size as fast as it can. */
static void *change_again_and_again(void *arg)
{
    static const int sizes[] = {1, 3, 0, 2, 5, 1, 7};
    twill *tw = arg;
    for (unsigned i = 0; !atomic_load(&enough); i++) {
        const twill_critical wanted = {.size = sizeof wanted,
                                       .mode = (twill_mode)(i % 4),
                                       .reserved = (int)(i % 5),
                                       .prescribed = sizes,
                                       .prescribed_count = COUNT(sizes)};
        if (twill_critical_set(tw, &wanted) != TWILL_OK)
            atomic_fetch_add(&r.wrong_size, 1);
    }
    return NULL;
}

TEST(the_set_may_change_at_any_time)
{
    static const int workers[] = {1, 2, 3, 8};
    for (int i = 0; i < COUNT(workers); i++) {
        twill *tw = test_start(workers[i], "rand");
        twill_graph *g = ladder(tw);
        pthread_t changer;
        atomic_store(&enough, false);
        assert_int_equal(pthread_create(&changer, NULL, change_again_and_again, tw), 0);
        for (int again = 0; again < 20; again++)
            run(g, 0);
        atomic_store(&enough, true);
        pthread_join(changer, NULL);
        twill_stop(tw);
    }
}

/* A path on which each task wants a set of another size than the one before. */
TEST(every_task_may_want_another_size)
{
    enum { STEPS = 1000 };
    int steps = getenv("TW_SLOW") ? 10 * STEPS : STEPS;
    int *sizes = malloc((size_t)steps * sizeof *sizes);
    assert_non_null(sizes);
    for (int i = 0; i < steps; i++)
        sizes[i] = i * 5 % 8;
    twill *tw = test_start(8, "rand");
    twill_graph *g;
    twill_critical_info info = {.size = sizeof info};
    OK(twill_critical_set(tw, &(twill_critical){.size = sizeof(twill_critical),
                                                .mode = TWILL_MODE_PRESCRIBED,
                                                .prescribed = sizes,
                                                .prescribed_count = steps}));
    OK(twill_dag_begin(tw, &g));
    for (int64_t i = 0, node; i < steps; i++) {
        OK(twill_dag_add(g, &node, &both, TWILL_INT(i)));
        if (i > 0)
            OK(twill_dag_edge(g, node - 1, node));
    }
    r = (record){0};
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&r.path_next), steps);
    assert_int_equal(atomic_load(&r.out_of_order), 0);
    OK(twill_critical_get(tw, &info));
    assert_int_equal(info.tasks, steps);
    assert_int_equal(info.teams, atomic_load(&r.together));
    twill_stop(tw);
    free(sizes);
}

/* Three for ten tasks, then one: who is idle joins at once, and leaves at once. */
TEST(prescribed_sizes_are_kept_in_path_order)
{
    twill *tw = test_start_with(
        (twill_options){.workers = 6, .mode = "prescribed", .prescribed = "3,3,3,3,3,3,3,3,3,3,1"});
    twill_graph *g;
    twill_critical_info info = {.size = sizeof info};
    OK(twill_dag_begin(tw, &g));
    for (int64_t i = 0, node; i < LENGTH; i++) {
        OK(twill_dag_add(g, &node, &both, TWILL_INT(i)));
        if (i > 0)
            OK(twill_dag_edge(g, node - 1, node));
    }
    r = (record){0};
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&r.together), 10);
    assert_int_equal(atomic_load(&r.alone), LENGTH - 10);
    OK(twill_critical_get(tw, &info));
    assert_int_equal(info.teams, 10);
    assert_int_equal(info.reserved, 1);
    twill_stop(tw);
}

/* Nobody waits for the graph: then the set begins with worker 1. */
TEST(a_graph_that_nobody_waits_for_goes_on)
{
    for (int workers = 2; workers < 5; workers++) {
        twill *tw =
            test_start_with((twill_options){.workers = workers, .mode = "fixed", .reserved = 2});
        twill_graph *g = ladder(tw);
        int64_t added, done;
        r = (record){0};
        OK(twill_dag_run(g));
        do
            twill_graph_progress(g, &added, &done);
        while (done < added);
        OK(twill_wait(g));
        check_run(0);
        twill_stop(tw);
    }
}

/* Inserted tasks say themselves that they are critical, and how many are to run them. */
static twill_outcome sized(twill_task *t, twill_team *team)
{
    if (twill_team_rank(team) == 0)
        *(int64_t *)twill_task_data(t, 0) = twill_team_size(team);
    return TWILL_DONE;
}

TEST(inserted_tasks_say_that_they_are_critical)
{
    static const twill_class cls = {.size = sizeof(twill_class),
                                    .name = "sized",
                                    .chores = {TWILL_CPU(alone), TWILL_TEAM(sized, 0)}};
    twill *tw = test_start_with((twill_options){.workers = 5, .mode = "fixed", .reserved = 3});
    twill_array *a = test_integers(tw, 2);
    twill_graph *g;
    r = (record){.reserved = 3};
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &gate_class, TWILL_VALUE(tw), TWILL_RW(twill_tile_at(a, 0, 0)),
                    TWILL_RW(twill_tile_at(a, 1, 0))));
    OK(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_CRITICAL));
    OK(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, 1, 0)), TWILL_TEAM_SIZE(2), TWILL_CRITICAL));
    OK(twill_wait(g));
    assert_int_equal(test_get(a, 0), 3);
    assert_int_equal(test_get(a, 1), 2);
    twill_stop(tw);
}

TEST(heights_and_the_critical_path_are_found)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    int64_t n[6], height;
    bool critical;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < 6; i++)
        OK(twill_dag_add(g, &n[i], &both, TWILL_INT(-1)));
    OK(twill_dag_edge(g, n[0], n[1])); /* 0 -> 1 -> 3 -> 4, 0 -> 2 -> 4; 5 alone */
    OK(twill_dag_edge(g, n[1], n[3]));
    OK(twill_dag_edge(g, n[3], n[4]));
    OK(twill_dag_edge(g, n[0], n[2]));
    OK(twill_dag_edge(g, n[2], n[4]));
    static const int heights[] = {4, 3, 2, 2, 1, 1};
    static const bool path[] = {true, true, false, true, true, false};
    for (int i = 0; i < 6; i++) {
        OK(twill_dag_height(g, n[i], &height, &critical));
        assert_int_equal(height, heights[i]);
        assert_int_equal(critical, path[i]);
    }
    REFUSED(twill_dag_height(g, 6, &height, NULL), TWILL_ERR_ARGUMENT, "no task 6");
    twill_stop(tw);
}

TEST(what_makes_no_sense_is_refused)
{
    twill *tw = test_start(2, NULL);
    int bad = -1;
    REFUSED(twill_critical_set(tw, &(twill_critical){.size = sizeof(twill_critical), .mode = 9}),
            TWILL_ERR_ARGUMENT, "no mode 9");
    REFUSED(twill_critical_set(tw, &(twill_critical){.size = sizeof(twill_critical),
                                                     .mode = TWILL_MODE_FIXED,
                                                     .reserved = -2}),
            TWILL_ERR_ARGUMENT, "-2");
    REFUSED(twill_critical_set(tw, &(twill_critical){.size = sizeof(twill_critical),
                                                     .mode = TWILL_MODE_PRESCRIBED}),
            TWILL_ERR_ARGUMENT, "at least one");
    REFUSED(twill_critical_set(tw, &(twill_critical){.size = sizeof(twill_critical),
                                                     .mode = TWILL_MODE_PRESCRIBED,
                                                     .prescribed = &bad,
                                                     .prescribed_count = 1}),
            TWILL_ERR_ARGUMENT, "-1");
    twill_stop(tw);
    twill_options o = {.size = sizeof o, .mode = "fast"};
    REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "regular, fixed");
    o = (twill_options){.size = sizeof o, .reserved = 2};
    REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "mode is regular");
    o = (twill_options){.size = sizeof o, .mode = "prescribed", .prescribed = "2,x"};
    REFUSED(twill_start(&tw, &o), TWILL_ERR_OPTION, "2,x");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_set_runs_all_critical_tasks_and_nothing_else),
        cmocka_unit_test(every_mode_works_with_every_scheduler_and_one_worker),
        cmocka_unit_test(the_set_changes_between_runs),
        cmocka_unit_test(the_set_may_change_at_any_time),
        cmocka_unit_test(every_task_may_want_another_size),
        cmocka_unit_test(prescribed_sizes_are_kept_in_path_order),
        cmocka_unit_test(a_graph_that_nobody_waits_for_goes_on),
        cmocka_unit_test(inserted_tasks_say_that_they_are_critical),
        cmocka_unit_test(heights_and_the_critical_path_are_found),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
