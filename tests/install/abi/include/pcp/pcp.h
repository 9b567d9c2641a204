/* The interface of the PCP runtime (NLAFET deliverable D6.1), on top of Twill: graphs whose
 * critical path is run by several cores at once. Programs written for it compile unmodified:
 *
 *     cc program.c -lpcp
 *
 * There is one runtime per process, and one thread calls it. Functions that cannot do what they
 * are asked say why in one line on standard error, and do nothing. docs/manual/pcp.md has the
 * manual, twill/critical.h what lies below. */
#ifndef PCP_H
#define PCP_H

#include "spin-barrier.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Modes: no reserved workers; a fixed number; one that adapts itself; one number for each critical
 * task, in the order of the path, which pcp_execute_graph reads from standard input. */
#define PCP_REGULAR 0
#define PCP_FIXED 1
#define PCP_ADAPTIVE 2
#define PCP_PRESCRIBED 3

/* The bodies of a kind of tasks. All but the first may be NULL. */
struct pcp_task_type {
    void (*sequential_impl)(void *arg);
    /* On `nth` threads at once, each with its rank; of critical tasks, on two or more. */
    void (*parallel_impl)(void *arg, int nth, int rank);
    /* When the type is registered, and when the reserved set has another size, which is 0 in
     * regular mode; no critical task runs then. */
    void (*parallel_reconfigure)(int size);
    void (*parallel_finalize)(void); /* in pcp_stop */
};

typedef int pcp_task_type_handle_t;
typedef int pcp_task_handle_t;
static const pcp_task_handle_t PCP_TASK_HANDLE_NULL = -1;

/* n workers, the caller among them; 0 or -1: one per core. The mode is PCP_FIXED, with one reserved
 * worker. */
void pcp_start(int n);
void pcp_stop(void);

/* How the graphs after this are run. At least one worker is never reserved. */
void pcp_set_mode(int mode);
void pcp_set_reserved_set_size(int size);

/* The type is copied, and lives until pcp_stop. */
pcp_task_type_handle_t pcp_register_task_type(struct pcp_task_type *type);

/* A new graph, in place of the one before. Tasks are inserted in an order in which they could run.
 * `arg` comes from malloc, and belongs to the runtime from then on. */
void pcp_begin_graph(void);
pcp_task_handle_t pcp_insert_task(pcp_task_type_handle_t type, void *arg);
void pcp_insert_dependence(pcp_task_handle_t source, pcp_task_handle_t sink);
void pcp_end_graph(void);

/* Run it, once, and free the arguments of its tasks. */
void pcp_execute_graph(void);

/* What the last run took: seconds, and seconds times workers. */
struct pcp_statistics {
    double execution_time;
    double cost;
    double cost_reserved, cost_other;       /* of workers in the reserved set, and of others */
    double cost_critical, cost_noncritical; /* in critical tasks, and in others */
    double critical_path_length, longest_path_length;
};
void pcp_view_statistics(struct pcp_statistics *stats);
void pcp_view_statistics_stdout(void);

/* What ran when and where; seconds from the begin of the first task. The caller frees `events` and
 * `adaption_events`. */
struct pcp_event {
    pcp_task_type_handle_t task_type;
    pcp_task_handle_t task;
    bool is_critical;
    int first_core, num_cores;
    double begin, end;
};
struct pcp_adaption_event {
    double time;
    int size; /* of the reserved set from then on */
};
struct pcp_trace {
    int num_events;
    struct pcp_event *events;
    int num_adaption_events;
    struct pcp_adaption_event *adaption_events;
};
void pcp_view_trace(struct pcp_trace *trace);

/* The same as a picture: trace.tex in the current folder, a document for pdflatex. */
void pcp_view_trace_tikz(void);

/* Seconds since some time in the past. */
double pcp_get_time(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
