/* Between ready and running: in which memory a task runs, and its data there. */
#ifndef TW_ENGINE_PREPARE_H
#define TW_ENGINE_PREPARE_H

#include "engine/engine.h"

/* Open the devices that the options ask for, poll them when there are workers, and close them. */
twill_status tw_devices_open(twill *tw);
twill_status tw_devices_begin(twill *tw);
void tw_devices_close(twill *tw);

typedef enum tw_prepared {
    TW_PREPARED,       /* its body can run */
    TW_PREPARE_PARKED, /* it is pushed again when its data is there */
    TW_PREPARE_FAILED, /* the graph has failed */
    TW_PREPARE_REFUSED /* not there: nothing has happened */
} tw_prepared;

/* Prepare a ready task, which has TW_TASK_PREPARE. */
tw_prepared tw_prepare(tw_worker *w, twill_task *t);

/* Prepare it for a device that is no core, where its data takes so many bytes; `arrived` is called
 * when it was parked. Then it has TW_TASK_STAGED; and what became of it is in its staging. */
tw_prepared tw_prepare_there(tw_worker *w, twill_task *t, int space,
                             void (*arrived)(tw_staging *s, void *poller), size_t *bytes);
tw_staging *tw_task_staging(const twill_task *t);

/* Its body has not run there, and will not. */
void tw_prepare_undo(tw_worker *w, twill_task *t);

/* The body of a task with TW_TASK_STAGED is done, or has to be tried again. False when the task is
 * not over yet: tw_complete is called again when what it wrote has arrived where it must be. */
bool tw_task_unstage(tw_worker *w, twill_task *t, bool failed);

/* Where a task with TW_TASK_STAGED finds a value. */
const tw_replica *tw_task_replica(const twill_task *t, const tw_value *v);

/* For the body of a task: what it reads by a flow, packed, as tw_packed_get and tw_packed_put have
 * it; NULL for flows of which packed replicas would live too long or too short. */
tw_packed *tw_task_packed(const twill_task *t, int flow, int layout, size_t bytes, int64_t most);
void tw_task_packed_put(const twill_task *t, tw_packed *p);

#endif
