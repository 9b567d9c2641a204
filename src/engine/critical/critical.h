/* The critical set: workers that run critical tasks together, and nothing else.
 *
 * Two ranges of workers say it all. The *target* is who should be reserved: these take no ordinary
 * tasks any more. The *members* are who is: they look for nothing but orders of their leader, the
 * first of them. Members are always prompt, so a team never gathers: its leader names a task, and
 * they run it. A worker of the target that has finished what it did is *present*; when all of it
 * are, they become members at once, between two tasks. So a set that grows waits for nobody, and
 * one that shrinks does so before its next task.
 *
 * Both ranges change under the lock, members only while no leader has a task in hand. As long as
 * there are no members, any worker takes critical tasks, before ordinary ones.
 *
 * Where ready tasks are pushed, the critical ones are taken out, before the scheduler sees them:
 * `ops` stands before it as a scheduler of its own, and only where there is a critical set. */
#ifndef TW_ENGINE_CRITICAL_H
#define TW_ENGINE_CRITICAL_H

#include "engine/engine.h"
#include "sched/fifo.h"
#include "sched/heap.h"

#include <twill/critical.h>

/* A range of workers for each: see above. */
typedef struct tw_set {
    int first, size;     /* target */
    int leader, members; /* members; 0: none */
} tw_set;

/* What the set knows of one worker. */
typedef struct tw_member {
    _Alignas(TW_LINE) atomic_bool parked;
    atomic_bool present; /* changed under the lock */
    uint32_t seen;       /* the last order that it has seen; its own */
} tw_member;

typedef struct tw_critical {
    twill *tw;
    twill_sched_ops ops; /* what stands before the scheduler */

    _Alignas(TW_LINE) _Atomic uint64_t set; /* a tw_set, packed; written under the lock */
    atomic_int queued;                      /* critical tasks that are ready */
    atomic_int again;                       /* critical tasks that are postponed */
    atomic_int busy; /* 1 + the leader that has a task in hand, or 0; written under the lock */

    _Alignas(TW_LINE) tw_lock lock; /* of what follows, unless it is atomic */
    atomic_int mode;                /* twill_mode */
    int wanted;                     /* workers in the set, if there are enough */
    bool primary;                   /* a thread acts as worker 0, until what it waits for is over */
    tw_heap heap;
    tw_fifo overflow;    /* when the heap cannot grow: out of order, but not lost */
    int *prescribed;     /* by the number of the task */
    int64_t sizes, next; /* how many these are; the next one */
    void (*resized)(void *arg, int size);
    void *resized_arg;
    atomic_int told; /* the size that it was called with */
    _Atomic int64_t tasks, teams, changes;

    /* number, first worker and size of the team that is to run the leader's task */
    _Alignas(TW_LINE) _Atomic uint64_t order;
    _Atomic(tw_team *) team; /* what they run; before the order */
    tw_member member[];      /* one per worker */
} tw_critical;

/* ---- the two ranges (set.c) -------------------------------------------------------------- */

static inline tw_set tw_set_unpack(uint64_t s)
{
    return (tw_set){(int)(s & 0xffff), (int)(s >> 16 & 0xffff), (int)(s >> 32 & 0xffff),
                    (int)(s >> 48)};
}

static inline tw_set tw_critical_look(const tw_critical *c)
{
    /* acquire pairs with the release in tw_critical_settle */
    return tw_set_unpack(atomic_load_explicit(&c->set, memory_order_acquire));
}

static inline bool tw_set_has(tw_set s, int w)
{
    return (w >= s.first && w < s.first + s.size) || (w >= s.leader && w < s.leader + s.members);
}

/* Say again who should be reserved, because something has changed that this depends on; then let
 * those be members who can. Under the lock. */
void tw_critical_retarget(tw_critical *c);
void tw_critical_settle(tw_critical *c);

/* The worker is in nobody's task, and will wait for orders; it has gone away. */
void tw_critical_appear(tw_critical *c, int w);

/* Let those look who have slept, because the set has changed. Without the lock. */
void tw_critical_wake(tw_critical *c);

/* ---- ready tasks (ready.c) ---------------------------------------------------------------- */

/* Stand before the scheduler of the context; while the world is stopped, or has not begun. */
void tw_critical_install(tw_critical *c);

/* A critical task, if there is one and worker w may run it. */
twill_task *tw_critical_take(tw_critical *c, int w);

/* Give the scheduler what is queued here: there is no set any more. While the world is stopped. */
void tw_critical_empty(tw_critical *c);

/* ---- members (serve.c) ------------------------------------------------------------------- */

/* What a worker of the set does as long as it is one: run what its leader orders. Returns a task to
 * run if it leads itself; NULL when the goal is reached or it is reserved no more. */
twill_task *tw_critical_serve(tw_worker *w, const tw_goal *goal);

/* ---- tasks (run.c) ----------------------------------------------------------------------- */

/* Run the body of a critical task, outside the engine: with the set, or alone. */
twill_outcome tw_critical_run(tw_worker *w, twill_task *t);

/* Member w runs its part of an order, if there is one that it has not seen. */
bool tw_critical_obey(tw_critical *c, tw_worker *w);

/* The set has so many members: tell who wants to know, unless they know. */
void tw_critical_tell(tw_critical *c, int members);

static inline twill_mode tw_critical_mode(const twill *tw)
{
    return tw->critical
               ? (twill_mode)atomic_load_explicit(&tw->critical->mode, memory_order_relaxed)
               : TWILL_MODE_REGULAR;
}

/* ---- the context (mode.c) ---------------------------------------------------------------- */

/* Begin as the options say, before workers start; and end it. */
twill_status tw_critical_open(twill *tw);
void tw_critical_close(twill *tw);

#endif
