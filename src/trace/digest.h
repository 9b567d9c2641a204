/* From what was recorded to a trace. */
#ifndef TW_TRACE_DIGEST_H
#define TW_TRACE_DIGEST_H

#include "trace/record.h"
#include "trace/trace.h"

/* The recorder has stopped. */
twill_status tw_digest(const tw_recorder *r, twill_trace **trace);

/* ---- its parts ----------------------------------------------------------------------------- */

/* One task as it was recorded. */
typedef struct tw_digest_task {
    const tw_unit *unit;
    uint64_t start, end;
    int lane;
} tw_digest_task;

/* A time at which an address began to mean a certain task; -1: one that is not in the trace. */
typedef struct tw_digest_life {
    const void *address;
    uint64_t start;
    int64_t task;
} tw_digest_life;

typedef struct tw_digest_state {
    const tw_recorder *recorder;
    uint64_t begin, end; /* of the trace, in ticks */
    double ns;           /* per tick */
    double origin;       /* `begin` in seconds of tw_seconds */
    int rows;
    tw_digest_task *tasks; /* in the order in which they began */
    int64_t ntasks;
    tw_digest_life *lives; /* by address and time */
    int64_t nlives;
    twill_trace *trace;
} tw_digest_state;

/* The unit after u, or the first one when u is NULL; *chunk is where it lies. */
const tw_unit *tw_next_unit(const tw_units **chunk, const tw_unit *u);

static inline double tw_digest_time(const tw_digest_state *d, uint64_t ticks)
{
    ticks = ticks < d->begin ? d->begin : ticks > d->end ? d->end : ticks;
    return (double)(ticks - d->begin) * d->ns;
}

/* Is it a message, and in the trace? These are its first points: lane by lane, and in their order
 * there. */
static inline bool tw_digest_is_message(const tw_digest_state *d, const tw_unit_event *e)
{
    return (e->kind == TW_EVENT_SEND || e->kind == TW_EVENT_RECEIVE) && e->ticks >= d->begin &&
           e->ticks <= d->end;
}

/* The task that this address is at that time, or -1. */
int64_t tw_digest_task_at(const tw_digest_state *d, const void *address, uint64_t ticks);

/* digest_edges.c: who enabled whom. digest_states.c: what workers did between tasks. */
twill_status tw_digest_edges(tw_digest_state *d);
twill_status tw_digest_states(tw_digest_state *d);

#endif
