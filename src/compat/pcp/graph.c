/* Building a graph, and running it. */
#include "compat/pcp/runtime.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building
 * ------------------------------------------------------------------------------------ */

void tw_pcp_drop_graph(void)
{
    tw_pcp *p = &tw_pcp_state;
    twill_graph_free(p->graph);
    for (int i = 0; i < p->ntasks; i++) {
        free(p->tasks[i]->arg);
        free(p->tasks[i]);
    }
    p->graph = NULL;
    p->ntasks = p->nchanges = 0;
    p->stage = TW_PCP_NO_GRAPH;
    p->account = (twill_account){.size = sizeof p->account};
}

void pcp_begin_graph(void)
{
    tw_pcp *p = &tw_pcp_state;
    if (!tw_pcp_is_started("pcp_begin_graph"))
        return;
    tw_pcp_drop_graph();
    if (twill_dag_begin(p->tw, &p->graph) == TWILL_OK)
        p->stage = TW_PCP_OPEN;
    else
        tw_pcp_complain("pcp_begin_graph: %s", twill_message());
}

static bool is_open(const char *who)
{
    if (tw_pcp_state.stage != TW_PCP_OPEN)
        tw_pcp_complain("%s: call pcp_begin_graph first", who);
    return tw_pcp_state.stage == TW_PCP_OPEN;
}

static tw_pcp_task *add(tw_pcp *p, const tw_pcp_type *type, void *arg)
{
    int64_t node;
    tw_pcp_task *task = calloc(1, sizeof *task);
    if (!task || !tw_pcp_grow(&p->tasks, p->ntasks, &p->task_room, sizeof *p->tasks) ||
        twill_dag_add(p->graph, &node, &type->cls, TWILL_VALUE(task), TWILL_INT(p->ntasks)) !=
            TWILL_OK) {
        tw_pcp_complain("pcp_insert_task: %s", task ? twill_message() : "no memory");
        free(task);
        return NULL;
    }
    task->type = type;
    task->arg = arg;
    task->handle = p->ntasks;
    return task;
}

pcp_task_handle_t pcp_insert_task(pcp_task_type_handle_t type, void *arg)
{
    tw_pcp *p = &tw_pcp_state;
    if (!is_open("pcp_insert_task"))
        return PCP_TASK_HANDLE_NULL;
    if (type < 0 || type >= p->ntypes) {
        tw_pcp_complain("pcp_insert_task: there is no type %d", type);
        return PCP_TASK_HANDLE_NULL;
    }
    tw_pcp_task *task = add(p, p->types[type], arg);
    if (!task)
        return PCP_TASK_HANDLE_NULL;
    p->tasks[p->ntasks] = task;
    return p->ntasks++;
}

void pcp_insert_dependence(pcp_task_handle_t source, pcp_task_handle_t sink)
{
    tw_pcp *p = &tw_pcp_state;
    if (!is_open("pcp_insert_dependence"))
        return;
    if (source < 0 || sink >= p->ntasks || source >= sink)
        tw_pcp_complain("pcp_insert_dependence: %d to %d: both are tasks, and the source was "
                        "inserted first",
                        source, sink);
    else if (twill_dag_edge(p->graph, source, sink) != TWILL_OK)
        tw_pcp_complain("pcp_insert_dependence: %s", twill_message());
}

void pcp_end_graph(void)
{
    tw_pcp *p = &tw_pcp_state;
    if (!is_open("pcp_end_graph"))
        return;
    p->stage = TW_PCP_CLOSED;
    for (int i = 0; i < p->ntasks; i++)
        if (twill_dag_height(p->graph, i, NULL, &p->tasks[i]->critical) != TWILL_OK)
            tw_pcp_complain("pcp_end_graph: %s", twill_message());
}

/* ---- bodies
 * -------------------------------------------------------------------------------------- */

static tw_pcp_task *task_of(twill_task *t)
{
    return *(tw_pcp_task *const *)twill_task_data(t, 0);
}

twill_outcome tw_pcp_run_alone(twill_task *t)
{
    tw_pcp_task *task = task_of(t);
    task->first = twill_task_worker(t);
    task->members = 1;
    task->begin = tw_seconds();
    task->type->bodies.sequential_impl(task->arg);
    atomic_store_explicit(&task->end, tw_seconds(), memory_order_relaxed);
    return TWILL_DONE;
}

