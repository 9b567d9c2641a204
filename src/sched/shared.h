/* Before a policy that knows no devices: items that a device could run are shared between devices
 * and workers, all others go to the policy. */
#ifndef TW_SCHED_SHARED_H
#define TW_SCHED_SHARED_H

#include <twill/sched.h>

/* Stand before `inner`, which is open; what is made is closed with it, by `ops->close(state)`. */
twill_status tw_sched_shared_open(const twill_sched_ops *inner, void *inner_state, int workers,
                                  int devices, const twill_sched_ops **ops, void **state);

#endif
