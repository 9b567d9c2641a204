/* Who runs a task that several executors can run: the cores, together, or one of the devices.
 *
 * Each executor has a queue. An item goes where it would be done first, after all that is queued
 * there and at least as urgent: so the queues stay balanced by the weights of the executors, and
 * the cores get nothing that a device would have done earlier. Estimates err, and unlike tasks
 * become ready later: hence an executor that has nothing left takes from the end of another's
 * queue what it will have done before that one would. Items of which a measurement is wanted go
 * where it is wanted, and nobody takes them away.
 *
 * Items that only the cores can run are none of this: they go to another policy, which sees
 * nothing of the others. Where there are no devices, that is all. */
#ifndef TW_SCHED_CHOOSE_H
#define TW_SCHED_CHOOSE_H

#include <twill/sched.h>

/* `inner` has the items for cores. With `sees_data`, what must be copied first counts, too. The
 * functions that follow are those of a twill_sched_ops. */
twill_status tw_choose_open(const twill_sched_env *env, const twill_sched_ops *inner,
                            bool sees_data, void **state);
void tw_choose_close(void *state);
int tw_choose_push(void *state, int w, twill_item *list, int n, bool soon);
twill_item *tw_choose_pop(void *state, int w);
int tw_choose_queued(void *state);
bool tw_choose_has_own(void *state, int w);

#endif