twill_outcome tw_pcp_run_together(twill_task *t, twill_team *team)
{
    tw_pcp_task *task = task_of(t);
    int rank = twill_team_rank(team);
    if (rank == 0) {
        task->first = twill_task_worker(t);
        task->members = twill_team_size(team);
        task->begin = tw_seconds();
    }
    task->type->bodies.parallel_impl(task->arg, twill_team_size(team), rank);
    double now = tw_seconds(), end = atomic_load_explicit(&task->end, memory_order_relaxed);
    while (now > end && !atomic_compare_exchange_weak_explicit(
                            &task->end, &end, now, memory_order_relaxed, memory_order_relaxed))
        ;
    return TWILL_DONE;
}

/* ---- running
 * ------------------------------------------------------------------------------------- */

/* Cores that have been idle are slow at first. */
static twill_outcome warm_up_body(twill_task *t)
{
    (void)t;
    double until = tw_seconds() + 1e-3;
    while (tw_seconds() < until)
        ;
    return TWILL_DONE;
}

static void warm_up(twill *tw)
{
    static const twill_class warm_up_class = {
        .size = sizeof(twill_class), .name = "warm-up", .chores = {TWILL_CPU(warm_up_body)}};
    twill_graph *graph;
    if (twill_stf_begin(tw, &graph) != TWILL_OK)
        return; /* the run comes all the same */
    for (int i = 0; i < twill_workers(tw); i++)
        twill_insert(graph, &warm_up_class);
    twill_wait(graph);
    twill_graph_free(graph);
}

/* The critical tasks in the order of the path, which is that of insertion; returns how many. */
static int critical_tasks(const tw_pcp *p, int64_t *list)
{
    int n = 0;
    for (int i = 0; i < p->ntasks; i++)
        if (p->tasks[i]->critical)
            list[n++] = i;
    return n;
}

/* Sizes that standard input does not have are 1. */
static void read_prescribed(int *sizes, int n)
{
    int got = 0;
    while (got < n && scanf("%d", &sizes[got]) == 1)
        got++;
    if (got < n)
        tw_pcp_complain("pcp_execute_graph: standard input has %d sizes, and %d tasks are "
                        "critical; the others get 1",
                        got, n);
    for (int i = 0; i < n; i++)
        sizes[i] = i < got && sizes[i] > 1 ? sizes[i] : 1;
}

static void print_prescribed(const tw_pcp *p, const int64_t *list, const int *sizes, int n)
{
    printf("%10s %10s %10s\n", "prescribed", "actual", "difference");
    for (int i = 0; i < n; i++) {
        int actual = p->tasks[list[i]]->members;
        printf("%10d %10d %10d\n", sizes[i], actual, actual - sizes[i]);
    }
}

static void complain_if(twill_status status)
{
    if (status != TWILL_OK)
        tw_pcp_complain("pcp_execute_graph: %s", twill_message());
}

static void run(tw_pcp *p)
{
    p->changes[0] = (tw_pcp_change){0, p->size}; /* the size it begins with */
    p->nchanges = 1;
    complain_if(twill_account_begin(p->tw));
    twill_status status = twill_dag_run(p->graph);
    if (status == TWILL_OK)
        status = twill_wait(p->graph);
    complain_if(status);
    complain_if(twill_account_end(p->tw, &p->account));
}

void pcp_execute_graph(void)
{
    tw_pcp *p = &tw_pcp_state;
    if (p->stage != TW_PCP_CLOSED) {
        tw_pcp_complain(p->stage == TW_PCP_RAN
                            ? "pcp_execute_graph: a graph runs once, since the arguments of its "
                              "tasks are freed then"
                            : "pcp_execute_graph: there is no graph that pcp_end_graph has ended");
        return;
    }
    size_t n = (size_t)p->ntasks + 1;
    int64_t *list = calloc(n, sizeof *list);
    int *sizes = calloc(n, sizeof *sizes);
    if (!list || !sizes || !tw_pcp_grow(&p->changes, 0, &p->change_room, sizeof *p->changes)) {
        tw_pcp_complain("pcp_execute_graph: no memory");
    } else {
        bool prescribed = p->mode == PCP_PRESCRIBED;
        int count = prescribed ? critical_tasks(p, list) : 0;
        if (prescribed) {
            read_prescribed(sizes, count);
            tw_pcp_configure(sizes, count);
        }
        warm_up(p->tw);
        run(p);
        p->stage = TW_PCP_RAN;
        if (prescribed)
            print_prescribed(p, list, sizes, count);
    }
    free(list);
    free(sizes);
    for (int i = 0; i < p->ntasks && p->stage == TW_PCP_RAN; i++) {
        free(p->tasks[i]->arg);
        p->tasks[i]->arg = NULL;
    }
}
