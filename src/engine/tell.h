/* Telling the sink about tasks. Called only when somebody listens. */
#ifndef TW_ENGINE_TELL_H
#define TW_ENGINE_TELL_H

#include "engine/graph.h"

/* The task begins on w. */
void tw_tell_begin(tw_worker *w, const twill_task *t);

/* The task waits for one thing less: `by` gave it, or the program (NULL). */
void tw_tell_enable(tw_worker *w, const twill_task *t, const twill_task *by);

/* The same, from the task that w releases. Uses are not tasks, and nothing is told of them. */
void tw_tell_grant(tw_worker *w, const twill_task *t);

/* A list of tasks that needed nobody else. */
void tw_tell_ready(tw_worker *w, const tw_ready *ready, const twill_task *by);

/* The task whose body the calling thread, as w, is in; NULL when it is in none. */
const twill_task *tw_inserter(const tw_worker *w);

#endif
