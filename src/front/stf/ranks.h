/* Insertion on several ranks: every rank inserts the same sequence, and each finds in it what it
 * has to run, to send and to receive.
 *
 * A task runs at the owner of the first tile that it writes. Tiles of others that it reads come
 * from their owners and stay until somebody writes them; those that it writes go back. Sends and
 * receives are tasks in the chains, planned at insertion: so nobody asks for anything, and both
 * sides know a transfer by the number of the insertion and of the argument. */
#ifndef TW_FRONT_STF_RANKS_H
#define TW_FRONT_STF_RANKS_H

#include "engine/remote/sequence.h"
#include "front/stf/stf.h"

#include <pthread.h>

enum {
    TW_STF_CHAINS = 1024,
    TW_STF_CLASSES = 16,
    TW_STF_EARLY = 64 << 20, /* bytes that may come to a rank before the tasks that take them */
    TW_STF_COPIES = 512      /* tiles of one rank that another one has memory for, in one graph */
};

typedef struct tw_stf_ranks tw_stf_ranks;

/* ---- copies.c: which rank has a copy of which tile ---------------------------------------- */

/* That a rank has memory for a copy of a tile of another rank. Both have such a record, and use it
 * at the same insertions: so each knows what the other one does. */
typedef struct tw_stf_copy {
    struct tw_stf_copy *next;          /* of the same tile */
    struct tw_stf_copy *older, *newer; /* by their last use, of the same two ranks */
    struct tw_stf_tile *of;            /* NULL: the array is gone */
    int64_t used;                      /* the insertion that used it last */
    int peer;                          /* the other rank */
    bool valid;                        /* it is the current version */
} tw_stf_copy;

/* A tile of which there are, or were, copies in the current run. */
typedef struct tw_stf_tile {
    struct tw_stf_tile *next;
    twill_tile *tile;
    tw_stf_copy *copies; /* the owner has all, another rank its own */
} tw_stf_tile;

/* The copies between this rank and another one in one direction, by their last use. */
typedef struct tw_stf_copies {
    tw_stf_copy *oldest, *newest;
    int64_t n;
} tw_stf_copies;

/* Insertion `number` uses the copy of the tile that this rank and `peer` know of, one of which is
 * its owner. Made if there is none; `*made` says so. NULL without memory. */
tw_stf_copy *tw_stf_copy_use(tw_stf_ranks *s, twill_tile *tile, int peer, int64_t number,
                             bool *made);

/* Among copies like this one there are too many: forget the one that was not used for longest.
 * False when there are not, or insertion `number` uses them all. `*tile` is the one whose memory
 * is to be given back here, or NULL. */
bool tw_stf_copy_forget(tw_stf_ranks *s, const tw_stf_copy *like, int64_t number,
                        twill_tile **tile);

/* The tile has been written: no copy is the current version. */
void tw_stf_copies_age(tw_stf_ranks *s, const twill_tile *tile);

/* The same for all tiles that are wanted; and tiles of an array that is about to be freed. */
void tw_stf_copies_age_some(tw_stf_ranks *s, tw_tile_test *wanted, void *arg);
void tw_stf_copies_lose(tw_stf_ranks *s, const twill_array *a);

/* Has this rank memory for a copy of the tile, as far as the graph knows? */
bool tw_stf_copies_have(tw_stf_ranks *s, const twill_tile *tile);

/* All of them are forgotten. `drop` is called with tiles of other ranks that there are copies of.
 */
void tw_stf_copies_clear(tw_stf_ranks *s, void (*drop)(tw_stf_ranks *s, twill_tile *tile));

/* ---- identify.c: what must be the same on all ranks --------------------------------------- */

typedef struct tw_stf_number {
    uint64_t serial; /* of an array; 0: none */
    uint32_t number;
    uint64_t hash; /* of that, its shape and its owners */
} tw_stf_number;

/* Numbers of arrays in the order of their first use, and hashes of names. */
typedef struct tw_stf_identities {
    tw_stf_number last;   /* that was looked up */
    tw_stf_number *array; /* a table of `room`, a power of 2 */
    uint32_t arrays, room;
    struct {
        const twill_class *cls;
        uint64_t hash;
    } name[TW_STF_CLASSES];
} tw_stf_identities;

/* What an insertion is; false without memory. */
bool tw_stf_identify(tw_stf_identities *x, const twill_class *cls, const twill_arg *args,
                     tw_step *step);

/* A run begins: arrays are numbered anew. And the end of all. */
void tw_stf_identities_clear(tw_stf_identities *x);
void tw_stf_identities_free(tw_stf_identities *x);

/* ---- ranks.c ----------------------------------------------------------------------------- */

/* A transfer that this rank receives: a task that waits, bytes that came before it, or a promise of
 * them, which has neither. Or one that it has promised. */
typedef struct tw_transfer {
    struct tw_transfer *next;
    int64_t insertion, argument;
    twill_task *task; /* that waits, or NULL */
    bool arriving;    /* the transport writes the bytes, into the tile or what follows */
    int from;         /* rank that has sent them */
    size_t size;
    void *bytes; /* that came before the task, in memory that a tile may take over; or NULL */
} tw_transfer;

