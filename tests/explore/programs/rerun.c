/* Ends and runs again: an explicit and a parameterised graph are run again as soon as that is
 * allowed, without twill_wait. Each run that was accepted runs all tasks and ends. */
#include "_common.h"

enum { RUNS = 4, NODES = 3, INSTANCES = 3 };
static atomic_int nodes, instances;

static twill_outcome node_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&nodes, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class node = {
    .size = sizeof(twill_class), .name = "node", .chores = {TWILL_CPU(node_body)}};

static twill_outcome instance_body(twill_task *t, const void *g, const int64_t *p,
                                   const twill_flow *f)
{
    (void)t, (void)g, (void)p, (void)f;
    atomic_fetch_add(&instances, 1);
    progress();
    return TWILL_DONE;
}

static int64_t no_inputs(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 0;
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < INSTANCES;
}

static const twill_ptg_class cls = {
    .size = sizeof(twill_ptg_class),
    .name = "instance",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "c", .mode = TWILL_FLOW_CTL}},
    .inputs = no_inputs,
    .startup = startup,
    .chores = {TWILL_CPU(instance_body)}};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "again",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&cls}};

static twill_graph *make_dag(twill *tw, twill_array *a)
{
    twill_graph *g;
    succeed(twill_dag_begin(tw, &g), "twill_dag_begin");
    for (int i = 0; i < NODES; i++) {
        int64_t number;
        succeed(twill_dag_add(g, &number, &node, TWILL_RW(twill_tile_at(a, i % 2, 0))),
                "twill_dag_add");
        if (i)
            succeed(twill_dag_edge(g, i - 1, i), "twill_dag_edge");
    }
    return g;
}

static void run_often(twill_graph *g, twill_status (*run)(twill_graph *g))
{
    for (int r = 0; r < RUNS; r++) {
        twill_status status;
        while ((status = run(g)) == TWILL_ERR_STATE)
            nap_ns((long)draw(100));
        succeed(status, "a run is refused");
    }
}

int main(void)
{
    twill *tw = start();
    twill_graph *dag = make_dag(tw, integers(tw, 2)), *ptg;
    int unused = 0;
    succeed(twill_ptg_new(tw, &definition, &unused, sizeof unused, &ptg), "twill_ptg_new");
    bool polls = twill_workers(tw) > 1; /* else nobody works meanwhile */
    for (int r = 0; r < (polls ? 1 : RUNS); r++) {
        if (polls) {
            run_often(dag, twill_dag_run);
            run_often(ptg, twill_ptg_run);
        } else {
            succeed(twill_dag_run(dag), "twill_dag_run");
            succeed(twill_ptg_run(ptg), "twill_ptg_run");
        }
        succeed(twill_wait(dag), "twill_wait");
        succeed(twill_wait(ptg), "twill_wait");
    }
    must(nodes == RUNS * NODES, "an explicit graph did not run all tasks");
    must(instances == RUNS * INSTANCES, "a parameterised graph did not run all tasks");
    twill_stop(tw);
    return 0;
}
