/* A benchmark of one operation: each system with its best tile size, in interleaved runs. */
#ifndef CONTEST_H
#define CONTEST_H

#include "bench/bench.h"
#include "bench/rivals.h"

enum { CONTEST_LIST = 16 };

typedef struct contest_plan {
    const int64_t *sizes, *tiles;
    int size_count, tile_count;
    int64_t pairs; /* runs of each system */
    bool json;
} contest_plan;

/* Measure and print: the median rate of each system, and the median over the pairs of how many
 * times faster than it Twill was. Returns the exit status. */
int contest_run(rivals *all, const contest_plan *plan);

/* What the command line says. */
typedef struct contest_values {
    const char *sizes, *tiles;
    int64_t pairs, workers;
    bool json, no_peers;
} contest_values;

/* Options that such benchmarks share; their own tables have those whose defaults differ. */
extern const option contest_options[];

/* Read the command line into *v, which has the defaults, find the systems and run `contest`. */
int contest_main(const option_set *options, int argc, char **argv, contest_values *v,
                 const rival_kind *kind, int (*contest)(rivals *all, const contest_plan *plan));

#endif
