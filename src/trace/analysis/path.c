/* Paths through what tasks waited for. An edge counts the part of its first task that had to pass
 * before the second one could be ready: all of it, or, when the first task inserted the second, the
 * time until then. So no path is longer than the run. */
#include "trace/analysis/analysis.h"

#include <stdlib.h>

static double duration(const twill_trace *t, int64_t i)
{
    return t->end[i] - t->start[i];
}

static double weight(const twill_trace *t, int64_t from, int64_t to)
{
    double until = t->ready[to] - t->start[from], whole = duration(t, from);
    return until < 0 ? 0 : until < whole ? until : whole;
}

/* Edges are in the order of their targets and go from earlier tasks to later ones: a pass from the
 * last to the first sees all that follows a task before the task. */
static void find_bottoms(const twill_trace *t, double *bottom)
{
    for (int64_t i = 0; i < t->ntasks; i++)
        bottom[i] = duration(t, i);
    for (int64_t e = t->nedges - 1; e >= 0; e--) {
        int64_t from = t->edge_from[e], to = t->edge_to[e];
        double through = weight(t, from, to) + bottom[to];
        if (through > bottom[from])
            bottom[from] = through;
    }
}

/* The longest path to each task, and the task before it there; -1: it is the first. */
static void find_tops(const twill_trace *t, double *top, int32_t *before)
{
    for (int64_t i = 0; i < t->ntasks; i++) {
        top[i] = 0;
        before[i] = -1;
    }
    for (int64_t e = 0; e < t->nedges; e++) {
        int64_t from = t->edge_from[e], to = t->edge_to[e];
        double through = top[from] + weight(t, from, to);
        if (before[to] < 0 || through > top[to]) {
            top[to] = through;
            before[to] = (int32_t)from;
        }
    }
}

static bool store_path(const twill_trace *t, tw_analysis *a, const double *top,
                       const int32_t *before)
{
    int64_t last = 0, n = 0;
    for (int64_t i = 1; i < t->ntasks; i++)
        if (top[i] + duration(t, i) > top[last] + duration(t, last))
            last = i;
    for (int64_t i = t->ntasks ? last : -1; i >= 0; i = before[i])
        n++;
    a->path = malloc((size_t)(n + 1) * sizeof *a->path);
    if (!a->path)
        return false;
    a->npath = n;
    for (int64_t i = last; n > 0; i = before[i])
        a->path[--n] = (int32_t)i;
    a->total.longest_tasks = a->npath;
    a->total.longest_seconds = a->npath ? 1e-9 * (top[last] + duration(t, last)) : 0;
    return true;
}

/* The chain that ended last, each task enabled by the one before: what really held up the run. */
static void follow_chain(const twill_trace *t, tw_analysis *a)
{
    if (t->ntasks == 0)
        return;
    int64_t i = 0;
    for (int64_t k = 1; k < t->ntasks; k++)
        if (t->end[k] > t->end[i])
            i = k;
    a->total.critical_seconds = 1e-9 * duration(t, i);
    for (;;) {
        int64_t by = t->by[i];
        a->total.critical_tasks++;
        a->total.critical_waited += 1e-9 * (t->start[i] - t->ready[i]);
        if (by < 0)
            return;
        a->total.critical_seconds += 1e-9 * weight(t, by, i);
        i = by;
    }
}

bool tw_analyse_paths(const twill_trace *t, tw_analysis *a, double *bottom)
{
    size_t n = (size_t)t->ntasks + 1;
    double *top = malloc(n * sizeof *top);
    int32_t *before = malloc(n * sizeof *before);
    bool good = top && before;
    if (good) {
        find_bottoms(t, bottom);
        find_tops(t, top, before);
        good = store_path(t, a, top, before);
        follow_chain(t, a);
    }
    free(top);
    free(before);
    return good;
}
