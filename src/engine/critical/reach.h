/* The longest paths to tasks that are not over: by the address of the task. */
#ifndef TW_ENGINE_REACH_H
#define TW_ENGINE_REACH_H

#include "base/lock.h"

#include <stdint.h>

/* The longest path up to some point: in ticks of all tasks, how many these are, and in ticks of
 * critical tasks alone, which may be another path. */
typedef struct tw_reach {
    uint64_t ticks, critical;
    int64_t tasks;
} tw_reach;

enum { TW_REACH_SHARDS = 64 };

typedef struct tw_reach_entry {
    const void *task; /* NULL: free */
    uint32_t graph;   /* its serial number: addresses are used again */
    uint64_t begun;   /* when its body did; 0: not yet */
    tw_reach reach;
} tw_reach_entry;

typedef struct tw_reach_shard {
    _Alignas(TW_LINE) tw_lock lock;
    tw_reach_entry *entry; /* a power of two, or none */
    uint32_t room, used;
} tw_reach_shard;

typedef struct tw_reaches {
    tw_reach_shard shard[TW_REACH_SHARDS];
    atomic_bool incomplete; /* there was no memory for some */
} tw_reaches;

/* The longer of two paths, in each sense. */
void tw_reach_join(tw_reach *longer, const tw_reach *other);

/* A path leads to the task, which may have longer ones; any thread. */
void tw_reaches_add(tw_reaches *r, const void *task, uint32_t graph, const tw_reach *path);

/* The task begins: the longest path to it. Any thread. */
tw_reach tw_reaches_begin(tw_reaches *r, const void *task, uint32_t graph, uint64_t now);

/* The task is over: the longest path to it, and in *begun when it began, 0 if it did not; and
 * forget it. Any thread. */
tw_reach tw_reaches_end(tw_reaches *r, const void *task, uint32_t graph, uint64_t *begun);

/* Forget all of them. */
void tw_reaches_clear(tw_reaches *r);

#endif
