/* Graphs, as the engine sees them. Front ends fill the table. */
#ifndef TW_ENGINE_GRAPH_H
#define TW_ENGINE_GRAPH_H

#include "base/status.h"
#include "engine/task.h"

typedef struct tw_worker tw_worker;

enum { TW_HANDOUT = 64, TW_HANDOUT_WORDS = 8 * TW_HANDOUT };

/* Startup tasks that a worker gets: ready ones, and some still to be made of what the front end
 * wrote into `word`. */
typedef struct tw_handout {
    tw_ready ready;
    int to_make;
    int64_t word[TW_HANDOUT_WORDS];
} tw_handout;

typedef struct tw_graph_ops {
    const char *name;

    /* A task is over: give up what it holds and collect the tasks this enables. `poison`: what it
     * should have written is not there (see data/chain.h); 0 when all is well. */
    void (*release)(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

    /* The task is released: take back its memory. */
    void (*recycle)(tw_worker *w, twill_task *t);

    /* Hand out tasks that need nobody, after tw_start_feeding; false when these were the last. One
     * worker at a time, so a front end that has to make its tasks only says here which, and counts
     * them as added; `make` turns them into tasks, beside other workers. */
    bool (*startup)(twill_graph *g, tw_worker *w, tw_handout *out);
    void (*make)(twill_graph *g, tw_worker *w, tw_handout *out);

    /* All tasks are done, of a graph that tw_graph_expect_end was called for. The last thing it
     * does is to set `ending` back to TW_END_IGNORED, or to give the graph back. */
    void (*ended)(twill_graph *g, tw_worker *w);

    /* The program is about to wait, or a nested graph is complete: insert what is still owed. */
    void (*flush)(twill_graph *g);

    /* Optional: give a task its data, if it would get it only in its body; traces ask for that. */
    void (*bind)(twill_task *t);

    /* Optional: the parameters of a task, for traces; without it, its TWILL_INT arguments. */
    void (*about)(const twill_task *t, twill_about *about);

    /* Optional: visit the tasks that are not in the engine's pools. */
    void (*each)(twill_graph *g, void (*visit)(void *task, void *arg), void *arg);

    /* Optional: name a task with its parameters. */
    void (*describe)(const twill_task *t, char *text, size_t size);

    /* Free the front end's part. */
    void (*close)(twill_graph *g, tw_worker *w);
} tw_graph_ops;

/* Counts of one worker for one graph: only that worker writes them. Their sums over all workers are
 * compared only by somebody who has nothing better to do. */
typedef struct tw_tally {
    _Alignas(TW_LINE) _Atomic int64_t added;
    _Atomic int64_t retired;
    int64_t countdown; /* insertions until the window is looked at again */
} tw_tally;

typedef enum tw_ending {
    TW_END_IGNORED,
    TW_END_EXPECTED,
    TW_END_ACTED_UPON /* somebody is doing so */
} tw_ending;

struct twill_graph {
    const tw_graph_ops *ops;
    twill *tw;
    void *front;
    twill_task *parent;  /* the task whose body opened this graph, or NULL */
    tw_tally *tally;     /* one per worker and one for the guest */
    uint32_t serial;     /* tells it from other graphs of its time; never 0 */
    uint32_t blame;      /* the mark its failures leave: the serial number of the outermost graph */
    atomic_int failed;   /* twill_status of the first failure */
    atomic_int watchers; /* waiting threads, and one if the end is expected */
    atomic_int ending;   /* whether its end is to be acted upon: tw_ending */

    tw_lock lock; /* of what follows */
    char message[TW_MESSAGE];
    int64_t info, last_info;
    twill_array **arrays; /* it has touched: their poison is lifted when the failure is reported */
    int narrays, room;
    struct tw_memory *memory; /* see tw_graph_memory */

    twill_graph *next, **link; /* live graphs of the context, or the free list */
    twill_graph *next_fed;
    bool fed; /* in the list of graphs that still hand out startup tasks */
};

/* Graph records are type-stable: a worker may look at a graph that has just been freed. */
twill_status tw_graph_make(twill *tw, const tw_graph_ops *ops, void *front, twill_graph **g);
/* Give it back; every task is done. */
void tw_graph_discard(twill_graph *g, tw_worker *w);

/* Record the first failure and cancel the graph. */
void tw_graph_fail(twill_graph *g, twill_status status, const char *format, ...) TWILL_PRINTF(3, 4);

/* The failure as the calling thread's status and message. */
twill_status tw_graph_report(twill_graph *g);

/* Report the failure, and clear it and the poison it left. */
twill_status tw_graph_conclude(twill_graph *g);

/* Everything added so far is done. */
bool tw_graph_idle(const twill_graph *g);

/* Remember that the graph touches an array. Under the array's lock. */
void tw_graph_touches(twill_graph *g, twill_array *a);

/* The graph ends inside a task of another, which is to report its failure: hand over what it has
 * touched. */
void tw_graph_hand_over(twill_graph *g, twill_graph *to);

/* Memory that tasks of the graph share, on a 64-byte boundary, content unspecified; NULL when there
 * is none. A task may free it early; what is left goes with the graph, so that nothing is lost when
 * the graph fails and that task does not run. */
void *tw_graph_memory(twill_graph *g, size_t size);
void tw_graph_memory_free(twill_graph *g, void *memory);
void tw_graph_memory_close(twill_graph *g);

/* Such memory from before there is a graph: to be kept by one, or freed. */
void *tw_memory_new(size_t size);
void tw_memory_free(void *memory);
void tw_graph_keep(twill_graph *g, void *memory);

/* The array is about to be freed. */
void tw_graphs_forget(twill *tw, const twill_array *a);

/* When the graph is idle, act upon its end once: end a nested graph or a run. */
void tw_graph_expect_end(twill_graph *g);

/* Called by a worker that turns to other things: if somebody waits for this graph and it is idle,
 * tell them. */
void tw_graph_look(twill_graph *g, tw_worker *w);

static inline bool tw_graph_failed(const twill_graph *g)
{
    return atomic_load_explicit(&g->failed, memory_order_relaxed) != TWILL_OK;
}

#endif
