/* Times of workers and classes. */
#include "trace/analysis/analysis.h"

#include <math.h>
#include <stdlib.h>

/* Time of each task without the tasks that ran inside it, on the same row: a body that inserts with
 * scheduler `serial` runs other bodies. Tasks are in the order of their beginnings, so those around
 * one are a stack per row. */
static double *exclusive_times(const twill_trace *t)
{
    double *own = malloc((size_t)(t->ntasks + 1) * sizeof *own);
    int32_t *around = malloc((size_t)(t->ntasks + 1) * sizeof *around);
    int32_t *innermost = malloc((size_t)(t->nrows + 1) * sizeof *innermost);
    if (!own || !around || !innermost) {
        free(own);
        own = NULL;
        goto done;
    }
    for (int64_t r = 0; r < t->nrows; r++)
        innermost[r] = -1;
    for (int64_t i = 0; i < t->ntasks; i++) {
        int32_t *top = &innermost[t->row[i]];
        while (*top >= 0 && t->end[*top] <= t->start[i])
            *top = around[*top];
        double end = t->end[i];
        if (*top >= 0 && end > t->end[*top])
            end = t->end[*top]; /* cannot be; a file may say so */
        own[i] = end - t->start[i];
        if (*top >= 0)
            own[*top] -= own[i];
        around[i] = *top;
        *top = (int32_t)i;
    }
done:
    free(around);
    free(innermost);
    return own;
}

static void add_states(const twill_trace *t, tw_analysis *a)
{
    for (int64_t i = 0; i < t->nstates; i++) {
        twill_worker_stats *w = &a->workers[t->state_row[i]];
        double seconds = 1e-9 * (t->state_end[i] - t->state_start[i]);
        switch ((tw_state)t->state_kind[i]) {
        case TW_STATE_SLEEP:
        case TW_STATE_SEARCH:
            w->idle += seconds;
            break;
        case TW_STATE_TEAM:
            w->busy += seconds;
            break;
        case TW_STATE_PROGRAM:
            w->program += seconds;
            break;
        default:
            break;
        }
    }
    for (int64_t i = 0; i < t->npoints; i++)
        if (t->point_kind[i] == TW_POINT_STEAL) {
            a->workers[t->point_row[i]].steals++;
            a->workers[t->point_row[i]].stolen += (int64_t)t->point_amount[i];
        }
}

static void finish_workers(const twill_trace *t, tw_analysis *a)
{
    double span = 1e-9 * t->span;
    for (int64_t r = 0; r < t->nrows; r++) {
        twill_worker_stats *w = &a->workers[r];
        w->name = tw_row_name(t, r);
        w->overhead = span - w->busy - w->idle;
        a->total.busy += w->busy;
        a->total.idle += w->idle;
        a->total.overhead += w->overhead;
    }
}

/* What the class reaches against what the core and its memory allow (the roofline). */
static void judge(const twill_trace *t, twill_class_stats *c, double flops, double bytes)
{
    c->verdict = "unknown";
    if (flops <= 0 || c->seconds <= 0)
        return;
    c->gflops = 1e-9 * flops / c->seconds;
    if (bytes <= 0)
        return;
    c->intensity = flops / bytes;
    if (t->peak <= 0 || t->bandwidth <= 0)
        return;
    double memory = t->bandwidth * c->intensity;
    c->ceiling = memory < t->peak ? memory : t->peak;
    /* faster than memory: what it needed was in a cache */
    c->verdict = memory >= t->peak          ? "compute-bound"
                 : c->gflops > memory * 1.1 ? "from cache"
                                            : "memory-bound";
}

typedef struct sums {
    double inclusive, squares, flops, bytes;
} sums;

static void add_tasks(const twill_trace *t, tw_analysis *a, const double *own, sums *sum)
{
    for (int64_t i = 0; i < t->ntasks; i++) {
        twill_class_stats *c = &a->classes[t->cls[i]];
        double seconds = 1e-9 * (t->end[i] - t->start[i]);
        a->workers[t->row[i]].busy += 1e-9 * own[i];
        a->workers[t->row[i]].tasks++;
        c->seconds += 1e-9 * own[i];
        c->least = c->count == 0 || seconds < c->least ? seconds : c->least;
        c->most = seconds > c->most ? seconds : c->most;
        c->count++;
        sums *s = &sum[t->cls[i]];
        s->inclusive += seconds;
        s->flops += t->flops[i];
        s->bytes += t->bytes[i];
    }
    for (int64_t i = 0; i < t->ntasks; i++) {
        const twill_class_stats *c = &a->classes[t->cls[i]];
        sums *s = &sum[t->cls[i]];
        double off = 1e-9 * (t->end[i] - t->start[i]) - s->inclusive / (double)c->count;
        s->squares += off * off;
    }
}

static void finish_classes(const twill_trace *t, tw_analysis *a, const sums *sum)
{
    for (int64_t k = 0; k < t->nclasses; k++) {
        twill_class_stats *c = &a->classes[k];
        c->name = tw_class_name(t, k);
        judge(t, c, sum[k].flops, sum[k].bytes);
        a->total.flops += sum[k].flops;
        a->total.bytes += sum[k].bytes;
        if (c->count == 0)
            continue;
        c->mean = sum[k].inclusive / (double)c->count;
        c->deviation = sqrt(sum[k].squares / (double)c->count);
    }
}

static void finish_total(const twill_trace *t, tw_analysis *a)
{
    twill_stats *s = &a->total;
    s->seconds = 1e-9 * t->span;
    s->tasks = t->ntasks;
    s->edges = t->nedges;
    s->workers = (int)t->nrows;
    s->classes = (int)t->nclasses;
    s->lost = (int64_t)t->lost;
    double whole = s->seconds * (double)t->nrows;
    s->utilisation = whole > 0 ? s->busy / whole : 0;
    s->bound_work = t->nrows ? s->busy / (double)t->nrows : 0;
    s->bound_path = s->longest_seconds;
    double bound = s->bound_work > s->bound_path ? s->bound_work : s->bound_path;
    s->efficiency = s->seconds > 0 ? bound / s->seconds : 0;
}

bool tw_analyse_times(const twill_trace *t, tw_analysis *a)
{
    double *own = exclusive_times(t);
    sums *sum = calloc((size_t)t->nclasses + 1, sizeof *sum);
    a->workers = calloc((size_t)t->nrows + 1, sizeof *a->workers);
    a->classes = calloc((size_t)t->nclasses + 1, sizeof *a->classes);
    bool good = own && sum && a->workers && a->classes;
    if (good) {
        add_tasks(t, a, own, sum);
        add_states(t, a);
        finish_workers(t, a);
        finish_classes(t, a, sum);
        finish_total(t, a);
    }
    free(own);
    free(sum);
    return good;
}
