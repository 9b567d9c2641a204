/* Explicit graphs: shapes that run in order, and shapes that are refused. */
#include "support/test.h"

#include <string.h>

enum { MOST = 300 };

/* Each task writes down when it ran. */
typedef struct ticker {
    atomic_int now;
    int at[MOST];
} ticker;

static twill_outcome tick_body(twill_task *t)
{
    ticker *c = *(ticker *const *)twill_task_data(t, 0);
    c->at[twill_task_int(t, 1)] = atomic_fetch_add(&c->now, 1) + 1;
    return TWILL_DONE;
}

static const twill_class tick = {
    .size = sizeof(twill_class), .name = "tick", .chores = {TWILL_CPU(tick_body)}};

static void add_ticks(twill_graph *g, ticker *c, int n)
{
    for (int i = 0; i < n; i++) {
        int64_t node = -1;
        OK(twill_dag_add(g, &node, &tick, TWILL_VALUE(c), TWILL_INT(i)));
        assert_int_equal(node, i);
    }
}

/* ---- shapes --------------------------------------------------------------------------------- */

TEST(a_diamond_runs_from_top_to_bottom)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        ticker c = {0};
        OK(twill_dag_begin(tw, &g));
        add_ticks(g, &c, 4);
        const int64_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
        for (int i = 0; i < COUNT(edges); i++)
            OK(twill_dag_edge(g, edges[i][0], edges[i][1]));
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        assert_int_equal(c.at[0], 1);
        assert_int_equal(c.at[3], 4);
        assert_int_equal(c.at[1] + c.at[2], 5);
        twill_stop(tw);
    }
}

/* Random edges from lower to higher numbers, some of them twice; then again with all turned round,
 * so that the order of numbers does not help. */
TEST(random_graphs_keep_every_edge)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int turned = 0; turned < 2; turned++) {
            enum { EDGES = 1000 };
            static int64_t from[EDGES], to[EDGES];
            static ticker c;
            twill_graph *g;
            uint64_t seed = (uint64_t)s;
            c = (ticker){0};
            OK(twill_dag_begin(tw, &g));
            add_ticks(g, &c, MOST);
            for (int e = 0; e < EDGES; e++) {
                int64_t x = (int64_t)test_random(&seed, MOST - 1);
                int64_t y = x + 1 + (int64_t)test_random(&seed, (uint64_t)(MOST - 1 - x));
                from[e] = turned ? y : x;
                to[e] = turned ? x : y;
                for (int k = 0; k <= e % 3; k++)
                    OK(twill_dag_edge(g, from[e], to[e]));
            }
            OK(twill_dag_run(g));
            OK(twill_wait(g));
            for (int i = 0; i < MOST; i++)
                assert_true(c.at[i] > 0);
            for (int e = 0; e < EDGES; e++)
                assert_true(c.at[from[e]] < c.at[to[e]]);
            twill_graph_free(g);
        }
        twill_stop(tw);
    }
}

TEST(an_empty_graph_runs)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < 3; i++) {
        OK(twill_dag_run(g));
        OK(twill_wait(g));
    }
    twill_graph_free(g);
    OK(twill_dag_begin(tw, &g)); /* never run */
    OK(twill_wait(g));
    twill_stop(tw);
}

TEST(tasks_and_edges_may_be_added_between_runs)
{
    twill *tw = test_start(3, NULL);
    twill_graph *g;
    ticker c = {0}, *arg = &c;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < 20; i++) {
        OK(twill_dag_add(g, NULL, &tick, TWILL_VALUE(arg), TWILL_INT(i)));
        if (i > 0)
            OK(twill_dag_edge(g, i - 1, i));
        atomic_store(&c.now, 0);
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        for (int k = 0; k <= i; k++)
            assert_int_equal(c.at[k], k + 1);
    }
    twill_stop(tw);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refuse_cycle(const int64_t (*edges)[2], int n, const char *const *names, int nnames)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    ticker c = {0}, *arg = &c;
    static const char *const all[] = {"alpha", "beta", "gamma", "delta"};
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < COUNT(all); i++)
        OK(twill_dag_add(g, NULL, &tick, TWILL_VALUE(arg), TWILL_INT(i), TWILL_NAME(all[i])));
    for (int i = 0; i < n; i++)
        OK(twill_dag_edge(g, edges[i][0], edges[i][1]));
    for (int round = 0; round < 2; round++) { /* it stays refused */
        REFUSED(twill_dag_run(g), TWILL_ERR_CYCLE, "cycle");
        for (int i = 0; i < nnames; i++)
            CONTAINS(twill_message(), names[i]);
    }
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&c.now), 0);
    twill_stop(tw);
}

TEST(a_cycle_is_named_with_its_tasks)
{
    const int64_t edges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 1}};
    refuse_cycle(edges, COUNT(edges), (const char *const[]){"beta", "gamma", "delta"}, 3);
    assert_null(strstr(twill_message(), "alpha")); /* before the cycle, not in it */
}

TEST(a_task_that_waits_for_itself_is_a_cycle)
{
    const int64_t edges[][2] = {{0, 1}, {2, 2}};
    refuse_cycle(edges, COUNT(edges), (const char *const[]){"gamma"}, 1);
}

