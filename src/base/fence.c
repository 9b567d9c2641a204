/* membarrier, where the system has it. */
#include "base/fence.h"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool barrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* A process may be allowed to register and no more: try. */
bool tw_fence_prepare(void)
{
    return barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
           barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/* Who used a light fence may still have a store in its core's buffer and not have seen ours. Cores
 * write such stores within microseconds, and at every interrupt: wait for that. */
static void outwait_stores(void)
{
    enum { NAP_NS = 1000000 };
    tw_fence();
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    tw_fence();
}

/* A filter of system calls that the program installs later may forbid what worked before. */
void tw_fence_heavy(bool prepared)
{
    if (!prepared)
        tw_fence();
    else if (!barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        outwait_stores();
}
#else
bool tw_fence_prepare(void)
{
    return false;
}

void tw_fence_heavy(bool prepared)
{
    (void)prepared;
    tw_fence();
}
#endif
