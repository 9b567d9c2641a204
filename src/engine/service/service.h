/* Services: what makes progress by being asked. Messages between ranks, copies between memories,
 * devices.
 *
 * A service says what it expects, things under way that only a poll can finish. While it expects
 * something, somebody polls it: workers between two tasks, idle workers all the time, and a helper
 * thread when there are neither (helper.c). Without expectations the hot path pays one test of a
 * count that is 0. See decision 0024. */
#ifndef TW_ENGINE_SERVICE_H
#define TW_ENGINE_SERVICE_H

#include "base/parker.h"
#include "engine/graph.h"

typedef struct tw_service tw_service;

/* Filled by whoever adds it, zero where nothing is said. */
struct tw_service {
    const char *name;   /* for reports: "mpi" */
    const char *things; /* what it expects, for reports: "messages" */

    /* Make progress as worker w, without waiting for anybody, and return whether something has
     * happened. It completes tasks (tw_task_done), pushes ready ones, looks at graphs; it neither
     * inserts nor waits, and calls nothing that enters the engine. One thread at a time. What it
     * brings to a graph that has no task for it counts as one of its tasks meanwhile. */
    bool (*poll)(tw_service *s, tw_worker *w);

    /* Optional: could what it expects bring an input to a task of this graph? Without it: yes. */
    bool (*reaches)(tw_service *s, const twill_graph *g);

    /* Workers that have tasks to run poll when nobody has for so long; 0: before each task. The
     * service may change it at any time. */
    _Atomic uint64_t interval_ticks;
    /* How long an idle worker may sleep between two polls when all others sleep; 0: not at all. */
    uint64_t nap_ns;

    /* It may have something to do although it expects nothing: the helper looks at it now and then,
     * more often while there is something. */
    bool attentive;

    /* ---- the engine's */
    twill *tw;
    tw_service *next;
    tw_lock polling; /* held by the thread that polls it */
    tw_lock lock;    /* of `expected` */
    _Atomic int64_t expected;
    _Atomic uint64_t polled_at;
};

/* Those of a context. */
typedef struct tw_services {
    _Atomic(tw_service *) first;     /* read by threads in the engine only: see tw_service_remove */
    pthread_mutex_t mutex;           /* they are added and removed one at a time */
    _Atomic(twill_graph *) deferred; /* graphs whose end depends on what services expect */
    tw_lock deferred_lock;

    atomic_bool attend; /* one of them is attentive */

    /* the helper thread */
    bool helping;
    pthread_t helper;
    tw_parker parker;
    atomic_bool asleep; /* it waits to be called */
    atomic_bool stop;
} tw_services;

/* ---- service.c --------------------------------------------------------------------------- */

/* Add one. TWILL_ERR_SYSTEM when there is no thread to poll it. */
twill_status tw_service_add(twill *tw, tw_service *s);

/* Remove one, with all it expects; nobody polls it any more. For a thread that is not in the
 * engine. */
void tw_service_remove(tw_service *s);

/* n more things are under way. From any thread, before any of them can be finished. */
void tw_service_expect(tw_service *s, int64_t n);

/* n of them are finished, or given up, after all that followed from them: who sees that nothing is
 * expected sees that. In the engine. */
void tw_service_settle(tw_service *s, tw_worker *w, int64_t n);

/* Does any of them expect something that may bring an input to a task of this graph? */
bool tw_services_reach(const twill_graph *g);

/* Poll, in the engine: those whose interval has passed, between two tasks; all, when w has nothing
 * else to do; those that expect something and that nobody has polled for so long. */
void tw_poll_due(tw_worker *w);
bool tw_poll_all(tw_worker *w); /* true when something has happened */
bool tw_poll_late(tw_worker *w, uint64_t ticks);

/* The same as the last but one, by the body of a task that has nothing else to do. */
void tw_poll_inside(twill *tw);

/* How long one may sleep before the next poll is due, in seconds; 0: not at all. */
double tw_services_nap(const twill *tw);

void tw_services_open(tw_services *services);
/* Stop polling: the context ends. */
void tw_services_halt(twill *tw);
void tw_services_close(tw_services *services);

/* ---- helper.c ---------------------------------------------------------------------------- */

bool tw_helper_start(twill *tw);
void tw_helper_stop(twill *tw);

/* A service expects something from now on. */
void tw_helper_call(twill *tw);

#endif
