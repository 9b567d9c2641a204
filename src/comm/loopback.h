/* A transport between ranks of one process, for tests: thread sanitizers see everything, delays and
 * orders that a network has once a year are made on purpose, and repeated. */
#ifndef TW_COMM_LOOPBACK_H
#define TW_COMM_LOOPBACK_H

#include "comm/comm.h"

/* What the endpoints have in common. */
typedef struct tw_loopback tw_loopback;

typedef struct tw_loopback_options {
    uint64_t seed;
    unsigned delay; /* up to so many calls of `progress` at the receiver pass before it sees a
                       message; 0: none */
    bool reorder;   /* messages of different senders, and all transfers, come in random order */
} tw_loopback_options;

/* Make a hub for `ranks` endpoints, 1 to 1024. The options may be NULL. TWILL_ERR_ARGUMENT,
 * TWILL_ERR_MEMORY. It lives until it and the last endpoint are closed. */
twill_status tw_loopback_open(int ranks, const tw_loopback_options *options, tw_loopback **hub);

/* The endpoint of a rank, once; messages to it have waited so far. Any thread. TWILL_ERR_ARGUMENT
 * when there is no such rank, TWILL_ERR_STATE when it has joined before. */
twill_status tw_loopback_join(tw_loopback *hub, int rank, tw_comm **comm);

/* Messages and transfers that were dropped, because one of the two endpoints had been closed. */
int64_t tw_loopback_dropped(const tw_loopback *hub);

/* Nobody joins any more, nor uses `hub`. Endpoints that have not joined are closed. */
void tw_loopback_close(tw_loopback *hub);

#endif
