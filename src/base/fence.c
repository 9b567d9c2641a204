/* membarrier, where the system has it. */
#include "base/fence.h"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

bool tw_fence_prepare(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void tw_fence_heavy(bool prepared)
{
    if (!prepared || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        tw_fence();
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
