/* The critical set where there is little of something: workers, tasks, bodies. */
#include "support/limit.h"
#include "support/test.h"

#include <twill/critical.h>

enum { LENGTH = 12, MANY = 1000 };

static atomic_int ran, too_many;

static twill_outcome alone(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    return TWILL_DONE;
}

static twill_outcome together(twill_task *t, twill_team *team)
{
    twill_team_barrier(team);
    if (twill_team_size(team) > (int)twill_task_int(t, 0))
        atomic_fetch_add(&too_many, 1);
    if (twill_team_rank(team) == 0)
        atomic_fetch_add(&ran, 1);
    return TWILL_DONE;
}

static const twill_class both = {.size = sizeof(twill_class),
                                 .name = "both",
                                 .chores = {TWILL_CPU(alone), TWILL_TEAM(together, 0)}};
static const twill_class no_team = {
    .size = sizeof(twill_class), .name = "no team", .chores = {TWILL_CPU(alone)}};
static const twill_class team_only = {
    .size = sizeof(twill_class), .name = "team only", .chores = {TWILL_TEAM(together, 0)}};
static const twill_class *const classes[] = {&both, &no_team, &team_only};

/* A path of so many tasks, run twice; the largest team there may be is their argument. */
static void run_path(twill *tw, const twill_class *cls, int length, int most)
{
    twill_graph *g;
    atomic_store(&ran, 0);
    OK(twill_dag_begin(tw, &g));
    for (int64_t i = 0, node; i < length; i++) {
        OK(twill_dag_add(g, &node, cls, TWILL_INT(most)));
        if (i > 0)
            OK(twill_dag_edge(g, node - 1, node));
    }
    for (int again = 1; again <= 2; again++) {
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), again * length);
    }
    twill_graph_free(g);
    assert_int_equal(atomic_load(&too_many), 0);
}

/* Nothing, one task, a path; bodies for one worker, for several, for both. */
static void run_all(twill *tw, int most)
{
    run_path(tw, &both, 0, most);
    for (int i = 0; i < COUNT(classes); i++) {
        run_path(tw, classes[i], 1, most);
        run_path(tw, classes[i], LENGTH, most);
    }
}

/* At least one worker stays for other tasks, whatever the program asks for. A team that gathers, as
 * it does while there are no members, may have all workers. */
static void check_set(twill *tw, int workers)
{
    twill_critical_info info = {.size = sizeof info};
    OK(twill_critical_get(tw, &info));
    assert_in_range(info.reserved, 0, workers - 1);
    assert_in_range(info.members, 0, workers - 1);
    if (workers == 1)
        assert_int_equal(info.teams, 0);
}

TEST(any_mode_with_any_size_runs_whatever_there_is)
{
    static const char *const modes[] = {"regular", "fixed", "adaptive", "prescribed"};
    static const int workers[] = {1, 2, 3, 8};
    for (int m = 0; m < COUNT(modes); m++)
        for (int w = 0; w < COUNT(workers); w++) {
            twill *tw = test_start_with((twill_options){
                .workers = workers[w], .mode = modes[m], .prescribed = "0,1,2,3,1000"});
            limit_begin(tw, 60, "mode %s, %d workers", modes[m], workers[w]);
            run_all(tw, workers[w]);
            check_set(tw, workers[w]);
            limit_end();
            twill_stop(tw);
        }
}

TEST(a_set_of_as_many_as_there_are_workers_or_more_leaves_one_out)
{
    for (int workers = 1; workers <= 4; workers++) {
        const int reserved[] = {workers, workers + 1, MANY};
        for (int i = 0; i < COUNT(reserved); i++) {
            twill *tw = test_start_with(
                (twill_options){.workers = workers, .mode = "fixed", .reserved = reserved[i]});
            limit_begin(tw, 60, "%d of %d workers", reserved[i], workers);
            run_all(tw, workers);
            check_set(tw, workers);
            OK(twill_critical_set(tw, &(twill_critical){.size = sizeof(twill_critical),
                                                        .mode = TWILL_MODE_FIXED,
                                                        .reserved = MANY}));
            run_all(tw, workers);
            check_set(tw, workers);
            limit_end();
            twill_stop(tw);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(any_mode_with_any_size_runs_whatever_there_is),
        LIMITED_TEST(a_set_of_as_many_as_there_are_workers_or_more_leaves_one_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
