/* The transport over MPI: what comes in. */
#include "comm/mpi_endpoint.h"

#include <stdlib.h>
#include <string.h>

enum {
    LATE = TW_MPI_RING / 2,    /* receives that may wait for a moment without messages */
    BATCH = TW_MPI_RING - LATE /* heads at a time: their receives are posted */
};

static bool is_closed(const tw_mpi_endpoint *e)
{
    return atomic_load_explicit(&e->closed, memory_order_relaxed);
}

/* ---- delivery ---------------------------------------------------------------------------- */

static void deliver_message(tw_mpi_endpoint *e, const tw_mpi_head *h, int from, const void *head,
                            const void *bytes, void *poller)
{
    if (!is_closed(e))
        tw_comm_deliver(&e->comm, h->handler, from, head, h->head_size, h->size ? bytes : NULL,
                        h->size, poller);
}

static twill_status status_of(const tw_mpi_endpoint *e, const tw_mpi_packet *p)
{
    return is_closed(e)                ? TWILL_ERR_CANCELED
           : p->place || !p->head.size ? TWILL_OK
                                       : TWILL_ERR_STATE;
}

/* A put or a get of another rank; false: there is no memory for the answer now. */
static bool serve(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller)
{
    const tw_mpi_head *h = &p->head;
    twill_status status = status_of(e, p);
    bool put = h->kind == TW_MPI_PUT && status == TWILL_OK;
    bool copied = h->kind == TW_MPI_GET && status == TWILL_OK && h->size <= TW_MPI_INLINE;
    if (put && tw_mpi_inline(h))
        memmove(p->place, p->bytes, h->size);
    if (!tw_mpi_answer(e, p, status))
        return false;
    if ((put || copied) && h->handler)
        tw_comm_deliver(&e->comm, h->handler, p->other, p->rest, h->head_size, p->place, h->size,
                        poller);
    return true;
}

static void take_answer(tw_mpi_endpoint *e, const tw_mpi_packet *p, void *poller)
{
    const tw_mpi_head *h = &p->head;
    tw_mpi_packet *asked = (tw_mpi_packet *)(uintptr_t)h->id;
    if (h->kind == TW_MPI_GET_DATA && tw_mpi_inline(h))
        memcpy(asked->bytes, p->bytes, h->size);
    tw_mpi_answered(e, asked, (twill_status)h->status, poller);
}

/* False: it must be tried again. */
static bool deliver_packet(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller)
{
    switch ((tw_mpi_kind)p->head.kind) {
    case TW_MPI_MESSAGE:
        deliver_message(e, &p->head, p->other, p->rest, p->bytes, poller);
        return true;
    case TW_MPI_PUT:
    case TW_MPI_GET:
        return serve(e, p, poller);
    case TW_MPI_PUT_DONE:
    case TW_MPI_GET_DATA:
        take_answer(e, p, poller);
        return true;
    case TW_MPI_FAREWELL:
        break;
    }
    return true;
}

void tw_mpi_deliver(tw_mpi_endpoint *e, int from, void *poller)
{
    tw_mpi_queue *q = &e->from[from];
    for (tw_mpi_packet *p; !e->code && (p = q->first) && p->requests == 0;) {
        if (!deliver_packet(e, p, poller))
            return;
        q->first = p->next;
        tw_mpi_free(e, p);
    }
}

/* ---- heads ------------------------------------------------------------------------------- */

/* Where the bytes of a packet go; false: no memory now. */
static bool find_room(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller)
{
    const tw_mpi_head *h = &p->head;
    if (h->kind == TW_MPI_PUT || h->kind == TW_MPI_GET) {
        const tw_comm_key key = {e->comm.rank, h->key_size, {h->token[0], h->token[1]}};
        p->place = is_closed(e) ? NULL : tw_registry_place(&e->registry, &key, h->offset, h->size);
    }
    if (tw_mpi_inline(h))
        p->bytes = p->rest + tw_mpi_place(h->head_size);
    else if (h->kind == TW_MPI_GET_DATA)
        p->bytes = ((tw_mpi_packet *)(uintptr_t)h->id)->bytes;
    else if (h->kind == TW_MPI_PUT)
        p->bytes = p->place;
    else if (h->kind == TW_MPI_MESSAGE && !is_closed(e))
        p->bytes = tw_comm_find_place(&e->comm, h->handler, p->other, p->rest, h->head_size,
                                      h->size, poller);
    if (p->bytes || !h->size || h->kind == TW_MPI_GET)
        return true;
    p->bytes = p->owned = aligned_alloc(TW_LINE, tw_whole_lines(h->size));
    return p->owned;
}

