/* The sweep over granularities, and the reading of its result. */
#include "metg.h"

#include <math.h>
#include <stdlib.h>

enum { SLICE = 1000000, SLICES = 60, STEADY = 3, CLOSER = 3 };
static const double half = 0.5, first_us = 1.0, same = 0.98;
/* A graph that takes longer than this, in microseconds, will not become efficient: somebody else
 * has the cores. */
static const double longest_us = 3e6;

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

/* Clocks rise when there is work, and fall when all cores have some: run the kernel until its rate
 * is the same several times in a row. Somebody else on the machine may keep it from ever being so.
 */
static bool settle(const metg_runner *runner, double *best)
{
    *best = 0;
    for (int slice = 0, steady = 0; slice < SLICES && steady < STEADY; slice++) {
        double rate;
        if (!runner->plain(runner->arg, SLICE, &rate))
            return false;
        steady = rate > same * *best && rate < *best / same ? steady + 1 : 0;
        if (rate > *best)
            *best = rate;
    }
    return true;
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
    if (!settle(runner, &s.peak))
        return false;
    double per_us = s.peak / cores, enough = first_us * per_us, little;
    good = measure(&s, enough, &effective);
    bool down = effective;
    for (little = enough; good && down && effective && little >= 2; enough = 2 * little)
        good = measure(&s, little /= 2, &effective);
    for (; good && !down && !effective && s.last_us < longest_us; little = enough / 2)
        good = measure(&s, enough *= 2, &effective);
    for (int i = 0; i < CLOSER && good; i++) {
        double middle = sqrt(little * enough);
        good = measure(&s, middle, &effective);
        *(effective ? &enough : &little) = middle;
    }
    *us = good ? metg_at(s.points, s.n, half) : NAN;
    return good;
}
