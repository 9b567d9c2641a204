/* What the files of the transport over MPI share.
 *
 * A rank sends another one heads, in order. A head has the bytes of its message behind it if they
 * are few; else they follow in the other channel, in pieces, and the receiver posts receives for
 * them when it has the head: in the same order, so nothing needs a tag. Transfers are heads as
 * well, a put with the bytes, a get without; both are answered by a head. */
#ifndef TW_COMM_MPI_ENDPOINT_H
#define TW_COMM_MPI_ENDPOINT_H

#include "base/lock.h"
#include "comm/mpi.h"
#include "comm/registry.h"

enum {
    TW_MPI_INLINE = 2048,   /* most bytes behind a head: MPI sends these at once */
    TW_MPI_PIECE = 1 << 30, /* most bytes of one MPI message; tests take fewer */
    TW_MPI_REST = TW_COMM_HEAD + TW_MPI_INLINE, /* most bytes behind a tw_mpi_head */
    TW_MPI_LONG = 32,                           /* most messages with long data under way */
    TW_MPI_SPARES = 64                          /* packets that are kept for the next ones */
};

typedef enum tw_mpi_kind {
    TW_MPI_MESSAGE,
    TW_MPI_PUT,
    TW_MPI_GET,
    TW_MPI_PUT_DONE, /* answers */
    TW_MPI_GET_DATA,
    TW_MPI_FAREWELL /* MPI has failed at this rank; the bytes are the sentence */
} tw_mpi_kind;

/* On the wire: this, the head of the message, and at the next line its bytes if they are few. */
typedef struct tw_mpi_head {
    uint8_t kind, handler;
    uint16_t head_size;
    int32_t status; /* of an answer */
    uint64_t size;  /* of the bytes */
    uint64_t id;    /* of a transfer and its answer: the packet at the rank that began it */
    uint64_t token[2], offset, key_size;
    uint64_t spare;
} tw_mpi_head;

_Static_assert(sizeof(tw_mpi_head) == TW_LINE, "heads begin on a line");

/* Something that is under way in MPI: a packet that goes out or one that comes in. */
typedef struct tw_mpi_packet {
    struct tw_mpi_packet *next;          /* to be sent, or in order of arrival from one rank */
    struct tw_mpi_packet *ready;         /* whose requests are complete as well */
    struct tw_mpi_packet *newer, **link; /* a transfer that is not answered, in their list */
    bool incoming;
    bool kept;      /* has all the room that a head may need, and is kept when it is not needed */
    bool long_data; /* one of the TW_MPI_LONG */
    bool answered;  /* a transfer of this rank, with `status` */
    twill_status status;
    int other;    /* rank */
    int requests; /* of MPI, not complete */
    void *bytes;  /* outgoing: what follows; incoming: where it goes */
    void *place;  /* of a put or get of another rank: the registered memory; NULL: not registered */
    void *owned;  /* memory for bytes that goes with the packet */
    tw_comm_done *done;
    void *arg;
    _Alignas(TW_LINE) tw_mpi_head head;
    unsigned char rest[]; /* the head of the message, and bytes */
} tw_mpi_packet;

/* Where a head arrives. */
typedef struct tw_mpi_arrival {
    _Alignas(TW_LINE) tw_mpi_head head;
    unsigned char rest[TW_MPI_REST];
} tw_mpi_arrival;

/* Packets in order. */
typedef struct tw_mpi_queue {
    tw_mpi_packet *first, *last;
} tw_mpi_queue;

typedef struct tw_mpi_endpoint {
    tw_comm comm;
    struct tw_mpi_endpoint *abandoned; /* the next one in their list: see mpi_fail.c */
    const tw_mpi_calls *calls;
    tw_mpi_link *link;
    char about[160];
    tw_registry registry;
    tw_lock calling;      /* who calls MPI holds it: the poller, or who begins something */
    tw_lock lock;         /* of the next */
    tw_mpi_queue begun;   /* by any thread, to be sent by the poller */
    tw_mpi_packet *spare; /* packets, linked by `next` */
    int spares;
    atomic_bool closed;
    _Atomic int64_t expected;
    /* of who calls MPI */
    bool starved;         /* there was no memory to send what was begun, or too much is under way */
    int long_sends;       /* messages with long data that MPI has */
    tw_mpi_packet *sent;  /* packets that MPI has sent at once, linked by `ready` */
    tw_mpi_packet *asked; /* transfers that are not answered */
    int code;             /* of the first error of MPI, 0: none; then nothing works any more */
    tw_mpi_packet *doubtful;  /* whose sending failed, linked by `ready` */
    tw_mpi_arrival *farewell; /* that this rank has sent to all others then */
    char failure[512];        /* and the sentence */
    int piece;                /* most bytes of one MPI message, the same on all ranks */
    int slots, room;
    tw_mpi_packet **packet; /* by the slot of its request */
    int *complete;          /* slots, see collect() in mpi.c */
    tw_mpi_queue *from;     /* packets that have come from each rank and are not delivered */
    int64_t *counts;        /* four of each rank, see below */
    /* heads that arrive: TW_MPI_RING receives, one after the other */
    tw_mpi_arrival *ring;
    int first;    /* place of the oldest */
    int missing;  /* places before it whose receives are not posted again yet */
    bool holding; /* it is here, from this rank, and there was no memory for it */
    int head_from;
} tw_mpi_endpoint;

