/* The longest paths to tasks that are not over: by the address of the task. */
#ifndef TW_ENGINE_LENGTHS_H
#define TW_ENGINE_LENGTHS_H

#include "base/lock.h"

#include <stdint.h>

/* The longest path up to some point: in ticks of all tasks, how many these are, and in ticks of
 * critical tasks alone, which may be another path. */
typedef struct tw_length {
    uint64_t ticks, critical;
    int64_t tasks;
} tw_length;

enum { TW_LENGTH_SHARDS = 64 };

typedef struct tw_length_entry {
    const void *task; /* NULL: free */
    uint32_t graph;   /* its serial number: addresses are used again */
    uint64_t begun;   /* when its body did; 0: not yet */
    tw_length length;
} tw_length_entry;

typedef struct tw_length_shard {
    _Alignas(TW_LINE) tw_lock lock;
    tw_length_entry *entry; /* a power of two, or none */
    uint32_t room, used;
} tw_length_shard;

typedef struct tw_lengths {
    tw_length_shard shard[TW_LENGTH_SHARDS];
    atomic_bool incomplete; /* there was no memory for some */
} tw_lengths;

/* The longer of two paths, in each sense. */
void tw_length_join(tw_length *longer, const tw_length *other);

/* A path leads to the task, which may have longer ones; any thread. */
void tw_lengths_add(tw_lengths *r, const void *task, uint32_t graph, const tw_length *path);

/* The task begins: the longest path to it. Any thread. */
tw_length tw_lengths_begin(tw_lengths *r, const void *task, uint32_t graph, uint64_t now);

/* The task is over: the longest path to it, and in *begun when it began, 0 if it did not; and
 * forget it. Any thread. */
tw_length tw_lengths_end(tw_lengths *r, const void *task, uint32_t graph, uint64_t *begun);

/* Forget all of them. */
void tw_lengths_clear(tw_lengths *r);

#endif