/* The tasks behind a cycle cannot start either, but they are not the reason. */
TEST(what_lies_behind_a_cycle_is_not_blamed)
{
    const int64_t edges[][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 3}};
    refuse_cycle(edges, COUNT(edges), (const char *const[]){"alpha", "beta"}, 2);
    assert_null(strstr(twill_message(), "gamma"));
    assert_null(strstr(twill_message(), "delta"));
}

TEST(a_long_cycle_is_named_as_far_as_there_is_room)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    ticker c = {0};
    OK(twill_dag_begin(tw, &g));
    add_ticks(g, &c, MOST);
    for (int i = 0; i < MOST; i++)
        OK(twill_dag_edge(g, i, (i + 1) % MOST));
    REFUSED(twill_dag_run(g), TWILL_ERR_CYCLE, "...");
    CONTAINS(twill_message(), "tick");
    twill_stop(tw);
}

TEST(edges_between_tasks_that_do_not_exist_are_refused)
{
    const int64_t bad[][2] = {{0, 3}, {3, 0}, {-1, 0}, {0, -1}, {INT64_MAX, 0}};
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    ticker c = {0};
    OK(twill_dag_begin(tw, &g));
    add_ticks(g, &c, 3);
    for (int i = 0; i < COUNT(bad); i++)
        REFUSED(twill_dag_edge(g, bad[i][0], bad[i][1]), TWILL_ERR_ARGUMENT, "3 tasks");
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&c.now), 3);
    twill_stop(tw);
}

TEST(bad_tasks_are_refused)
{
    static const twill_reduction none = {.size = sizeof(twill_reduction), .name = "none"};
    twill *tw = test_start(1, NULL), *elsewhere = test_start(1, NULL);
    twill_graph *g;
    int64_t node = 77;
    twill_tile *tile = twill_tile_at(test_integers(tw, 1), 0, 0);
    twill_tile *foreign = twill_tile_at(test_integers(elsewhere, 1), 0, 0);
    static const twill_class empty = {.size = sizeof(twill_class), .name = "empty"};
    OK(twill_dag_begin(tw, &g));
    const twill_arg bad[] = {TWILL_COMMUTE(tile), TWILL_REDUCE(tile, &none), TWILL_R(NULL),
                             TWILL_R(foreign)};
    for (int i = 0; i < COUNT(bad); i++)
        assert_int_equal(twill_dag_add(g, &node, &test_count, bad[i]), TWILL_ERR_ARGUMENT);
    REFUSED(twill_dag_add(g, &node, &empty, TWILL_INT(0)), TWILL_ERR_ARGUMENT, "body");
    REFUSED(twill_dag_run(NULL), TWILL_ERR_ARGUMENT, "NULL");
    assert_int_equal(node, 77);
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    twill_stop(tw);
    twill_stop(elsewhere);
}

/* In a process of its own, as long as these bring it down. */
static int mix_front_ends(void *arg)
{
    int which = *(int *)arg;
    twill *tw;
    twill_graph *stf, *dag;
    atomic_int ran = 0, *count = &ran;
    if (twill_start(&tw, NULL) != TWILL_OK || twill_stf_begin(tw, &stf) != TWILL_OK ||
        twill_dag_begin(tw, &dag) != TWILL_OK)
        return 1;
    twill_status status = which == 0   ? twill_insert(dag, &test_count, TWILL_VALUE(count))
                          : which == 1 ? twill_dag_add(stf, NULL, &test_count, TWILL_VALUE(count))
                          : which == 2 ? twill_dag_edge(stf, 0, 0)
                          : which == 3 ? twill_dag_run(stf)
                                       : twill_dag_edge(NULL, 0, 0);
    twill_stop(tw);
    return status == TWILL_ERR_ARGUMENT || status == TWILL_ERR_STATE ? 0 : 2;
}

TEST(a_graph_of_the_other_kind_is_refused)
{
    for (int which = 0; which < 4; which++)
        assert_int_equal(test_child(mix_front_ends, &which, 5), 0);
}

TEST(an_edge_of_no_graph_is_refused)
{
    int which = 4;
    assert_int_equal(test_child(mix_front_ends, &which, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diamond_runs_from_top_to_bottom),
        cmocka_unit_test(random_graphs_keep_every_edge),
        cmocka_unit_test(an_empty_graph_runs),
        cmocka_unit_test(tasks_and_edges_may_be_added_between_runs),
        cmocka_unit_test(a_cycle_is_named_with_its_tasks),
        cmocka_unit_test(a_task_that_waits_for_itself_is_a_cycle),
        cmocka_unit_test(what_lies_behind_a_cycle_is_not_blamed),
        cmocka_unit_test(a_long_cycle_is_named_as_far_as_there_is_room),
        cmocka_unit_test(edges_between_tasks_that_do_not_exist_are_refused),
        cmocka_unit_test(bad_tasks_are_refused),
        cmocka_unit_test(a_graph_of_the_other_kind_is_refused),
        cmocka_unit_test(an_edge_of_no_graph_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
