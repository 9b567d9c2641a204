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

/* Open `inner`, which has the items for cores, behind a policy that does the rest, with costs of
 * copies: for policies that know no devices. What is made is closed by `ops->close(state)`. */
twill_status tw_choose_before(const twill_sched_env *env, const twill_sched_ops *inner,
                              const twill_sched_ops **ops, void **state);

#endif
