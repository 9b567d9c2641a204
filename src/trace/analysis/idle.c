/* What idle time waited for.
 *
 * While a worker is idle, either its rank has ready tasks, and it is on its way to one; or it has
 * none, and the worker waits for the next one that becomes ready, whoever runs that. What made that
 * one ready, and how its makers ran, tells the cause. */
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
    tw_by_rank ranks;
    ready_task *order;     /* tasks by rank, then by the time at which they were ready */
    tw_ready_point *curve; /* of each rank, from twice its first task on; and how long it is */
    int64_t *ncurve;
    int64_t *last;  /* of each rank the task that ended last, or -1 */
    double *sent;   /* per point: of a message that came, when it was sent; 0: nobody knows */
    int64_t *edges; /* into task i: from edges[i] to edges[i + 1] */
    double *used;   /* how much of a task's delay has excused row used_by */
    int32_t *used_by;
    interval *moves; /* times in which data moves, which do not overlap */
    int64_t nmoves;
    bool *oversubscribed; /* per row */
    tw_charges charges;
} hunt;

/* ---- one piece of idle time ---------------------------------------------------------------- */

static void charge(hunt *h, tw_cause cause, int64_t first, int64_t second, int row, double from,
                   double ns)
{
    tw_charge_add(&h->charges, h->t, (tw_reason){cause, first, second}, row, from, ns);
}

/* Part of the time may be the fault of a task in the chain that was started late: as much as it was
 * late, for each worker. Returns what is left. */
static double charge_lateness(hunt *h, int row, int64_t task, double from, double ns)
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
    charge(h, TW_CAUSE_PRIORITY, late, h->late.behind[late], row, from, part);
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

