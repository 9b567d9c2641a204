/* Bytes of all ranks go to rank 0, one rank after the other and in pieces, with a time that was
 * read from the clock of each. */
#ifndef TW_ENGINE_REMOTE_GATHER_H
#define TW_ENGINE_REMOTE_GATHER_H

#include "engine/remote/remote.h"

typedef struct tw_gather tw_gather;

/* With an endpoint, before it sends; and before it is closed. False: no memory. */
bool tw_gather_open(twill *tw, tw_comm *comm);
void tw_gather_close(twill *tw);

/* What this rank has: bytes, a time of its tw_seconds; or why it has none, which the calling thread
 * has just been told. Without bytes nothing is gathered from it. */
typedef struct tw_gather_mine {
    const void *bytes;
    size_t size;
    double time;
    twill_status status;
} tw_gather_mine;

/* What another rank had, on rank 0: its bytes, aligned for any type, and its time as rank 0's own
 * clock would have shown it. At the end it is called once more, with rank -1. */
typedef twill_status tw_gather_take(void *arg, int rank, const void *bytes, size_t size,
                                    double time);

/* Collective, outside tasks. All ranks return the same status: the first failure of any of them, or
 * of `take`. */
twill_status tw_gather_all(twill *tw, const tw_gather_mine *mine, tw_gather_take *take, void *arg);

/* For tests: the clock of this rank, which is not 0, seems to be so many seconds ahead. */
void tw_gather_set_ahead(twill *tw, double seconds);

#endif
