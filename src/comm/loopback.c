/* The loopback transport: packets go from one endpoint to another, are served there by `progress`,
 * and come back to be completed. */
#include "comm/endpoint.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 16 /* packets per poll, at most */ };

/* ---- to an endpoint and back ------------------------------------------------------------- */

/* Append a packet, which is the receiver's from then on. False: the endpoint is closed, and takes
 * only what comes back to it. */
static bool post(tw_endpoint *e, tw_packet *p)
{
    tw_lock_take(&e->lock);
    bool open = p->returning || !atomic_load_explicit(&e->closed, memory_order_relaxed);
    if (open)
        tw_lanes_add(&e->lanes, p);
    void (*arrived)(void *) = open ? e->arrived : NULL;
    void *arg = e->arrived_arg;
    if (arrived)
        atomic_fetch_add_explicit(&e->calls, 1, memory_order_relaxed);
    tw_unlock(&e->lock);
    if (arrived) {
        arrived(arg);
        /* release pairs with the acquire in tw_endpoint_close: `arg` may go */
        atomic_fetch_sub_explicit(&e->calls, 1, memory_order_release);
    }
    return open;
}

/* The receiver is through with it. Who expects a completion does not close before it is back. */
static void answer(tw_loopback *hub, tw_packet *p, twill_status status)
{
    if (!p->done) {
        free(p);
        return;
    }
    p->status = status;
    p->returning = true;
    (void)post(&hub->endpoints[p->from], p);
}

void tw_packet_drop(tw_loopback *hub, tw_packet *p)
{
    atomic_fetch_add_explicit(&hub->dropped, 1, memory_order_relaxed);
    answer(hub, p, TWILL_ERR_CANCELED);
}

/* ---- beginning something ----------------------------------------------------------------- */

/* Send a packet like `what`, with a copy of its head, and of its data if nobody is told when they
 * are not needed any more. */
static twill_status begin(tw_comm *comm, const tw_packet *what, const void *head)
{
    tw_endpoint *e = (tw_endpoint *)comm;
    const size_t align = alignof(max_align_t);
    const size_t place = (what->head_size + align - 1) / align * align;
    const size_t copied = what->done ? 0 : what->size;
    if (atomic_load_explicit(&e->closed, memory_order_relaxed))
        return tw_fail(TWILL_ERR_STATE, "rank %d has been closed", comm->rank);
    tw_packet *p = malloc(sizeof *p + place + copied);
    if (!p)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a message of %zu bytes to rank %d",
                       what->head_size + copied, what->to);
    *p = *what;
    p->from = comm->rank;
    if (p->head_size > 0)
        memcpy(p->head, head, p->head_size);
    if (copied > 0)
        p->data = memcpy(p->head + place, what->data, copied);
    if (p->done)
        atomic_fetch_add_explicit(&e->expected, 1, memory_order_relaxed);
    if (!post(&e->hub->endpoints[what->to], p))
        tw_packet_drop(e->hub, p);
    return TWILL_OK;
}

static twill_status send_message(tw_comm *comm, int to, const tw_comm_message *m)
{
    return begin(comm,
                 &(tw_packet){.kind = TW_PACKET_MESSAGE,
                              .to = to,
                              .handler = m->handler,
                              .head_size = m->head_size,
                              .data = (void *)m->data, /* only read */
                              .size = m->size,
                              .done = m->sent,
                              .arg = m->arg},
                 m->head);
}

static twill_status transfer(tw_comm *comm, tw_packet_kind kind, const tw_comm_transfer *t)
{
    return begin(comm,
                 &(tw_packet){.kind = kind,
                              .to = (int)t->key.rank,
                              .handler = t->notify,
                              .head_size = t->notify ? t->head_size : 0,
                              .key = t->key,
                              .offset = t->offset,
                              .data = t->memory,
                              .size = t->size,
                              .done = t->done,
                              .arg = t->arg},
                 t->head);
}

