/* A benchmark of one operation: each system with its best tile size, in interleaved runs. */
#ifndef CONTEST_H
#define CONTEST_H

#include "bench.h"
#include "rivals.h"

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

/* Numbers with commas between, at most CONTEST_LIST; how many, or -1 after a complaint. */
int contest_list(const char *command, const char *name, const char *text, int64_t *list);

#endif
