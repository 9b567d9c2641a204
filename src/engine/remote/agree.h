/* Do all ranks insert the same? Rank 0 compares their sequences with its own.
 *
 * Every rank states its sequence to rank 0 when it waits: how many insertions, and their hash. So
 * no rank need come to the end of its tasks first, which it may never: what one plans to receive
 * another one that inserts something else does not send. For the same reason a rank that has not
 * inserted for a while, and expects something, states what it has inserted so far. If there is a
 * difference, rank 0 asks for hashes until it knows the first one, and fails the graph.
 *
 * All of it happens in the poller; questions and statements that there is no memory for are said
 * again. Messages about it are not counted: rank 0 finds no end before it has compared all. */
#ifndef TW_ENGINE_AGREE_H
#define TW_ENGINE_AGREE_H

#include "engine/remote/messages.h"

typedef struct tw_agreement tw_agreement;

/* NULL without memory. */
tw_agreement *tw_agree_open(tw_sequence *sequence, int ranks);
void tw_agree_close(tw_agreement *a);

/* A run begins, and is not open yet. */
void tw_agree_begin(tw_agreement *a, int ranks);

/* State, ask, or answer what is due. */
void tw_agree_poll(tw_shared *s);

/* A message about it. */
void tw_agree_receive(tw_shared *s, const tw_remote_head *head, const char *text, size_t size);

/* Of rank 0: do all ranks wait, having inserted the same? True if the graph has failed. */
bool tw_agree_reached(const tw_shared *s);

#endif