static twill_status put(tw_comm *comm, const tw_comm_transfer *t)
{
    return transfer(comm, TW_PACKET_PUT, t);
}

static twill_status get(tw_comm *comm, const tw_comm_transfer *t)
{
    return transfer(comm, TW_PACKET_GET, t);
}

static twill_status register_memory(tw_comm *comm, void *memory, size_t size, tw_comm_key *key)
{
    return tw_registry_add(&((tw_endpoint *)comm)->registry, memory, size, key);
}

static void deregister_memory(tw_comm *comm, const tw_comm_key *key)
{
    tw_registry_remove(&((tw_endpoint *)comm)->registry, key);
}

/* ---- progress ---------------------------------------------------------------------------- */

void tw_packet_complete(tw_endpoint *e, tw_packet *p, void *poller)
{
    if (p->status == TWILL_ERR_STATE)
        (void)tw_fail(p->status, "the memory of rank %d is not registered any more", p->to);
    else if (p->status)
        (void)tw_fail(p->status, "rank %d or rank %d has been closed", p->from, p->to);
    p->done(p->arg, p->status, poller);
    free(p);
    /* release pairs with the acquire in `expected` */
    atomic_fetch_sub_explicit(&e->expected, 1, memory_order_release);
}

/* The data of a message go where its handler wants them, or stay with the sender. */
static void *put_in_place(const tw_endpoint *e, const tw_packet *p, void *poller)
{
    void *place =
        tw_comm_find_place(&e->comm, p->handler, p->from, p->head, p->head_size, p->size, poller);
    return place ? memcpy(place, p->data, p->size) : p->data;
}

/* The memory of the sender is read, or written, here and now: who touches it before the completion
 * is seen by a sanitizer. */
static twill_status serve(tw_endpoint *e, tw_packet *p, void *poller)
{
    void *place = p->data;
    if (p->kind == TW_PACKET_MESSAGE)
        place = put_in_place(e, p, poller);
    else if (!tw_registry_copy(&e->registry, &p->key, p->offset, p->data, p->size,
                               p->kind == TW_PACKET_PUT, &place))
        return TWILL_ERR_STATE;
    tw_comm_deliver(&e->comm, p->handler, p->from, p->head, p->head_size, place, p->size, poller);
    return TWILL_OK;
}

static bool progress(tw_comm *comm, void *poller)
{
    tw_endpoint *e = (tw_endpoint *)comm;
    bool busy = false;
    for (int i = 0; i < BATCH; i++) {
        tw_lock_take(&e->lock);
        e->lanes.polls += i == 0;
        busy |= e->lanes.waiting > 0; /* those that are late are about to happen */
        tw_packet *p = tw_lanes_take(&e->lanes);
        tw_unlock(&e->lock);
        if (!p)
            break;
        if (p->returning)
            tw_packet_complete(e, p, poller);
        else
            answer(e->hub, p, serve(e, p, poller));
    }
    return busy;
}

static int64_t expected(const tw_comm *comm)
{
    return atomic_load_explicit(&((const tw_endpoint *)comm)->expected, memory_order_acquire);
}

/* What has arrived before calls it too. */
static bool watch(tw_comm *comm, void (*arrived)(void *arg), void *arg)
{
    tw_endpoint *e = (tw_endpoint *)comm;
    tw_lock_take(&e->lock);
    e->arrived = arrived;
    e->arrived_arg = arg;
    bool now = e->lanes.waiting > 0;
    tw_unlock(&e->lock);
    if (now)
        arrived(arg);
    return true;
}

const tw_comm_ops tw_loopback_ops = {
    .name = "loopback",
    .send = send_message,
    .put = put,
    .get = get,
    .register_memory = register_memory,
    .deregister_memory = deregister_memory,
    .progress = progress,
    .expected = expected,
    .close = tw_endpoint_close,
    .watch = watch,
};