/* A packet of the head that is here, with receives for its bytes. NULL: no memory now. */
static tw_mpi_packet *make_packet(tw_mpi_endpoint *e, const tw_mpi_arrival *a, void *poller)
{
    size_t rest = tw_mpi_place(a->head.head_size) + tw_mpi_inline(&a->head);
    tw_mpi_packet *p = tw_mpi_new(e, rest);
    if (!p)
        return NULL;
    p->incoming = true;
    p->other = e->head_from;
    p->head = a->head;
    memcpy(p->rest, a->rest, rest);
    if (tw_mpi_reserve(e, &p->head) && find_room(e, p, poller)) {
        tw_mpi_transfer(e, p);
        return p;
    }
    tw_mpi_free(e, p);
    return NULL;
}

/* The head that is here; false: it stays there. */
static bool accept_head(tw_mpi_endpoint *e, const tw_mpi_arrival *a, void *poller)
{
    const tw_mpi_head *h = &a->head;
    int from = e->head_from;
    if (tw_unlikely(h->kind == TW_MPI_FAREWELL)) {
        tw_mpi_take_farewell(e, a);
        return true;
    }
    bool answer = h->kind >= TW_MPI_PUT_DONE;
    if (h->kind == TW_MPI_MESSAGE && h->size == tw_mpi_inline(h) && !e->from[from].first) {
        ++*tw_mpi_count(e, TW_MPI_GOT, from);
        deliver_message(e, h, from, a->rest, a->rest + tw_mpi_place(h->head_size), poller);
        return true;
    }
    tw_mpi_packet *p = make_packet(e, a, poller);
    if (!p)
        return false;
    ++*tw_mpi_count(e, answer ? TW_MPI_ANSWERS : TW_MPI_GOT, from);
    tw_mpi_append(&e->from[from], p);
    tw_mpi_deliver(e, from, poller);
    return true;
}

/* ---- the ring ---------------------------------------------------------------------------- */

/* In the order of the places. */
static void post_missing(tw_mpi_endpoint *e)
{
    for (; e->missing > 0 && !e->code; e->missing--) {
        int place = (e->first + TW_MPI_RING - e->missing) % TW_MPI_RING;
        e->code = e->calls->post(e->link, place, &e->ring[place], sizeof *e->ring);
    }
}

void tw_mpi_listen(tw_mpi_endpoint *e)
{
    e->missing = TW_MPI_RING;
    post_missing(e);
}

void tw_mpi_stop_listening(tw_mpi_endpoint *e)
{
    for (int i = 0; i < TW_MPI_RING - e->missing && !e->code; i++)
        e->code = e->calls->withdraw(e->link, (e->first + i) % TW_MPI_RING);
    if (!e->code) /* else nobody knows whether MPI still writes there */
        free(e->ring);
}

/* Is the next head there? */
static bool has_head(tw_mpi_endpoint *e)
{
    bool there = e->holding;
    if (!there)
        e->code = e->calls->arrived(e->link, e->first, &there, &e->head_from);
    return there && !e->code;
}

bool tw_mpi_receive(tw_mpi_endpoint *e, void *poller)
{
    bool some = false;
    for (int i = 0; i < BATCH && !e->code && has_head(e); i++, some = true) {
        e->holding = !accept_head(e, &e->ring[e->first], poller);
        if (e->holding)
            break;
        e->first = (e->first + 1) % TW_MPI_RING;
        e->missing++;
    }
    if (!some || e->missing >= LATE) /* what came may wait for nothing but a worker */
        post_missing(e);
    return some;
}
