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
int64_t tw_ready_curve(const double *ready, const double *start, int64_t n, tw_ready_point *curve)
{
    int64_t r = 0, s = 0, length = 0;
    while (s < n) {
        bool more = r < n && ready[r] <= start[s];
        double time = more ? ready[r++] : start[s++];
        if (length == 0 || curve[length - 1].time < time)
            length++;
        curve[length - 1] = (tw_ready_point){time, r - s};
    }
    return length;
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
    a->ncurve = tw_ready_curve(ready, t->start, t->ntasks, a->curve);
    free(ready);
    return true;
}