/* The first task of a rank that becomes ready after a time, or -1. */
static int64_t next_ready(const hunt *h, int rank, double time)
{
    int64_t low = h->ranks.first[rank], end = h->ranks.first[rank + 1], high = end;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (h->order[middle].ready <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end ? h->order[low].task : -1;
}

/* The message that made the next task ready was on its way for the last part of the time; for all
 * of it, if nobody knows who sent it. Returns what is left. */
static double charge_message(hunt *h, int row, int64_t next, double from, double ns)
{
    const twill_trace *t = h->t;
    uint32_t point = next >= 0 ? t->message[next] : 0;
    if (!point)
        return ns;
    double sent = t->by[next] < 0 ? from : h->sent[point - 1];
    double part = fmin(ns, fmax(0, from + ns - sent));
    if (part > 0)
        charge(h, TW_CAUSE_MESSAGE, next, -1, row, from + ns - part, part);
    return ns - part;
}

static void charge_nothing_ready(hunt *h, int row, double from, double ns)
{
    const twill_trace *t = h->t;
    int rank = t->row_rank[row];
    int64_t next = next_ready(h, rank, from);
    int64_t by = next >= 0 ? t->by[next] : h->last[rank];
    ns = charge_message(h, row, next, from, ns);
    if (ns <= 0)
        return;
    if (next < 0 && by < 0) {
        charge(h, TW_CAUSE_END, -1, -1, row, from, ns);
    } else if (next >= 0 && data_moves(h, from)) {
        charge(h, TW_CAUSE_TRANSFER, next, -1, row, from, ns);
    } else if (by < 0) {
        tw_cause cause = by == TW_BY_PROGRAM ? TW_CAUSE_INSERTION : TW_CAUSE_OTHER;
        charge(h, cause, next, -1, row, from, ns);
    } else {
        double rest = charge_lateness(h, row, by, from, ns);
        if (rest > 0 && next < 0)
            charge(h, TW_CAUSE_END, by, -1, row, from + ns - rest, rest);
        else if (rest > 0)
            charge(h, joins(h, next) ? TW_CAUSE_JOIN : TW_CAUSE_CHAIN, by, next, row,
                   from + ns - rest, rest);
    }
}

/* First entry of a curve after a time. */
static int64_t find_curve(const tw_ready_point *curve, int64_t n, double time)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (curve[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does the rank of a row have more workers than cores? Then a worker that has nothing to do, though
 * there are ready tasks, waits for its turn on a core. */
static bool is_oversubscribed(const hunt *h, int row)
{
    const twill_trace *t = h->t;
    int workers = 0;
    for (int64_t i = 0; i < t->nrows; i++)
        workers += t->row_rank[i] == t->row_rank[row] && t->row_kind[i] == TW_ROW_WORKER;
    return t->row_cores[row] > 0 && workers > t->row_cores[row];
}

/* An idle state, cut where the number of ready tasks changes. */
static void pass_state(hunt *h, int64_t state)
{
    const twill_trace *t = h->t;
    int rank = t->row_rank[t->state_row[state]];
    const tw_ready_point *curve = h->curve + 2 * h->ranks.first[rank];
    int64_t n = h->ncurve[rank];
    double at = t->state_start[state], end = t->state_end[state];
    int row = t->state_row[state];
    tw_cause with_ready = h->oversubscribed[row]                   ? TW_CAUSE_OVERSUBSCRIBED
                          : t->state_kind[state] == TW_STATE_SLEEP ? TW_CAUSE_WAKE_UP
                                                                   : TW_CAUSE_REACH;
    for (int64_t i = find_curve(curve, n, at); at < end; i++) {
        double until = i < n && curve[i].time < end ? curve[i].time : end;
        int64_t ready = i > 0 ? curve[i - 1].count : 0;
        if (ready > 0)
            charge(h, with_ready, -1, -1, row, at, until - at);
        else
            charge_nothing_ready(h, row, at, until - at);
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

/* The tasks of a rank by the time at which they were ready, how many were so at each time, and
 * which ended last. `times` has room for twice as many as there are. */
static void prepare_rank(hunt *h, int rank, double *times)
{
    const twill_trace *t = h->t;
    int64_t first = h->ranks.first[rank], n = h->ranks.first[rank + 1] - first;
    const int64_t *task = h->ranks.task + first;
    ready_task *order = h->order + first;
    int64_t last = n ? task[0] : -1;
    for (int64_t i = 0; i < n; i++) {
        order[i] = (ready_task){t->ready[task[i]], task[i]};
        if (t->end[task[i]] > t->end[last])
            last = task[i];
    }
    h->last[rank] = last;
    qsort(order, (size_t)n, sizeof *order, by_ready);
    for (int64_t i = 0; i < n; i++) {
        times[i] = order[i].ready;
        times[n + i] = t->start[task[i]];
    }
    h->ncurve[rank] = tw_ready_curve(times, times + n, n, h->curve + 2 * first);
}

static bool prepare_ranks(hunt *h)
{
    size_t n = (size_t)h->t->ntasks + 1, ranks;
    if (!tw_by_rank_open(h->t, &h->ranks))
        return false;
    ranks = (size_t)h->ranks.ranks;
    h->order = malloc(n * sizeof *h->order);
    h->curve = malloc(2 * n * sizeof *h->curve);
    h->ncurve = malloc(ranks * sizeof *h->ncurve);
    h->last = malloc(ranks * sizeof *h->last);
    double *times = malloc(2 * n * sizeof *times);
    bool good = h->order && h->curve && h->ncurve && h->last && times;
    for (int r = 0; good && r < h->ranks.ranks; r++)
        prepare_rank(h, r, times);
    free(times);
    return good;
}

static bool find_sent(hunt *h)
{
    h->sent = calloc((size_t)h->t->npoints + 1, sizeof *h->sent);
    for (int64_t i = 0; h->sent && i < h->a->nmessages; i++)
        h->sent[h->a->messages[i].received] = h->t->point_time[h->a->messages[i].sent];
    return h->sent;
}

static bool prepare(hunt *h, const double *bottom)
{
    const twill_trace *t = h->t;
    size_t n = (size_t)t->ntasks;
    h->edges = calloc(n + 2, sizeof *h->edges);
    h->used = malloc((n + 1) * sizeof *h->used);
    h->used_by = malloc((n + 1) * sizeof *h->used_by);
    h->oversubscribed = calloc((size_t)t->nrows + 1, sizeof *h->oversubscribed);
    for (int64_t r = 0; h->oversubscribed && r < t->nrows; r++)
        h->oversubscribed[r] = is_oversubscribed(h, (int)r);
    if (!h->edges || !h->used || !h->used_by || !h->oversubscribed || !prepare_ranks(h) ||
        !find_sent(h) || !find_moves(h) || !tw_late_find(t, &h->ranks, bottom, &h->late))
        return false;
    for (size_t i = 0; i < n; i++)
        h->used_by[i] = -1;
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
    good = good && !h->charges.failed;
    if (good)
        tw_charges_store(&h->charges, t, a);
    else
        free(h->charges.gaps);
    tw_by_rank_close(&h->ranks);
    free(h->order);
    free(h->curve);
    free(h->ncurve);
    free(h->last);
    free(h->sent);
    free(h->edges);
    free(h->used);
    free(h->used_by);
    free(h->moves);
    free(h->oversubscribed);
    tw_late_free(&h->late);
    free(h);
    return good;
}
