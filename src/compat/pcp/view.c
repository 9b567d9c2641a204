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

void pcp_view_statistics(struct pcp_statistics *stats)
{
    const twill_account *a = &tw_pcp_state.account;
    *stats = (struct pcp_statistics){.execution_time = a->seconds,
                                     .cost = a->cost,
                                     .cost_reserved = a->cost_reserved,
                                     .cost_other = a->cost_other,
                                     .cost_critical = a->busy_critical,
                                     .cost_noncritical = a->busy_ordinary,
                                     .critical_path_length = a->critical_seconds,
                                     .longest_path_length = a->longest_seconds};
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
    const twill_account *a = &p->account;
    if (!has_run("pcp_view_statistics_stdout"))
        return;
    int workers = twill_workers(p->tw);
    double busy = a->busy_reserved + a->busy_other;
    printf("\nStatistics of %d tasks on %d worker%s\n", p->ntasks, workers,
           workers == 1 ? "" : "s");
    printf("%-21s = %.6f\n", "Execution time", a->seconds);
    printf("%-21s = %.6f\n", "Resource utilization", a->utilisation);
    print_share("Critical path length", a->critical_seconds, a->seconds);
    print_share("Longest path length", a->longest_seconds, a->seconds);
    printf("%-21s = %.6f\n", "Cost", a->cost);
    print_share("..reserved", a->cost_reserved, a->cost);
    print_share("....busy", a->busy_reserved, a->cost_reserved);
    print_share("..other", a->cost_other, a->cost);
    print_share("....busy", a->busy_other, a->cost_other);
    print_share("Task cost", busy, a->cost);
    print_share("Task cost per core", busy / workers, a->seconds);
}

/* ---- traces
 * -------------------------------------------------------------------------------------- */

static double first_begin(const tw_pcp *p)
{
    double first = p->ntasks > 0 ? p->tasks[0]->begin : 0;
    for (int i = 1; i < p->ntasks; i++)
        first = p->tasks[i]->begin < first ? p->tasks[i]->begin : first;
    return first;
}

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
