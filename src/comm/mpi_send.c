/* The transport over MPI: what goes out. */
#include "comm/mpi_endpoint.h"

#include <stdlib.h>
#include <string.h>

void tw_mpi_append(tw_mpi_queue *q, tw_mpi_packet *p)
{
    p->next = NULL;
    *(q->first ? &q->last->next : &q->first) = p;
    q->last = p;
}

/* ---- beginning something ----------------------------------------------------------------- */

static tw_mpi_packet *take_spare(tw_mpi_endpoint *e)
{
    tw_lock_take(&e->lock);
    tw_mpi_packet *p = e->spare;
    if (p) {
        e->spare = p->next;
        e->spares--;
    }
    tw_unlock(&e->lock);
    return p;
}

/* Those that only have few bytes are all of one size, and kept. */
tw_mpi_packet *tw_mpi_new(tw_mpi_endpoint *e, size_t rest)
{
    const bool kept = rest <= TW_MPI_REST;
    tw_mpi_packet *p = kept ? take_spare(e) : NULL;
    size_t size = sizeof *p + (kept ? TW_MPI_REST : rest);
    if (!p)
        p = aligned_alloc(TW_LINE, tw_whole_lines(size));
    if (p)
        *p = (tw_mpi_packet){.kept = kept};
    return p;
}

void tw_mpi_free(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    free(p->owned);
    bool kept = p->kept;
    if (kept) {
        tw_lock_take(&e->lock);
        kept = e->spares < TW_MPI_SPARES;
        if (kept) {
            p->next = e->spare;
            e->spare = p;
            e->spares++;
        }
        tw_unlock(&e->lock);
    }
    if (!kept)
        free(p);
}

/* A packet with that head, a copy of the message's head, and of the bytes if they are few or nobody
 * is told when they are not needed any more. */
static tw_mpi_packet *new_packet(tw_mpi_endpoint *e, int to, const tw_mpi_head *h, const void *head,
                                 const void *bytes, bool copy)
{
    size_t place = tw_mpi_place(h->head_size), few = tw_mpi_inline(h);
    tw_mpi_packet *p = tw_mpi_new(e, place + (few ? few : copy ? h->size : 0));
    if (!p)
        return NULL;
    p->other = to;
    p->head = *h;
    if (h->head_size)
        memcpy(p->rest, head, h->head_size);
    p->bytes = (void *)(uintptr_t)bytes; /* only read, or of a get */
    if (h->kind != TW_MPI_GET && h->size && (few || copy))
        p->bytes = memcpy(p->rest + place, bytes, h->size);
    return p;
}

static twill_status begin(tw_comm *comm, int to, const tw_mpi_head *h, const void *head,
                          const void *bytes, tw_comm_done *done, void *arg)
{
    tw_mpi_endpoint *e = (tw_mpi_endpoint *)comm;
    if (atomic_load_explicit(&e->closed, memory_order_relaxed))
        return tw_fail(TWILL_ERR_STATE, "rank %d has been closed", comm->rank);
    if (tw_unlikely(tw_comm_failure(comm)))
        return tw_fail(TWILL_ERR_SYSTEM, "%s", tw_comm_failure(comm));
    tw_mpi_packet *p = new_packet(e, to, h, head, bytes, !done);
    if (!p)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a message of %zu bytes to rank %d",
                       (size_t)h->size, to);
    p->done = done;
    p->arg = arg;
    if (done)
        atomic_fetch_add_explicit(&e->expected, 1, memory_order_relaxed);
    tw_lock_take(&e->lock);
    tw_mpi_append(&e->begun, p);
    tw_unlock(&e->lock);
    /* at once, if nobody calls MPI: this rank may have no reason to poll for long */
    if (tw_trylock(&e->calling))
        tw_mpi_release(e);
    return TWILL_OK;
}

twill_status tw_mpi_send(tw_comm *comm, int to, const tw_comm_message *m)
{
    const tw_mpi_head h = {.kind = TW_MPI_MESSAGE,
                           .handler = (uint8_t)m->handler,
                           .head_size = (uint16_t)m->head_size,
                           .size = m->size};
    return begin(comm, to, &h, m->head, m->data, m->sent, m->arg);
}

static twill_status begin_transfer(tw_comm *comm, tw_mpi_kind kind, const tw_comm_transfer *t)
{
    const tw_mpi_head h = {.kind = (uint8_t)kind,
                           .handler = (uint8_t)t->notify,
                           .head_size = (uint16_t)(t->notify ? t->head_size : 0),
                           .size = t->size,
                           .token = {t->key.token[0], t->key.token[1]},
                           .offset = t->offset,
                           .key_size = t->key.size};
    return begin(comm, (int)t->key.rank, &h, t->head, t->memory, t->done, t->arg);
}

twill_status tw_mpi_put(tw_comm *comm, const tw_comm_transfer *t)
{
    return begin_transfer(comm, TW_MPI_PUT, t);
}

