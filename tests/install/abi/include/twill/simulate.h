/* Runs in virtual time: how long a graph would take on workers that this machine does not have.
 *
 * A model is tasks with their times, and what each waits for; it is given, or taken from a trace.
 * A simulation runs it with the scheduling policies of real runs and with the same control of the
 * critical set, but by a clock of its own. What it leaves out: tasks that slow each other down, in
 * memory or by the clock of the processor. docs/critical-path.md says how far to trust it.
 *
 * Threads: a model belongs to one thread at a time; several may simulate one that none changes. */
#ifndef TWILL_SIMULATE_H
#define TWILL_SIMULATE_H

#include <twill/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct twill_model twill_model;

/* An empty model, and one of what a trace has recorded: its tasks, in the order in which they
 * began, what they waited for, and how long they took. A task that a team ran counts as if one
 * worker had taken that long. Free it with twill_model_free; NULL is allowed there. */
TWILL_API twill_status twill_model_make(twill_model **model);
TWILL_API twill_status twill_model_load(const twill_trace *trace, twill_model **model);
TWILL_API void twill_model_free(twill_model *model);

/* Add a task of a class, a name that tasks of one kind share; `*task` is its number, from 0. */
TWILL_API twill_status twill_model_task(twill_model *model, const char *cls, double seconds,
                                        int64_t *task);

/* Task `to` starts after `from` is done. TWILL_ERR_ARGUMENT: `from` is not less than `to`, or there
 * is no such task: tasks are added in an order in which they could run. */
TWILL_API twill_status twill_model_edge(twill_model *model, int64_t from, int64_t to);

/* For machines with devices. The task that was added last reads a datum, or reads and writes it: so
 * many bytes, which are on the host at first; data are numbered from 0. And it runs on that device
 * only, 0 for the workers. TWILL_ERR_ARGUMENT: there is no task, or a number is negative. */
TWILL_API twill_status twill_model_data(twill_model *model, int64_t datum, double bytes,
                                        bool writes);
TWILL_API twill_status twill_model_place(twill_model *model, int device);

/* How many tasks there are. */
TWILL_API int64_t twill_model_tasks(const twill_model *model);

/* What the machine is like, and how the critical path is run. */
typedef struct twill_simulation {
    size_t size;       /* sizeof(twill_simulation) */
    const char *sched; /* NULL: lws */
    int workers;
    const char *mode; /* regular (NULL), fixed, prescribed, adaptive */
    int reserved;     /* fixed: workers for critical tasks; at most all but one are */
    const int
        *prescribed; /* prescribed: workers for each critical task in the order of the path; */
    int64_t prescribed_count; /* those that follow get the last number */

    /* Seconds of a critical task of this class that takes `seconds` on one worker, when that many
     * run it; NULL: twill_simulate_seed. */
    double (*team)(void *arg, const char *cls, double seconds, int members);
    void *arg;

    double dispatch; /* seconds from one task of a worker to its next */
    double wake;     /* seconds until a worker that has nothing to do begins a task */
    double barrier;  /* seconds of a barrier between two members of a team */

    /* Executors besides the workers, 1 to `devices`, at most 14. Each runs one task after the
     * other, while the data of the next ones is on its way. Policies learn what tasks take, as in
     * real runs. With devices, the mode is regular. */
    int devices;
    int ahead;  /* tasks whose data is under way at a time, on each; 0: 2 */
    int known;  /* not 0: policies know what tasks take, from earlier runs */
    int unused; /* 0 */
    /* Seconds of a task of this class on a device, when a worker takes `seconds`; 0: it cannot. */
    double (*device)(void *arg, const char *cls, double seconds, int device);
    /* Seconds of a copy between the host and a device; NULL: none. */
    double (*copy)(void *arg, double bytes, int device);

    /* Optional: gets the run as a trace, as if it had been recorded. Free it with
     * twill_trace_free. */
    twill_trace **trace;
} twill_simulation;

/* What a run took. Seconds; cost is seconds of workers. A task that a team runs is busy once per
 * member. cost = cost_reserved + cost_other = workers * seconds, and what is busy of the two =
 * busy_critical + busy_ordinary. */
typedef struct twill_simulated {
    size_t size; /* sizeof(twill_simulated) */
    double seconds, cost;
    double cost_reserved, cost_other; /* of workers in the set, and of others */
    double busy_reserved, busy_other;
    double busy_critical, busy_ordinary; /* in critical tasks, and in others */
    double utilisation;                  /* busy / cost */
    double critical_seconds;             /* all critical tasks, one after the other */
    double longest_seconds;              /* the longest path */
    int64_t tasks, critical_tasks, longest_tasks;
    int workers, changes;   /* changes: of the size of the set */
    double device_busy[16]; /* seconds in tasks, of each device; 0: of all workers */
    int64_t device_tasks[16];
    double bytes; /* copied between memories */
} twill_simulated;

/* Run the model. TWILL_ERR_ARGUMENT: no such policy, or no worker; TWILL_ERR_MEMORY. */
TWILL_API twill_status twill_simulate(const twill_model *model, const twill_simulation *simulation,
                                      twill_simulated *result);

/* Two models of teams. Efficiencies E(q) of 75% with two members, 60% with three, 50% with four;
 * and Amdahl's law with the share of a task that runs alone, `*(const double *)arg`. */
TWILL_API double twill_simulate_seed(void *arg, const char *cls, double seconds, int members);
TWILL_API double twill_simulate_amdahl(void *arg, const char *cls, double seconds, int members);

#ifdef __cplusplus
}
#endif
#endif
