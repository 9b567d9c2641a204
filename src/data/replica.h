/* Replicas: the bytes of values in several spaces, and how they come there.
 *
 * Whoever works on values in a space stages them: their replicas there are made valid, get room,
 * and are pinned until they are unstaged. Who has written a value makes its other replicas invalid.
 * All that is state is under one lock; copies are started, and told to those who wait, outside it.
 * As long as a context has no space but the host, none of this is used, except what is packed. */
#ifndef TW_DATA_REPLICA_H
#define TW_DATA_REPLICA_H

#include "base/lock.h"
#include "data/packed.h"
#include "data/space.h"
#include "data/value.h"

enum { TW_SPACES = 15 }; /* bits of `valid`; the last one is TW_REPLICATED */

typedef enum tw_replica_state {
    TW_REPLICA_INVALID,
    TW_REPLICA_ARRIVING, /* a copy is on its way */
    TW_REPLICA_VALID,
    TW_REPLICA_DIRTY /* valid, and the host's is not */
} tw_replica_state;

typedef struct tw_staging tw_staging;

/* One value that somebody works on. */
typedef struct tw_staged {
    tw_value *value;
    struct tw_replica *replica; /* where it is, once it is staged */
    struct tw_staged *next;     /* that waits for the same copy */
    tw_staging *staging;
    bool reads, writes;
    bool home; /* who writes it leaves it valid on the host, too */
} tw_staged;

typedef struct tw_replica {
    struct tw_replica *next; /* of the same value */
    struct tw_replicas *all;
    tw_value *value;
    int space;
    tw_replica_state state;
    bool evicts;    /* the copy that is on its way is to make room where it comes from */
    bool overtaken; /* somebody writes the value elsewhere: what arrives is not valid */
    int pins;       /* values that are staged, and copies from here or to here */
    void *data;
    int64_t ld;
    struct tw_replica *older, *newer; /* of its space, in the order of their last use; unpinned */
    struct tw_replica *source;        /* of the copy that is on its way */
    tw_staged *waiting;               /* for that copy */
    tw_copy copy;
} tw_replica;

/* What a task, or whoever else, works on at a time. The caller fills in everything but `next`,
 * `missing`, `pinned` and `status`. */
struct tw_staging {
    tw_staging *next;     /* that waits for room in the same space, or is to be told */
    void *owner, *flight; /* who stages it; the owner's */
    /* Everything is there, or (status) cannot be had. */
    void (*ready)(tw_staging *s, void *poller);
    int space;
    int missing; /* copies to come */
    bool pinned;
    twill_status status;
    int n;
    tw_staged datum[];
};

/* The replicas in one space. */
typedef struct tw_residents {
    size_t used;
    int64_t bytes_in, bytes_out; /* copied so far */
    int leaving;                 /* copies on their way that make room */
    tw_replica *oldest, *newest;
    tw_staging *first, *last; /* that wait for room */
} tw_residents;

typedef struct tw_replicas {
    tw_lock lock;
    int spaces; /* the host included */
    tw_space *space[TW_SPACES];
    /* So many copies are about to begin, or (negative) are over with all that follows. */
    void (*expect)(struct tw_replicas *all, int copies, void *poller);
    /* A copy took so long; NULL: nobody wants to know. */
    void (*measured)(struct tw_replicas *all, int from, int to, size_t bytes, double seconds);
    tw_residents in[TW_SPACES];
    tw_packed_table packed; /* on the host, in other layouts */
} tw_replicas;

void tw_replicas_open(tw_replicas *all, void (*expect)(tw_replicas *all, int copies, void *poller));

/* Add a space, before there are values; its number, or -1 when there are too many. */
int tw_replicas_add(tw_replicas *all, tw_space *space);

/* Has the value been in other spaces than the host? */
static inline bool tw_value_is_replicated(const tw_value *v)
{
    return atomic_load_explicit(&v->valid, memory_order_relaxed) & TW_REPLICATED;
}

/* Stage the values. True when they are there, or when that is refused (status); false when `ready`
 * will be called, perhaps before this returns. */
bool tw_stage(tw_replicas *all, tw_staging *s, void *poller);

/* The work is done, and what is written is valid nowhere else; or it failed (not `done`): then the
 * host has what it was before, or, if the work was there, what the work left, as without other
 * memories. */
void tw_unstage(tw_replicas *all, tw_staging *s, bool done, void *poller);

/* Where a staged value is. */
const tw_replica *tw_staged_replica(const tw_staging *s, const tw_value *v);

/* The bytes on the host have changed, and nobody has staged the value. */
void tw_replicas_changed(tw_replicas *all, tw_value *v);

/* Nobody wants its content any more, and nobody has staged it. False as long as copies are on their
 * way; no further ones begin. */
bool tw_replicas_forget(tw_replicas *all, tw_value *v);

/* The value ends; nobody has staged it, and no copies are on their way. */
void tw_replicas_drop(tw_replicas *all, tw_value *v);

/* Let copies end; true when some did. One thread at a time. */
bool tw_replicas_poll(tw_replicas *all, void *poller);

#endif
