/* Facts about single tasks of a graph with known globals, each with the sentence that tells it.
 *
 * A fact is false as well when the world gave up on the way: no fact is ever guessed. */
#ifndef VERIFY_FACTS_H
#define VERIFY_FACTS_H

#include "verify/world.h"

typedef struct finding {
    place at;   /* the first of the lines that it names */
    place also; /* the other one: two findings with the same lines are one mistake */
    const char *text;
    bool note; /* no mistake, but worth knowing */
} finding;

/* The space of its class has the task more than once: a set has the same value twice. */
bool fact_twice(world *w, const task *x, finding *f);

/* `d` of flow `flow` of task `x` names the task `y`, but `y` does not exist, or has no arrow back,
 * or not as many. */
bool fact_unmatched(world *w, const task *x, int flow, const ir_dep *d, const task *y, finding *f);

/* `d` would name the task `y`, which does not exist, and so is left out. */
bool fact_dropped(world *w, const task *x, int flow, const ir_dep *d, const task *y, finding *f);

/* The data flow `flow` of `x` has more than one input. */
bool fact_two_sources(world *w, const task *x, int flow, finding *f);

/* More than one guard of its <- holds, so that their order decides. */
bool fact_overlap(world *w, const task *x, int flow, finding *f);

/* The task waits for itself. */
bool fact_cycle(world *w, const task *x, finding *f);

/* How a dependency touches memory; a flow that takes a tile to write does so in place. */
bool touches_memory(const ir_dep *d);
bool writes_memory(const ir_flow *flow, const ir_dep *d);

/* Do two dependencies touch the same part of a tile? Two shapes may have nothing in common, which
 * only their definitions in C can tell. */
typedef enum part_relation {
    PARTS_MEET,  /* yes */
    PARTS_VARY,  /* those of two tasks for which `count` and `displ` have the same values */
    PARTS_DIFFER /* nobody knows */
} part_relation;
part_relation parts_compare(arena *a, const ir_dep *d, const ir_dep *e);

/* One task touches a tile by one of its dependencies. */
typedef struct access {
    task task;
    int flow;
    const ir_dep *dep;
} access;

/* The two touch `tile` (a task of class -1) in the same part, at least one writes it, and nothing
 * orders them. */
bool fact_race(world *w, const access *x, const access *y, const task *tile, finding *f);

/* ---- Words (verify_text.c) --------------------------------------------------------------- */

/* NAME(k=2,n=4), or NAME(2,4). */
const char *text_task(const world *w, const task *t, bool names);

/* What a dependency names: T DSYRK(2,4), A(1,1), NEW or NULL, with these arguments. */
const char *text_target(const world *w, const ir_dep *d, const task *target);

/* lo .. hi .. step */
const char *text_range(const world *w, const ir_range *r);

/* FILE:LINE */
const char *text_place(const world *w, place at);

/* ", with SIZE=5", or nothing if the file has no globals that matter. */
const char *text_globals(const world *w);

#endif
