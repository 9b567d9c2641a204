/* All tasks of a small graph at once: what a bound is checked with. */
#ifndef VERIFY_UNROLL_H
#define VERIFY_UNROLL_H

#include "verify/facts.h"

/* A task waits for another one. */
typedef struct wait {
    int task, sender;
} wait;

/* A task touches a tile. */
typedef struct touch {
    int task, tile;
    int flow;
    const ir_dep *dep;
} touch;

typedef struct unrolled {
    world *world;
    arena memory;            /* of what follows */
    task_table tasks, tiles; /* tiles are tasks whose class is the collection */
    wait *waits;
    int wait_count;
    touch *touches;
    int touch_count;
    int *order;  /* tasks such that senders come first */
    int ordered; /* as many as come before, or are not on, a cycle */
} unrolled;

/* Larger graphs make the world fail. */
enum { MOST_TASKS = 4096 };

/* Unroll the world's graph; free it even if the world has failed. */
void unroll(unrolled *u, world *w);
void unroll_free(unrolled *u);

/* Find an instance of a mistake of one of the four kinds. */
bool unroll_unmatched(unrolled *u, finding *f);
bool unroll_two_sources(unrolled *u, finding *f);
bool unroll_cycle(unrolled *u, finding *f);
bool unroll_race(unrolled *u, finding *f);

#endif
