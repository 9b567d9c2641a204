/* Explicit graphs: run again and again, among other graphs, and after failures. */
#include "support/limit.h"
#include "support/test.h"

#include "base/mix.h"

enum { SECONDS = 60, LAYERS = 6, WIDTH = 5, NODES = LAYERS * WIDTH };

/* ---- many runs ------------------------------------------------------------------------------ */

/* A net in which each node mixes what its predecessors in the layer before hold: any run out of
 * order changes the result. */
typedef struct net {
    uint64_t value[NODES];
    atomic_int ran;
} net;

static uint64_t mixed(const net *n, int64_t node)
{
    uint64_t x = tw_mix(n->value[node]);
    for (int64_t k = 0; node >= WIDTH && k < WIDTH; k++)
        x = tw_mix(x ^ n->value[(node / WIDTH - 1) * WIDTH + k]);
    return x;
}

static twill_outcome mix_body(twill_task *t)
{
    net *n = *(net *const *)twill_task_data(t, 0);
    int64_t node = twill_task_int(t, 1);
    n->value[node] = mixed(n, node);
    atomic_fetch_add(&n->ran, 1);
    return TWILL_DONE;
}

static const twill_class mix = {
    .size = sizeof(twill_class), .name = "mix", .chores = {TWILL_CPU(mix_body)}};

static twill_graph *make_net(twill *tw, net *n)
{
    twill_graph *g;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < NODES; i++) {
        OK(twill_dag_add(g, NULL, &mix, TWILL_VALUE(n), TWILL_INT(i)));
        for (int k = 0; i >= WIDTH && k < WIDTH; k++)
            OK(twill_dag_edge(g, (i / WIDTH - 1) * WIDTH + k, i));
    }
    return g;
}

TEST(a_thousand_runs_give_what_a_thousand_rounds_in_order_give)
{
    int runs = test_slow() ? 100 : 1000;
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        net n = {.ran = 0}, model = {.ran = 0};
        twill_graph *g = make_net(tw, &n);
        for (int r = 0; r < runs; r++) {
            OK(twill_dag_run(g));
            OK(twill_wait(g));
            for (int i = 0; i < NODES; i++)
                model.value[i] = mixed(&model, i);
        }
        assert_memory_equal(n.value, model.value, sizeof n.value);
        assert_int_equal(atomic_load(&n.ran), runs * NODES);
        twill_stop(tw);
    }
}

/* One short task per run: the end of a run and the next one are as close as they can be. */
TEST(a_graph_that_was_waited_for_can_be_run_at_once)
{
    const int workers[] = {2, 3, 4};
    for (int k = 0; k < COUNT(workers); k++) {
        twill *tw = test_start(workers[k], NULL);
        twill_graph *g;
        int runs = test_slow() ? 2000 : 40000;
        atomic_int ran = 0, *count = &ran;
        OK(twill_dag_begin(tw, &g));
        for (int i = 0; i < 3; i++)
            OK(twill_dag_add(g, NULL, &test_count, TWILL_VALUE(count)));
        for (int r = 0; r < runs; r++) {
            OK(twill_dag_run(g));
            OK(twill_wait(g));
        }
        assert_int_equal(atomic_load(&ran), 3 * runs);
        twill_stop(tw);
    }
}

/* The same without a wait: the next run begins as soon as the last one is over, and ends. */
TEST(a_graph_can_be_run_as_soon_as_that_is_not_refused)
{
    for (int workers = 2; workers <= 4; workers++) {
        twill *tw = test_start(workers, NULL);
        twill_array *a = test_integers(tw, 1);
        twill_graph *g;
        int runs = test_slow() ? 2000 : 20000;
        atomic_int ran = 0, *count = &ran;
        limit_begin(tw, SECONDS, "%d workers", workers);
        OK(twill_dag_begin(tw, &g));
        OK(twill_dag_add(g, NULL, &test_count, TWILL_VALUE(count),
                         TWILL_RW(twill_tile_at(a, 0, 0))));
        for (int r = 0; r < runs; r++) {
            twill_status status;
            while ((status = twill_dag_run(g)) == TWILL_ERR_STATE)
                ;
            OK(status);
        }
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), runs);
        limit_end();
        twill_stop(tw);
    }
}

TEST(several_graphs_run_side_by_side)
{
    enum { GRAPHS = 5 };
    twill *tw = test_start(4, NULL);
    net n[GRAPHS] = {{.ran = 0}};
    twill_graph *g[GRAPHS];
    for (int i = 0; i < GRAPHS; i++)
        g[i] = make_net(tw, &n[i]);
    for (int r = 0; r < 50; r++) {
        for (int i = 0; i < GRAPHS; i++)
            OK(twill_dag_run(g[i]));
        for (int i = 0; i < GRAPHS; i++)
            OK(twill_wait(g[i]));
    }
    for (int i = 0; i < GRAPHS; i++)
        assert_int_equal(atomic_load(&n[i].ran), 50 * NODES);
    twill_stop(tw);
}

/* ---- while it runs -------------------------------------------------------------------------- */

/* Add a task that stays to an explicit graph; wait_held waits until its body has run. */
static void add_hold(twill_graph *g, test_hold *hold, twill_arg data)
{
    atomic_store(&hold->task, NULL);
    OK(twill_dag_add(g, NULL, &test_hold_class, TWILL_VALUE(hold), data));
}

static void wait_held(const test_hold *hold)
{
    for (int i = 0; i < 10000 && !atomic_load(&hold->task); i++)
        test_sleep_ms(1);
    assert_non_null(atomic_load(&hold->task));
}

