/* The sweep over granularities, and the reading of its result. */
#include "bench/metg.h"
#include "bench/settle.h"

#include <math.h>
#include <stdlib.h>

enum { CLOSER = 3 };
static const double half = 0.5, first_us = 1.0;
/* A graph that takes longer than this, in microseconds, will not become efficient: somebody else
 * has the cores. */
static const double longest_us = 1e6;

static int by_time(const void *a, const void *b)
{
    double x = ((const metg_point *)a)->us, y = ((const metg_point *)b)->us;
    return (x > y) - (x < y);
}

double metg_at(metg_point *points, int n, double efficiency)
{
    qsort(points, (size_t)n, sizeof *points, by_time);
    int k = 0;
    while (k < n && points[k].efficiency < efficiency)
        k++;
    if (k == n)
        return NAN;
    if (k == 0)
        return points[0].us;
    const metg_point *below = &points[k - 1], *above = &points[k];
    double part = (efficiency - below->efficiency) / (above->efficiency - below->efficiency);
    return below->us * pow(above->us / below->us, part);
}

/* All points so far. */
typedef struct sweep {
    const metg_runner *runner;
    double cores, tasks, peak; /* peak: iterations per microsecond */
    metg_point points[METG_POINTS];
    int n;
    double last_us; /* of the last graph */
} sweep;

static bool measure(sweep *s, double iterations, bool *effective)
{
    double us;
    long whole = (long)iterations;
    if (!s->runner->graph(s->runner->arg, whole, &us))
        return false;
    s->last_us = us;
    double efficiency = (double)whole * s->tasks / us / s->peak;
    s->points[s->n++] = (metg_point){us * s->cores / s->tasks, efficiency};
    *effective = efficiency >= half;
    return true;
}

bool metg_sweep(const metg_runner *runner, int cores, int64_t tasks, double *us)
{
    sweep s = {.runner = runner, .cores = cores, .tasks = (double)tasks};
    bool effective, good;
    if (!settle(runner->plain, runner->arg, &s.peak))
        return false;
    double per_us = s.peak / cores, enough = first_us * per_us, little;
    good = measure(&s, enough, &effective);
    bool down = effective;
    for (little = enough; good && down && effective && little >= 2; enough = 2 * little)
        good = measure(&s, little /= 2, &effective);
    for (; good && !down && !effective && s.last_us < longest_us; little = enough / 2)
        good = measure(&s, enough *= 2, &effective);
    bool found = down || effective;
    for (int i = 0; i < CLOSER && good && found; i++) {
        double middle = sqrt(little * enough);
        good = measure(&s, middle, &effective);
        *(effective ? &enough : &little) = middle;
    }
    *us = good ? metg_at(s.points, s.n, half) : NAN;
    return good;
}
