/* Choosing and narrowing columns for the page. */
#include "trace/output/page.h"

#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 10000 };

static void *add(tw_page *page, const char *name, tw_type type, int64_t n, const void *data)
{
    void *own = NULL;
    if (!data)
        data = own = malloc((size_t)(n ? n : 1) * tw_type_sizes[type]);
    if (data)
        page->columns[page->n++] = (tw_page_column){name, type, data, n, own};
    return own;
}

/* How long, in nanoseconds. */
static bool add_durations(tw_page *page, const char *name, const double *start, const double *end,
                          int64_t n)
{
    double *d = add(page, name, TW_F64, n, NULL);
    for (int64_t i = 0; d && i < n; i++)
        d[i] = end[i] - start[i];
    return d;
}

static bool add_parameter(tw_page *page, const char *name, const int64_t *values, int64_t n)
{
    bool narrow = true;
    for (int64_t i = 0; i < n && narrow; i++)
        narrow = values[i] >= INT32_MIN && values[i] <= INT32_MAX;
    if (!narrow) {
        add(page, name, TW_I64, n, values);
        return true;
    }
    int32_t *v = add(page, name, TW_I32, n, NULL);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = (int32_t)values[i];
    return v;
}

static bool add_parameters(tw_page *page, const twill_trace *t)
{
    static const char *const names[TW_TRACE_PARAMETERS] = {"task.p0", "task.p1", "task.p2",
                                                           "task.p3", "task.p4", "task.p5"};
    int most = 0;
    for (int64_t i = 0; i < t->ntasks; i++)
        most = t->nparameters[i] > most ? t->nparameters[i] : most;
    bool good = true;
    for (int k = 0; k < most && good; k++)
        good = add_parameter(page, names[k], t->parameter[k], t->ntasks);
    return good;
}

/* The highest and the last point of each of so many equal parts of the run, in order. */
static int64_t thin(const tw_analysis *a, double span, double *time, uint32_t *count)
{
    int64_t n = 0, high = 0;
    double part = span / (CURVE_POINTS / 2);
    for (int64_t i = 0; i < a->ncurve; i++) {
        if (a->curve[i].count > a->curve[high].count)
            high = i;
        bool last = i + 1 == a->ncurve ||
                    (int64_t)(a->curve[i + 1].time / part) != (int64_t)(a->curve[i].time / part);
        if (!last)
            continue;
        for (int64_t k = high; k <= i; k += i > high ? i - high : 1) {
            time[n] = a->curve[k].time;
            count[n++] = (uint32_t)a->curve[k].count;
        }
        high = i + 1;
    }
    return n;
}

static bool add_ready(tw_page *page, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    if (a->ncurve == 0 || t->span <= 0)
        return true;
    double *time = add(page, "ready.time", TW_F64, CURVE_POINTS + 4, NULL);
    uint32_t *count = time ? add(page, "ready.count", TW_U32, CURVE_POINTS + 4, NULL) : NULL;
    if (!count)
        return false;
    int64_t n = thin(a, t->span, time, count);
    page->columns[page->n - 1].length = page->columns[page->n - 2].length = n;
    return true;
}

/* Messages in the order in which they were sent: times, bytes and rows of both ends. */
static bool add_messages(tw_page *page, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    int64_t n = a->nmessages;
    if (n == 0)
        return true;
    double *sent = add(page, "message.sent", TW_F64, n, NULL);
    double *received = sent ? add(page, "message.received", TW_F64, n, NULL) : NULL;
    double *bytes = received ? add(page, "message.bytes", TW_F64, n, NULL) : NULL;
    uint16_t *from = bytes ? add(page, "message.from", TW_U16, n, NULL) : NULL;
    uint16_t *to = from ? add(page, "message.to", TW_U16, n, NULL) : NULL;
    for (int64_t i = 0; to && i < n; i++) {
        const tw_message *m = &a->messages[i];
        sent[i] = t->point_time[m->sent];
        received[i] = t->point_time[m->received];
        bytes[i] = t->point_amount[m->sent];
        from[i] = t->point_row[m->sent];
        to[i] = t->point_row[m->received];
    }
    return to;
}