TEST(a_graph_that_runs_cannot_be_run_or_changed)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    OK(twill_dag_begin(tw, &g));
    add_hold(g, &hold, TWILL_INT(0));
    OK(twill_dag_run(g));
    wait_held(&hold);
    REFUSED(twill_dag_run(g), TWILL_ERR_STATE, "running");
    REFUSED(twill_dag_add(g, NULL, &mix, TWILL_INT(0)), TWILL_ERR_STATE, "running");
    REFUSED(twill_dag_edge(g, 0, 0), TWILL_ERR_STATE, "running");
    test_hold_end(&hold);
    OK(twill_wait(g));
    atomic_store(&hold.task, NULL);
    OK(twill_dag_run(g));
    wait_held(&hold);
    test_hold_end(&hold);
    OK(twill_wait(g));
    twill_stop(tw);
}

/* ---- failures ------------------------------------------------------------------------------- */

typedef struct switchable {
    atomic_int fail, ran;
} switchable;

static twill_outcome switch_body(twill_task *t)
{
    switchable *s = *(switchable *const *)twill_task_data(t, 0);
    if (atomic_load(&s->fail))
        return twill_task_fail(t, "switched on");
    atomic_fetch_add(&s->ran, 1);
    return TWILL_DONE;
}

static const twill_class switched = {
    .size = sizeof(twill_class), .name = "switched", .chores = {TWILL_CPU(switch_body)}};

/* A chain of three whose middle fails on demand; `data` goes with every task. */
static void check_failing_chain(twill *tw, twill_arg data)
{
    twill_graph *g;
    switchable s = {0}, *arg = &s;
    atomic_int ran = 0, *count = &ran;
    OK(twill_dag_begin(tw, &g));
    OK(twill_dag_add(g, NULL, &test_count, TWILL_VALUE(count), data));
    OK(twill_dag_add(g, NULL, &switched, TWILL_VALUE(arg), data, TWILL_NAME("middle")));
    OK(twill_dag_add(g, NULL, &test_count, TWILL_VALUE(count), data));
    OK(twill_dag_edge(g, 0, 1));
    OK(twill_dag_edge(g, 1, 2));
    for (int round = 0; round < 6; round++) {
        bool fails = round % 3 == 1;
        atomic_store(&s.fail, fails);
        atomic_store(&ran, 0);
        OK(twill_dag_run(g));
        if (fails)
            REFUSED(twill_wait(g), TWILL_ERR_TASK, "middle");
        else
            OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), fails ? 1 : 2);
    }
    twill_graph_free(g);
}

TEST(a_graph_whose_task_failed_can_be_run_again)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        check_failing_chain(tw, TWILL_INT(0));
        twill_stop(tw);
    }
}

TEST(a_graph_with_data_whose_task_failed_can_be_run_again)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_array *a = test_integers(tw, 1);
        check_failing_chain(tw, TWILL_RW(twill_tile_at(a, 0, 0)));
        twill_stop(tw);
    }
}

TEST(a_canceled_run_ends_and_the_next_one_works)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    test_hold hold;
    atomic_int ran = 0, *count = &ran;
    OK(twill_dag_begin(tw, &g));
    add_hold(g, &hold, TWILL_INT(0));
    OK(twill_dag_add(g, NULL, &test_count, TWILL_VALUE(count)));
    OK(twill_dag_edge(g, 0, 1));
    for (int cancel = 1; cancel >= 0; cancel--) {
        atomic_store(&hold.task, NULL);
        OK(twill_dag_run(g));
        wait_held(&hold);
        if (cancel)
            twill_cancel(g);
        test_hold_end(&hold);
        assert_int_equal(twill_wait(g), cancel ? TWILL_ERR_CANCELED : TWILL_OK);
        assert_int_equal(atomic_load(&ran), !cancel);
    }
    twill_stop(tw);
}

/* ---- hints and values ----------------------------------------------------------------------- */

static twill_outcome order_body(twill_task *t)
{
    int64_t *at = *(int64_t *const *)twill_task_data(t, 0);
    at[++at[0]] = twill_task_int(t, 1);
    return TWILL_DONE;
}

TEST(priorities_order_what_edges_leave_open)
{
    static const twill_class order = {
        .size = sizeof(twill_class), .name = "order", .chores = {TWILL_CPU(order_body)}};
    const int64_t priority[] = {1, 5, INT64_MAX, -2, INT64_C(1) << 40, 3};
    const int64_t wanted[] = {6, 2, 4, 1, 5, 0, 3};
    twill *tw = test_start(1, "prio");
    twill_graph *g;
    int64_t at[7] = {0}, *arg = at;
    atomic_int ran = 0, *count = &ran;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < COUNT(priority); i++)
        OK(twill_dag_add(g, NULL, &order, TWILL_VALUE(arg), TWILL_INT(i),
                         TWILL_PRIORITY(priority[i])));
    /* one root, so that all of them become ready together */
    OK(twill_dag_add(g, NULL, &test_count, TWILL_VALUE(count)));
    for (int i = 0; i < COUNT(priority); i++)
        OK(twill_dag_edge(g, COUNT(priority), i));
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    assert_memory_equal(at, wanted, sizeof wanted);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_runs_give_what_a_thousand_rounds_in_order_give),
        cmocka_unit_test(a_graph_that_was_waited_for_can_be_run_at_once),
        LIMITED_TEST(a_graph_can_be_run_as_soon_as_that_is_not_refused),
        cmocka_unit_test(several_graphs_run_side_by_side),
        cmocka_unit_test(a_graph_that_runs_cannot_be_run_or_changed),
        cmocka_unit_test(a_graph_whose_task_failed_can_be_run_again),
        cmocka_unit_test(a_graph_with_data_whose_task_failed_can_be_run_again),
        cmocka_unit_test(a_canceled_run_ends_and_the_next_one_works),
        cmocka_unit_test(priorities_order_what_edges_leave_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
