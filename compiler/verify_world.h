/* A graph with values for its globals: what its tasks are and what they send, without isl.
 *
 * Whatever --verify refutes it shows to hold here first. A world gives up (`failed`) when it meets
 * something that only C can compute, or that takes too many steps; what it said before that about
 * the absence of something then means nothing. */
#ifndef VERIFY_WORLD_H
#define VERIFY_WORLD_H

#include "ir.h"

enum { MOST_PARAMETERS = 12, MOST_NAMES = 64 };

typedef struct world {
    const ir_file *file;
    arena *memory;
    int64_t *globals, *members;
    bool *known_globals, *known_members;
    int64_t steps; /* that are left */
    bool failed;
} world;

/* One instance; only `param_count` of the arguments count. */
typedef struct task {
    int class;
    int64_t args[MOST_PARAMETERS];
} task;

/* All globals unknown; set them, then world_define works out those that are defined by others. */
void world_make(world *w, const ir_file *f, arena *memory, int64_t steps);
void world_define(world *w);

/* Why no world can be made of the file, as a sentence, or NULL: too many names in a class. */
const char *world_limit(const ir_file *f, arena *memory);

/* The value of an expression; failure gives 0 and sets `failed`. */
int64_t world_value(world *w, const ir_expr *e, const int64_t *locals, const int64_t *iters);

/* Is it one of the instances? Then `locals`, of MOST_NAMES, gets the values of its locals. */
bool world_has(world *w, const task *t, int64_t *locals);

/* The first local whose definition leaves out the task; -1 if it is an instance. */
int world_misses(world *w, const task *t, int64_t *locals);

/* Called for each one; false ends the walk. */
typedef bool world_visit(void *context, world *w, const task *t, const int64_t *locals);

/* All instances of a class in the order of the loops. */
void world_tasks(world *w, int class, world_visit *visit, void *context);

/* The targets of a dependency of the instance with these locals. A tile of memory comes as a
 * task whose class is -1, NEW and NULL as class -2. `locals` of the visit is NULL. */
void world_targets(world *w, const ir_dep *d, const int64_t *locals, world_visit *visit,
                   void *context);

/* How many times does the dependency of the instance with these locals have that target? */
int world_counts(world *w, const ir_dep *d, const int64_t *locals, const task *target);

bool task_equal(const task *a, const task *b, int count);

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