/* How long tasks were ready before they began, what they waited for, and their priorities. */
static bool add_waiting(tw_page *page, const twill_trace *t)
{
    float *queued = add(page, "task.queued", TW_F32, t->ntasks, NULL);
    for (int64_t i = 0; queued && i < t->ntasks; i++)
        queued[i] = (float)(t->start[i] - t->ready[i]);
    add(page, "task.priority", TW_I32, t->ntasks, t->priority);
    add(page, "edge.from", TW_U32, t->nedges, t->edge_from);
    add(page, "edge.to", TW_U32, t->nedges, t->edge_to);
    return queued;
}

/* The pieces of idle time, and the numbers of their causes. */
static bool add_gaps(tw_page *page, const tw_analysis *a)
{
    double *start = add(page, "idle.start", TW_F64, a->ngaps, NULL);
    double *duration = start ? add(page, "idle.duration", TW_F64, a->ngaps, NULL) : NULL;
    uint16_t *row = duration ? add(page, "idle.row", TW_U16, a->ngaps, NULL) : NULL;
    uint8_t *cause = row ? add(page, "idle.cause", TW_U8, a->ngaps, NULL) : NULL;
    for (int64_t i = 0; cause && i < a->ngaps; i++) {
        start[i] = a->gaps[i].start;
        duration[i] = a->gaps[i].end - a->gaps[i].start;
        row[i] = (uint16_t)a->gaps[i].row;
        cause[i] = (uint8_t)a->gaps[i].cause;
    }
    return cause;
}

/* What the critical set was, and which tasks it ran: only where there was one. */
static void add_set(tw_page *page, const twill_trace *t)
{
    if (t->nset == 0)
        return;
    add(page, "task.critical", TW_U8, t->ntasks, t->critical);
    add(page, "task.team", TW_U16, t->ntasks, t->team);
    add(page, "state.task", TW_U32, t->nstates, t->state_task);
    add(page, "set.time", TW_F64, t->nset, t->set_time);
    add(page, "set.row", TW_U16, t->nset, t->set_row);
    add(page, "set.members", TW_U16, t->nset, t->set_members);
    add(page, "set.wanted", TW_U16, t->nset, t->set_wanted);
}

bool tw_page_open(tw_page *page, const twill_trace *t)
{
    page->n = 0;
    add(page, "task.start", TW_F64, t->ntasks, t->start);
    add(page, "task.row", TW_U16, t->ntasks, t->row);
    add(page, "task.class", TW_U16, t->ntasks, t->cls);
    add(page, "task.graph", TW_U16, t->ntasks, t->graph);
    if (t->analysis->total.flops > 0)
        add(page, "task.flops", TW_F32, t->ntasks, t->flops);
    add(page, "state.start", TW_F64, t->nstates, t->state_start);
    add(page, "state.row", TW_U16, t->nstates, t->state_row);
    add(page, "state.kind", TW_U8, t->nstates, t->state_kind);
    if (t->nmemory > 0) {
        add(page, "memory.time", TW_F64, t->nmemory, t->memory_time);
        add(page, "memory.bytes", TW_F64, t->nmemory, t->memory_bytes);
    }
    add_set(page, t);
    bool good = add_durations(page, "task.duration", t->start, t->end, t->ntasks) &&
                add_durations(page, "state.duration", t->state_start, t->state_end, t->nstates) &&
                add_parameters(page, t) && add_ready(page, t) && add_messages(page, t) &&
                add_waiting(page, t) && add_gaps(page, t->analysis);
    if (!good)
        tw_page_close(page);
    return good;
}

void tw_page_close(tw_page *page)
{
    for (int i = 0; i < page->n; i++)
        free(page->columns[i].own);
    page->n = 0;
}
