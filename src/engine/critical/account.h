/* What workers do, added up while they do it: a sink like that of the trace, which keeps sums and
 * paths instead of events. */
#ifndef TW_ENGINE_ACCOUNT_H
#define TW_ENGINE_ACCOUNT_H

#include "engine/critical/critical.h"
#include "engine/critical/lengths.h"

enum { TW_FRAMES = 32 }; /* bodies deeper inside others count as the innermost of these */

/* A body that a worker is in: its own task's, or one that it has joined. */
typedef struct tw_frame {
    uint64_t begin;
    tw_length length; /* what led to it */
    bool critical, reserved;
} tw_frame;

/* What there is of one worker; of the thread that acts as it. */
typedef struct tw_account_worker {
    _Alignas(TW_LINE) uint64_t busy[2][2]; /* ticks in bodies: reserved or not, critical or not */
    uint64_t first, last;                  /* begin of its first task, end of its last; 0: none */
    uint64_t since;                        /* up to when it has been charged */
    int64_t tasks, critical_tasks;
    tw_length longest; /* that ended here */
    const void *ended; /* the task that ended last, */
    tw_length length;  /* and the longest path up to its end */
    int depth;         /* bodies inside one another */
    tw_frame frame[TW_FRAMES];
} tw_account_worker;

/* The set has got another size. */
typedef struct tw_account_change {
    uint64_t ticks;
    int members;
} tw_account_change;

typedef struct tw_account {
    tw_sink sink;
    twill *tw;
    bool open; /* under graph_lock */
    uint64_t begin;
    double begin_seconds;
    int64_t teams;              /* of the set, before */
    tw_account_change *changes; /* this and the next under the lock of the set */
    int64_t nchanges, room;
    bool no_room; /* for a change */
    tw_lengths lengths;
    tw_account_worker worker[]; /* and the external one */
} tw_account;

/* What the sink does (account_take.c). */
void tw_account_take(tw_sink *sink, const tw_event *event);

/* Forget what there is; while nobody can tell it anything. */
void tw_account_clear(tw_account *a);
void tw_account_free(tw_account *a);

/* The set has so many members since then; under its lock, or while the world is stopped. */
void tw_account_resize(tw_account *a, uint64_t ticks, int members);

#endif