twill_status tw_mpi_get(tw_comm *comm, const tw_comm_transfer *t)
{
    return begin_transfer(comm, TW_MPI_GET, t);
}

/* ---- requests ---------------------------------------------------------------------------- */

/* Bytes that follow a head in the other channel. */
static size_t bytes_after(const tw_mpi_head *h)
{
    return tw_mpi_inline(h) || h->kind == TW_MPI_GET ? 0 : h->size;
}

bool tw_mpi_reserve(tw_mpi_endpoint *e, const tw_mpi_head *h)
{
    int wanted = e->slots + (int)(bytes_after(h) / (size_t)e->piece) + 2;
    if (wanted <= e->room)
        return true;
    int room = wanted > 2 * e->room ? wanted + 62 : 2 * e->room;
    tw_mpi_packet **packet = realloc(e->packet, (size_t)room * sizeof(tw_mpi_packet *));
    if (packet)
        e->packet = packet;
    int *complete = packet ? realloc(e->complete, (size_t)room * sizeof *complete) : NULL;
    if (complete)
        e->complete = complete;
    if (!complete || !e->calls->reserve(e->link, room))
        return false;
    e->room = room;
    return true;
}

static void note(tw_mpi_endpoint *e, tw_mpi_packet *p, int code)
{
    if (code) {
        e->code = e->code ? e->code : code;
        return;
    }
    e->packet[e->slots++] = p;
    p->requests++;
}

void tw_mpi_transfer(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    size_t left = bytes_after(&p->head);
    for (char *at = p->bytes; left > 0 && !e->code;) {
        int piece = left < (size_t)e->piece ? (int)left : e->piece;
        note(e, p,
             p->incoming
                 ? e->calls->receive(e->link, e->slots, TW_MPI_PAYLOADS, at, piece, p->other)
                 : e->calls->send(e->link, e->slots, TW_MPI_PAYLOADS, at, piece, p->other));
        at += piece;
        left -= (size_t)piece;
    }
}

/* ---- sending ----------------------------------------------------------------------------- */

static bool is_answer(const tw_mpi_packet *p)
{
    return p->head.kind >= TW_MPI_PUT_DONE;
}

static bool is_transfer(const tw_mpi_packet *p)
{
    return p->head.kind == TW_MPI_PUT || p->head.kind == TW_MPI_GET;
}

/* Heads are short: MPI has mostly sent them when it returns, and they need no slot. */
static void send_head(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    const tw_mpi_head *h = &p->head;
    size_t size = sizeof *h + tw_mpi_place(h->head_size) + tw_mpi_inline(h);
    bool over = false;
    int code = e->calls->send(e->link, e->slots, TW_MPI_HEADS, h, (int)size, p->other);
    if (!code)
        code = e->calls->is_over(e->link, e->slots, &over);
    if (!over || code)
        note(e, p, code);
}

/* MPI has sent all of it already. Transfers go on until they are answered. */
static void sent_at_once(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    bool notifies = p->head.kind == TW_MPI_GET_DATA && p->head.handler;
    if (is_transfer(p))
        return;
    if (p->done || notifies) {
        p->ready = e->sent;
        e->sent = p;
    } else {
        tw_mpi_free(e, p);
    }
}

static void enlist(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    p->newer = e->asked;
    p->link = &e->asked;
    if (p->newer)
        p->newer->link = &p->newer;
    e->asked = p;
}

static void delist(tw_mpi_packet *p)
{
    *p->link = p->newer;
    if (p->newer)
        p->newer->link = p->link;
    p->link = NULL;
}

/* Transfers are known by their packet, which lives until the answer is here. */
static bool send_packet(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    if (!is_answer(p))
        p->head.id = (uintptr_t)p;
    if (!tw_mpi_reserve(e, &p->head))
        return false;
    if (is_transfer(p))
        enlist(e, p);
    send_head(e, p);
    tw_mpi_transfer(e, p);
    ++*tw_mpi_count(e, is_answer(p) ? TW_MPI_ANSWERED : TW_MPI_SENT, p->other);
    if (!p->requests && !e->code) {
        sent_at_once(e, p);
    } else if (!p->requests) {
        p->ready = e->doubtful;
        e->doubtful = p;
    }
    return true;
}

/* What follows heads may be much, at both ends: not all of it at a time. */
static bool has_turn(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    if (!bytes_after(&p->head))
        return true;
    if (e->long_sends >= TW_MPI_LONG)
        return false;
    p->long_data = true;
    e->long_sends++;
    return true;
}

static void put_back(tw_mpi_endpoint *e, tw_mpi_packet *p)
{
    if (p->long_data) {
        p->long_data = false;
        e->long_sends--;
    }
    tw_lock_take(&e->lock);
    p->next = e->begun.first;
    e->begun.first = p;
    if (!p->next)
        e->begun.last = p;
    tw_unlock(&e->lock);
}

