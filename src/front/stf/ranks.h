/* Insertion on several ranks: every rank inserts the same sequence, and each finds in it what it
 * has to run, to send and to receive.
 *
 * A task runs at the owner of the first tile that it writes. Tiles of others that it reads come
 * from their owners and stay until somebody writes them; those that it writes go back. Sends and
 * receives are tasks in the chains, planned at insertion: so nobody asks for anything, and both
 * sides know a transfer by the number of the insertion and of the argument. */
#ifndef TW_FRONT_STF_RANKS_H
#define TW_FRONT_STF_RANKS_H

#include "front/stf/stf.h"

#include <pthread.h>

enum { TW_STF_RANKS = 64, TW_STF_CHAINS = 256 };

/* A tile that is, or was, on other ranks than its owner's in the current run. */
typedef struct tw_stf_tile {
    struct tw_stf_tile *next;
    twill_tile *tile;
    uint64_t holders; /* ranks that have its current version */
} tw_stf_tile;

/* A transfer that this rank receives: a task that waits, or bytes that came before it. */
typedef struct tw_transfer {
    struct tw_transfer *next;
    int64_t insertion, argument;
    twill_task *task; /* NULL: the bytes are here */
    size_t size;
    void *bytes;
} tw_transfer;

/* An array that is freed with the graph. */
typedef struct tw_stf_kept {
    struct tw_stf_kept *next;
    twill_array *array;
} tw_stf_kept;

/* The front end's part of a shared graph. */
typedef struct tw_stf_ranks {
    pthread_mutex_t mutex; /* of insertions, one after the other */
    int64_t insertions;
    tw_stf_tile *tiles[TW_STF_CHAINS];
    tw_stf_kept *kept;
    tw_lock lock; /* of the transfers */
    tw_transfer *transfers[TW_STF_CHAINS];
} tw_stf_ranks;

extern const tw_graph_ops tw_stf_ranks_ops;

twill_status tw_stf_ranks_begin(twill *tw, twill_graph **g);
twill_status tw_stf_ranks_insert(twill_graph *g, const twill_class *cls, const twill_arg *args);

/* A task of a graph by insertion cannot be made, for the reason that twill_message says: the graph
 * fails, on all ranks. Returns the status. */
twill_status tw_stf_missed(twill_graph *g, twill_status status);

/* Make an array that tasks of the graph need besides the program's, and that is freed with the
 * graph. All ranks do so together; without success on one of them the graph fails on all. */
twill_status tw_stf_create(twill_graph *g, const twill_pattern *p, twill_type type,
                           twill_array **a);

/* ---- transfer.c -------------------------------------------------------------------------- */

/* A tile that travels: for which argument of which insertion, and how urgent that is. */
typedef struct tw_stf_trip {
    twill_tile *tile;
    int64_t insertion, argument, priority;
} tw_stf_trip;

/* Insert what sends a tile to another rank, or receives it from there. */
twill_status tw_stf_send(tw_worker *w, twill_graph *g, const tw_stf_trip *trip, int to,
                         tw_ready *ready);
twill_status tw_stf_receive(tw_worker *w, twill_graph *g, const tw_stf_trip *trip, tw_ready *ready);

/* A task of the graph is over. */
void tw_stf_ranks_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

/* Bytes have arrived. */
void tw_stf_ranks_arrive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                         size_t size);

/* The graph has failed: what it waits for may not come. */
void tw_stf_ranks_abandon(twill_graph *g, tw_worker *w);

void tw_stf_transfers_free(tw_stf_ranks *s);

#endif
