/* An endpoint of the loopback transport, and the hub that has all of them. */
#ifndef TW_COMM_ENDPOINT_H
#define TW_COMM_ENDPOINT_H

#include "base/lock.h"
#include "comm/lanes.h"
#include "comm/registry.h"

typedef struct tw_endpoint {
    tw_comm comm;
    tw_loopback *hub;
    tw_registry registry;
    alignas(TW_LINE) tw_lock lock; /* of what follows, up to `calls` */
    tw_lanes lanes;
    void (*arrived)(void *arg);
    void *arrived_arg;
    bool joined;
    atomic_bool closed; /* written under the lock */
    atomic_int calls;   /* of `arrived`, going on; raised under the lock */
    _Atomic int64_t expected;
} tw_endpoint;

struct tw_loopback {
    atomic_int users; /* endpoints that are open, and who opened it */
    _Atomic int64_t dropped;
    int ranks;
    tw_endpoint endpoints[];
};

extern const tw_comm_ops tw_loopback_ops;

/* A packet that its receiver will not serve goes back; if nobody waits for it, it is freed. */
void tw_packet_drop(tw_loopback *hub, tw_packet *p);

/* A packet is back where it began: call the callback. */
void tw_packet_complete(tw_endpoint *e, tw_packet *p, void *poller);

void tw_endpoint_close(tw_comm *comm, void *poller);

#endif
