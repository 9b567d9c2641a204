/* What sending and receiving tiles share. */
#ifndef TW_FRONT_STF_TRANSFER_H
#define TW_FRONT_STF_TRANSFER_H

#include "data/value.h"
#include "front/stf/ranks.h"

/* Kinds of messages: a tile; that there is one, for whoever asks; who asks; how many bytes tasks
 * have taken; and mail of tasks. */
typedef enum tw_stf_kind {
    TW_STF_TILE,
    TW_STF_PROMISE,
    TW_STF_REQUEST,
    TW_STF_TAKEN,
    TW_STF_MAIL
} tw_stf_kind;

/* In front of the bytes of a tile, and all of most other messages. */
typedef struct tw_stf_name {
    int64_t insertion, argument;
} tw_stf_name;

static inline size_t tw_bytes_without_gaps(const tw_value *v)
{
    return (size_t)v->rows * (size_t)v->cols * v->element;
}

static inline bool tw_has_no_gaps(const tw_value *v)
{
    return v->host.ld == v->rows || v->cols == 1;
}

/* ---- send.c ------------------------------------------------------------------------------ */

extern const twill_class tw_stf_sender, tw_stf_lender;

/* The class of a task that sends the tile: small ones, and those with gaps, are copied. */
const twill_class *tw_stf_sender_of(const twill_graph *g, const tw_value *v);

/* Of the body of a task: the first failure counts, it is not the task's own. */
twill_outcome tw_stf_no_memory(twill_task *t, const char *what);

/* A message without a tile. Without success the graph fails. */
void tw_stf_say(twill_graph *g, int to, tw_stf_kind what, tw_stf_name n);

/* The other rank wants what was promised; and a task that waits to be asked, NULL without. */
void tw_stf_keep_promise(twill_graph *g, tw_worker *w, const tw_stf_name *n);
twill_task *tw_stf_take_promised(tw_stf_ranks *s);

/* Tasks of this rank, or of that one, have taken so many bytes that came from the other. */
void tw_stf_note_taken(twill_graph *g, int from, size_t size);
void tw_stf_hear_taken(tw_stf_ranks *s, int from, int64_t n);

#endif
