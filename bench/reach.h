/* The patterns of bench/patterns.h from both sides: whom a point reads, and who reads it. */
#ifndef REACH_H
#define REACH_H

#include "patterns.h"

enum {
    REACH = PATTERN_RADIX, /* points that one reads, and that read one, at most */
    REACH_LEVELS = 6,      /* of a butterfly of PATTERN_WIDTH points */
    REACH_PERIOD = PATTERN_PERIOD * REACH_LEVELS
};

/* Inputs have places: in a step, no two points are read at the same place of a point, nor does a
 * point have two readers at the same place. -1: nobody. */
typedef struct reach_row {
    int8_t at[REACH];
} reach_row;

typedef struct reach {
    const pattern_graph *graph;
    bool full; /* all steps have all points */
    int period;
    reach_row source[REACH_PERIOD][PATTERN_WIDTH]; /* by step % period */
    reach_row reader[REACH_PERIOD][PATTERN_WIDTH]; /* by that of the reader's step */
} reach;

/* Not for all_to_all, where everybody is read. */
void reach_make(reach *r, const pattern_graph *graph);

static inline int64_t reach_first(const reach *r, int64_t t)
{
    return r->full ? 0 : pattern_first(r->graph, t);
}

static inline int64_t reach_last(const reach *r, int64_t t)
{
    return (r->full ? r->graph->width : reach_first(r, t) + pattern_count(r->graph, t)) - 1;
}

/* The point, if step t has it. */
static inline int64_t reach_if_there(const reach *r, int64_t t, int64_t point)
{
    return r->full || (point >= reach_first(r, t) && point <= reach_last(r, t)) ? point : -1;
}

/* The point of step t - 1 that point i of step t > 0 reads at place k. */
static inline int64_t reach_source(const reach *r, int64_t t, int64_t i, int k)
{
    return reach_if_there(r, t - 1, r->source[t % r->period][i].at[k]);
}

/* The point of step t + 1 that reads point i of step t at its place k. */
static inline int64_t reach_reader(const reach *r, int64_t t, int64_t i, int k)
{
    return reach_if_there(r, t + 1, r->reader[(t + 1) % r->period][i].at[k]);
}

#endif