tw_mpi_packet *tw_mpi_take_begun(tw_mpi_endpoint *e)
{
    tw_lock_take(&e->lock);
    tw_mpi_packet *p = e->begun.first;
    if (p)
        e->begun.first = p->next;
    tw_unlock(&e->lock);
    return p;
}

bool tw_mpi_send_begun(tw_mpi_endpoint *e)
{
    bool some = false;
    e->starved = false;
    for (tw_mpi_packet *p; !e->starved && !e->code && (p = tw_mpi_take_begun(e));) {
        e->starved = !has_turn(e, p) || !send_packet(e, p);
        if (e->starved)
            put_back(e, p);
        else
            some = true;
    }
    return some;
}

static bool has_begun(tw_mpi_endpoint *e)
{
    tw_lock_take(&e->lock);
    bool some = e->begun.first;
    tw_unlock(&e->lock);
    return some;
}

/* Whoever adds something and finds MPI being called leaves it to the one who does, who looks again
 * after giving that up. */
void tw_mpi_release(tw_mpi_endpoint *e)
{
    bool stuck;
    do {
        tw_mpi_send_begun(e);
        stuck = e->starved || e->code;
        tw_unlock(&e->calling);
    } while (!stuck && has_begun(e) && tw_trylock(&e->calling));
}

bool tw_mpi_answer(tw_mpi_endpoint *e, const tw_mpi_packet *in, twill_status status)
{
    bool data = in->head.kind == TW_MPI_GET && status == TWILL_OK;
    tw_mpi_head h = {.kind = in->head.kind == TW_MPI_GET ? TW_MPI_GET_DATA : TW_MPI_PUT_DONE,
                     .status = status,
                     .size = data ? in->head.size : 0,
                     .id = in->head.id};
    /* who lends bytes for a get is told when they are not needed any more: at once if they are few,
     * because they are copied */
    bool notifies = data && in->head.handler && h.size > TW_MPI_INLINE;
    if (notifies) {
        h.handler = in->head.handler;
        h.head_size = in->head.head_size;
    }
    tw_mpi_packet *p = new_packet(e, in->other, &h, in->rest, in->place, false);
    if (!p)
        return false;
    p->place = in->place; /* for the handler */
    if (send_packet(e, p))
        return true;
    tw_mpi_free(e, p);
    return false;
}

/* ---- completion -------------------------------------------------------------------------- */

/* An operation of this rank is complete. */
static void tell_done(tw_mpi_endpoint *e, tw_mpi_packet *p, twill_status status, void *poller)
{
    const char *failure = tw_comm_failure(&e->comm);
    if (status == TWILL_ERR_STATE)
        (void)tw_fail(status, "the memory of rank %d is not registered any more", p->other);
    else if (status == TWILL_ERR_CANCELED && failure)
        (void)tw_fail(status, "%s", failure);
    else if (status == TWILL_ERR_CANCELED)
        (void)tw_fail(status, "rank %d or rank %d has been closed", e->comm.rank, p->other);
    if (p->done) {
        p->done(p->arg, status, poller);
        /* release pairs with the acquire in `expected` */
        atomic_fetch_sub_explicit(&e->expected, 1, memory_order_release);
    }
    p->done = NULL;
}

static void complete(tw_mpi_endpoint *e, tw_mpi_packet *p, twill_status status, void *poller)
{
    tell_done(e, p, status, poller);
    tw_mpi_free(e, p);
}

void tw_mpi_cancel(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller)
{
    if (p->link)
        delist(p);
    tell_done(e, p, TWILL_ERR_CANCELED, poller);
    if (p->requests == 0)
        tw_mpi_free(e, p);
}

void tw_mpi_answered(tw_mpi_endpoint *e, tw_mpi_packet *p, twill_status status, void *poller)
{
    p->answered = true;
    p->status = status;
    delist(p);
    if (p->requests == 0)
        complete(e, p, status, poller);
}

/* Who lends bytes for a get learns that they are not needed any more. */
static void notify(tw_mpi_endpoint *e, const tw_mpi_packet *p, void *poller)
{
    const tw_mpi_head *h = &p->head;
    if (h->kind == TW_MPI_GET_DATA && h->handler && !atomic_load(&e->closed))
        tw_comm_deliver(&e->comm, h->handler, p->other, p->rest, h->head_size, p->place, h->size,
                        poller);
}

void tw_mpi_sent(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller)
{
    if (is_transfer(p) && !p->answered)
        return;
    notify(e, p, poller);
    complete(e, p, p->status, poller);
}

bool tw_mpi_complete_sent(tw_mpi_endpoint *e, void *poller)
{
    tw_mpi_packet *p = e->sent;
    bool some = p;
    e->sent = NULL;
    for (tw_mpi_packet *next; p; p = next) {
        next = p->ready;
        tw_mpi_sent(e, p, poller);
    }
    return some;
}
