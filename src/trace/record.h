/* What a running trace keeps: units of 32 bytes, one after the other, in chunks that belong to one
 * worker each. A task is two units or three, anything else is one. */
#ifndef TW_TRACE_RECORD_H
#define TW_TRACE_RECORD_H

#include "base/event.h"
#include "base/status.h"
#include "trace/seen.h"

/* The first unit of a task. */
typedef struct tw_unit_task {
    uint8_t kind; /* tw_event_kind: TW_EVENT_BEGIN */
    uint8_t n;    /* parameters */
    uint16_t cls;
    uint32_t graph;
    uint64_t start;
    _Atomic uint64_t end; /* four times the ticks, plus the outcome; 0 until it returns */
    const void *task;
} tw_unit_task;

/* The second, which holds two parameters; a third unit holds the others. */
typedef struct tw_unit_about {
    int32_t priority;
    float flops, bytes;
    uint32_t critical;
    int64_t parameter[2];
} tw_unit_about;

typedef struct tw_unit_event {
    uint8_t kind;
    uint8_t unused;
    int16_t peer;
    int32_t detail;
    uint64_t ticks;
    const void *subject;
    union {
        const void *other;
        int64_t amount;
    };
} tw_unit_event;

typedef union tw_unit {
    tw_unit_task task;
    tw_unit_about about;
    int64_t parameter[4];
    tw_unit_event event;
} tw_unit;

_Static_assert(sizeof(tw_unit) == 32, "units are of 32 bytes");

static inline int tw_unit_length(const tw_unit *u)
{
    return u->event.kind != TW_EVENT_BEGIN ? 1 : u->task.n <= 2 ? 2 : 3;
}

typedef struct tw_chunk_of_units {
    struct tw_chunk_of_units *next; /* the newer one */
    size_t used;                    /* units */
    tw_unit units[];
} tw_units;

typedef struct tw_recorder tw_recorder;

/* A recorder for `workers` workers and the external record. It must live as long as anybody may
 * tell it something, also after tw_recorder_stop. */
twill_status tw_recorder_open(int workers, bool membarrier, tw_recorder **r);
void tw_recorder_close(tw_recorder *r);

tw_sink *tw_recorder_sink(tw_recorder *r);

/* Begin to record in at most `limit` bytes, but in not less than two chunks per worker. When that
 * is used up, the oldest chunk of the worker makes room for new ones, and what it held is counted
 * as lost. */
void tw_recorder_start(tw_recorder *r, size_t limit);

/* Record nothing any more. Then, what there is does not change. */
void tw_recorder_stop(tw_recorder *r);

/* Forget it all; after tw_recorder_stop. */
void tw_recorder_clear(tw_recorder *r);

/* What there is, after tw_recorder_stop: units of a lane from the oldest to the newest. Lanes are
 * the workers, external threads, and one for events that come from any thread. */
int tw_recorder_lanes(const tw_recorder *r);
const tw_units *tw_recorder_units(const tw_recorder *r, int lane);
uint64_t tw_recorder_lost(const tw_recorder *r, int lane);
const tw_seen *tw_recorder_seen(const tw_recorder *r);

/* When it began and ended, in ticks, and how long a tick is. Returns when it began in seconds of
 * tw_seconds. */
double tw_recorder_times(const tw_recorder *r, uint64_t *begin, uint64_t *end, double *ns_per_tick);

#endif
