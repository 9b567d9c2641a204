/* The context, its workers, and the path of a task through them. */
#ifndef TW_ENGINE_ENGINE_H
#define TW_ENGINE_ENGINE_H

#include "base/event.h"
#include "base/fence.h"
#include "base/options.h"
#include "base/parker.h"
#include "base/topo.h"
#include "device/device.h"
#include "engine/emit.h"
#include "engine/extension.h"
#include "engine/graph.h"
#include "engine/service/service.h"
#include "engine/team.h"

#include <assert.h>

enum { TW_TASK_LINES = 16 }; /* tasks up to this many lines come from pools */
enum { TW_TITLE = 128 };

/* In front of the scratch arguments of a task. */
typedef struct tw_scratch {
    _Alignas(TW_LINE) size_t size; /* of what follows */
} tw_scratch;

/* Written by the owner, read by anybody. */
typedef struct tw_counters {
    _Atomic int64_t inserted, executed, skipped, stolen, sleeps;
} tw_counters;

/* One per core, and one more. Number 0 is the primary worker: the thread of the program that waits
 * or inserts acts as it. The last one is external: threads that find the primary worker taken act
 * as it; it queues tasks and never runs any. */
struct tw_worker {
    _Alignas(TW_LINE) twill *tw;
    int index;
    _Atomic uint8_t requests; /* of others: TW_REQUEST_ */
    atomic_bool inside;       /* its thread is in the engine: see safepoint.c */
    bool looping;             /* runs tasks one after the other: may keep one for itself */
    tw_worker *outer;         /* as whom its thread acts in the context around this one */
    uint16_t task_flags;      /* of every new task: TW_TASK_PREPARE, if there are devices */
    bool searching;           /* is the context's one searcher; set by a waker while it sleeps */
    twill_graph *last;        /* graph of the last task */
    uint16_t last_phase;      /* and its TW_TASK_PHASE */
    tw_ready batch;           /* startup tasks that it keeps for itself: see startup.c */
    uint64_t startup_at;      /* when it last asked for some */
    tw_cache tasks[TW_TASK_LINES + 1];
    tw_cache epochs;
    tw_scratch *scratch; /* a free block, or NULL */
    void *workspace;
    size_t workspace_size;
    tw_counters counters;
    _Atomic(twill_task *) running; /* for reports */
    atomic_bool retries;           /* that task asked for another try before */
    twill_graph *body_graph;       /* of that task, which may be over before its body is */
    uint16_t body_flags;           /* and its flags */
    struct tw_rating *rating;      /* of that body, if what it takes is learned, */
    double rated_since;            /* and when it began */
    const twill_task *releasing;   /* the task whose end enables others, NULL: no task */
    tw_team team;
    int *neighbours;

    _Alignas(TW_LINE) tw_lock acting; /* primary and external: held by the thread that acts as it */
    atomic_bool notified;             /* primary: what its thread waits for may be reached */
    tw_parker parker;
    tw_worker *next_sleeper;
    bool asleep; /* in the list of sleepers; this and the next under its lock */
    int to_wake; /* sleepers that it is to wake when it is awake itself */
    pthread_t thread;
};

/* What others ask of a worker. It looks at them several times per task. */
enum {
    TW_REQUEST_EVENTS = 1, /* say what happens: see emit.h */
    TW_REQUEST_STOP = 2,   /* stop before the next step in the engine: see safepoint.c */
    TW_REQUEST_FENCE = 4   /* always, without membarrier: look for the others behind a fence */
};

typedef struct tw_idle {
    _Alignas(TW_LINE) atomic_int sleeping;
    atomic_int searching; /* 0 or 1 */
    atomic_bool napping;  /* one of the sleepers will soon wake up by itself, to poll */
    tw_lock lock;
    tw_worker *sleepers;
} tw_idle;

/* Who has stopped the world, and who waits for it to go on: see safepoint.c. */
typedef struct tw_world {
    pthread_mutex_t stopper; /* one at a time stops it */
    pthread_mutex_t mutex;   /* of what follows */
    pthread_cond_t cond;
    bool stopped;
    int held;       /* threads that wait */
    int cancelable; /* whether whoever has stopped it was before */
} tw_world;

struct tw_use;

/* In front of a task that is too large for the pools. */
typedef struct tw_large {
    _Alignas(TW_LINE) struct tw_large *next, **link;
} tw_large;

