/* Recording the runs of a problem, and showing what was recorded. */
#include "operation/seeing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const problem *p, int64_t run)
{
    return run > 0 && (p->trace || p->stats);
}

int seeing_open(problem *p, int argc, char **argv)
{
    size_t used = (size_t)snprintf(p->command, sizeof p->command, "twill");
    for (int i = 0; i < argc && used < sizeof p->command; i++)
        used += (size_t)snprintf(p->command + used, sizeof p->command - used, " %s", argv[i]);
    if (!p->trace)
        return STATUS_OK;
    twill_status status = twill_trace_check_path(p->trace);
    return status == TWILL_OK ? STATUS_OK : complain_library(p->op, status, "--trace");
}

twill_status seeing_begin(const problem *p, twill *tw, int64_t run)
{
    twill_status status = wanted(p, run) ? twill_trace_begin(tw) : TWILL_OK;
    return status == TWILL_OK && run > 0 && p->stats ? twill_account_begin(tw) : status;
}

twill_status seeing_end(const problem *p, twill *tw, result *r)
{
    if (!wanted(p, r->run))
        return TWILL_OK;
    r->account = (twill_account){.size = sizeof r->account};
    twill_status status = p->stats ? twill_account_end(tw, &r->account) : TWILL_OK;
    twill_status ended = twill_trace_end(tw, &r->trace);
    status = status == TWILL_OK ? ended : status;
    twill_status gathered = twill_trace_gather(tw, &r->trace); /* all ranks do, whatever happened */
    if (status != TWILL_OK || gathered != TWILL_OK || !r->trace)
        return status != TWILL_OK ? status : gathered;
    char title[128], ranks[64] = "";
    if (twill_ranks(tw) > 1)
        snprintf(ranks, sizeof ranks, " on %" PRId64 "x%" PRId64 " ranks", p->ranks[0],
                 p->ranks[1]);
    snprintf(title, sizeof title, "%s %s n=%" PRId64 " nb=%" PRId64 "%s", p->op, p->type, p->n,
             p->nb, ranks);
    return twill_trace_label(r->trace, title, p->command);
}

/* The whole report; NULL when there is no memory. */
static char *text_of(const twill_trace *trace, twill_report report)
{
    size_t size = twill_trace_report(trace, report, NULL, 0);
    char *text = size ? malloc(size) : NULL;
    if (text)
        twill_trace_report(trace, report, text, size);
    return text;
}

void seeing_print(const twill_trace *trace, twill_report report)
{
    char *text = text_of(trace, report);
    fputs(text ? text : "no memory for a report\n", stdout);
    free(text);
}

static void add_account(json *j, const twill_account *a)
{
    json_open(j, "account", '{');
    json_real(j, "seconds", a->seconds);
    json_integer(j, "workers", a->workers);
    json_integer(j, "tasks", a->tasks);
    json_integer(j, "critical_tasks", a->critical_tasks);
    json_integer(j, "teams", a->teams);
    json_integer(j, "changes", a->changes);
    json_real(j, "cost", a->cost);
    json_real(j, "cost_reserved", a->cost_reserved);
    json_real(j, "cost_other", a->cost_other);
    json_real(j, "busy_reserved", a->busy_reserved);
    json_real(j, "busy_other", a->busy_other);
    json_real(j, "busy_critical", a->busy_critical);
    json_real(j, "busy_ordinary", a->busy_ordinary);
    json_real(j, "utilisation", a->utilisation);
    json_real(j, "critical_seconds", a->critical_seconds);
    json_real(j, "longest_seconds", a->longest_seconds);
    json_integer(j, "longest_tasks", a->longest_tasks);
    json_close(j, '}');
}

void seeing_json(json *j, const problem *p, const result *r)
{
    if (p->trace)
        json_text(j, "trace", p->trace);
    char *text = p->stats && r->trace ? text_of(r->trace, TWILL_REPORT_JSON) : NULL;
    if (text)
        json_raw(j, "stats", text);
    free(text);
    if (p->stats && r->trace)
        add_account(j, &r->account);
}

static void print_share(const char *name, double cost, double busy)
{
    printf("  %-15s %12.6f s, %.1f%% of it busy\n", name, cost, cost > 0 ? 100 * busy / cost : 0);
}

static void print_account(const twill_account *a)
{
    double busy = a->busy_reserved + a->busy_other;
    printf("cost of %" PRId64 " tasks, %" PRId64 " of them critical, %" PRId64 " run by a team\n\n",
           a->tasks, a->critical_tasks, a->teams);
    print_share("workers x time", a->cost, busy);
    print_share("reserved", a->cost_reserved, a->busy_reserved);
    print_share("others", a->cost_other, a->busy_other);
    printf("  %-15s %12.6f s in critical tasks, %.6f s in others\n", "busy", a->busy_critical,
           a->busy_ordinary);
    printf("  %-15s %12.6f s\n", "critical path", a->critical_seconds);
    printf("  %-15s %12.6f s, %" PRId64 " tasks\n", "longest path", a->longest_seconds,
           a->longest_tasks);
}

static int save(const problem *p, const result *r)
{
    twill_status status = twill_trace_save(r->trace, p->trace);
    if (status != TWILL_OK)
        return complain_library(p->op, status, "--trace");
    if (!p->json && !p->quiet)
        printf("trace in %s\n", p->trace);
    return STATUS_OK;
}

int seeing_close(const problem *p, result *r)
{
    int status = STATUS_OK;
    if (!r->trace)
        return status;
    if (p->stats && !p->json) {
        printf("\n");
        seeing_print(r->trace, TWILL_REPORT_STATS);
        printf("\n");
        seeing_print(r->trace, TWILL_REPORT_IDLE);
        printf("\n");
        print_account(&r->account);
    }
    if (p->trace && r->run == p->repeat)
        status = save(p, r);
    twill_trace_free(r->trace);
    r->trace = NULL;
    return status;
}
