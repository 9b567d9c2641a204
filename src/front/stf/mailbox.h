/* Tasks of several ranks that send each other messages while they run.
 *
 * Such a task has a mailbox, which all ranks know by a number. Its body takes messages from it.
 * When the next one is not there, even after a while, the body returns TWILL_AGAIN, and runs again
 * as soon as it has come; what it needs then it keeps in the state of the mailbox. So no worker
 * waits for another rank, and ranks with one worker do not wait for each other. */
#ifndef TW_FRONT_STF_MAILBOX_H
#define TW_FRONT_STF_MAILBOX_H

#include "front/stf/ranks.h"

typedef struct tw_mailbox tw_mailbox;

/* A message. */
typedef struct tw_mail {
    struct tw_mail *next;
    int64_t from; /* a number, the sender's */
    size_t size;
    _Alignas(TW_LINE) char bytes[];
} tw_mail;

/* Numbers for n mailboxes of a graph, the first of them, in the next insertions. All ranks ask for
 * the same. */
int64_t tw_mailbox_numbers(twill_graph *g, int64_t n);

/* In a body: the mailbox of its task, which lives until it is closed or the run ends. NULL, after
 * failing the graph, without memory. Its state is so large, on a line, and zero at first. */
tw_mailbox *tw_mailbox_open(twill_task *t, int64_t number, size_t state);
void *tw_mailbox_state(const tw_mailbox *b);

/* Memory for a message, NULL, after failing the graph, if there is none; and send it to mailbox
 * `number` of a rank, which takes it over. Without success the graph fails. */
void *tw_mailbox_message(const tw_mailbox *b, size_t size);
void tw_mailbox_post(const tw_mailbox *b, int to, int64_t number, int64_t from, void *message,
                     size_t size);

/* The same of a copy. */
void tw_mailbox_send(const tw_mailbox *b, int to, int64_t number, int64_t from, const void *bytes,
                     size_t size);

/* The next message of that sender. If it does not come for so many seconds, in which others are
 * served, or if the graph has failed, NULL: the body is to return TWILL_AGAIN. */
const tw_mail *tw_mailbox_take(tw_mailbox *b, int64_t from, double seconds);

/* What has been taken is not needed any more. */
void tw_mailbox_clear(tw_mailbox *b);

/* The body is about to be done. */
void tw_mailbox_close(tw_mailbox *b);

/* ---- for ranks.c ------------------------------------------------------------------------- */

/* A body has returned TWILL_AGAIN: does its task wait for a message? */
bool tw_mailboxes_park(twill_graph *g, tw_worker *w, twill_task *t);

/* A message has come. */
void tw_mailboxes_receive(twill_graph *g, tw_worker *w, int from, const void *bytes, size_t size);

/* The graph has failed: nobody waits any more. */
void tw_mailboxes_abandon(tw_stf_ranks *s, tw_worker *w);

/* The run is over. */
void tw_mailboxes_free(tw_stf_ranks *s);

#endif
