/* Time, pauses and system calls. */
#include "know.h"
#include "race.h"
#include "run.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- time --------------------------------------------------------------------------------- */

/* While nobody else can run, whoever asks for the time waits for it: a microsecond passes. */
static void let_time_pass(void)
{
    if (ex.runnable == 1u << ex.self->id)
        ex.base_ns += 1000;
}

int explore_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!ex.self)
        return clock_gettime(clock, t);
    ex_point("time", NULL, EX_HERE);
    let_time_pass();
    uint64_t now = ex_now();
    *t = (struct timespec){(time_t)(now / 1000000000u), (long)(now % 1000000000u)};
    return 0;
}

unsigned long long explore_ticks(void)
{
    ex_point("ticks", NULL, EX_HERE);
    if (ex.self)
        let_time_pass();
    return ex_now();
}

static int sleep_until(uint64_t deadline, void *pc)
{
    ex_point("sleep", NULL, pc);
    if (deadline > ex_now())
        ex_block(EX_ASLEEP, NULL, deadline);
    return 0;
}

int explore_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    return sleep_until(ex_now() + ex_ns(t) + 1, EX_HERE);
}

int explore_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                            struct timespec *left)
{
    (void)clock, (void)left;
    return sleep_until(flags & TIMER_ABSTIME ? ex_ns(t) : ex_now() + ex_ns(t) + 1, EX_HERE);
}

int explore_usleep(useconds_t us)
{
    return sleep_until(ex_now() + 1000u * (uint64_t)us + 1, EX_HERE);
}

unsigned explore_sleep(unsigned seconds)
{
    sleep_until(ex_now() + 1000000000u * (uint64_t)seconds + 1, EX_HERE);
    return 0;
}

void explore_pause(void)
{
    ex_yield_point("pause", EX_HERE);
}

int explore_yield(void)
{
    ex_yield_point("yield", EX_HERE);
    return 0;
}

/* ---- system calls -------------------------------------------------------------------------- */

/* The kernel puts full fences between the parts of these calls. */
static long futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline, void *pc)
{
    ex_point("futex_wait", word, pc);
    ex_access(word, 4, EX_ATOMIC, pc);
    ex_fence(ex.self, __ATOMIC_SEQ_CST);
    if (*word != expected) {
        errno = EAGAIN;
        return -1;
    }
    if (ex_one_in(ex.spurious))
        return 0;
    if (deadline && deadline <= ex_now()) {
        errno = ETIMEDOUT;
        return -1;
    }
    ex_block(EX_ON_SIGNAL, word, deadline);
    if (!ex.self->timed_out)
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

/* A late wake-up of a word that is gone is allowed: the kernel only compares addresses. */
static long futex_wake(uint32_t *word, int most, void *pc)
{
    ex_point("futex_wake", word, pc);
    ex_fence(ex.self, __ATOMIC_SEQ_CST);
    return ex_wake_some(EX_ON_SIGNAL, word, most);
}

static long futex(const long *a, void *pc)
{
    uint32_t *word = (uint32_t *)a[0];
    const struct timespec *t = (const struct timespec *)a[3];
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: /* for so long */
        return futex_wait(word, (uint32_t)a[2], t ? ex_now() + ex_ns(t) : 0, pc);
    case FUTEX_WAIT_BITSET: /* until then */
        return futex_wait(word, (uint32_t)a[2], t ? ex_ns(t) : 0, pc);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return futex_wake(word, a[2] > EX_THREADS ? EX_THREADS : (int)a[2], pc);
    default:
        ex_report(EX_BROKEN, "a futex operation that the explorer does not know");
    }
}

long explore_syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (ex.self && number == SYS_membarrier) {
        ex_point("membarrier", NULL, EX_HERE);
        ex_fence_all();
        return 0;
    }
    if (ex.self && number == SYS_futex)
        return futex(a, EX_HERE);
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
