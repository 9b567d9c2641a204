/* A graph with values for its globals: what its tasks are and what they send, without isl.
 *
 * Whatever --verify refutes it shows to hold here first. A world has failed when it met something
 * that only C can compute, or that takes too many steps; what it said about the absence of
 * something then means nothing. */
#ifndef VERIFY_WORLD_H
#define VERIFY_WORLD_H

#include "eval/eval.h"

/* Tables of tasks get large: classes with more parameters are not looked at. */
enum { MOST_PARAMETERS = 12 };

typedef struct world {
    eval eval;
    const ir_file *file;
    arena *memory;
    bool *chose_global, *chose_member; /* which of the values were chosen, not worked out */
} world;

/* One instance, or a tile (class -1), or NEW and NULL (class -2). Further arguments are 0. */
typedef struct task {
    int class;
    int64_t args[MOST_PARAMETERS];
} task;

/* No global has a value yet; choose some, then eval_settle works out the others. */
void world_make(world *w, const ir_file *f, arena *memory, int64_t steps);
void world_choose_global(world *w, int global, int64_t value);
void world_choose_member(world *w, int member, int64_t value);

/* Do the assumptions of the file hold, as far as they can be computed? */
bool world_is_assumed(world *w);

bool world_failed(const world *w);

/* Is it one of the instances? Then `locals`, of MOST_LOCALS, gets the values of its locals. */
bool world_has(world *w, const task *t, int64_t *locals);

/* The first local whose definition leaves out the task; -1 if it is an instance. */
int world_misses(world *w, const task *t);

/* Called for each one; false ends the walk. */
typedef bool world_visit(void *context, world *w, const task *t, const int64_t *locals);

/* All instances of a class in the order of the loops. */
void world_tasks(world *w, int class, world_visit *visit, void *context);

/* The targets of a dependency of the instance with these locals; those of the visit are the same.
 */
void world_targets(world *w, const ir_dep *d, const int64_t *locals, world_visit *visit,
                   void *context);

/* How many times does the dependency of the instance with these locals have that target? */
int world_counts(world *w, const ir_dep *d, const int64_t *locals, const task *target);

bool task_equal(const task *a, const task *b);

/* ---- Tables of tasks (verify_table.c) ---------------------------------------------------- */

typedef struct task_table {
    arena *memory;
    task *tasks; /* in the order of their arrival */
    int count;
    int *slots; /* 1 + index into tasks, or 0 */
    int slot_count;
} task_table;

/* The index of the task, which becomes part of the table if it is not; *fresh says so. */
int table_add(task_table *table, const task *t, bool *fresh);

/* The index of the task, or -1. */
int table_find(const task_table *table, const task *t);

/* ---- Paths (verify_path.c) --------------------------------------------------------------- */

typedef struct path {
    task *tasks;         /* from the first to the last */
    const ir_dep **deps; /* deps[i] is what leads from tasks[i] to tasks[i + 1] */
    int count;           /* of tasks */
} path;

/* Find a shortest path of at least one dependency between the two, in `memory` of the world: as
 * senders tell it by their -> (`by_outputs`), or as receivers tell it by their <-. */
bool path_find(world *w, const task *from, const task *to, bool by_outputs, path *found);

#endif
