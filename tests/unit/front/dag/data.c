/* Explicit graphs that use tiles: each run takes its place among the other users of the data. */
#include "support/test.h"

enum { TILES = 4 };

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome double_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) *= 2;
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};
static const twill_class twice = {
    .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_CPU(double_body)}};

/* A graph that doubles every tile, once per run. */
static twill_graph *make_doubling(twill *tw, twill_array *a)
{
    twill_graph *g;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < TILES; i++)
        OK(twill_dag_add(g, NULL, &twice, TWILL_RW(twill_tile_at(a, i, 0))));
    return g;
}

TEST(a_run_comes_after_the_tasks_before_it_and_before_those_after_it)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *stf;
        twill_array *a = test_integers(tw, TILES);
        twill_graph *dag = make_doubling(tw, a);
        int64_t wanted[TILES] = {0};
        OK(twill_stf_begin(tw, &stf));
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < TILES; i++) {
                for (int k = 0; k < 5; k++)
                    OK(twill_insert(stf, &add, TWILL_RW(twill_tile_at(a, i, 0)), TWILL_INT(i + 1)));
                wanted[i] = 2 * (wanted[i] + 5 * (i + 1)) - 1;
            }
            OK(twill_dag_run(dag));
            for (int i = 0; i < TILES; i++)
                OK(twill_insert(stf, &add, TWILL_RW(twill_tile_at(a, i, 0)), TWILL_INT(-1)));
            OK(twill_wait(dag)); /* only so that it may be run again */
        }
        OK(twill_wait(stf));
        for (int i = 0; i < TILES; i++)
            assert_int_equal(test_get(a, i), wanted[i]);
        twill_stop(tw);
    }
}

TEST(runs_of_different_graphs_on_the_same_data_come_one_after_the_other)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_array *a = test_integers(tw, TILES);
        twill_graph *one = make_doubling(tw, a), *two;
        OK(twill_dag_begin(tw, &two));
        for (int i = 0; i < TILES; i++)
            OK(twill_dag_add(two, NULL, &add, TWILL_RW(twill_tile_at(a, i, 0)), TWILL_INT(1)));
        int64_t wanted = 0;
        for (int round = 0; round < 20; round++) {
            OK(twill_dag_run(two));
            OK(twill_dag_run(one));
            wanted = 2 * (wanted + 1);
            OK(twill_wait(one));
            OK(twill_wait(two));
        }
        for (int i = 0; i < TILES; i++)
            assert_int_equal(test_get(a, i), wanted);
        twill_stop(tw);
    }
}

static twill_outcome pair_body(twill_task *t)
{
    int64_t *x = twill_task_data(t, 0), *y = twill_task_data(t, 1);
    *x += 1;
    return x == y || !y ? TWILL_DONE : TWILL_ERROR;
}

/* Edges alone order the tasks inside; the tiles are named by several of them, and twice by one. */
TEST(inside_a_graph_edges_alone_give_the_order)
{
    static const twill_class pair = {
        .size = sizeof(twill_class), .name = "pair", .chores = {TWILL_CPU(pair_body)}};
    twill *tw = test_start(4, NULL);
    twill_graph *g;
    twill_array *a = test_integers(tw, 1);
    twill_tile *tile = twill_tile_at(a, 0, 0);
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < 50; i++) {
        OK(twill_dag_add(g, NULL, &pair, TWILL_RW(tile), i % 2 ? TWILL_R(tile) : TWILL_INT(0)));
        if (i > 0)
            OK(twill_dag_edge(g, i - 1, i));
    }
    for (int round = 1; round <= 20; round++) {
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        assert_int_equal(test_get(a, 0), 50 * round);
    }
    twill_stop(tw);
}