struct twill {
    tw_options options;
    tw_topo topo;
    tw_data data;
    tw_device *device[TW_SPACES];   /* by the number of their space; the first is the cores */
    struct tw_executors *executors; /* devices of drivers, and who polls them */
    bool accelerated;               /* there are such that take tasks */
    struct tw_remote *remote;       /* what makes it one of several ranks, or NULL */
    struct tw_gather *gather;       /* the same: to gather what ranks have */
    struct tw_reaches *reaches;     /* the same: copies between ranks */
    struct tw_places *places; /* where ranks are; of a context of its own, if somebody asked */
    const twill_sched_ops *sched;
    const twill_sched_ops *const *own_schedulers;
    void *sched_state;
    const twill_sched_ops *policy; /* the same two; `sched` is what stands before a critical set */
    void *policy_state;
    _Atomic(struct tw_critical *)
        critical; /* NULL: none; as sched, set while the world is stopped */
    twill_sched_env env;
    int workers;
    atomic_bool oversubscribed, bind; /* changed while workers run by tw_share_cores alone */
    bool membarrier;
    uint64_t us_ticks; /* ticks in a microsecond */
    uint64_t spin_ticks;
    double patience;
    int64_t window;
    tw_sink_place sink; /* changed under sink_lock */
    tw_lock sink_lock;
    _Atomic(struct tw_account *) account; /* made at its first use, under graph_lock */
    pid_t process;                        /* that started it */
    struct tw_recorder *recorder; /* made at its first use; this and the next under graph_lock */
    bool recording;
    char *trace_path;  /* of option trace, this context's own; NULL: none */
    tw_worker *worker; /* workers, then the external record */
    tw_pool pools[TW_TASK_LINES + 1];
    tw_idle idle;

    /* read for every task, rarely written */
    _Alignas(TW_LINE) atomic_bool stopping;
    _Atomic(tw_team *) team;         /* the one that gathers */
    _Atomic(twill_graph *) starting; /* graphs with startup tasks left */
    atomic_int postponed;            /* tasks in the list `again` */
    atomic_int retrying;             /* these, and those of them whose bodies run */
    atomic_int expecting;            /* services that expect something */

    _Alignas(TW_LINE) tw_lock startup_lock;
    _Alignas(TW_LINE) tw_lock again_lock;
    tw_ready again;

    tw_services services;
    atomic_int completing; /* threads inside twill_task_done */
    tw_lock graph_lock;    /* of the following lists */
    twill_graph *graphs, *oldest_graph, *free_graphs;
    int64_t graph_ids;                      /* given so far */
    twill_graph *graph_by_id[TW_GRAPH_IDS]; /* live graphs that have one, linked by next_by_id */
    tw_large *large;
    _Atomic uint32_t graph_serial;
    pthread_mutex_t wait_mutex; /* further waiters sleep here */
    pthread_cond_t wait_cond;
    hwloc_bitmap_t cpuset_before; /* where the thread that acts as primary was bound */

    tw_lock use_lock;
    struct tw_use *uses;                /* all host accesses and runs under way */
    atomic_int mapped;                  /* host accesses that the program holds */
    _Atomic(tw_extension *) extensions; /* what upper layers keep */

    void (*report)(void *arg, const char *text);
    void *report_arg;
    tw_world world;

    bool watching;
    pthread_t watchdog;
    tw_parker watchdog_parker;
    atomic_bool watchdog_stop;
};

/* ---- context.c --------------------------------------------------------------------------- */

/* TWILL_ERR_STATE in a process that was forked from the one that started the context: its workers
 * are not here. */
twill_status tw_context_check(const twill *tw);

/* Are workers bound to cores? */
static inline bool tw_is_bound(const twill *tw)
{
    return atomic_load_explicit(&tw->bind, memory_order_relaxed);
}

/* Do workers share cores, among themselves or with others? */
static inline bool tw_is_crowded(const twill *tw)
{
    return atomic_load_explicit(&tw->oversubscribed, memory_order_relaxed);
}

/* From now on workers share the cores with others: they are not bound any more, and yield. While no
 * thread acts as the primary worker. */
void tw_share_cores(twill *tw);

/* ---- acting as a worker (enter.c) -------------------------------------------------------- */

/* The worker that the calling thread is while it runs tasks, or NULL. */
tw_worker *tw_self(const twill *tw);

/* For assertions: may the calling thread use what is the worker's own? It is that worker, or it has
 * locked the record of the primary or the external one. */
static inline bool tw_is_acting(const tw_worker *w)
{
    return tw_self(w->tw) == w || tw_is_locked(&w->acting);
}

/* And is it in the engine? */
static inline bool tw_is_inside(const tw_worker *w)
{
    return tw_is_acting(w) && atomic_load_explicit(&w->inside, memory_order_relaxed);
}

/* At least `size` bytes on a line that the calling worker keeps for what its bodies call; NULL: the
 * thread is no worker, or there is no memory. The contents last until the next call. */
void *tw_workspace(size_t size);

/* Is the calling thread inside a task of the context, perhaps several contexts deep? */
bool tw_in_task(const twill *tw);

/* Make the calling thread that worker, or none; returns what it was. */
tw_worker *tw_become(tw_worker *w);

