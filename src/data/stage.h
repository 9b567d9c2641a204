/* What replica.c and stage.c share. All of it is under the lock of the replicas, except
 * tw_moves_begin. */
#ifndef TW_DATA_STAGE_H
#define TW_DATA_STAGE_H

#include "data/replica.h"

/* What is to be done when the lock is free again. */
typedef struct tw_moves {
    tw_copy *copies;   /* to start */
    tw_staging *ready; /* to be told */
} tw_moves;

void tw_moves_begin(tw_moves *m, void *poller);

/* The replica of a value in a space, made at its first use; NULL when there is no memory. */
tw_replica *tw_replica_at(tw_replicas *all, tw_value *v, int space);

void tw_replica_pin(tw_replica *r);
void tw_replica_unpin(tw_replica *r);
/* If it is not pinned, it is the next to be freed. */
void tw_replica_make_oldest(tw_replica *r);

size_t tw_replica_bytes(const tw_replica *r);
bool tw_replica_alloc(tw_replica *r);
/* Give its bytes back; it is not pinned. */
void tw_replica_free(tw_replica *r);

/* Begin a copy to a replica that is invalid and has bytes. */
void tw_replica_fetch(tw_replica *r, tw_moves *m);

/* A copy to this replica is over; the second says what that means for its state. */
void tw_replica_arrived(tw_replica *r, twill_status status, tw_moves *m);
void tw_replica_settle(tw_replica *r, tw_replica *from, bool good);

/* The replica has been written: others are not valid any more. */
void tw_replica_own(tw_replica *r);

/* Somebody has begun to write it and failed: what others have is right, if there are such; but what
 * is on the host stays. */
void tw_replica_disown(tw_replica *r);

#endif
