/* What remote.c and end.c say to one another. */
#ifndef TW_ENGINE_REMOTE_MESSAGES_H
#define TW_ENGINE_REMOTE_MESSAGES_H

#include "engine/remote/remote.h"

enum { TW_REMOTE_HANDLER = 1 };

typedef enum tw_remote_what {
    TW_REMOTE_FRONT,  /* for the front end of the graph */
    TW_REMOTE_LOAN,   /* the same: bytes that were lent */
    TW_REMOTE_ASK,    /* rank 0: say when you are idle */
    TW_REMOTE_ANSWER, /* idle, and so many messages were sent and received, so many tasks wait */
    TW_REMOTE_END,    /* rank 0: all ranks are done */
    TW_REMOTE_FAIL,   /* the graph has failed; the bytes are the sentence */
    TW_REMOTE_LEFT    /* this rank takes no part in the graph; of graph 0: in any from now on */
} tw_remote_what;

typedef struct tw_remote_head {
    uint64_t graph; /* its id */
    int64_t run;
    int32_t what; /* tw_remote_what */
    int32_t kind; /* the front end's, or a twill_status */
    int32_t from; /* set by the receiver */
    int32_t unused;
    union {
        struct {
            int64_t sent, received, waiting, info;
        };
        int64_t word[TW_SHARED_WORDS]; /* of a loan */
    };
} tw_remote_head;

/* Send a message; the bytes, from malloc or NULL, are taken over. */
twill_status tw_remote_send(twill *tw, int to, const tw_remote_head *head, void *bytes,
                            size_t size);

/* All ranks are done with the run. */
void tw_shared_ended(tw_shared *s, tw_worker *w);

/* ---- leave.c ----------------------------------------------------------------------------- */

enum { TW_REMOTE_REFUSALS = 8 };

/* What a rank knows of graphs that not all ranks take part in. */
typedef struct tw_absence {
    int gone;     /* ranks that have left for good, at rank 0; elsewhere: has it? The poller's */
    int last;     /* of them */
    int refusals; /* graphs that others do not know of yet; under the lock of the list of graphs */
    struct {
        tw_remote_head head;
        int told; /* ranks */
    } refused[TW_REMOTE_REFUSALS];
} tw_absence;

tw_absence *tw_absence_of(const twill *tw);

/* This rank stops: who finds the ends of runs learns that it takes no part in any more. */
void tw_absence_leave(twill *tw);

/* Tell of refused graphs what could not be told yet. */
void tw_absence_tell(twill *tw);

/* A rank has left, for good or (head->graph) for one graph, whose run fails. */
void tw_absence_learn(twill *tw, const tw_remote_head *head);
void tw_absence_fail(twill_graph *g, int rank, const char *text);

/* ---- end.c ------------------------------------------------------------------------------- */

/* Look at a graph: tell others of its failure, answer, ask. */
void tw_end_poll(tw_shared *s, tw_worker *w);

/* A message about its end. */
void tw_end_receive(twill_graph *g, const tw_remote_head *head, const void *bytes, size_t size,
                    tw_worker *w);

#endif
