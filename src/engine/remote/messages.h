/* What remote.c and end.c say to one another. */
#ifndef TW_ENGINE_REMOTE_MESSAGES_H
#define TW_ENGINE_REMOTE_MESSAGES_H

#include "engine/remote/remote.h"

enum { TW_REMOTE_HANDLER = 1, TW_GATHER_HANDLER, TW_PLACES_HANDLER };

typedef enum tw_remote_what {
    TW_REMOTE_FRONT,  /* for the front end of the graph */
    TW_REMOTE_LOAN,   /* the same: bytes that were lent */
    TW_REMOTE_ASK,    /* rank 0: say when you are idle */
    TW_REMOTE_ANSWER, /* idle, and so many messages were sent and received, so many tasks wait */
    TW_REMOTE_END,    /* rank 0: all ranks are done */
    TW_REMOTE_FAIL,   /* the graph has failed; the bytes are the sentence */
    TW_REMOTE_LEFT,   /* the sender has freed the graph: it takes no part in this run */
    TW_REMOTE_STATE,  /* to rank 0: insertions, their hash, and whether the sender waits */
    TW_REMOTE_LOOK,   /* rank 0: what was insertion k? */
    TW_REMOTE_STEP    /* to rank 0: k or one before it, the hash there; the bytes describe it */
} tw_remote_what;

typedef struct tw_remote_head {
    uint64_t graph; /* its id */
    int64_t run;
    int32_t what;    /* tw_remote_what */
    int32_t kind;    /* the front end's, or a twill_status */
    int32_t from;    /* set by the receiver */
    uint32_t number; /* of those that this sender has sent to front ends, for traces */
    union {
        struct {
            int64_t sent, received, waiting, info;
        };
        int64_t left;                  /* of a failure: because a rank has freed the graph */
        int64_t word[TW_SHARED_WORDS]; /* of a loan, and about sequences */
    };
} tw_remote_head;

/* Send a message; the bytes, from malloc or NULL, are taken over. */
twill_status tw_remote_send(twill *tw, int to, const tw_remote_head *head, void *bytes,
                            size_t size);

/* All ranks are done with the run. */
void tw_shared_ended(tw_shared *s, tw_worker *w);

/* ---- end.c ------------------------------------------------------------------------------- */

/* Look at a graph: tell others of its failure, answer, ask. True: the run is over for this rank,
 * because another one takes no part in it. */
bool tw_end_poll(tw_shared *s, tw_worker *w);

/* This rank is about to free the graph: no run after the last one will have an end. Without memory
 * others do not learn of it, which matters only if they go on with the graph. */
void tw_end_leave(const tw_shared *s);

/* A message about its end. */
void tw_end_receive(twill_graph *g, const tw_remote_head *head, const void *bytes, size_t size,
                    tw_worker *w);

#endif
