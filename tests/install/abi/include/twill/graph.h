/* Graphs: what every front end's graphs have in common, insertion (STF), and explicit graphs (DAG).
 *
 * Threads: any thread, also on the same graph, unless a function says otherwise; explicit graphs
 * are built and run by one thread at a time. A graph is freed once, by a thread that knows that no
 * other still uses it.
 *
 * Several ranks: collective, so called by all ranks in the same order, are twill_stf_begin,
 * twill_dag_begin, and of graphs by insertion twill_insert and twill_wait, by one thread at a time
 * and not inside tasks. twill_graph_free is not, except that it waits. */
#ifndef TWILL_GRAPH_H
#define TWILL_GRAPH_H

#include <twill/task.h>

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

/* ---- any graph --------------------------------------------------------------------------- */

/* Wait until all tasks of the graph so far are done, those that they insert themselves included,
 * whatever other threads go on inserting; the calling thread works meanwhile. Returns TWILL_OK or
 * the first failure, whose sentence names the task. A failure is reported once, to one of the
 * threads that wait: after that the graph, and the data it left, can be used again. Any thread, not
 * inside tasks. Not a cancellation point: pthread_cancel has its effect afterwards. On several
 * ranks all get the failure of one; of a graph by insertion they wait even if nothing was inserted,
 * and TWILL_ERR_STATE names the first task that is not the same on all, or says who freed the
 * graph. */
TWILL_API twill_status twill_wait(twill_graph *graph);

/* Cancel: bodies that have not started do not run, in this graph and in those nested in its tasks;
 * twill_wait returns TWILL_ERR_CANCELED. Any thread, and inside tasks. */
TWILL_API void twill_cancel(twill_graph *graph);

/* LAPACK's info of the last run that was waited for: 0, or the smallest twill_task_numerical. */
TWILL_API int64_t twill_graph_info(const twill_graph *graph);

/* Tasks of the graph that were added, and that are done, so far. Any thread. */
TWILL_API void twill_graph_progress(const twill_graph *graph, int64_t *added, int64_t *done);

/* Wait, then free. NULL is allowed. A failure nobody waited for is dropped. */
TWILL_API void twill_graph_free(twill_graph *graph);

/* ---- STF: tasks inserted in program order ------------------------------------------------ */

/* Begin a graph. Tasks inserted into it run when the tasks before them that touch the same tiles
 * in a conflicting way are done, in this graph or any other of the context. */
TWILL_API twill_status twill_stf_begin(twill *tw, twill_graph **graph);

/* Insert a task: twill_insert(graph, &class, TWILL_R(tile), TWILL_INT(5), TWILL_PRIORITY(3)).
 * Any thread, and inside tasks. Outside tasks it may run other tasks when the window is full.
 * A task that cannot be inserted fails the graph, so twill_wait knows of it even if nobody looks at
 * what this returns. Once the graph has failed, nothing is inserted and its failure is returned. On
 * several ranks all insert the same: classes by name, tiles, modes, integers and reals. */
TWILL_API twill_status twill_insert_args(twill_graph *graph, const twill_class *cls,
                                         const twill_arg *args);

#define twill_insert(...) TWILL_INSERT_TERMINATED(__VA_ARGS__, TWILL_END)
#ifdef __cplusplus
#define TWILL_INSERT_TERMINATED(graph, cls, ...) \
    twill_insert_args((graph), (cls), std::initializer_list<twill_arg>{__VA_ARGS__}.begin())
#else
#define TWILL_INSERT_TERMINATED(graph, cls, ...) \
    twill_insert_args((graph), (cls), (const twill_arg[]){__VA_ARGS__})
#endif

/* ---- DAG: tasks and edges given explicitly, run many times ------------------------------- */

/* Begin an explicit graph. */
TWILL_API twill_status twill_dag_begin(twill *tw, twill_graph **graph);

/* Add a task; `*node` is its number, from 0. Data arguments give bodies their pointers and make
 * each run wait for earlier users of those tiles; order inside the graph comes from edges alone.
 * COMMUTE and REDUCE are not for explicit graphs. One thread at a time. */
TWILL_API twill_status twill_dag_add_args(twill_graph *graph, const twill_class *cls,
                                          const twill_arg *args, int64_t *node);

#define twill_dag_add(graph, node, ...) TWILL_DAG_TERMINATED(graph, node, __VA_ARGS__, TWILL_END)
#ifdef __cplusplus
#define TWILL_DAG_TERMINATED(graph, node, cls, ...)                                           \
    twill_dag_add_args((graph), (cls), std::initializer_list<twill_arg>{__VA_ARGS__}.begin(), \
                       (node))
#else
#define TWILL_DAG_TERMINATED(graph, node, cls, ...) \
    twill_dag_add_args((graph), (cls), (const twill_arg[]){__VA_ARGS__}, (node))
#endif

/* Task `to` starts after task `from` is done. Giving an edge twice is allowed. */
TWILL_API twill_status twill_dag_edge(twill_graph *graph, int64_t from, int64_t to);

/* Run the graph once; then twill_wait. The first run checks for cycles (TWILL_ERR_CYCLE names one)
 * and fixes the graph: adding tasks or edges makes the next run check again. TWILL_ERR_STATE while
 * a run is under way. */
TWILL_API twill_status twill_dag_run(twill_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
