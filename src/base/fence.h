/* A pair of fences for "announce, then look" where one side is common and the other rare.
 *
 * Both sides need their store before their load. With membarrier the rare side runs a barrier on
 * behalf of everybody, and the common side needs only to keep the compiler from reordering; without
 * it both sides use a full fence. Should membarrier fail after it has worked, the rare side waits
 * until the stores of the common one must have been written. */
#ifndef TW_BASE_FENCE_H
#define TW_BASE_FENCE_H

#include "base/lock.h"

/* True when this process can use membarrier. */
bool tw_fence_prepare(void);

static inline void tw_fence_light(bool prepared)
{
    if (prepared)
        atomic_signal_fence(memory_order_seq_cst);
    else
        tw_fence();
}

void tw_fence_heavy(bool prepared);

#endif