/* Heads to and from a rank: what they began, and answers. */
enum { TW_MPI_SENT, TW_MPI_GOT, TW_MPI_ANSWERED, TW_MPI_ANSWERS, TW_MPI_COUNTS };

static inline int64_t *tw_mpi_count(const tw_mpi_endpoint *e, int what, int rank)
{
    return &e->counts[what * e->comm.ranks + rank];
}

/* Where the bytes behind a head are. */
static inline size_t tw_mpi_place(size_t head_size)
{
    return (head_size + TW_LINE - 1) / TW_LINE * TW_LINE;
}

static inline size_t tw_mpi_inline(const tw_mpi_head *h)
{
    return h->kind != TW_MPI_GET && h->size <= TW_MPI_INLINE ? h->size : 0;
}

void tw_mpi_append(tw_mpi_queue *q, tw_mpi_packet *p);

/* ---- mpi_send.c -------------------------------------------------------------------------- */

twill_status tw_mpi_send(tw_comm *comm, int to, const tw_comm_message *m);
twill_status tw_mpi_put(tw_comm *comm, const tw_comm_transfer *t);
twill_status tw_mpi_get(tw_comm *comm, const tw_comm_transfer *t);

/* A packet with so much room for what is behind its head, NULL without memory; and the end of one
 * that is not needed any more. */
tw_mpi_packet *tw_mpi_new(tw_mpi_endpoint *e, size_t rest);
void tw_mpi_free(tw_mpi_endpoint *e, tw_mpi_packet *p);

/* Hand what was begun to MPI; false when there was nothing. Holding `calling`. */
bool tw_mpi_send_begun(tw_mpi_endpoint *e);

/* The same, and give `calling` back; nothing that was begun meanwhile is left behind. */
void tw_mpi_release(tw_mpi_endpoint *e);

/* Answer a transfer; `in` is the put, or the get, with its bytes. False: no memory now. */
bool tw_mpi_answer(tw_mpi_endpoint *e, const tw_mpi_packet *in, twill_status status);

/* The requests of an outgoing packet are complete. */
void tw_mpi_sent(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller);

/* The same for what MPI has sent at once: callbacks are called by `progress` only. */
bool tw_mpi_complete_sent(tw_mpi_endpoint *e, void *poller);

/* An operation of this rank is given up; its packet stays as long as MPI may look at it. */
void tw_mpi_cancel(tw_mpi_endpoint *e, tw_mpi_packet *p, void *poller);

/* The next packet that was begun, or NULL. */
tw_mpi_packet *tw_mpi_take_begun(tw_mpi_endpoint *e);

/* A transfer of this rank has been answered. */
void tw_mpi_answered(tw_mpi_endpoint *e, tw_mpi_packet *p, twill_status status, void *poller);

/* Slots for a head and the bytes that follow it; false: no memory now. */
bool tw_mpi_reserve(tw_mpi_endpoint *e, const tw_mpi_head *h);

/* Requests for the bytes of a packet that follow its head, in slots that are reserved. An error of
 * MPI is noted. */
void tw_mpi_transfer(tw_mpi_endpoint *e, tw_mpi_packet *p);

/* ---- mpi_fail.c -------------------------------------------------------------------------- */

enum { TW_MPI_TOLD = -1 }; /* a code that is not MPI's: another rank has told of its failure */

/* After an error: tell others, and give up what is under way. May be called again, for what was
 * begun meanwhile. Holding `calling`. */
void tw_mpi_give_up(tw_mpi_endpoint *e, void *poller);

/* Another rank has done so. */
void tw_mpi_take_farewell(tw_mpi_endpoint *e, const tw_mpi_arrival *a);

/* An endpoint that has failed is closed. */
void tw_mpi_abandon(tw_mpi_endpoint *e);

/* ---- mpi_receive.c ----------------------------------------------------------------------- */

/* Post the receives for heads, and take them back. */
void tw_mpi_listen(tw_mpi_endpoint *e);
void tw_mpi_stop_listening(tw_mpi_endpoint *e);

/* Take heads that have arrived, and deliver what is complete; false when there is nothing. */
bool tw_mpi_receive(tw_mpi_endpoint *e, void *poller);

/* Deliver what has come from a rank, in order, as far as it is complete. */
void tw_mpi_deliver(tw_mpi_endpoint *e, int from, void *poller);

#endif