/* Bytes of tiles between this rank and another one. */
typedef struct tw_stf_early {
    int64_t sent;  /* there, and as far as this rank knows not taken by a task */
    int64_t taken; /* from there by tasks, and not told */
} tw_stf_early;

/* What all such graphs of a context share. */
typedef struct tw_stf_common {
    tw_extension extension;
    twill *tw;
    pthread_mutex_t mutex; /* of insertions, one after the other, and of what follows */
    tw_stf_ranks *graphs;
    struct tw_contributions *open, *closed; /* see contribute.c */
} tw_stf_common;

/* The front end's part of a shared graph. */
struct tw_stf_ranks {
    tw_stf_ranks *next, **link; /* in the list of those that a run has begun in */
    tw_stf_common *common;
    twill_graph *graph;
    int64_t insertions;
    int64_t most; /* copies between two ranks, in each direction */
    tw_sequence sequence;
    tw_stf_identities identities;
    tw_stf_tile *tiles[TW_STF_CHAINS];
    tw_stf_copies *lent, *borrowed; /* by rank: of tiles of this one, and of that one */
    int64_t numbers;                /* of mailboxes, given in this run */
    tw_lock lock;                   /* of what follows */
    tw_transfer *transfers[TW_STF_CHAINS];
    tw_transfer *promised;                                 /* by this rank */
    tw_stf_early *early;                                   /* by rank */
    int64_t most_early;                                    /* of those sent to one */
    struct tw_mailbox *mailboxes[TW_STF_CHAINS], *parking; /* see mailbox.h */
};

extern const tw_graph_ops tw_stf_ranks_ops;

twill_status tw_stf_ranks_begin(twill *tw, twill_graph **g);
twill_status tw_stf_ranks_insert(twill_graph *g, const twill_class *cls, const twill_arg *args);

/* Which rank runs a task of these arguments? */
int tw_stf_rank_of(const twill_arg *args);

/* Insert a task, without reductions, that rank `at` runs. By the holder of the mutex. In two steps:
 * it gets its number, and its place in the sequence by what the program said; and what this rank
 * has to do for it is inserted. */
twill_status tw_stf_ranks_link(tw_worker *w, twill_graph *g, const twill_class *cls,
                               const twill_arg *args, int at, tw_ready *ready);
twill_status tw_stf_count(tw_stf_ranks *s, const twill_class *cls, const twill_arg *args);
twill_status tw_stf_ranks_plan(tw_worker *w, twill_graph *g, const twill_class *cls,
                               const twill_arg *args, int at, tw_ready *ready);

/* A task of a graph by insertion cannot be made, for the reason that twill_message says: the graph
 * fails, on all ranks. Returns the status. */
twill_status tw_stf_missed(twill_graph *g, twill_status status);

/* Make an array that tasks of the graph need besides the program's, and that is freed with the
 * graph, which may be one of one rank, or nested. Of a shared graph all ranks do so together;
 * without success on one of them the graph fails on all. */
twill_status tw_stf_create(twill_graph *g, const twill_pattern *p, twill_type type,
                           twill_array **a);

/* ---- contribute.c: reductions ------------------------------------------------------------- */

/* Insert a task that contributes to reductions, or uses a tile with an open one. */
twill_status tw_contribute(tw_worker *w, twill_graph *g, const twill_class *cls,
                           const twill_arg *args, tw_ready *ready);

/* Is there an open reduction of one of the tiles? By the holder of the mutex, as all of these. */
bool tw_contributed_to(const tw_stf_common *c, const twill_arg *args);

/* Combine open reductions of a graph, or of tiles that are wanted. */
bool tw_contributions_combine(tw_worker *w, tw_stf_common *c, const twill_graph *g,
                              tw_tile_test *wanted, void *arg, tw_ready *ready);

/* The tiles of an array are about to be freed. And: all is over. */
void tw_contributions_lose(tw_stf_common *c, const twill_array *a);
void tw_contributions_free(tw_worker *w, tw_stf_common *c);

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

/* Insert what gives memory to a tile of another rank, after another one, if not NULL, has given it
 * back. */
twill_status tw_stf_make_room(tw_worker *w, twill_graph *g, const tw_stf_trip *trip,
                              twill_tile *instead, tw_ready *ready);

/* A task of the graph is over. */
void tw_stf_ranks_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

/* Bytes have arrived. */
void tw_stf_ranks_arrive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                         size_t size);

/* Bytes that were lent: where they go, and that they have arrived, there or elsewhere. */
void *tw_stf_ranks_place(twill_graph *g, tw_worker *w, const int64_t *word, size_t size);
void tw_stf_ranks_land(twill_graph *g, tw_worker *w, int from, const int64_t *word,
                       const void *bytes, size_t size);

/* The graph has failed: what it waits for may not come. */
void tw_stf_ranks_abandon(twill_graph *g, tw_worker *w);

void tw_stf_transfers_free(tw_stf_ranks *s);

#endif
