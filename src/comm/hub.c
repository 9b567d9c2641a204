/* How endpoints of the loopback transport begin and end. */
#include "comm/endpoint.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 1024 };

/* ---- closing ----------------------------------------------------------------------------- */

/* Nothing arrives any more, but for what comes back. */
static void refuse(tw_endpoint *e)
{
    tw_lock_take(&e->lock);
    atomic_store_explicit(&e->closed, true, memory_order_relaxed);
    e->arrived = NULL;
    tw_unlock(&e->lock);
}

/* Own operations that no other endpoint has begun to serve come back at once. */
static void recall(tw_endpoint *e)
{
    for (int rank = 0; rank < e->hub->ranks; rank++) {
        tw_endpoint *other = &e->hub->endpoints[rank];
        tw_lock_take(&other->lock);
        tw_packet *list = tw_lanes_recall(&other->lanes, e->comm.rank);
        tw_unlock(&other->lock);
        while (list) {
            tw_packet *p = list;
            list = p->next;
            tw_packet_drop(e->hub, p);
        }
    }
}

/* Take out everything: what others sent is dropped, own operations complete. */
static void drain(tw_endpoint *e, void *poller)
{
    tw_lock_take(&e->lock);
    tw_packet *list = tw_lanes_take_all(&e->lanes);
    tw_unlock(&e->lock);
    while (list) {
        tw_packet *p = list;
        list = p->next;
        if (p->returning)
            tw_packet_complete(e, p, poller);
        else
            tw_packet_drop(e->hub, p);
    }
}

static void leave(tw_loopback *hub)
{
    /* acquire and release: who frees it does so after all that others did to it */
    if (atomic_fetch_sub_explicit(&hub->users, 1, memory_order_acq_rel) > 1)
        return;
    for (int rank = 0; rank < hub->ranks; rank++) {
        tw_registry_close(&hub->endpoints[rank].registry);
        tw_lanes_close(&hub->endpoints[rank].lanes);
    }
    free(hub);
}

void tw_endpoint_close(tw_comm *comm, void *poller)
{
    tw_endpoint *e = (tw_endpoint *)comm;
    refuse(e);
    recall(e);
    drain(e, poller);
    /* another endpoint may be serving one of ours, another thread be in `arrived` */
    while (tw_comm_expected(comm) > 0 ||
           atomic_load_explicit(&e->calls, memory_order_acquire) > 0) {
        sched_yield();
        drain(e, poller);
    }
    leave(e->hub);
}

void tw_loopback_close(tw_loopback *hub)
{
    for (int rank = 0; rank < hub->ranks; rank++) {
        tw_endpoint *e = &hub->endpoints[rank];
        if (!e->joined) { /* nobody joins any more */
            refuse(e);
            drain(e, NULL);
        }
    }
    leave(hub);
}

/* ---- opening ----------------------------------------------------------------------------- */

twill_status tw_loopback_open(int ranks, const tw_loopback_options *options, tw_loopback **hub)
{
    if (ranks < 1 || ranks > RANKS)
        return tw_fail(TWILL_ERR_ARGUMENT, "%d ranks in one process: give 1 to %d", ranks, RANKS);
    const tw_loopback_options plain = {0};
    size_t bytes = sizeof(tw_loopback) + (size_t)ranks * sizeof(tw_endpoint);
    tw_loopback *h = aligned_alloc(TW_LINE, bytes);
    if (!h)
        goto no_memory;
    memset(h, 0, bytes);
    atomic_init(&h->users, 1);
    for (; h->ranks < ranks; h->ranks++) {
        tw_endpoint *e = &h->endpoints[h->ranks];
        if (!tw_lanes_open(&e->lanes, ranks, options ? options : &plain, h->ranks))
            goto undo_endpoints;
        tw_registry_open(&e->registry);
        e->comm = (tw_comm){
            .ops = &tw_loopback_ops, .rank = h->ranks, .ranks = ranks, .about = "loopback"};
        e->hub = h;
    }
    *hub = h;
    return TWILL_OK;

undo_endpoints:
    leave(h);
no_memory:
    return tw_fail(TWILL_ERR_MEMORY, "no memory for %d ranks in one process", ranks);
}

twill_status tw_loopback_join(tw_loopback *hub, int rank, tw_comm **comm)
{
    if (rank < 0 || rank >= hub->ranks)
        return tw_fail(TWILL_ERR_ARGUMENT, "rank %d is not one of the %d ranks", rank, hub->ranks);
    tw_endpoint *e = &hub->endpoints[rank];
    tw_lock_take(&e->lock);
    bool joined = e->joined;
    e->joined = true;
    tw_unlock(&e->lock);
    if (joined)
        return tw_fail(TWILL_ERR_STATE, "rank %d has joined before", rank);
    /* who joins has the hub, so it lives */
    atomic_fetch_add_explicit(&hub->users, 1, memory_order_relaxed);
    *comm = &e->comm;
    return TWILL_OK;
}

int64_t tw_loopback_dropped(const tw_loopback *hub)
{
    return atomic_load_explicit(&hub->dropped, memory_order_relaxed);
}
