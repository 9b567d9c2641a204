/* Tasks in the order in which they began, with what is known of each. */
#include "trace/digest.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <twill/task.h>
#include <unistd.h>

enum { MOST_GRAPHS = 65535 };

const tw_unit *tw_next_unit(const tw_units **chunk, const tw_unit *u)
{
    if (!*chunk)
        return NULL;
    u = u ? u + tw_unit_length(u) : (*chunk)->units;
    while (u >= (*chunk)->units + (*chunk)->used) {
        *chunk = (*chunk)->next;
        if (!*chunk)
            return NULL;
        u = (*chunk)->units;
    }
    return u;
}

/* ---- which tasks --------------------------------------------------------------------------- */

static bool is_task(const tw_unit *u)
{
    return u->event.kind == TW_EVENT_BEGIN &&
           (atomic_load_explicit(&u->task.end, memory_order_relaxed) & 3) != TWILL_AGAIN;
}

static uint64_t ticks_of(const tw_unit *u)
{
    return u->event.kind == TW_EVENT_BEGIN ? u->task.start : u->event.ticks;
}

static bool is_message(const tw_unit *u)
{
    return u->event.kind == TW_EVENT_SEND || u->event.kind == TW_EVENT_RECEIVE;
}

/* When the trace begins: with the first task that is enabled or begins, or the first message; but
 * where something was lost, not before all workers have what they did. */
static uint64_t find_begin(const tw_recorder *r, uint64_t fallback)
{
    uint64_t begin = UINT64_MAX, complete = 0;
    for (int lane = 0; lane < tw_recorder_lanes(r); lane++) {
        const tw_units *chunk = tw_recorder_units(r, lane);
        const tw_unit *u = tw_next_unit(&chunk, NULL);
        if (u && tw_recorder_lost(r, lane) > 0 && ticks_of(u) > complete)
            complete = ticks_of(u);
        while (u && u->event.kind != TW_EVENT_ENABLE && u->event.kind != TW_EVENT_BEGIN &&
               !is_message(u))
            u = tw_next_unit(&chunk, u);
        if (u && ticks_of(u) < begin)
            begin = ticks_of(u);
    }
    if (begin == UINT64_MAX)
        begin = fallback;
    return begin > complete ? begin : complete;
}

static int64_t count_units(const tw_digest_state *d)
{
    int64_t n = 0;
    for (int lane = 0; lane < d->rows; lane++) {
        const tw_units *chunk = tw_recorder_units(d->recorder, lane);
        for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u))
            n += u->event.kind == TW_EVENT_BEGIN || u->event.kind == TW_EVENT_SKIP;
    }
    return n;
}

static void add_task(tw_digest_state *d, const tw_unit *u, int lane, uint64_t stop)
{
    uint64_t end = atomic_load_explicit(&u->task.end, memory_order_relaxed) / 4;
    if (end == 0)
        end = stop;
    if (end < d->begin)
        d->trace->lost++;
    else
        d->tasks[d->ntasks++] = (tw_digest_task){u, u->task.start, end, lane};
}

static int by_start(const void *a, const void *b)
{
    const tw_digest_task *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->lane - y->lane;
}

static int by_address(const void *a, const void *b)
{
    const tw_digest_life *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* It ends with the last task, or the last message. */
static void find_end(tw_digest_state *d)
{
    for (int64_t i = 0; i < d->ntasks; i++)
        if (d->tasks[i].end > d->end)
            d->end = d->tasks[i].end;
    for (int lane = 0; lane < tw_recorder_lanes(d->recorder); lane++) {
        const tw_units *chunk = tw_recorder_units(d->recorder, lane);
        for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u))
            if (is_message(u) && u->event.ticks > d->end)
                d->end = u->event.ticks;
    }
}

