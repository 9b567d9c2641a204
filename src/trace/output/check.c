/* Checking a trace that comes from a file. */
#include "trace/output/file.h"

#include <inttypes.h>
#include <math.h>

/* Longer than any run, and small enough that nanoseconds and sums of them stay exact enough. */
static const double longest = 1e17, most_amount = 1e18;
enum { MOST_RANKS = 1 << 16 };

static twill_status bad(const char *name, const char *what, int64_t i)
{
    return tw_fail(TWILL_ERR_ARGUMENT,
                   "%s is not a trace that can be read: %s number %" PRId64 " makes no sense", name,
                   what, i);
}

static bool within(double x, double low, double high)
{
    return x >= low && x <= high; /* false for NaN */
}

static bool task_is_good(const twill_trace *t, int64_t i)
{
    return within(t->start[i], i ? t->start[i - 1] : 0, t->span) &&
           within(t->end[i], t->start[i], t->span) && within(t->ready[i], 0, t->start[i]) &&
           t->by[i] >= TW_BY_UNKNOWN && t->by[i] < i && t->row[i] < t->nrows &&
           t->cls[i] < t->nclasses && t->graph[i] < t->ngraphs &&
           t->nparameters[i] <= TW_TRACE_PARAMETERS && within(t->flops[i], 0, INFINITY) &&
           isfinite(t->flops[i]) && within(t->bytes[i], 0, INFINITY) && isfinite(t->bytes[i]) &&
           t->message[i] <= t->npoints && t->critical[i] <= 1 && t->team[i] <= t->nrows;
}

/* In the order of targets and then of sources, each once, from earlier tasks to later ones. */
static bool edge_is_good(const twill_trace *t, int64_t i)
{
    if (t->edge_from[i] >= t->edge_to[i] || t->edge_to[i] >= t->ntasks)
        return false;
    return i == 0 || t->edge_to[i - 1] < t->edge_to[i] ||
           (t->edge_to[i - 1] == t->edge_to[i] && t->edge_from[i - 1] < t->edge_from[i]);
}

static bool state_is_good(const twill_trace *t, int64_t i)
{
    return within(t->state_start[i], 0, t->span) &&
           within(t->state_end[i], t->state_start[i], t->span) && t->state_row[i] < t->nrows &&
           t->state_kind[i] < TW_STATES && t->state_task[i] <= t->ntasks &&
           t->state_member[i] < t->nrows;
}

static bool point_is_good(const twill_trace *t, int64_t i)
{
    return within(t->point_time[i], 0, t->span) && within(t->point_amount[i], 0, most_amount) &&
           t->point_row[i] < t->nrows && t->point_kind[i] < TW_POINTS &&
           t->point_task[i] <= t->ntasks;
}

static bool memory_is_good(const twill_trace *t, int64_t i)
{
    return within(t->memory_time[i], i ? t->memory_time[i - 1] : 0, t->span) &&
           within(t->memory_bytes[i], 0, most_amount);
}

static bool set_is_good(const twill_trace *t, int64_t i)
{
    return within(t->set_time[i], i ? t->set_time[i - 1] : 0, t->span) &&
           t->set_row[i] + t->set_members[i] <= t->nrows &&
           t->set_row[i] + t->set_wanted[i] <= t->nrows;
}

static bool row_is_good(const twill_trace *t, int64_t i)
{
    return t->row_kind[i] < TW_ROW_KINDS && t->row_rank[i] >= 0 && t->row_rank[i] < MOST_RANKS &&
           t->row_cores[i] >= 0;
}

twill_status tw_trace_check(const twill_trace *t, const char *name)
{
    const struct {
        const char *what;
        int64_t n;
        bool (*good)(const twill_trace *t, int64_t i);
    } parts[] = {{"row", t->nrow, row_is_good},         {"task", t->ntasks, task_is_good},
                 {"edge", t->nedges, edge_is_good},     {"state", t->nstates, state_is_good},
                 {"point", t->npoints, point_is_good},  {"memory", t->nmemory, memory_is_good},
                 {"critical set", t->nset, set_is_good}};
    if (!within(t->span, 0, longest) || !within(t->peak, 0, most_amount) ||
        !within(t->bandwidth, 0, most_amount) || t->lost > INT64_MAX || t->nrow != t->nrows ||
        t->ntasks > INT32_MAX || t->npoints > INT32_MAX)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s is not a trace that can be read: its header makes no sense", name);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (int64_t i = 0; i < parts[p].n; i++)
            if (!parts[p].good(t, i))
                return bad(name, parts[p].what, i);
    return TWILL_OK;
}
