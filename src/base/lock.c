/* Waiting for a lock. */
#include "base/lock.h"

#include <sched.h>

/* The holder may have lost its core when threads exceed cores: yield after a while. */
void tw_lock_wait(tw_lock *lock)
{
    enum { SPINS = 200 };
    do {
        for (int spins = 0; atomic_load_explicit(&lock->held, memory_order_relaxed); spins++) {
            if (spins < SPINS)
                tw_pause();
            else
                sched_yield();
        }
    } while (!tw_trylock(lock));
}
