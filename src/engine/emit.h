/* Emitting events about tasks, which is called only when there is a sink, and about messages. */
#ifndef TW_ENGINE_EMIT_H
#define TW_ENGINE_EMIT_H

#include "base/event.h"
#include "engine/graph.h"

/* Let events go to a sink, too, which is not in the list; and not any more: false if it is not. */
void tw_add_sink(twill *tw, tw_sink *sink);
bool tw_remove_sink(twill *tw, tw_sink *sink);

/* The task begins on w, and its body has returned. */
TW_NOINLINE void tw_emit_begin(tw_worker *w, twill_task *t);
TW_NOINLINE void tw_emit_end(tw_worker *w, const twill_task *t, twill_outcome outcome);

/* The task waits for one thing less: `by` gave it, or whoever inserted it (NULL). */
TW_NOINLINE void tw_emit_enable(tw_worker *w, const twill_task *t, const twill_task *by);

/* The same, from the task that w releases. Uses are not tasks, and have no events. */
TW_NOINLINE void tw_emit_grant(tw_worker *w, const twill_task *t);

/* The critical set has so many members, from worker `first` on, and should have `wanted`. */
void tw_emit_reserve(twill *tw, int first, int members, int wanted);

/* A message of that number and size leaves for rank `to`, from whatever thread; and one has come,
 * which w handles, and is done with. */
void tw_emit_send(twill *tw, int to, uint32_t number, size_t size);
void tw_emit_receive(tw_worker *w, int from, uint32_t number, size_t size);
void tw_emit_handled(tw_worker *w);

/* A list of tasks that waited for nothing but to be inserted, or for their graph to run. */
TW_NOINLINE void tw_emit_ready(tw_worker *w, const tw_ready *ready);

#endif
