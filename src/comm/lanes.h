/* What has been sent to one endpoint of the loopback transport, in lanes: what is in one lane comes
 * out in the order it came in. The endpoint's lock protects all of it. */
#ifndef TW_COMM_LANES_H
#define TW_COMM_LANES_H

#include "comm/loopback.h"

#include <stdalign.h>

typedef enum tw_packet_kind { TW_PACKET_MESSAGE, TW_PACKET_PUT, TW_PACKET_GET } tw_packet_kind;

/* A message or a transfer, from its beginning to its completion. It goes to the other rank, and if
 * somebody waits for its completion, back: to complete something needs no memory. */
typedef struct tw_packet {
    struct tw_packet *next;
    uint64_t order, due; /* when it came, in packets; when it may go out, in polls */
    tw_packet_kind kind;
    bool returning;
    int from, to; /* rank that began it, and the other one */
    int handler;  /* 0: none */
    size_t head_size;
    void *data; /* of a transfer: the memory of `from` */
    size_t size;
    tw_comm_key key;
    uint64_t offset;
    tw_comm_done *done;
    void *arg;
    twill_status status;
    alignas(max_align_t) unsigned char head[]; /* and data that was copied */
} tw_packet;

typedef struct tw_lane {
    tw_packet *first, *last;
} tw_lane;

typedef struct tw_lanes {
    tw_lane *lane; /* of messages from each rank, then of all others */
    int ranks;
    unsigned delay;
    bool reorder;
    uint64_t random, polls, order;
    int64_t waiting;
} tw_lanes;

/* False when there is no memory. */
bool tw_lanes_open(tw_lanes *lanes, int ranks, const tw_loopback_options *options, int rank);
void tw_lanes_close(tw_lanes *lanes);

void tw_lanes_add(tw_lanes *lanes, tw_packet *p);

/* The next one that is due, or NULL: the oldest, or any when they are reordered. */
tw_packet *tw_lanes_take(tw_lanes *lanes);

/* All of them, due or not, as a list; and those that `from` wants to know the completion of. */
tw_packet *tw_lanes_take_all(tw_lanes *lanes);
tw_packet *tw_lanes_recall(tw_lanes *lanes, int from);

#endif
