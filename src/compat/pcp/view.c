/* Statistics and traces of the last run. */
#include "compat/pcp/runtime.h"

#include <stdio.h>
#include <stdlib.h>

static bool has_run(const char *who)
{
    if (tw_pcp_state.stage != TW_PCP_RAN)
        tw_pcp_complain("%s: no graph has run", who);
    return tw_pcp_state.stage == TW_PCP_RAN;
}

/* ---- statistics
 * ---------------------------------------------------------------------------------- */

static double first_begin(const tw_pcp *p)
{
    double first = p->ntasks > 0 ? p->tasks[0]->begin : 0;
    for (int i = 1; i < p->ntasks; i++)
        first = p->tasks[i]->begin < first ? p->tasks[i]->begin : first;
    return first;
}

static double end_of(const tw_pcp_task *task)
{
    return atomic_load_explicit(&task->end, memory_order_relaxed);
}

static double last_end(const tw_pcp *p)
{
    double last = 0;
    for (int i = 0; i < p->ntasks; i++)
        last = end_of(p->tasks[i]) > last ? end_of(p->tasks[i]) : last;
    return last;
}

/* Members of the set, summed over time. */
static double reserved_seconds(const tw_pcp *p, double begin, double end)
{
    double sum = 0;
    for (int i = 0; i < p->nchanges; i++) {
        double from = p->changes[i].time > begin ? p->changes[i].time : begin;
        double to =
            i + 1 < p->nchanges && p->changes[i + 1].time < end ? p->changes[i + 1].time : end;
        sum += to > from ? p->changes[i].size * (to - from) : 0;
    }
    return sum;
}

/* Edges come in the order of their sinks or not, tasks in an order in which they could run. */
static double longest_path(const tw_pcp *p)
{
    double longest = 0, *path = calloc((size_t)p->ntasks + 1, sizeof *path);
    int *first = calloc((size_t)p->ntasks + 2, sizeof *first);
    int *sources = calloc((size_t)p->nedges + 1, sizeof *sources);
    if (path && first && sources) {
        for (int e = 0; e < p->nedges; e++)
            first[p->edges[e].to + 2]++;
        for (int i = 2; i <= p->ntasks; i++)
            first[i] += first[i - 1];
        for (int e = 0; e < p->nedges; e++)
            sources[first[p->edges[e].to + 1]++] = p->edges[e].from;
        for (int i = 0; i < p->ntasks; i++) {
            for (int e = first[i]; e < first[i + 1]; e++)
                path[i] = path[sources[e]] > path[i] ? path[sources[e]] : path[i];
            path[i] += end_of(p->tasks[i]) - p->tasks[i]->begin;
            longest = path[i] > longest ? path[i] : longest;
        }
    } else {
        tw_pcp_complain("pcp_execute_graph: no memory for the longest path");
    }
    free(path);
    free(first);
    free(sources);
    return longest;
}

void tw_pcp_add_up(tw_pcp *p)
{
    double begin = first_begin(p), end = last_end(p);
    struct pcp_statistics *s = &p->statistics;
    *s = (struct pcp_statistics){.execution_time = p->ntasks > 0 ? end - begin : 0};
    p->busy_reserved = 0;
    for (int i = 0; i < p->ntasks; i++) {
        const tw_pcp_task *task = p->tasks[i];
        double seconds = end_of(task) - task->begin, busy = task->members * seconds;
        *(task->critical ? &s->cost_critical : &s->cost_noncritical) += busy;
        s->critical_path_length += task->critical ? seconds : 0;
        p->busy_reserved += task->reserved ? busy : 0;
    }
    s->cost = s->execution_time * twill_workers(p->tw);
    s->cost_reserved = reserved_seconds(p, begin, end);
    s->cost_other = s->cost - s->cost_reserved;
    s->longest_path_length = longest_path(p);
}

void pcp_view_statistics(struct pcp_statistics *stats)
{
    *stats = tw_pcp_state.statistics;
    has_run("pcp_view_statistics");
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_share(const char *name, double seconds, double of)
{
    printf("%-21s = %.6f (%5.1f%%)\n", name, seconds, percent(seconds, of));
}

void pcp_view_statistics_stdout(void)
{
    const tw_pcp *p = &tw_pcp_state;
    const struct pcp_statistics *s = &p->statistics;
    if (!has_run("pcp_view_statistics_stdout"))
        return;
    int workers = twill_workers(p->tw);
    double busy = s->cost_critical + s->cost_noncritical;
    printf("\nStatistics of %d tasks on %d worker%s\n", p->ntasks, workers,
           workers == 1 ? "" : "s");
    printf("%-21s = %.6f\n", "Execution time", s->execution_time);
    printf("%-21s = %.6f\n", "Resource utilization", s->cost > 0 ? busy / s->cost : 0);
    print_share("Critical path length", s->critical_path_length, s->execution_time);
    print_share("Longest path length", s->longest_path_length, s->execution_time);
    printf("%-21s = %.6f\n", "Cost", s->cost);
    print_share("..reserved", s->cost_reserved, s->cost);
    print_share("....busy", p->busy_reserved, s->cost_reserved);
    print_share("..other", s->cost_other, s->cost);
    print_share("....busy", busy - p->busy_reserved, s->cost_other);
    print_share("Task cost", busy, s->cost);
    print_share("Task cost per core", busy / workers, s->execution_time);
}

/* ---- traces
 * -------------------------------------------------------------------------------------- */

static struct pcp_event event_of(const tw_pcp *p, int i, double origin)
{
    const tw_pcp_task *task = p->tasks[i];
    int type = 0;
    while (p->types[type] != task->type)
        type++;
    return (struct pcp_event){.task_type = type,
                              .task = task->handle,
                              .is_critical = task->critical,
                              .first_core = task->first,
                              .num_cores = task->members,
                              .begin = task->begin - origin,
                              .end =
                                  atomic_load_explicit(&task->end, memory_order_relaxed) - origin};
}

void pcp_view_trace(struct pcp_trace *trace)
{
    const tw_pcp *p = &tw_pcp_state;
    *trace = (struct pcp_trace){0};
    if (!has_run("pcp_view_trace"))
        return;
    struct pcp_event *events = calloc((size_t)p->ntasks + 1, sizeof *events);
    struct pcp_adaption_event *changes = calloc((size_t)p->nchanges + 1, sizeof *changes);
    if (!events || !changes) {
        tw_pcp_complain("pcp_view_trace: no memory");
        free(events);
        free(changes);
        return;
    }
    double origin = first_begin(p);
    for (int i = 0; i < p->ntasks; i++)
        events[i] = event_of(p, i, origin);
    for (int i = 0; i < p->nchanges; i++) {
        double time = p->changes[i].time - origin;
        changes[i] = (struct pcp_adaption_event){time > 0 ? time : 0, p->changes[i].size};
    }
    *trace = (struct pcp_trace){p->ntasks, events, p->nchanges, changes};
}
