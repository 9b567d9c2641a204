/* What the benchmarks share. */
#ifndef BENCH_H
#define BENCH_H

#include "command/json.h"
#include "command/options.h"

/* One benchmark of `twill bench`. */
typedef struct bench {
    const char *name;
    const option_set *options;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
} bench;

extern const bench bench_chol;
extern const bench bench_critical;
extern const bench bench_ep;
extern const bench bench_gemm_peak;
extern const bench bench_la;
extern const bench bench_memory;
extern const bench bench_metg;
extern const bench bench_pingpong;
extern const bench bench_copy;
extern const bench bench_potrf;
extern const bench bench_scaling;
extern const bench bench_small;
extern const bench bench_tasks;
extern const bench bench_trace;

enum { BENCH_CASE = 64, BENCH_RUNS = 1000 };

/* A measurement as a JSON object, open so that more can be added. */
void bench_open(json *j, const char *name, const char *which, const char *system, double value,
                const char *unit);

/* Close it. */
void bench_close(json *j);

/* The median of n > 0 numbers, which are sorted. */
double bench_median(double *values, int n);

/* A cell of a table, 12 wide; a dash when there is no value. */
void bench_cell(bool valid, double value, int digits);

/* A class whose body does nothing. */
extern const twill_class bench_empty;

#endif
