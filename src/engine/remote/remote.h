/* Graphs on several ranks: messages between their front ends, and their common end.
 *
 * A context becomes a rank by getting an endpoint of a transport. From then on parameterised graphs
 * are shared: every rank makes the same ones in the same order and runs them as often, so that the
 * number of a graph and of its run name them everywhere. The end of a run is found by rank 0: it
 * asks all ranks twice how many messages they have sent and received, each answers when it is idle,
 * and if nothing has changed between, nothing is under way. See decision 0029. */
#ifndef TW_ENGINE_REMOTE_H
#define TW_ENGINE_REMOTE_H

#include "comm/comm.h"
#include "engine/engine.h"
#include "engine/remote/sequence.h"

/* What a rank knows of a graph that all ranks have. */
typedef struct tw_shared {
    struct tw_shared *next; /* in the context's list */
    twill_graph *graph;
    int64_t run;      /* counted from 1; written before `open`, as is what follows at first */
    int64_t over;     /* the last run that has ended; this and the next are the poller's */
    int told;         /* ranks that know of its failure: 0 to this one */
    bool asked;       /* rank 0 waits for an answer */
    int64_t left;     /* from this run on some ranks take no part, or 0: see leave.c */
    int left_by;      /* the first of them */
    bool left_unmade; /* it could not make the graph; else it has freed it */
    struct tw_agreement *agree; /* of graphs by insertion: see agree.h */
    atomic_bool open;           /* its tasks have begun: messages may be delivered */
    atomic_bool awaited;        /* somebody is about to set the next */
    atomic_bool closing;        /* nothing is inserted any more: its end may be found */
    atomic_bool ended;          /* all ranks are done */
    _Atomic int64_t sent, received;
    _Atomic int64_t lent; /* messages whose bytes the transport may still need */
    int unread;           /* what has come from other ranks and was no message; the poller's */
    uint64_t print;       /* the same on all ranks, if the graph is */
    int64_t arriving;     /* those whose bytes it writes into memory of the graph; the poller's */
    bool ending;          /* the run has ended on all ranks, and waits for those */
    /* of rank 0 */
    bool asking;
    int answers;
    int saying, said;          /* what it says to all (tw_remote_what), and to how many so far */
    int64_t sum[4], before[4]; /* sent, received, waiting, unread: of this round, the one before */
    int64_t moved;             /* messages that this rank had sent and received at its last look */
    uint64_t still_since;      /* when that was found to be another number than before */
    uint64_t pause;            /* so long it must be the same before rank 0 asks */
    bool away[];               /* for each rank, whether it takes no part from run `left` on */
} tw_shared;

/* The context becomes the rank of this endpoint, which it takes over. Before there are arrays or
 * graphs. */
twill_status tw_remote_open(twill *tw, tw_comm *comm);
void tw_remote_close(twill *tw);

/* The same with an endpoint over MPI, if the option mpi wants one; `comm` points to an MPI_Comm, or
 * is NULL. */
twill_status tw_remote_join(twill *tw, const void *comm);

/* Make a graph a shared one; false when there is no memory. And the end of that. What is inserted
 * into it is to be the same on all ranks: `sequence`, or NULL. */
bool tw_shared_make(twill_graph *g, tw_sequence *sequence);
void tw_shared_free(twill_graph *g);

/* Ranks compare this number at the end of each run: graphs that differ in it are not the same. */
void tw_shared_set_print(twill_graph *g, uint64_t print);

/* The graph that all ranks are about to make cannot be made here, for the reason that the calling
 * thread's message has. Its number, 0: it has none yet, is used up, and the runs of others fail. */
void tw_shared_refuse(twill *tw, int64_t id, twill_status status);

/* A run begins, before anything of it can happen; and its tasks may begin now. */
void tw_shared_begin(twill_graph *g);
void tw_shared_open(twill_graph *g);

/* The first task of a run is about to be inserted: the last run is over. It ends when all ranks
 * wait.
 */
void tw_shared_insert(twill_graph *g);
void tw_shared_close(twill_graph *g);
bool tw_shared_is_over(const twill_graph *g);

/* Messages to front ends that this rank has sent so far, and bytes of data in them. Any thread. */
void tw_remote_count(const twill *tw, int64_t *messages, int64_t *bytes);

/* Why nothing comes from other ranks any more; NULL: it does. What they wait for is over then. */
const char *tw_remote_failure(const twill *tw);

/* Has a rank stopped, as far as this one knows? Rank 0 hears of all, the others of rank 0. */
bool tw_remote_has_left(twill *tw, int rank);

/* Messages that this rank waits for, besides those about the end of runs. */
void tw_remote_expect(twill *tw, int n);
void tw_remote_settle(twill *tw, tw_worker *w, int n);

/* Send bytes, which malloc has given and which are taken over, to the front end of this graph on
 * another rank. Without success the graph fails. Any thread. */
void tw_shared_send(twill_graph *g, int to, int kind, void *bytes, size_t size);

/* Bytes that stay where they are until `sent` is called, which calls tw_shared_returned at its end;
 * the run does not end before. Words that name them go along. */
enum { TW_SHARED_WORDS = 4 };
typedef struct tw_shared_loan {
    int64_t word[TW_SHARED_WORDS];
    const void *bytes;
    size_t size;
    tw_comm_done *sent;
    void *arg;
} tw_shared_loan;

/* Lend bytes to the front end of this graph on another rank: its `place` says where they go, its
 * `land` is called when they are there. False, after failing the graph: they are not lent. */
bool tw_shared_lend(twill_graph *g, int to, const tw_shared_loan *loan);
void tw_shared_returned(twill_graph *g);

/* So many more of them are on their way into memory that `place` gave, or less: the run does not
 * end before they are there, and the memory stays. By who polls. */
void tw_shared_arriving(twill_graph *g, int n);

#endif
