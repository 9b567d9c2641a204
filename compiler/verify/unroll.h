/* All tasks of a small graph at once: what a bound is checked with. */
#ifndef VERIFY_UNROLL_H
#define VERIFY_UNROLL_H

#include "verify/facts.h"

/* A dependency of `task` on `other`, or the other way round: as its own line tells it. */
typedef struct edge {
    int task, other; /* other -1: the target does not exist */
    int flow;        /* of the task */
    bool used;       /* the other end tells of it, too */
    const ir_dep *dep;
} edge;

typedef struct edges {
    edge *list; /* by task */
    int count;
    int *ends; /* those of task i end before ends[i] */
} edges;

/* A task touches a tile. */
typedef struct touch {
    int task, tile;
    int flow;
    const ir_dep *dep;
} touch;

typedef struct unrolled {
    world *world;
    int64_t deadline;        /* of poly_clock: the world fails after it */
    int steps;               /* since the clock was looked at */
    arena memory;            /* of what follows */
    task_table tasks, tiles; /* tiles are tasks whose class is the collection */
    int twice;               /* 1 + a task that its space has more than once */
    edges inputs, outputs;
    touch *touches;
    int touch_count;
    int *receivers; /* of each task, one after the other: those of task i end before ends[i] */
    int *ends;
    int *order;    /* tasks such that senders come first */
    int *position; /* of a task in the order; INT_MAX if it is on, or after, a cycle */
    int ordered;   /* as many as come before, or are not on, a cycle */
} unrolled;

/* Larger graphs, which take a gigabyte, make the world fail. */
enum { MOST_TASKS = 2 * 1000 * 1000 };

/* Unroll the world's graph; free it even if the world has failed. */
void unroll(unrolled *u, world *w, int64_t deadline);
void unroll_free(unrolled *u);

/* Another step of work: is there time left? If not, the world has failed. */
bool unroll_step(unrolled *u);

/* Find an instance of a mistake of one of the four kinds. */
bool unroll_unmatched(unrolled *u, finding *f);
bool unroll_two_sources(unrolled *u, finding *f);
bool unroll_cycle(unrolled *u, finding *f);
bool unroll_race(unrolled *u, finding *f);

#endif
