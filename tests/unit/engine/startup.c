/* Startup tasks: all run, once each, whoever asked for them and whatever else goes on. */
#include "support/test.h"

#include <pthread.h>

typedef struct globals {
    int64_t tasks;
    _Atomic int64_t *sum;
} globals;

static int64_t no_inputs(const void *globals_, const int64_t *p)
{
    (void)globals_, (void)p;
    return 0;
}

static bool startup(const void *globals_, int64_t *p, bool first)
{
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < ((const globals *)globals_)->tasks;
}

static twill_outcome add(twill_task *t, const void *globals_, const int64_t *p,
                         const twill_flow *flow)
{
    const globals *g = globals_;
    (void)t, (void)flow;
    atomic_fetch_add(g->sum, p[0] + 1);
    return TWILL_DONE;
}

static const char *const parameters[] = {"i"};
static const twill_ptg_class adder = {.size = sizeof(twill_ptg_class),
                                      .name = "ADD",
                                      .parameters = 1,
                                      .parameter = parameters,
                                      .inputs = no_inputs,
                                      .startup = startup,
                                      .chores = {TWILL_CPU(add)}};
static const twill_ptg_class *const classes[] = {&adder};
static const twill_ptg_graph adders = {
    .size = sizeof(twill_ptg_graph), .name = "adders", .classes = 1, .cls = classes};

static twill_graph *begin(twill *tw, const twill_ptg_graph *definition, const globals *g)
{
    twill_graph *graph = NULL;
    OK(twill_ptg_new(tw, definition, g, sizeof *g, &graph));
    OK(twill_ptg_run(graph));
    return graph;
}

TEST(all_run_under_every_scheduler)
{
    for (int i = 0; i < test_nsetups; i++) {
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        _Atomic int64_t sum = 0;
        const globals g = {test_slow() ? 2000 : 20000, &sum};
        twill_graph *graph = begin(tw, &adders, &g);
        OK(twill_wait(graph));
        assert_int_equal(sum, g.tasks * (g.tasks + 1) / 2);
        twill_graph_free(graph);
        twill_stop(tw);
    }
}

static bool ends_by_itself(const twill_graph *graph)
{
    int64_t added = 1, done = 0;
    for (int ms = 0; ms < 60000 && added > done; ms++) {
        twill_graph_progress(graph, &added, &done);
        test_sleep_ms(1);
    }
    return added == done;
}

/* ---- a thread that waits for something else ----------------------------------------------- */

static pthread_t waiter;
static int by_waiter, enough; /* startup tasks that it has run, and that it is to run */
static _Atomic(twill_task *) awaited;

static twill_outcome leave_open(twill_task *t)
{
    atomic_store(&awaited, t);
    return TWILL_ASYNC;
}

static const twill_class left_open = {
    .size = sizeof(twill_class), .name = "left_open", .chores = {TWILL_CPU(leave_open)}};

/* The waiter itself ends its wait, between two of its startup tasks. */
static twill_outcome add_or_end(twill_task *t, const void *globals_, const int64_t *p,
                                const twill_flow *flow)
{
    const globals *g = globals_;
    bool its = pthread_equal(pthread_self(), waiter);
    if ((its && ++by_waiter >= enough) || p[0] == g->tasks - 1) {
        twill_task *open = atomic_exchange(&awaited, NULL);
        if (open)
            twill_task_done(open, TWILL_OK);
    }
    return add(t, globals_, p, flow);
}

static const twill_ptg_class ender = {.size = sizeof(twill_ptg_class),
                                      .name = "ADD",
                                      .parameters = 1,
                                      .parameter = parameters,
                                      .inputs = no_inputs,
                                      .startup = startup,
                                      .chores = {TWILL_CPU(add_or_end)}};
static const twill_ptg_class *const enders[] = {&ender};
static const twill_ptg_graph ended = {
    .size = sizeof(twill_ptg_graph), .name = "enders", .classes = 1, .cls = enders};

/* Whoever waits for something else works on these tasks too, and must not take any of them along
 * when it goes. */
TEST(a_waiter_that_leaves_keeps_none)
{
    waiter = pthread_self();
    for (enough = 1000; enough < 1005; enough++) {
        twill *tw = test_start(2, NULL);
        _Atomic int64_t sum = 0;
        const globals g = {test_slow() ? 10000 : 500000, &sum};
        by_waiter = 0;
        twill_graph *other;
        OK(twill_stf_begin(tw, &other));
        OK(twill_insert(other, &left_open));
        while (!atomic_load(&awaited))
            test_sleep_ms(1);
        twill_graph *graph = begin(tw, &ended, &g);
        OK(twill_wait(other));
        assert_true(ends_by_itself(graph));
        assert_int_equal(sum, g.tasks * (g.tasks + 1) / 2);
        OK(twill_wait(graph));
        twill_graph_free(other);
        twill_graph_free(graph);
        twill_stop(tw);
    }
}

/* ---- several at a time -------------------------------------------------------------------- */

static atomic_int begun, met;

/* Wait for the other one to begin. */
static twill_outcome meet(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&begun, 1);
    for (int ms = 0; ms < 5000 && atomic_load(&begun) < 2; ms++)
        test_sleep_ms(1);
    atomic_fetch_add(&met, atomic_load(&begun) == 2);
    return TWILL_DONE;
}

static const twill_class meeting = {
    .size = sizeof(twill_class), .name = "meeting", .chores = {TWILL_CPU(meet)}};

/* A worker gets several at a time and runs one: that one may be long. */
TEST(others_get_what_a_worker_does_not_run)
{
    for (int i = 0; i < test_nsetups; i++) {
        if (test_setups[i].workers < 2)
            continue;
        twill *tw = test_start(test_setups[i].workers, test_setups[i].sched);
        twill_graph *g;
        begun = met = 0;
        OK(twill_dag_begin(tw, &g));
        for (int k = 0; k < 2; k++)
            OK(twill_dag_add(g, NULL, &meeting, TWILL_INT(k)));
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        assert_int_equal(met, 2);
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_run_under_every_scheduler),
        cmocka_unit_test(a_waiter_that_leaves_keeps_none),
        cmocka_unit_test(others_get_what_a_worker_does_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