/* Act as a worker for the time of one call: as oneself inside tasks, else as the primary worker if
 * it is free, else as the external one. */
tw_worker *tw_enter(twill *tw);
void tw_exit(tw_worker *w);

/* ---- the life of a task (task.c, ready.c, run.c, release.c) ------------------------------ */

/* A task of `lines` lines, or NULL; and back. */
twill_task *tw_task_get(tw_worker *w, size_t lines);
void tw_task_put(tw_worker *w, twill_task *t);

/* What to call the task in sentences: its name, or class and parameters. `text` is room for it. */
const char *tw_task_title(const twill_task *t, char text[TW_TITLE]);

/* One input of the task has been granted, with the mark of a failure or 0. */
void tw_task_grant(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

/* Hand ready tasks to the scheduler, and wake somebody if there is more than w can do. */
void tw_push(tw_worker *w, tw_ready *ready);

/* Run a ready task to its end, whatever end that is. */
void tw_run(tw_worker *w, twill_task *t);

/* End a ready task whose body does not run: the graph was canceled, or its data is not there. */
TW_NOINLINE void tw_skip(tw_worker *w, twill_task *t);

/* The task is over: release, recycle, retire. `failed`: its body did not do its work. */
void tw_complete(tw_worker *w, twill_task *t, bool failed);

/* A task with scratch arguments whose body returned TWILL_ASYNC is over: their memory is free. */
TW_NOINLINE void tw_scratch_release(tw_worker *w, const twill_task *t);

/* Complete a task that returned TWILL_ASYNC, and tell who waits for it. In the engine: a poll
 * calls this, everybody else twill_task_done. */
void tw_task_done(tw_worker *w, twill_task *t, bool failed);

/* ---- finding work (idle.c) --------------------------------------------------------------- */

/* What a thread works towards as the primary worker. */
typedef struct tw_goal {
    bool (*reached)(void *arg);
    void *arg;
} tw_goal;

/* The next task for w, sleeping as long as there is none; NULL when the goal is reached or, without
 * a goal, when the context stops. */
twill_task *tw_next(tw_worker *w, const tw_goal *goal);

/* A task w can have at once, or NULL. */
twill_task *tw_try(tw_worker *w);

/* There is work for a certain worker: wake that one if it sleeps. */
void tw_wake_worker(twill *tw, int index);
/* There is work that n others could take: wake them, unless somebody searches, who will do so. */
void tw_wake(twill *tw, int n);
/* Wake n sleepers for a team. */
void tw_wake_team(twill *tw, int n);
/* The worker has found something to do: leave the search to others if there is more. */
void tw_stop_searching(tw_worker *w);
/* The thread that acts as primary should look at its goal again; so should all further waiters. */
void tw_wake_waiters(twill *tw);

/* A task that returned TWILL_AGAIN runs when a worker finds nothing else: what it needs may be
 * freed by one of the others, whatever the scheduler thinks of their order. */
void tw_postpone(twill *tw, twill_task *t);

/* Let workers ask the graph for startup tasks. */
void tw_startup_begin(twill_graph *g);

/* A task from the graph that began last, others being queued or kept; NULL when there is none. The
 * second gives one only if the worker has nothing else of its own to do. */
twill_task *tw_startup_take(tw_worker *w);
twill_task *tw_startup_first(tw_worker *w);

/* Queue the startup tasks that the worker keeps. */
void tw_startup_give(tw_worker *w);

/* Queue what only this worker could take: it will not look for tasks for a while. */
void tw_publish(tw_worker *w);

/* ---- the critical set (critical/) --------------------------------------------------------- */

/* The critical set, or NULL. */
static inline struct tw_critical *tw_critical_of(const twill *tw)
{
    /* acquire pairs with the release of whoever made it: bodies ask, too */
    return atomic_load_explicit(&tw->critical, memory_order_acquire);
}

/* Is the worker reserved for critical tasks, and how many are? */
bool tw_is_reserved(const tw_worker *w);
int tw_reserved(const twill *tw);

/* Is there a critical task that the worker could take? */
bool tw_critical_calls(const tw_worker *w);

/* The first of the postponed tasks that the worker may run, or NULL. Under the lock of the list. */
twill_item *tw_critical_again(const tw_worker *w);

/* A task is postponed: under that lock; and then, without it, whoever may run it looks. */
void tw_critical_postponed(twill *tw, const twill_task *t);
void tw_critical_call(twill *tw);

/* How many reserved workers sleep: they are not among the idle ones. */
int tw_critical_sleepers(const twill *tw);

/* Worker 0 has a thread, until what it waits for is over; it has none any more. */
void tw_critical_arrive(twill *tw);
void tw_critical_depart(twill *tw);

/* Say to whoever records from now on what the set is. */
void tw_critical_announce(twill *tw);

/* What a reserved worker does instead of searching: see critical/critical.h. */
twill_task *tw_critical_serve(tw_worker *w, const tw_goal *goal);

/* ---- stopping the world (safepoint.c) ---------------------------------------------------- */

void tw_world_open(tw_world *world);
void tw_world_close(tw_world *world);

/* Let no thread be in the engine until tw_world_start. For any thread that is not inside itself. */
void tw_world_stop(twill *tw);
void tw_world_start(twill *tw);

/* If the world is stopped, wait outside until it goes on. */
void tw_safepoint(tw_worker *w);

/* ---- waiting (wait.c) -------------------------------------------------------------------- */

/* Work, or sleep, until the goal is reached. Not inside tasks. */
twill_status tw_wait(twill *tw, const tw_goal *goal);

/* Work until the graph has room in its window, or until nobody can do anything about that. The
 * calling thread is no worker. */
TW_NOINLINE void tw_help(twill_graph *g);

/* ---- watchdog.c, describe.c -------------------------------------------------------------- */

/* Tell the program, or standard error, something that no call can return. */
void tw_report(twill *tw, const char *text);

twill_status tw_watchdog_open(twill *tw);
void tw_watchdog_close(twill *tw);

static inline void tw_count(_Atomic int64_t *counter, int64_t n)
{
    /* one writer: no read-modify-write needed */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Does some service expect something? Then things can happen that no task and no thread stands for.
 * acquire pairs with the release in change of service.c: if not, whatever it brought is visible. */
static inline bool tw_is_expecting(const twill *tw)
{
    return atomic_load_explicit(&tw->expecting, memory_order_acquire) > 0;
}

/* Does somebody listen? */
static inline bool tw_is_traced(const tw_worker *w)
{
    return tw_unlikely(atomic_load_explicit(&w->requests, memory_order_relaxed) &
                       TW_REQUEST_EVENTS);
}

/* The thread that acts as w leaves the engine: for a body, for sleep, or for the program. */
static inline void tw_leave(tw_worker *w)
{
    assert(tw_is_inside(w));
    /* release: who sees that it is outside sees what it did inside */
    atomic_store_explicit(&w->inside, false, memory_order_release);
}

/* And comes back, when nobody has stopped the world. Returns what others ask of the worker. */
static inline uint8_t tw_return(tw_worker *w)
{
    assert(tw_is_acting(w) && !tw_is_inside(w));
    atomic_store_explicit(&w->inside, true, memory_order_relaxed);
    tw_fence_light(true); /* pairs with the heavy one in tw_world_stop */
    /* acquire: what others did while the world was stopped */
    uint8_t requests = atomic_load_explicit(&w->requests, memory_order_acquire);
    if (tw_unlikely(requests & (TW_REQUEST_STOP | TW_REQUEST_FENCE)))
        tw_safepoint(w);
    return requests;
}

static inline tw_tally *tw_tally_of(twill_graph *g, const tw_worker *w)
{
    assert(tw_is_acting(w));
    tw_tally *tally = &g->tally[w->index];
    if (tw_unlikely(!tally->counted))
        tw_tally_count(g, w->index);
    return tally;
}

/* n tasks of a phase count as added by worker w. */
static inline void tw_graph_added(twill_graph *g, tw_worker *w, int phase, int64_t n)
{
    tw_count(&tw_tally_of(g, w)->added[phase], n);
    tw_count(&w->counters.inserted, n);
}

/* n tasks are over; the graph may be gone after it. */
static inline void tw_graph_retired(twill_graph *g, const tw_worker *w, int phase, int64_t n)
{
    _Atomic int64_t *retired = &tw_tally_of(g, w)->retired[phase];
    /* release: whoever sees the count sees the work, and what was added before */
    atomic_store_explicit(retired, atomic_load_explicit(retired, memory_order_relaxed) + n,
                          memory_order_release);
}

/* The phase of what worker w inserts now: that of the task of the same graph that it runs, or in
 * which it runs one, if any. Only records of graphs are looked at, which are type-stable. */
static inline int tw_insertion_phase(const tw_worker *w, const twill_graph *g)
{
    if (tw_unlikely(atomic_load_explicit(&w->running, memory_order_relaxed) != NULL) &&
        tw_graph_above(g) != w->body_graph) { /* not the graph that the body has opened */
        int phase = (w->body_flags & TW_TASK_PHASE) != 0;
        for (const twill_graph *at = w->body_graph; at; at = tw_graph_above(at)) {
            if (at == g)
                return phase;
            phase = atomic_load_explicit(&at->above_phase, memory_order_relaxed);
        }
    }
    return (int)(atomic_load_explicit(&g->phase, memory_order_relaxed) & 1);
}

#endif