static twill_status collect(tw_digest_state *d, uint64_t stop)
{
    int64_t most = count_units(d);
    d->tasks = malloc((size_t)(most + 1) * sizeof *d->tasks);
    d->lives = malloc((size_t)(most + 1) * sizeof *d->lives);
    if (!d->tasks || !d->lives)
        return tw_fail(TWILL_ERR_MEMORY, "no memory to make a trace of %" PRId64 " tasks", most);
    for (int lane = 0; lane < d->rows; lane++) {
        const tw_units *chunk = tw_recorder_units(d->recorder, lane);
        for (const tw_unit *u = tw_next_unit(&chunk, NULL); u; u = tw_next_unit(&chunk, u)) {
            if (is_task(u))
                add_task(d, u, lane, stop);
            else if (u->event.kind == TW_EVENT_BEGIN)
                d->lives[d->nlives++] = (tw_digest_life){u->task.task, u->task.start, -1};
            else if (u->event.kind == TW_EVENT_SKIP)
                d->lives[d->nlives++] = (tw_digest_life){u->event.subject, u->event.ticks, -1};
        }
    }
    if (d->ntasks > INT32_MAX)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "a trace holds at most 2147483647 tasks");
    qsort(d->tasks, (size_t)d->ntasks, sizeof *d->tasks, by_start);
    for (int64_t i = 0; i < d->ntasks; i++)
        d->lives[d->nlives++] = (tw_digest_life){d->tasks[i].unit->task.task, d->tasks[i].start, i};
    find_end(d);
    qsort(d->lives, (size_t)d->nlives, sizeof *d->lives, by_address);
    return TWILL_OK;
}

/* ---- what is known of them ----------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The serial numbers of all graphs, in order; *n of them. */
static uint32_t *list_graphs(const tw_digest_state *d, int64_t *n)
{
    uint32_t *list = malloc((size_t)(d->ntasks + 1) * sizeof *list);
    *n = 0;
    for (int64_t i = 0; list && i < d->ntasks; i++) {
        uint32_t serial = d->tasks[i].unit->task.graph;
        if (*n == 0 || list[*n - 1] != serial)
            list[(*n)++] = serial;
    }
    if (!list)
        return NULL;
    qsort(list, (size_t)*n, sizeof *list, ascending);
    int64_t distinct = 0;
    for (int64_t i = 0; i < *n; i++)
        if (distinct == 0 || list[distinct - 1] != list[i])
            list[distinct++] = list[i];
    *n = distinct < MOST_GRAPHS ? distinct : MOST_GRAPHS;
    return list;
}

static uint16_t graph_index(const uint32_t *list, int64_t n, uint32_t serial)
{
    int64_t low = 0, high = n - 1; /* graphs past the last number all are the last */
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (list[middle] < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)low;
}

/* Costs come from the program, and may be anything. */
static float sensible(float x)
{
    return x >= 0 && x <= FLT_MAX ? x : 0;
}

static void fill_task(const tw_digest_state *d, int64_t i, uint16_t graph)
{
    const tw_digest_task *task = &d->tasks[i];
    const tw_unit *u = task->unit;
    twill_trace *t = d->trace;
    t->start[i] = tw_digest_time(d, task->start);
    t->end[i] = tw_digest_time(d, task->end);
    t->ready[i] = t->start[i];
    t->by[i] = TW_BY_UNKNOWN;
    t->row[i] = (uint16_t)task->lane;
    t->cls[i] = u->task.cls < t->nclasses ? u->task.cls : 0;
    t->graph[i] = graph;
    t->priority[i] = u[1].about.priority;
    t->critical[i] = u[1].about.critical != 0;
    t->team[i] = 1;
    t->flops[i] = sensible(u[1].about.flops);
    t->bytes[i] = sensible(u[1].about.bytes);
    t->nparameters[i] = u->task.n;
    for (int k = 0; k < u->task.n; k++)
        t->parameter[k][i] = k < 2 ? u[1].about.parameter[k] : u[2].parameter[k - 2];
}

/* Name or parameters of a class; what had no memory has none. */
static const char *class_text(const tw_seen *seen, int64_t i, bool parameters)
{
    if (i >= seen->nclasses)
        return parameters ? "" : "task";
    const tw_seen_class *c = &seen->classes[i];
    const char *text = parameters ? c->parameters : c->name;
    return text ? text : parameters ? "" : "task";
}

