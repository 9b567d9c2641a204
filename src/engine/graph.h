/* Graphs, as the engine sees them. Front ends fill the table. */
#ifndef TW_ENGINE_GRAPH_H
#define TW_ENGINE_GRAPH_H

#include "base/status.h"
#include "data/replica.h"
#include "engine/task.h"

typedef struct tw_worker tw_worker;

enum { TW_GRAPH_IDS = 64 }; /* lists of graphs by their ids */

enum { TW_STARTUP_BATCH = 64, TW_STARTUP_WORDS = 8 * TW_STARTUP_BATCH };

/* Startup tasks that a worker gets: ready ones, and some still to be made of what the front end
 * wrote into `word`. */
typedef struct tw_startup_batch {
    tw_ready ready;
    int to_make;
    int64_t word[TW_STARTUP_WORDS];
} tw_startup_batch;

typedef struct tw_graph_ops {
    const char *name;

    /* A task is over: give up what it holds and collect the tasks this enables. `poison`: what it
     * should have written is not there (see data/chain.h); 0 when all is well. */
    void (*release)(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

    /* Optional: the task is released: take back its memory. */
    void (*recycle)(tw_worker *w, twill_task *t);

    /* Hand out tasks that need nobody, after tw_startup_begin; false when these were the last. One
     * worker at a time, so a front end that has to make its tasks only says here which, and counts
     * them as added; `make` turns them into tasks, beside other workers. */
    bool (*startup)(twill_graph *g, tw_worker *w, tw_startup_batch *out);
    void (*make)(twill_graph *g, tw_worker *w, tw_startup_batch *out);

    /* All tasks are done, of a graph that tw_graph_expect_end was called for. The last thing it
     * does is to set `ending` back to TW_END_IGNORED, or to give the graph back. Returns a graph
     * that may have come to its end by this, or NULL. */
    twill_graph *(*ended)(twill_graph *g, tw_worker *w);

    /* Optional: the program is about to wait, or a nested graph to end: insert what is still owed.
     * False when nothing is. */
    bool (*flush)(twill_graph *g, tw_worker *w);

    /* Optional: give a ready task with TW_TASK_PREPARE its data, unless it has it already. False
     * after failing the graph. */
    bool (*prepare)(twill_task *t);

    /* Optional: the values of a prepared task, in `list` if there is one, and how many they are;
     * without it, those of its slots. What it writes must be valid on the host when it is released
     * if `write_through` says so. */
    int (*values)(twill_task *t, struct tw_staged *list);
    bool write_through;

    /* Optional: the value of a flow that a running task only reads, and where it is counted among
     * those who read it: packed replicas live as long as there are some. NULL: it cannot be said.
     */
    struct tw_value *(*reads)(const twill_task *t, int flow, atomic_int **readers);

    /* Optional: the parameters of a task, for traces; without it, its TWILL_INT arguments. */
    void (*about)(const twill_task *t, twill_about *about);

    /* Optional: visit the tasks that are not in the engine's pools. */
    void (*each)(twill_graph *g, void (*visit)(void *task, void *arg), void *arg);

    /* Optional: name a task with its parameters. */
    void (*describe)(const twill_task *t, char *text, size_t size);

    /* Of shared graphs: bytes of the front end on another rank have arrived; see remote/remote.h.
     * How many tasks wait for inputs, while nothing happens? */
    void (*receive)(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                    size_t size);
    int64_t (*waiting)(const twill_graph *g);
    /* Optional, for bytes that were lent (tw_shared_lend): where shall those that these words name
     * go, so many of them, NULL: anywhere; and they have arrived, there or elsewhere. */
    void *(*place)(twill_graph *g, tw_worker *w, const int64_t *word, size_t size);
    void (*land)(twill_graph *g, tw_worker *w, int from, const int64_t *word, const void *bytes,
                 size_t size);
    /* Optional: the graph has failed: end tasks that wait for other ranks. Called now and then. */
    void (*abandon)(twill_graph *g, tw_worker *w);
    /* Optional: the body of a task has returned TWILL_AGAIN. Does it wait for something that the
     * front end knows of? Then that pushes the task when it comes, perhaps at once. */
    bool (*park)(twill_graph *g, tw_worker *w, twill_task *t);
    /* Optional, of graphs that tasks are inserted into: the program is about to wait: begin a run
     * if none has begun; and it has waited, by the thread that did. */
    void (*begin)(twill_graph *g);
    void (*waited)(twill_graph *g);

    /* Free the front end's part. */
    void (*close)(twill_graph *g, tw_worker *w);
} tw_graph_ops;

/* Counts of one worker for one graph: only that worker writes them. Their sums over all workers are
 * compared only by somebody who has nothing better to do.
 *
 * There are two of each, because a wait is for the tasks so far, while others go on inserting: a
 * wait begins a new phase, and waits for the tasks of the phase before it. A task belongs to the
 * phase it was inserted in; one inserted by another task of the graph, to that of the other. */
typedef struct tw_tally {
    _Alignas(TW_LINE) _Atomic int64_t added[2];
    _Atomic int64_t retired[2];
    int64_t countdown; /* insertions until the window is looked at again */
    bool counted;      /* its group is in the graph's mask */
} tw_tally;

typedef enum tw_ending {
    TW_END_IGNORED,
    TW_END_PREPARED, /* a run is being prepared */
    TW_END_EXPECTED,
    TW_END_ACTED_UPON /* somebody is doing so */
} tw_ending;

struct twill_graph {
    const tw_graph_ops *ops;
    twill *tw;
    void *front;
    tw_tally *tally;          /* one per worker and one for external threads */
    _Atomic uint64_t counted; /* groups of workers whose tallies count: a bit each */
    _Atomic int64_t phase;    /* of insertions: counts up, and its last bit chooses the counts */
    atomic_int failed;        /* twill_status of the first failure */
    atomic_int watchers;      /* waiting threads, and one if the end is expected */
    atomic_int phase_waiters; /* waiting threads that the end of a phase is enough for */
    atomic_int ending;        /* whether its end is to be acted upon: tw_ending */
    atomic_bool held;         /* other ranks may bring it something: it has no end however idle */
    twill_task *parent;       /* the task whose body opened this graph, or NULL */
    /* The graph of that task, or NULL, and the phase of the task there. A body whose task is over
     * may look at them in the record of a graph that is gone. */
    _Atomic(twill_graph *) above;
    atomic_int above_phase;
    twill_graph *root;     /* the outermost graph around it */
    int64_t id;            /* see tw_graph_find; 0 of a nested graph */
    uint32_t serial;       /* tells it from other graphs of its time; never 0 */
    _Atomic uint32_t mark; /* of a root: what its failures poison data with; see fail.c */

    tw_lock lock; /* of what follows */
    char message[TW_MESSAGE];
    int64_t info, last_info;
    struct tw_memory *memory; /* see tw_graph_memory */
    struct tw_arrays *arrays; /* see tw_graph_array */
    struct tw_shared *shared; /* of a graph that all ranks have; see remote/remote.h */
    tw_tally *tally_block;    /* what tally is part of */

    twill_graph *next, *prev; /* live graphs of the context, newest first, or the free list */
    twill_graph *next_by_id;
    twill_graph *next_starting; /* that still hands out startup tasks */
    twill_graph
        *next_deferred; /* whose end is deferred; this and the next under that list's lock */
    bool deferred;
};

/* Graph records are type-stable: a worker may look at a graph that has just been freed. `parent`
 * is the task in which it is opened, or NULL. */
twill_status tw_graph_make(twill *tw, const tw_graph_ops *ops, void *front, twill_task *parent,
                           twill_graph **g);
/* One that other ranks have not: it has no id. */
twill_status tw_graph_make_alone(twill *tw, const tw_graph_ops *ops, twill_graph **g);
/* Give it back; every task is done. */
void tw_graph_discard(twill_graph *g, tw_worker *w);
/* Free a record for good: the context ends. */
void tw_graph_free_record(twill_graph *g);

/* The live graph with that id, or NULL. Graphs that are not nested have ids from 1 on, in the order
 * in which the context made them: ranks that make the same graphs in the same order know them by
 * the same ids. No id is given twice. The caller knows that nobody frees the graph meanwhile. */
twill_graph *tw_graph_find(twill *tw, int64_t id);

/* Has there been a graph with that id, which is gone? */
bool tw_graph_was(twill *tw, int64_t id);

/* Use up an id for a graph that is not made. */
int64_t tw_graph_skip(twill *tw);

/* A number that no graph and no failure of this time has; never 0. */
uint32_t tw_new_serial(twill *tw);

/* Record the first failure, which is that of the graphs around it too, and cancel the graph and
 * those inside it. */
void tw_graph_fail(twill_graph *g, twill_status status, const char *format, ...) TWILL_PRINTF(3, 4);

/* A numerical failure: the smallest info counts, here and in the graphs around it. */
void tw_graph_numerical(twill_graph *g, int64_t info);

/* The failure as the calling thread's status and message. */
twill_status tw_graph_report(twill_graph *g);

/* Report the failure and clear it, and with it the poison it left. */
twill_status tw_graph_conclude(twill_graph *g);

/* What a failed task of the graph poisons data with: never 0, and a mark that does not hold when
 * the failure has been reported meanwhile. */
uint32_t tw_poison_mark(twill_graph *g);

/* Is a failure that left this mark still to be reported? */
bool tw_poison_holds(twill *tw, uint32_t mark);

/* Everything added so far is done; everything of one phase. */
bool tw_graph_idle(const twill_graph *g);
bool tw_graph_drained(const twill_graph *g, int64_t phase);

int64_t tw_graph_in_flight(const twill_graph *g);

/* Begin a new phase and return the one before, whose tasks are those so far; -1 as long as there
 * are tasks of the phase before that. */
int64_t tw_graph_next_phase(twill_graph *g);

/* Is this phase over, which was begun before the one of now? */
bool tw_graph_phase_over(const twill_graph *g, int64_t phase);

/* The tally of a worker is about to be written for the first time; all tallies become 0. */
void tw_tally_count(twill_graph *g, int worker);
void tw_tallies_clear(twill_graph *g);

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

/* Make an array that tasks of the graph need besides the program's, and that goes with the graph,
 * when all of them are over. Any thread; on this rank alone. */
twill_status tw_graph_array(twill_graph *g, const twill_pattern *p, twill_type type,
                            twill_array **a);
void tw_graph_arrays_close(twill_graph *g, tw_worker *w);

/* Begin to prepare a run; false when one is under way. Then either expect its end, or give up. */
bool tw_graph_prepare(twill_graph *g);
void tw_graph_give_up(twill_graph *g);
bool tw_graph_is_running(const twill_graph *g);
/* A run is under way, and no longer being prepared. */
bool tw_graph_has_begun(const twill_graph *g);

/* When the graph is idle, act upon its end once: end a nested graph or a run. */
void tw_graph_expect_end(twill_graph *g);

/* Called by `ended` when tasks still wait that only a service could serve. Does none, or is there a
 * task after all? Then the end comes later: returns the graph to be looked at at once, or NULL. */
bool tw_graph_may_go_on(const twill_graph *g);
twill_graph *tw_graph_end_later(twill_graph *g);
/* Services expect less than before: look at the graphs whose end depends on that. */
TW_NOINLINE void tw_graphs_look_again(tw_worker *w);

/* Called by a worker that turns to other things: if somebody waits for this graph and it is idle,
 * tell them. */
void tw_graph_look(twill_graph *g, tw_worker *w);
/* The same by a worker that does not look for its next task right after: because it has one, or
 * because that was its last look before it sleeps. What this enables is for others to find. */
void tw_graph_look_aside(twill_graph *g, tw_worker *w);

static inline twill_graph *tw_graph_above(const twill_graph *g)
{
    return atomic_load_explicit(&g->above, memory_order_relaxed);
}

static inline bool tw_graph_failed(const twill_graph *g)
{
    return atomic_load_explicit(&g->failed, memory_order_relaxed) != TWILL_OK;
}

#endif
