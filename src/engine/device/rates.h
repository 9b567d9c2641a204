/* What a context learns of its executors: what tasks take on each, and copies to it. */
#ifndef TW_ENGINE_DEVICE_RATES_H
#define TW_ENGINE_DEVICE_RATES_H

#include "device/capability.h"
#include "engine/engine.h"

/* Of a context whose devices are open. It goes on without, when there is no memory. */
void tw_rates_open(twill *tw);
/* What was learned is written to the file of this processor. */
void tw_rates_close(twill *tw);

/* Functions of twill_sched_env. */
double tw_rates_cost(const twill_sched_env *env, const twill_item *item, int device);
double tw_rates_transfer(const twill_sched_env *env, const twill_item *item, int device);
bool tw_rates_explore(const twill_sched_env *env, const twill_item *item, int device);
double tw_rates_now(const twill_sched_env *env);

/* What is known of tasks like this one; NULL: nothing is learned of it. */
tw_rating *tw_rates_of(const twill *tw, const twill_task *t);

/* It took so long on a device, or (0) a worker. */
void tw_rates_note(const twill *tw, tw_rating *rating, int device, double seconds);

#endif
