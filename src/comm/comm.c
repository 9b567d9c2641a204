/* What all transports have in common: arguments are checked, handlers are called. */
#include "comm/comm.h"

#include <inttypes.h>

void tw_comm_set_handler(tw_comm *comm, int number, tw_comm_handle *handle, void *arg)
{
    comm->handlers[number].handle = handle;
    comm->handlers[number].arg = arg;
}

void tw_comm_set_place(tw_comm *comm, int number, tw_comm_place *place)
{
    comm->handlers[number].place = place;
}

void *tw_comm_find_place(const tw_comm *comm, int handler, int from, const void *head,
                         size_t head_size, size_t size, void *poller)
{
    if (!size || !comm->handlers[handler].place)
        return NULL;
    return comm->handlers[handler].place(comm->handlers[handler].arg, from, head, head_size, size,
                                         poller);
}

void tw_comm_deliver(const tw_comm *comm, int handler, int from, const void *head, size_t head_size,
                     const void *data, size_t size, void *poller)
{
    if (comm->handlers[handler].handle)
        comm->handlers[handler].handle(comm->handlers[handler].arg, from, head, head_size, data,
                                       size, poller);
}

bool tw_comm_unwatched(tw_comm *comm, void (*arrived)(void *arg), void *arg)
{
    (void)comm, (void)arrived, (void)arg;
    return false;
}

/* ---- arguments --------------------------------------------------------------------------- */

static twill_status check_rank(const tw_comm *comm, int64_t rank)
{
    if (rank < 0 || rank >= comm->ranks)
        return tw_fail(TWILL_ERR_ARGUMENT, "rank %" PRId64 " is not one of the %d ranks", rank,
                       comm->ranks);
    return TWILL_OK;
}

/* Handlers are the same on all ranks, so one that is unknown here is unknown there. */
static twill_status check_handler(const tw_comm *comm, int handler, const void *head,
                                  size_t head_size)
{
    if (handler < 1 || handler >= TW_COMM_HANDLERS || !comm->handlers[handler].handle)
        return tw_fail(TWILL_ERR_ARGUMENT, "no handler has the number %d", handler);
    if (head_size > TW_COMM_HEAD || (head_size > 0 && !head))
        return tw_fail(TWILL_ERR_ARGUMENT, "a head of %zu bytes: give at most %d", head_size,
                       TW_COMM_HEAD);
    return TWILL_OK;
}

/* What is larger than an object can be must not overflow when a transport adds to it. */
static twill_status check_bytes(const void *memory, size_t size)
{
    if (size > PTRDIFF_MAX || (size > 0 && !memory))
        return tw_fail(TWILL_ERR_ARGUMENT, "there are no %zu bytes at %p", size, memory);
    return TWILL_OK;
}

static twill_status check_transfer(const tw_comm *comm, const tw_comm_transfer *t)
{
    twill_status status = check_rank(comm, t->key.rank);
    if (!status)
        status = check_bytes(t->memory, t->size);
    if (!status && t->notify)
        status = check_handler(comm, t->notify, t->head, t->head_size);
    if (status)
        return status;
    if (!t->done)
        return tw_fail(TWILL_ERR_ARGUMENT, "a transfer needs a callback for its end");
    if (t->offset > t->key.size || t->size > t->key.size - t->offset)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%zu bytes at offset %" PRIu64 " are not in the %" PRIu64
                       " that rank %" PRId64 " has registered",
                       t->size, t->offset, t->key.size, t->key.rank);
    return TWILL_OK;
}

/* ---- calls ------------------------------------------------------------------------------- */

twill_status tw_comm_send(tw_comm *comm, int to, const tw_comm_message *m)
{
    twill_status status = check_rank(comm, to);
    if (!status)
        status = check_handler(comm, m->handler, m->head, m->head_size);
    if (!status)
        status = check_bytes(m->data, m->size);
    return status ? status : comm->ops->send(comm, to, m);
}

twill_status tw_comm_put(tw_comm *comm, const tw_comm_transfer *t)
{
    twill_status status = check_transfer(comm, t);
    return status ? status : comm->ops->put(comm, t);
}

twill_status tw_comm_get(tw_comm *comm, const tw_comm_transfer *t)
{
    twill_status status = check_transfer(comm, t);
    return status ? status : comm->ops->get(comm, t);
}

twill_status tw_comm_register(tw_comm *comm, void *memory, size_t size, tw_comm_key *key)
{
    tw_comm_key made = {.rank = comm->rank, .size = size};
    twill_status status = check_bytes(memory, size);
    if (!status)
        status = comm->ops->register_memory(comm, memory, size, &made);
    if (!status)
        *key = made;
    return status;
}

void tw_comm_deregister(tw_comm *comm, const tw_comm_key *key)
{
    comm->ops->deregister_memory(comm, key);
}
