/* The curve of ready tasks. */
#include "trace/analysis/analysis.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Two sorted lists of times, merged: one more at each time of being ready, one less at each
 * beginning. Of several changes at one time the last remains. */
static void merge(const double *ready, const double *start, int64_t n, tw_analysis *a)
{
    int64_t r = 0, s = 0;
    while (s < n) {
        bool more = r < n && ready[r] <= start[s];
        double time = more ? ready[r++] : start[s++];
        if (a->ncurve == 0 || a->curve[a->ncurve - 1].time < time)
            a->ncurve++;
        a->curve[a->ncurve - 1] = (tw_ready_point){time, r - s};
    }
}

bool tw_analyse_ready(const twill_trace *t, tw_analysis *a)
{
    size_t n = (size_t)t->ntasks;
    double *ready = malloc((n + 1) * sizeof *ready);
    a->curve = malloc((2 * n + 1) * sizeof *a->curve);
    if (!ready || !a->curve) {
        free(ready);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        ready[i] = t->ready[i];
    qsort(ready, n, sizeof *ready, ascending);
    merge(ready, t->start, t->ntasks, a);
    free(ready);
    return true;
}
