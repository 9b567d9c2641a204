/* What happens, as it happens: the engine emits events, a sink (the trace) receives them.
 *
 * Without a sink an event costs one predictable branch. A sink is installed before workers start
 * and is called on the worker's own thread, so it needs no locks if it keeps a buffer per worker.
 */
#ifndef TW_BASE_EVENT_H
#define TW_BASE_EVENT_H

#include "base/clock.h"
#include "base/lock.h"

typedef enum tw_event_kind {
    TW_EVENT_BEGIN, /* a body begins; subject is the task */
    TW_EVENT_END,   /* it returned; detail is its outcome */
    TW_EVENT_STEAL, /* detail items taken from worker `peer` */
    TW_EVENT_SLEEP, /* the worker goes to sleep */
    TW_EVENT_WAKE,  /* and is back */
    TW_EVENT_WAIT,  /* a thread begins to wait; subject is the graph */
    TW_EVENT_GO     /* and goes on */
} tw_event_kind;

typedef struct tw_event {
    uint64_t ticks;
    const void *subject;
    tw_event_kind kind;
    int worker, peer, detail;
} tw_event;

typedef struct tw_sink {
    void (*take)(struct tw_sink *sink, const tw_event *event);
} tw_sink;

static inline void tw_emit(tw_sink *sink, tw_event_kind kind, int worker, const void *subject,
                           int peer, int detail)
{
    if (tw_unlikely(sink != NULL)) {
        tw_event event = {tw_ticks(), subject, kind, worker, peer, detail};
        sink->take(sink, &event);
    }
}

#endif
