/* What remote.c and end.c say to one another. */
#ifndef TW_ENGINE_REMOTE_MESSAGES_H
#define TW_ENGINE_REMOTE_MESSAGES_H

#include "engine/remote/remote.h"

enum { TW_REMOTE_HANDLER = 1, TW_GATHER_HANDLER, TW_PLACES_HANDLER, TW_REACH_HANDLER };

typedef enum tw_remote_what {
    TW_REMOTE_FRONT,  /* for the front end of the graph */
    TW_REMOTE_LOAN,   /* the same: bytes that were lent */
    TW_REMOTE_ASK,    /* rank 0: say when you are idle */
    TW_REMOTE_ANSWER, /* idle, and so many messages were sent and received, so many tasks wait */
    TW_REMOTE_END,    /* rank 0: all ranks are done */
    TW_REMOTE_FAIL,   /* the graph has failed; the bytes are the sentence */
    TW_REMOTE_LEFT,   /* the sender takes no part in runs of the graph from this one on; of graph 0:
                       * in any from now on */
    TW_REMOTE_STATE,  /* to rank 0: insertions, their hash, and whether the sender waits */
    TW_REMOTE_LOOK,   /* rank 0: what was insertion k? Of -1: nobody answers */
    TW_REMOTE_STEP    /* to rank 0: k or one before it, the hash there; the bytes describe it */
} tw_remote_what;

/* Graphs of the same number are of the same sort, if ranks make the same ones. */
typedef enum tw_remote_sort {
    TW_REMOTE_UNKNOWN, /* the message is not from a graph */
    TW_REMOTE_PARAMETERISED,
    TW_REMOTE_INSERTED
} tw_remote_sort;

typedef struct tw_remote_head {
    uint64_t graph; /* its id */
    int64_t run;
    int16_t what;    /* tw_remote_what */
    int16_t sort;    /* of the graph that the sender has: tw_remote_sort */
    int32_t kind;    /* the front end's, or a twill_status */
    int32_t from;    /* set by the receiver */
    uint32_t number; /* of those that this sender has sent to front ends, for traces */
    union {
        struct {
            int64_t sent, received, waiting, info;
        };
        int64_t word[TW_SHARED_WORDS]; /* of a loan, and about sequences */
    };
} tw_remote_head;

/* The beginning of a message of that graph. */
tw_remote_head tw_remote_head_of(const tw_shared *s, tw_remote_what what);

/* Send a message; the bytes, from malloc or NULL, are taken over. */
twill_status tw_remote_send(twill *tw, int to, const tw_remote_head *head, void *bytes,
                            size_t size);

/* All ranks are done with the run. */
void tw_shared_ended(tw_shared *s, tw_worker *w);

/* ---- leave.c ----------------------------------------------------------------------------- */

enum { TW_REMOTE_OWED = 16 };

/* What a rank knows of graphs that not all ranks take part in. */
typedef struct tw_absence {
    int gone;     /* ranks that have left for good; only rank 0 hears of others. The poller's */
    int last;     /* of them */
    bool *away;   /* for each rank, whether it has */
    bool cut_off; /* the transport has failed: nobody takes part any more */
    int owed;     /* graphs that others do not know of yet; under the lock of the list of graphs */
    struct {
        tw_remote_head head;
        int told; /* ranks */
    } owes[TW_REMOTE_OWED];
} tw_absence;

tw_absence *tw_absence_of(const twill *tw);

/* This rank stops: who finds the ends of runs learns that it takes no part in any more. */
void tw_absence_leave(twill *tw);

/* This rank cannot make a graph; and it is about to free one: it takes no part in a run after the
 * last one. By the holder of the lock of the list of graphs, as is the next. */
void tw_absence_refuse(twill *tw, int64_t graph, twill_status status);
void tw_absence_leave_graph(const tw_shared *s);

/* Tell of such graphs what could not be told yet. */
void tw_absence_tell(twill *tw);

/* The transport has failed. */
void tw_absence_cut_off(twill *tw);

/* Does this rank end a run by itself if others take no part in it? */
bool tw_absence_is_alone(const twill *tw);

/* A rank has left, for good or (head->graph) for one graph. False: there is no such graph yet. */
bool tw_absence_learn(twill *tw, tw_shared *s, const tw_remote_head *head);

/* How many ranks take no part in the current run, of those that matter to this one. */
int tw_absence_count(const tw_shared *s);

/* Fail the run for that reason. */
void tw_absence_fail(const tw_shared *s);

/* ---- end.c ------------------------------------------------------------------------------- */

/* Look at a graph: tell others of its failure, answer, ask. True: the run is over for this rank,
 * because another one takes no part in it. */
bool tw_end_poll(tw_shared *s, tw_worker *w);

/* A message about its end. */
void tw_end_receive(twill_graph *g, const tw_remote_head *head, const void *bytes, size_t size,
                    tw_worker *w);

#endif