TEST(a_run_waits_for_the_host_and_holds_it_back)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_integers(tw, TILES);
    twill_graph *g = make_doubling(tw, a);
    twill_view all = twill_view_all(a);
    void *data;
    int64_t ld;
    OK(twill_map(all, TWILL_WRITE, &data, &ld));
    OK(twill_dag_run(g));
    for (int i = 0; i < TILES; i++)
        ((int64_t *)data)[i] = 10 + i;
    test_sleep_ms(2);
    OK(twill_unmap(all, data));
    OK(twill_map(all, TWILL_READ, &data, &ld)); /* behind the run */
    for (int i = 0; i < TILES; i++)
        assert_int_equal(((int64_t *)data)[i], 2 * (10 + i));
    OK(twill_unmap(all, data));
    OK(twill_wait(g));
    twill_stop(tw);
}

/* In a process of its own, as long as it may wait for ever. */
static int wait_behind_own_map(void *arg)
{
    twill *tw;
    twill_array *a;
    twill_graph *g;
    void *data;
    int64_t ld;
    twill_pattern p = twill_tiled(TILES, 1, 1, 1);
    (void)arg;
    if (twill_start(&tw, NULL) != TWILL_OK || twill_dag_begin(tw, &g) != TWILL_OK ||
        twill_array_create(tw, &p, TWILL_BYTES, 8, &a) != TWILL_OK)
        return 1;
    twill_view v = twill_view_tile(a, 1, 0);
    if (twill_dag_add(g, NULL, &twice, TWILL_RW(twill_tile_at(a, 1, 0))) != TWILL_OK ||
        twill_map(v, TWILL_WRITE, &data, &ld) != TWILL_OK || twill_dag_run(g) != TWILL_OK)
        return 1;
    if (twill_wait(g) != TWILL_ERR_STUCK)
        return 2;
    if (twill_unmap(v, data) != TWILL_OK || twill_wait(g) != TWILL_OK)
        return 3; /* and all is well again */
    twill_stop(tw);
    return 0;
}

TEST(waiting_for_a_run_behind_ones_own_map_is_told)
{
    assert_int_equal(test_child(wait_behind_own_map, NULL, 3), 0);
}

TEST(a_run_that_reads_data_of_a_failed_graph_is_canceled)
{
    twill *tw = test_start(3, NULL);
    twill_graph *stf;
    twill_array *a = test_integers(tw, TILES);
    twill_graph *g = make_doubling(tw, a);
    OK(twill_stf_begin(tw, &stf));
    OK(twill_insert(stf, &test_planted, TWILL_RW(twill_tile_at(a, 2, 0))));
    OK(twill_dag_run(g));
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "failed");
    REFUSED(twill_wait(stf), TWILL_ERR_TASK, "planted");
    for (int i = 0; i < TILES; i++)
        assert_int_equal(test_get(a, i), 0);
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    twill_stop(tw);
}

TEST(what_a_failed_run_wrote_cancels_those_who_read_it)
{
    twill *tw = test_start(3, NULL);
    twill_graph *g, *stf;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_integers(tw, 2);
    OK(twill_stf_begin(tw, &stf));
    OK(twill_dag_begin(tw, &g));
    OK(twill_dag_add(g, NULL, &test_planted, TWILL_RW(twill_tile_at(a, 0, 0)),
                     TWILL_R(twill_tile_at(a, 1, 0))));
    OK(twill_dag_run(g));
    OK(twill_insert(stf, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 1, 0))));
    OK(twill_wait(stf)); /* only read by the run: clean */
    OK(twill_insert(stf, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 0, 0))));
    REFUSED(twill_wait(stf), TWILL_ERR_CANCELED, "count");
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    OK(twill_insert(stf, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 0, 0))));
    OK(twill_wait(stf));
    assert_int_equal(atomic_load(&ran), 2);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_after_the_tasks_before_it_and_before_those_after_it),
        cmocka_unit_test(runs_of_different_graphs_on_the_same_data_come_one_after_the_other),
        cmocka_unit_test(inside_a_graph_edges_alone_give_the_order),
        cmocka_unit_test(a_run_waits_for_the_host_and_holds_it_back),
        cmocka_unit_test(waiting_for_a_run_behind_ones_own_map_is_told),
        cmocka_unit_test(a_run_that_reads_data_of_a_failed_graph_is_canceled),
        cmocka_unit_test(what_a_failed_run_wrote_cancels_those_who_read_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
