/* What idle time waited for.
 *
 * While a worker is idle, either there are ready tasks, and it is on its way to one; or there are
 * none, and it waits for the next one that becomes ready, whoever runs that. What made that one
 * ready, and how its makers ran, tells the cause. */
#include "trace/analysis/causes.h"
#include "trace/analysis/late.h"

#include <math.h>
#include <stdlib.h>

typedef struct ready_task {
    double ready;
    int64_t task;
} ready_task;

typedef struct interval {
    double start, end;
} interval;

typedef struct hunt {
    const twill_trace *t;
    const tw_analysis *a;
    tw_late late;
    ready_task *order; /* tasks by the time at which they were ready */
    int64_t *edges;    /* into task i: from edges[i] to edges[i + 1] */
    double *used;      /* how much of a task's delay has excused row used_by */
    int32_t *used_by;
    interval *moves; /* times in which data moves, which do not overlap */
    int64_t nmoves;
    int64_t last; /* the task that ended last */
    tw_charges charges;
} hunt;

/* ---- one piece of idle time ---------------------------------------------------------------- */

/* Part of the time may be the fault of a task in the chain that was started late: as much as it was
 * late, for each worker. Returns what is left. */
static double charge_lateness(hunt *h, int row, int64_t task, double ns)
{
    int32_t late = h->late.cause[task];
    if (late < 0)
        return ns;
    if (h->used_by[late] != row) {
        h->used_by[late] = row;
        h->used[late] = 0;
    }
    double part = fmin(ns, h->late.delay[late] - h->used[late]);
    if (part <= 0)
        return ns;
    h->used[late] += part;
    tw_charge_add(&h->charges, TW_CAUSE_PRIORITY, h->t->cls[late], h->t->cls[h->late.behind[late]],
                  part);
    return ns - part;
}

/* Does the task wait for the last of several that ran side by side? */
static bool joins(const hunt *h, int64_t task)
{
    const twill_trace *t = h->t;
    int64_t by = t->by[task];
    for (int64_t e = h->edges[task]; e < h->edges[task + 1]; e++) {
        int64_t from = t->edge_from[e];
        if (from != by && t->end[from] > t->start[by] && t->start[from] < t->end[by])
            return true;
    }
    return false;
}

