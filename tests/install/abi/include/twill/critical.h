/* The critical path, run by several cores at once.
 *
 * A set of workers, the first ones, is reserved for tasks that the critical path consists of, and
 * runs each of them together. Which tasks these are: explicit graphs find out by themselves; of
 * inserted tasks those with TWILL_CRITICAL; of a parameterised graph those of classes with
 * [critical]. A class of such tasks has two bodies: the first for one worker, the second for the
 * set:
 *
 *     .chores = {TWILL_CPU(alone), TWILL_TEAM(together, 0)}
 *
 * `together` runs when the set has two or more workers at that moment, exactly on those, with ranks
 * from 0, or on as many as TWILL_TEAM or TWILL_TEAM_SIZE says if these are fewer.
 *
 * Modes: REGULAR has no set, every task is for any worker. FIXED reserves a number of workers: they
 * run critical tasks and nothing else, and nobody else runs critical ones. PRESCRIBED has a size
 * for each critical task. ADAPTIVE chooses the size while it runs; docs/critical-path.md says how.
 *
 * Worker 0, the thread of the program that waits, is the first of the set; while no thread waits
 * the set begins with worker 1. At least one worker is never reserved; so where there is one
 * worker, or one without the program, the set is empty, and any worker runs critical tasks, before
 * others. A set that grows waits for nobody: workers join when they have finished what they do, all
 * at once, and until then it goes on with its old size. It shrinks at once.
 *
 * Threads: any, outside tasks, unless a function says otherwise. */
#ifndef TWILL_CRITICAL_H
#define TWILL_CRITICAL_H

#include <twill/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum twill_mode {
    TWILL_MODE_REGULAR,
    TWILL_MODE_FIXED,
    TWILL_MODE_ADAPTIVE,
    TWILL_MODE_PRESCRIBED
} twill_mode;

/* What becomes of the critical path; options mode, reserved and prescribed say the same when a
 * context starts. */
typedef struct twill_critical {
    size_t size;              /* sizeof(twill_critical) */
    twill_mode mode;          /* */
    int reserved;             /* FIXED: workers in the set; at most all but one are */
    const int *prescribed;    /* PRESCRIBED: workers for each critical task in the order in which */
    int64_t prescribed_count; /* they run, copied; those that follow get the last number */
    /* Optional: the set has got another size, which is 0 in regular mode, and the next critical
     * task has not begun. Called by whoever leads the set, or calls twill_critical_set. */
    void (*resized)(void *arg, int size);
    void *arg;
} twill_critical;

/* Change it, at any time: tasks that run end as they began. Prescribed sizes begin with the first.
 * TWILL_ERR_ARGUMENT: no such mode, or a negative number. */
TWILL_API twill_status twill_critical_set(twill *tw, const twill_critical *critical);

/* What the set is at this moment. */
typedef struct twill_critical_info {
    size_t size; /* sizeof(twill_critical_info) */
    twill_mode mode;
    int reserved;    /* how many workers it should have, */
    int first;       /* the first of them, */
    int members;     /* and how many it has */
    int64_t tasks;   /* critical tasks so far, those of regular mode not counted */
    int64_t teams;   /* how many of these were run by two or more */
    int64_t changes; /* of its size */
} twill_critical_info;

/* Fill *info. Any thread. */
TWILL_API twill_status twill_critical_get(twill *tw, twill_critical_info *info);

/* ---- the critical path of an explicit graph ---------------------------------------------- */

/* How many tasks the longest path has that begins with task `node`, itself included, and whether
 * that task is on the critical path, which is one of the longest of the graph. `height` or
 * `critical` may be NULL. Errors as twill_dag_run. */
TWILL_API twill_status twill_dag_height(twill_graph *graph, int64_t node, int64_t *height,
                                        bool *critical);

/* ---- what a run has cost, without a trace ------------------------------------------------ */

/* Times are seconds. The cost of a run is what its workers could have done: cost = workers *
 * seconds = cost_reserved + cost_other; of that they were busy_reserved + busy_other =
 * busy_critical + busy_ordinary in bodies of tasks. A path is of tasks of which each waited for the
 * one before; longest_seconds >= critical_seconds. */
typedef struct twill_account {
    size_t size;    /* sizeof(twill_account) */
    double seconds; /* from the begin of the first task to the end of the last */
    double cost;
    double cost_reserved, cost_other;    /* of workers while they are in the set, and of others */
    double busy_reserved, busy_other;    /* the same in bodies, */
    double busy_critical, busy_ordinary; /* and in bodies of critical tasks, and of others */
    double utilisation;                  /* busy / cost */
    double critical_seconds; /* critical tasks of the path that has most of their time */
    double longest_seconds;  /* tasks of the longest path, */
    int64_t longest_tasks;   /* and how many these are */
    int64_t tasks, critical_tasks;
    int64_t teams; /* critical tasks that the set ran with two or more */
    int workers;
    int changes; /* of the size of the set */
} twill_account;

/* Add up from now on what tasks take, until the other one says what that comes to; a trace may be
 * recorded meanwhile, too. It takes some 0.2 microseconds per task, and memory for those that wait.
 * Outside tasks, and between the runs of graphs: a task that runs meanwhile is not, or not all,
 * counted. Bodies more than 32 deep inside others count as part of these. TWILL_ERR_STATE: it has
 * begun already, or has not; TWILL_ERR_MEMORY: there was none for all of it. */
TWILL_API twill_status twill_account_begin(twill *tw);
TWILL_API twill_status twill_account_end(twill *tw, twill_account *account);

/* ---- the controller of mode adaptive ----------------------------------------------------- */

/* What chooses the size of the set, by itself: for whoever has other clocks or other tasks. One
 * thread at a time, any. */
typedef struct twill_controller twill_controller;

/* For so many workers. TWILL_ERR_ARGUMENT, TWILL_ERR_MEMORY. Free it with the other; NULL is
 * allowed there. */
TWILL_API twill_status twill_controller_new(int workers, twill_controller **controller);
TWILL_API void twill_controller_free(twill_controller *controller);

/* A critical task has run from `begin` to `end`, in seconds, while the set had `size` members, and
 * so many of the other workers were idle when it ended. Tasks of the same `kind`, any address, are
 * taken to be of the same length. Returns how many the set should have. */
TWILL_API int twill_controller_note(twill_controller *controller, const void *kind, int size,
                                    double begin, double end, double idle);

#ifdef __cplusplus
}
#endif
#endif
