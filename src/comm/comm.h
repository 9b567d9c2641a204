/* Transports: how the ranks of a program send each other bytes.
 *
 * A rank has one endpoint of a transport, a tw_comm. It sends active messages: the receiver calls
 * the handler that a message names. And it reads and writes memory that another rank has
 * registered, without a handler there. Nothing happens inside the calls that begin something:
 * handlers and completion callbacks are called by `progress`. See decision 0026.
 *
 * What every transport promises (tests/conform/comm.c):
 * - Messages from one rank to another arrive once and in order. There is no order between senders,
 *   between transfers, or between a transfer and a message.
 * - To begin something never waits, and any thread may do it, also a handler or a callback. What is
 *   refused for lack of memory has changed nothing.
 * - Each completion callback is called exactly once, by `progress` or by `close`.
 * - A rank may send to itself, as to any other.
 */
#ifndef TW_COMM_COMM_H
#define TW_COMM_COMM_H

#include "base/status.h"

#include <stdatomic.h>

enum {
    TW_COMM_HANDLERS = 16, /* numbers 1 to 15; 0: none */
    TW_COMM_HEAD = 256     /* most bytes of a head */
};

typedef struct tw_comm tw_comm;

/* A message of rank `from` has arrived. `head` is aligned for any type, `data` as at the sender;
 * both are gone when the handler returns. `poller` is what `progress` was given. It must not wait,
 * nor call `progress` or `close`; the same holds for callbacks. */
typedef void tw_comm_handle(void *arg, int from, const void *head, size_t head_size,
                            const void *data, size_t size, void *poller);

/* A message of rank `from` with so many bytes of data is on its way: where shall they go? They are
 * there when the handler is called, which follows in any case. NULL: the transport finds memory,
 * and so it does for data that come with their head, about which nobody is asked. Called by
 * `progress`, perhaps before messages that were sent earlier are handled. */
typedef void *tw_comm_place(void *arg, int from, const void *head, size_t head_size, size_t size,
                            void *poller);

/* An operation is complete: its memory here may be used again. With a status other than TWILL_OK it
 * has not been done, or only in part; twill_message() says why. */
typedef void tw_comm_done(void *arg, twill_status status, void *poller);

typedef struct tw_comm_message {
    int handler;
    const void *head; /* copied */
    size_t head_size;
    const void *data; /* without `sent` copied; otherwise it stays as it is until then */
    size_t size;
    tw_comm_done *sent; /* optional: the transport does not need `data` any more */
    void *arg;          /* of `sent` */
} tw_comm_message;

/* Names registered memory. Plain bytes that may travel in a message. */
typedef struct tw_comm_key {
    int64_t rank;
    uint64_t size;
    uint64_t token[2]; /* the transport's */
} tw_comm_key;

typedef struct tw_comm_transfer {
    tw_comm_key key;
    uint64_t offset; /* of the first byte there */
    void *memory;    /* here; a put only reads it, a get fills it */
    size_t size;
    tw_comm_done *done; /* required. Put: the bytes are there; get: they are here */
    void *arg;
    int notify;       /* optional: a handler there, called after the bytes were written or read, */
    const void *head; /* with this, copied, and with the place of the bytes as its data */
    size_t head_size;
} tw_comm_transfer;

/* A transport. Arguments have been checked by the functions below. */
typedef struct tw_comm_ops {
    const char *name;
    twill_status (*send)(tw_comm *comm, int to, const tw_comm_message *m);
    twill_status (*put)(tw_comm *comm, const tw_comm_transfer *t);
    twill_status (*get)(tw_comm *comm, const tw_comm_transfer *t);
    /* Fill in key->token. */
    twill_status (*register_memory)(tw_comm *comm, void *memory, size_t size, tw_comm_key *key);
    void (*deregister_memory)(tw_comm *comm, const tw_comm_key *key);
    bool (*progress)(tw_comm *comm, void *poller);
    int64_t (*expected)(const tw_comm *comm);
    void (*close)(tw_comm *comm, void *poller);
    /* Optional, see tw_comm_watch; tw_comm_unwatched where there is nothing to call it. */
    bool (*watch)(tw_comm *comm, void (*arrived)(void *arg), void *arg);
} tw_comm_ops;