static bool data_moves(const hunt *h, double time)
{
    int64_t low = 0, high = h->nmoves;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (h->moves[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->nmoves && h->moves[low].start <= time;
}

/* The first task that becomes ready after a time, or -1. */
static int64_t next_ready(const hunt *h, double time)
{
    int64_t low = 0, high = h->t->ntasks;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (h->order[middle].ready <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->t->ntasks ? h->order[low].task : -1;
}

static void charge_nothing_ready(hunt *h, int row, double from, double ns)
{
    const twill_trace *t = h->t;
    int64_t next = next_ready(h, from);
    int64_t by = next >= 0 ? t->by[next] : h->last;
    if (next >= 0 && data_moves(h, from)) {
        tw_charge_add(&h->charges, TW_CAUSE_TRANSFER, t->cls[next], -1, ns);
    } else if (by < 0) {
        tw_cause cause = by == TW_BY_PROGRAM ? TW_CAUSE_INSERTION : TW_CAUSE_OTHER;
        tw_charge_add(&h->charges, cause, t->cls[next], -1, ns);
    } else {
        double rest = charge_lateness(h, row, by, ns);
        if (rest > 0 && next < 0)
            tw_charge_add(&h->charges, TW_CAUSE_END, t->cls[by], -1, rest);
        else if (rest > 0)
            tw_charge_add(&h->charges, joins(h, next) ? TW_CAUSE_JOIN : TW_CAUSE_CHAIN, t->cls[by],
                          t->cls[next], rest);
    }
}

/* First entry of the curve after a time. */
static int64_t find_curve(const tw_analysis *a, double time)
{
    int64_t low = 0, high = a->ncurve;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (a->curve[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* An idle state, cut where the number of ready tasks changes. */
static void pass_state(hunt *h, int64_t state)
{
    const twill_trace *t = h->t;
    const tw_analysis *a = h->a;
    double at = t->state_start[state], end = t->state_end[state];
    bool asleep = t->state_kind[state] == TW_STATE_SLEEP;
    for (int64_t i = find_curve(a, at); at < end; i++) {
        double until = i < a->ncurve && a->curve[i].time < end ? a->curve[i].time : end;
        int64_t ready = i > 0 ? a->curve[i - 1].count : 0;
        if (ready > 0)
            tw_charge_add(&h->charges, asleep ? TW_CAUSE_WAKE_UP : TW_CAUSE_REACH, -1, -1,
                          until - at);
        else
            charge_nothing_ready(h, t->state_row[state], at, until - at);
        at = until;
    }
}

/* ---- what that needs ----------------------------------------------------------------------- */

static int by_ready(const void *a, const void *b)
{
    const ready_task *x = a, *y = b;
    if (x->ready != y->ready)
        return x->ready < y->ready ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static int by_start(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static bool find_moves(hunt *h)
{
    const twill_trace *t = h->t;
    int64_t n = 0;
    h->moves = malloc((size_t)(t->nstates + 1) * sizeof *h->moves);
    if (!h->moves)
        return false;
    for (int64_t i = 0; i < t->nstates; i++)
        if (t->state_kind[i] == TW_STATE_TRANSFER)
            h->moves[n++] = (interval){t->state_start[i], t->state_end[i]};
    qsort(h->moves, (size_t)n, sizeof *h->moves, by_start);
    for (int64_t i = 0; i < n; i++) {
        interval *last = h->nmoves ? &h->moves[h->nmoves - 1] : NULL;
        if (last && h->moves[i].start <= last->end)
            last->end = fmax(last->end, h->moves[i].end);
        else
            h->moves[h->nmoves++] = h->moves[i];
    }
    return true;
}

static bool prepare(hunt *h, const double *bottom)
{
    const twill_trace *t = h->t;
    size_t n = (size_t)t->ntasks;
    h->order = malloc((n + 1) * sizeof *h->order);
    h->edges = calloc(n + 2, sizeof *h->edges);
    h->used = malloc((n + 1) * sizeof *h->used);
    h->used_by = malloc((n + 1) * sizeof *h->used_by);
    if (!h->order || !h->edges || !h->used || !h->used_by || !find_moves(h) ||
        !tw_late_find(t, bottom, &h->late))
        return false;
    for (size_t i = 0; i < n; i++) {
        h->order[i] = (ready_task){t->ready[i], (int64_t)i};
        h->used_by[i] = -1;
        if (t->end[i] > t->end[h->last])
            h->last = (int64_t)i;
    }
    qsort(h->order, n, sizeof *h->order, by_ready);
    for (int64_t e = 0; e < t->nedges; e++)
        h->edges[t->edge_to[e] + 1]++;
    for (size_t i = 1; i <= n; i++)
        h->edges[i] += h->edges[i - 1];
    return true;
}

bool tw_analyse_idle(const twill_trace *t, tw_analysis *a, const double *bottom)
{
    hunt *h = calloc(1, sizeof *h);
    if (!h)
        return false;
    h->t = t;
    h->a = a;
    bool good = prepare(h, bottom);
    for (int64_t i = 0; good && t->ntasks > 0 && i < t->nstates; i++)
        if (t->state_kind[i] == TW_STATE_SLEEP || t->state_kind[i] == TW_STATE_SEARCH)
            pass_state(h, i);
    if (good)
        tw_charges_store(&h->charges, t, a);
    free(h->order);
    free(h->edges);
    free(h->used);
    free(h->used_by);
    free(h->moves);
    tw_late_free(&h->late);
    free(h);
    return good;
}
