/* The chain of a tile: who may touch it when.
 *
 * Accesses to a tile, in program order, form epochs: a run of readers is one epoch, a run of
 * commuting updates is one, every writer is one of its own. An epoch begins when the one before has
 * drained; all its accesses are granted then. So RaW, WaR and WaW hazards are one rule, an access
 * costs O(1) whatever the number of readers, and nothing ever points to a task that may be gone:
 *
 *     chain->tail ----------------------------+
 *                                             v
 *     [W: drained, freed] -> [R R R: active] -> [W: waiting] -> [R R: open, waiting]
 *
 * Entering needs the lock of the array (it orders insertions); leaving needs no lock. The `pending`
 * count of an epoch has its accesses, and a bit while it is the tail: the thread that takes it to
 * zero begins the next epoch and recycles this one. Packed replicas of the tile count as an access
 * (packed.h).
 *
 * A failed writer leaves a mark as poison in its epoch. Poison passes to the epochs after it until
 * one that overwrites the tile without reading it. Whether a mark still holds is not
 * known here: who gets it asks (engine/fail.c). */
#ifndef TW_DATA_CHAIN_H
#define TW_DATA_CHAIN_H

#include "base/pool.h"

#include <stdint.h>

typedef enum tw_mode {
    TW_READ,
    TW_WRITE,  /* does not see the old content */
    TW_UPDATE, /* reads and writes */
    TW_COMMUTE /* the same, with neighbours in any order, one at a time */
} tw_mode;

typedef struct tw_epoch tw_epoch;

/* One access, embedded in the task or use that makes it. */
typedef struct tw_access {
    struct tw_access *next; /* in the waiting list, then in the list of granted accesses */
    tw_epoch *epoch;
} tw_access;

struct tw_epoch {
    atomic_int pending;
    tw_mode mode;
    _Atomic uint32_t poison; /* who failed to write the tile, or 0 */
    tw_lock token_lock;      /* TW_COMMUTE: protects the token below */
    bool token_taken;
    tw_access *token_queue, **token_tail; /* accesses that wait for the token, in order */
    tw_epoch *next;                       /* set when closed */
    _Atomic(tw_access *) waiting;         /* accesses to grant at the beginning; GRANTED after it */
    const void *tile;                     /* whose chain this is; for reports */
};

typedef struct tw_chain {
    tw_epoch *tail;
} tw_chain;

typedef enum tw_entry {
    TW_ENTRY_WAITS, /* some tw_chain_leave will return the access */
    TW_ENTRY_GRANTED,
    TW_ENTRY_POISONED /* granted, and the content is that of a failed task */
} tw_entry;

/* Accesses that a leave has granted. */
typedef struct tw_grants {
    tw_access *list;
    uint32_t poison;
} tw_grants;

/* Add an access at the end of the chain. Under the array's lock, with an epoch reserved in the
 * cache: whoever enters several chains enters all of them or none. */
tw_entry tw_chain_enter(tw_chain *chain, tw_access *access, tw_mode mode, const void *tile,
                        tw_pool *pool, tw_cache *cache);

/* The access is over. `poison` is 0, or the mark of whom the data's not being right is due to.
 * Returns the epoch if that was its last access and another epoch follows: then tw_chain_advance
 * must begin that one. The two steps are apart so that a task can leave all its chains before it
 * looks at what comes next in any. */
tw_epoch *tw_chain_leave(tw_access *access, uint32_t poison);
tw_grants tw_chain_advance(tw_epoch *drained, tw_pool *pool, tw_cache *cache);

/* Take the token of a commuting access, after it was granted: true when taken now; else it is taken
 * when tw_token_give returns the access. */
bool tw_token_take(tw_access *access);
tw_access *tw_token_give(tw_access *access);

/* True when nobody is in the chain. Under the array's lock, if others may enter. */
bool tw_chain_idle(const tw_chain *chain);

/* Set the mark of an idle chain, or take it away. Under the array's lock, with an epoch reserved.
 */
void tw_chain_set_poison(tw_chain *chain, uint32_t poison, const void *tile, tw_pool *pool,
                         tw_cache *cache);

/* Is there nobody in the chain, and no mark that whoever comes next would get? */
bool tw_chain_quiet(const tw_chain *chain);

/* True while this access has to wait for an earlier one. For reports. */
bool tw_access_waits(const tw_access *access);

/* Set the mark in the epoch of an access; read it; forget this one, which means nothing any more.
 */
void tw_access_set_poison(tw_access *access, uint32_t poison);
uint32_t tw_access_poison(const tw_access *access);
void tw_access_cure(tw_access *access, uint32_t poison);

/* Drop the tail epoch of an idle chain. Under the array's lock. */
void tw_chain_close(tw_chain *chain, tw_pool *pool, tw_cache *cache);

#endif
