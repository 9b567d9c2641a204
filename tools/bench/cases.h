/* The graphs of `bench tasks`: which tiles task number i uses, and how. */
#ifndef CASES_H
#define CASES_H

#include "bench/bench.h"
#include "bench/edges.h"

enum { CASE_TILES = 256, CASE_ARGS = 5 };

/* What a parameterised graph is made from. */
typedef struct case_place {
    twill *tw;
    twill_array *array;
    int64_t tasks;
    edges *edges; /* for a case that looks them up; to be closed after the graph */
} case_place;

/* One case. `define` puts the arguments of task i, and TWILL_END, into args; `draw` is the state
 * of the random numbers, the same at the start of every graph. Tasks are defined in order. */
typedef struct task_case {
    const char *name;
    void (*define)(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args);
    twill_status (*graph)(const case_place *at, twill_graph **graph);
    bool looks_up; /* its edges, which no formula gives */
} task_case;

/* Case number i, from 0; NULL past the last one. */
const task_case *cases_at(int i);

/* The tiles of a 1-d array of tiles of one 8-byte element, which *array holds. */
twill_status cases_tiles(twill *tw, twill_array **array, twill_tile *tiles[CASE_TILES]);

/* Insert tasks first .. first+n-1 of a case. Start with *draw = CASE_DRAW. */
#define CASE_DRAW UINT64_C(88172645463325252)
twill_status cases_insert(twill_graph *graph, const task_case *c, twill_tile *const *tiles,
                          int64_t first, int64_t n, uint64_t *draw);

/* The same tasks as an explicit graph, whose edges are the hazards between them. */
twill_status cases_dag(twill *tw, const task_case *c, twill_tile *const *tiles, int64_t n,
                       twill_graph **graph);

/* And as a parameterised graph. */
twill_status cases_ptg(const task_case *c, const case_place *at, twill_tile *const *tiles,
                       twill_graph **graph);

#endif