/* What an endpoint begins with. */
struct tw_comm {
    const tw_comm_ops *ops;
    int rank, ranks;
    const char *about;             /* what it is, for people; lives as long as the endpoint */
    _Atomic(const char *) failure; /* see tw_comm_failure */
    struct {
        tw_comm_handle *handle;
        tw_comm_place *place;
        void *arg;
    } handlers[TW_COMM_HANDLERS];
};

/* Set handler `number`. All ranks set the same ones, each before its endpoint sends and before its
 * first `progress`; what comes earlier waits. */
void tw_comm_set_handler(tw_comm *comm, int number, tw_comm_handle *handle, void *arg);

/* The same handler says where data shall go. */
void tw_comm_set_place(tw_comm *comm, int number, tw_comm_place *place);

/* Begin something. TWILL_ERR_ARGUMENT for a rank, handler, head or place that does not exist,
 * TWILL_ERR_MEMORY, TWILL_ERR_STATE in callbacks that `close` calls, TWILL_ERR_SYSTEM after a
 * failure. What another rank's endpoint
 * can no longer take is dropped, and completes with TWILL_ERR_CANCELED. */
twill_status tw_comm_send(tw_comm *comm, int to, const tw_comm_message *m);
twill_status tw_comm_put(tw_comm *comm, const tw_comm_transfer *t);
twill_status tw_comm_get(tw_comm *comm, const tw_comm_transfer *t);

/* Register memory, which others may then read and write. TWILL_ERR_MEMORY when that cannot be
 * noted. Who deregisters it sees to it that no transfer is under way there; those that come later
 * complete with TWILL_ERR_STATE. Any thread, also in a handler or a callback. */
twill_status tw_comm_register(tw_comm *comm, void *memory, size_t size, tw_comm_key *key);
void tw_comm_deregister(tw_comm *comm, const tw_comm_key *key);

/* Let things happen, some of those that can, without waiting. One thread at a time. True when
 * something happened or is about to: call it again soon. */
static inline bool tw_comm_progress(tw_comm *comm, void *poller)
{
    return comm->ops->progress(comm, poller);
}

/* Own operations that only `progress` can complete. Who sees 0 sees what their callbacks did. */
static inline int64_t tw_comm_expected(const tw_comm *comm)
{
    return comm->ops->expected(comm);
}

/* From now on call `arrived` when there is something for `progress` to do, from any thread, in the
 * middle of anything: it wakes somebody, and does not call the transport. Until `close` returns.
 * False: this transport cannot; it must be polled. */
static inline bool tw_comm_watch(tw_comm *comm, void (*arrived)(void *arg), void *arg)
{
    return comm->ops->watch(comm, arrived, arg);
}

/* Why nothing comes or goes any more, a sentence; NULL: all is well. Set by `progress`, after which
 * what was begun completes with TWILL_ERR_CANCELED, what would be begun is refused with
 * TWILL_ERR_SYSTEM, and nothing arrives; but memory that was given as a place may still be written,
 * as long as the process lives. Others are told if that is possible. Any thread. */
static inline const char *tw_comm_failure(const tw_comm *comm)
{
    /* acquire pairs with the release of who sets it */
    return atomic_load_explicit(&comm->failure, memory_order_acquire);
}

/* Close an endpoint: no other thread is in a call on it, nor begins one. Messages that have not
 * been handled are dropped. Own operations that are not complete are given up with
 * TWILL_ERR_CANCELED: their callbacks are called here, and they have happened or not. Afterwards
 * nobody touches memory that was given to this endpoint. May wait for calls of handlers elsewhere,
 * and, as MPI does, for all other ranks to close theirs. */
static inline void tw_comm_close(tw_comm *comm, void *poller)
{
    comm->ops->close(comm, poller);
}

/* ---- for transports ---------------------------------------------------------------------- */

/* Call a handler, in `progress`. A message for a number that nobody has set is dropped. */
void tw_comm_deliver(const tw_comm *comm, int handler, int from, const void *head, size_t head_size,
                     const void *data, size_t size, void *poller);

/* Where the data of a message shall go, in `progress`; NULL: nobody says. */
void *tw_comm_find_place(const tw_comm *comm, int handler, int from, const void *head,
                         size_t head_size, size_t size, void *poller);

bool tw_comm_unwatched(tw_comm *comm, void (*arrived)(void *arg), void *arg);

#endif