static twill_status set_names(const tw_digest_state *d, const uint32_t *graphs)
{
    twill_trace *t = d->trace;
    const tw_seen *seen = tw_recorder_seen(d->recorder);
    twill_status status = TWILL_OK;
    char text[128];
    int64_t at = TW_TEXTS;
    for (int64_t i = 0; i < t->nrows && status == TWILL_OK; i++) {
        snprintf(text, sizeof text, "worker %" PRId64, i);
        status = tw_trace_set_text(t, at++, text);
    }
    for (int64_t i = 0; i < t->nclasses && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, at++, class_text(seen, i, false));
    for (int64_t i = 0; i < t->nclasses && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, at++, class_text(seen, i, true));
    for (int64_t i = 0; i < t->ngraphs && status == TWILL_OK; i++) {
        snprintf(text, sizeof text, "%s %" PRIu32, tw_seen_front(seen, graphs[i]), graphs[i]);
        status = tw_trace_set_text(t, at++, text);
    }
    return status;
}

/* What the program is called and how it was started, until somebody says it better. */
static twill_status set_program(twill_trace *t)
{
    char text[4096];
    FILE *in = fopen("/proc/self/cmdline", "rb");
    size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in)
        fclose(in);
    while (n > 0 && !text[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        if (!text[i])
            text[i] = ' ';
    text[n] = '\0';
    twill_status status = tw_trace_set_text(t, TW_TEXT_TITLE, program_invocation_short_name);
    return status == TWILL_OK ? tw_trace_set_text(t, TW_TEXT_COMMAND, text) : status;
}

static twill_status set_place(twill_trace *t)
{
    char text[256] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    twill_status status = tw_trace_set_text(t, TW_TEXT_DATE, text);
    if (status != TWILL_OK)
        return status;
    if (gethostname(text, sizeof text) != 0)
        text[0] = '\0';
    text[sizeof text - 1] = '\0';
    return tw_trace_set_text(t, TW_TEXT_HOST, text);
}

/* All columns of the tasks, from what was collected. */
static twill_status fill(tw_digest_state *d)
{
    int64_t ngraphs;
    int seen = tw_recorder_seen(d->recorder)->nclasses;
    uint32_t *graphs = list_graphs(d, &ngraphs);
    twill_trace *t = graphs ? tw_trace_make(d->rows, seen ? seen : 1, ngraphs) : NULL;
    if (!t || !tw_trace_room(t, &t->nrow, d->rows) || !tw_trace_room(t, &t->ntasks, d->ntasks)) {
        free(graphs);
        twill_trace_free(t);
        return tw_fail(TWILL_ERR_MEMORY, "no memory to make a trace of %" PRId64 " tasks",
                       d->ntasks);
    }
    t->lost = d->trace->lost;
    *d->trace = *t; /* what counted the losses so far was no more than that */
    free(t);
    t = d->trace;
    for (int64_t i = 0; i < d->ntasks; i++)
        fill_task(d, i, graph_index(graphs, ngraphs, d->tasks[i].unit->task.graph));
    t->span = tw_digest_time(d, d->end);
    t->origin = d->origin;
    twill_status status = set_names(d, graphs);
    free(graphs);
    if (status == TWILL_OK)
        status = set_program(t);
    return status == TWILL_OK ? set_place(t) : status;
}

twill_status tw_digest(const tw_recorder *r, twill_trace **out)
{
    uint64_t begin, stop;
    tw_digest_state d = {.recorder = r, .rows = tw_recorder_lanes(r) - 2};
    double since = tw_recorder_times(r, &begin, &stop, &d.ns);
    d.begin = d.end = find_begin(r, begin);
    d.origin = since + 1e-9 * d.ns * (double)(int64_t)(d.begin - begin);
    d.trace = calloc(1, sizeof *d.trace);
    if (!d.trace)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a trace");
    for (int lane = 0; lane < tw_recorder_lanes(r); lane++)
        d.trace->lost += tw_recorder_lost(r, lane);
    twill_status status = collect(&d, stop);
    if (status == TWILL_OK)
        status = fill(&d);
    if (status == TWILL_OK)
        status = tw_digest_edges(&d);
    if (status == TWILL_OK)
        status = tw_digest_states(&d);
    free(d.tasks);
    free(d.lives);
    if (status == TWILL_OK)
        *out = d.trace;
    else
        twill_trace_free(d.trace);
    return status;
}
