/* Messages to a graph, or a run of one, that there is not yet. Those to one run stay in order, and
 * hold up no others. All of it belongs to the poller. */
#ifndef TW_ENGINE_REMOTE_KEEP_H
#define TW_ENGINE_REMOTE_KEEP_H

#include "engine/remote/messages.h"

enum { TW_KEEP_SPARES = 64 };

typedef struct tw_kept {
    struct tw_kept *next;  /* the first one to another run */
    struct tw_kept *later; /* to the same run */
    struct tw_kept *last;  /* of the first: the last of those */
    tw_remote_head head;
    void *bytes; /* NULL in a spare one, for which there was no memory */
    size_t size;
    bool spare;
    int64_t more; /* messages that a spare one stands for besides */
} tw_kept;

typedef struct tw_keep {
    tw_kept *runs;
    tw_kept spares[TW_KEEP_SPARES]; /* for heads, when there is no memory */
    tw_kept *spare;
} tw_keep;

void tw_keep_open(tw_keep *all);
void tw_keep_close(tw_keep *all);

/* Is there one to the same run, which a message must not overtake? */
bool tw_keep_has(const tw_keep *all, const tw_remote_head *head);

/* Keep a copy. */
void tw_keep_add(tw_keep *all, const tw_remote_head *head, const void *bytes, size_t size);

/* Offer what is kept: `take` says whether it has it, else it is too early for all of that run. */
void tw_keep_offer(tw_keep *all, bool (*take)(void *arg, const tw_kept *k), void *arg);

#endif
