/* What broadcast.c and wire.c say to one another: kinds of messages, and how one is sent down a
 * tree.
 */
#ifndef TW_FRONT_PTG_WIRE_H
#define TW_FRONT_PTG_WIRE_H

#include "engine/remote/remote.h"
#include "front/ptg/message.h"

/* Kinds of messages. */
enum { TW_PTG_OUTPUTS, TW_PTG_STORES, TW_PTG_STORED, TW_PTG_REQUEST, TW_PTG_REPLY };

/* Behind the name in outputs and stores. */
typedef struct tw_course {
    uint64_t task;            /* stores: whom the answer is for */
    int32_t tree, node, last; /* outputs: the receiver is this node of that tree */
    int32_t unused;
} tw_course;

/* A message for the ranks of a group, at one node of its tree. */
typedef struct tw_broadcast {
    twill_graph *g;
    int kind;
    const void *bytes;
    size_t size, course_at;
    tw_course course; /* of this node */
    tw_ptg_loan *const *loan;
    int loans; /* some of them NULL */
} tw_broadcast;

/* Send it to those whose parent this node is, each after the values that go by themselves. Without
 * memory the graph fails. */
void tw_broadcast_send(const tw_broadcast *b, tw_ptg_members members);

/* End those that are not NULL. */
void tw_ptg_loans_end(tw_worker *w, tw_ptg_loan *const *loan, int n);

/* Parts of a task that is over: see tw_ptg_transport. */
void tw_ptg_pack_parts(twill_task *t, tw_ptg_parts *parts);
void tw_ptg_send_parts(twill_task *t, tw_ptg_parts *parts);

static inline const twill_datatype *tw_ptg_type_of(const tw_ptg_part *part)
{
    return part->typed ? &part->type : NULL;
}

#endif
