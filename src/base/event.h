/* What happens, as it happens: the engine emits events, a sink (the trace) receives them.
 *
 * Without a sink an event costs one predictable branch. An event of worker w is emitted by the
 * thread that acts as w, so a sink needs no locks if it keeps a buffer per worker; TW_EVENT_WAIT,
 * TW_EVENT_GO, TW_EVENT_MEMORY, TW_EVENT_RESERVE, and whatever has worker -1, come from any thread.
 * Tasks are known by their address, which is used again: of two events that name the same one, the
 * times say whether they mean the same task. */
#ifndef TW_BASE_EVENT_H
#define TW_BASE_EVENT_H

#include "base/clock.h"
#include "base/lock.h"

#include <stddef.h>
#include <twill/task.h>

typedef enum tw_event_kind {
    TW_EVENT_BEGIN,  /* a body begins; subject is the task, `about` describes it */
    TW_EVENT_END,    /* it returned; detail is its outcome */
    TW_EVENT_ENABLE, /* task `subject` got something it waited for: from task `other`, or, when that
                        is NULL, from whoever inserted it, the body the worker is in or the program;
                        the last of these before it begins made it ready */
    TW_EVENT_SKIP,   /* task `subject` will not begin */
    TW_EVENT_DONE,   /* task `subject`, whose body returned long ago, is complete */
    TW_EVENT_JOIN,   /* the worker joins the team of task `subject`, as member `detail` */
    TW_EVENT_LEAVE,  /* and leaves it */
    TW_EVENT_STEAL,  /* detail items taken from worker `peer` */
    TW_EVENT_IDLE,   /* the worker finds nothing to do, and looks for it */
    TW_EVENT_FOUND,  /* it has something, or need not look any more */
    TW_EVENT_SLEEP,  /* the worker goes to sleep */
    TW_EVENT_WAKE,   /* and is back */
    TW_EVENT_ENTER,  /* a thread of the program begins to work as this worker */
    TW_EVENT_EXIT,   /* and goes its own way */
    TW_EVENT_WAIT,   /* a thread begins to wait; subject is the graph */
    TW_EVENT_GO,     /* and goes on */
    TW_EVENT_MOVE,   /* amount bytes begin to move to memory `peer`, for task `subject` */
    TW_EVENT_MOVED,  /* and are there */
    TW_EVENT_SEND,   /* a message of amount bytes leaves for rank `peer`; detail is its number */
    TW_EVENT_RECEIVE, /* one of that number has come from there; what follows is because of it, */
    TW_EVENT_HANDLED, /* until this */
    TW_EVENT_MEMORY,  /* the arrays now hold amount bytes */
    TW_EVENT_RESERVE  /* the critical set has `detail` members, from worker `peer` on, and should
                         have  `amount` */
} tw_event_kind;

/* What is known of a task when it begins. The texts live longer than the task, not for ever. */
typedef struct tw_event_about {
    const void *cls; /* tells classes from one another, together with the name */
    const char *name, *parameters;
    const char *front; /* the front end of its graph */
    uint32_t graph;    /* its serial number */
    int32_t priority;
    bool critical;
    twill_about task;
} tw_event_about;

typedef struct tw_event {
    uint64_t ticks; /* 0: at the time of the worker's last event */
    const void *subject, *other;
    tw_event_kind kind;
    int worker, peer, detail;
    int64_t amount;
    const tw_event_about *about; /* TW_EVENT_BEGIN */
} tw_event;

/* One who listens; several are a list. It lives as long as the context, also when it is not in the
 * list any more. */
typedef struct tw_sink {
    void (*take)(struct tw_sink *sink, const tw_event *event);
    _Atomic(struct tw_sink *) next;
} tw_sink;

/* Where a context keeps the first of them; NULL: nobody listens. */
typedef _Atomic(tw_sink *) tw_sink_place;

static inline bool tw_has_sink(const tw_sink_place *place)
{
    return tw_unlikely(atomic_load_explicit(place, memory_order_relaxed) != NULL);
}

/* The rare half of emitting: somebody listens. The time is set: now, or that of the worker's last
 * event, for what follows from that at once. */
static inline void tw_emit_then(const tw_sink_place *place, tw_event *event)
{
    /* acquire pairs with the release that installed the sink */
    tw_sink *sink = atomic_load_explicit(place, memory_order_acquire);
    for (; sink; sink = atomic_load_explicit(&sink->next, memory_order_acquire))
        sink->take(sink, event);
}

static inline void tw_emit_now(const tw_sink_place *place, tw_event *event)
{
    event->ticks = tw_ticks();
    tw_emit_then(place, event);
}

static inline void tw_emit(const tw_sink_place *place, tw_event_kind kind, int worker,
                           const void *subject, int peer, int detail)
{
    if (tw_has_sink(place))
        tw_emit_now(place, &(tw_event){.subject = subject,
                                       .kind = kind,
                                       .worker = worker,
                                       .peer = peer,
                                       .detail = detail});
}

#endif
