/* METG: the minimum effective task granularity of a system, after Task Bench. */
#ifndef METG_H
#define METG_H

#include <stdbool.h>
#include <stdint.h>

/* Somebody who runs a graph. Both return false, after a complaint, when that failed. */
typedef struct metg_runner {
    /* The graph with so many iterations of the kernel in each task: microseconds. */
    bool (*graph)(void *arg, long iterations, double *us);
    /* The kernel in a plain loop, so many iterations on each core, all at the same time: iterations
     * per microsecond of all cores together. */
    bool (*plain)(void *arg, long iterations, double *rate);
    void *arg;
} metg_runner;

/* One granularity: core time per task, and the part of the plain rate that is reached with it. */
typedef struct metg_point {
    double us, efficiency;
} metg_point;

enum { METG_POINTS = 64 };

/* The smallest task time that keeps the efficiency, interpolated between the points beside it;
 * NAN when none does. Sorts the points by time. */
double metg_at(metg_point *points, int n, double efficiency);

/* Look for METG(50%): try ever smaller, or larger, tasks, then look more closely. Returns false
 * when the runner does, else sets *us. */
bool metg_sweep(const metg_runner *runner, int cores, int64_t tasks, double *us);

#endif
