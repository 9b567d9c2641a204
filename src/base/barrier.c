/* A barrier for a few threads that meet often. */
#include "base/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The word: members that have come, ASLEEP, and the phase above that. */
enum { COME = 0xfff, ASLEEP = 0x1000, PHASE = 0x2000 };

/* Some 20 us of spinning, as long as the shortest bodies that a team is worth. A yield may cost a
 * whole time slice when other programs want the core, and a sleeper is woken in less. */
enum { SPINS = 1000, YIELDS = 2 };

void tw_barrier_open(tw_barrier *b, int size, bool crowded)
{
    b->size = size;
    b->spins = crowded ? 0 : SPINS;
    atomic_store_explicit(&b->word, 0, memory_order_relaxed);
}

static bool has_turned(const tw_barrier *b, uint32_t phase)
{
    /* acquire pairs with the exchange of the last one */
    return atomic_load_explicit(&b->word, memory_order_acquire) / PHASE != phase;
}

/* The kernel looks at the word once more: it has turned, or it has the mark, so that whoever turns
 * it wakes us. Others who come meanwhile change it as well, and then we try again. */
TW_NOINLINE static void sleep_through(tw_barrier *b, uint32_t phase)
{
    uint32_t seen = atomic_load_explicit(&b->word, memory_order_acquire);
    while (seen / PHASE == phase) {
        if (atomic_compare_exchange_weak_explicit(&b->word, &seen, seen | ASLEEP,
                                                  memory_order_acquire, memory_order_acquire)) {
            syscall(SYS_futex, &b->word, FUTEX_WAIT_PRIVATE, seen | ASLEEP, NULL, NULL, 0);
            seen = atomic_load_explicit(&b->word, memory_order_acquire);
        }
    }
}

static void spin(const tw_barrier *b, uint32_t phase)
{
    for (int i = 0; i < b->spins && !has_turned(b, phase); i++) {
        tw_pause();
        /* Of two, who waits comes first to the next phase: it will write the line it waits for. */
        if (b->size == 2)
            tw_prefetch_write((const void *)&b->word);
    }
}

/* Returns whether all have come, and otherwise what phase has to turn. */
static TW_ALWAYS_INLINE bool come(tw_barrier *b, uint32_t *phase)
{
    /* release: what we wrote; acquire for the last one, who passes everybody's writes on */
    uint32_t before = atomic_fetch_add_explicit(&b->word, 1, memory_order_acq_rel);
    *phase = before / PHASE;
    if ((before & COME) != (uint32_t)b->size - 1)
        return false;
    uint32_t last = atomic_exchange_explicit(&b->word, (*phase + 1) * PHASE, memory_order_release);
    if (tw_unlikely(last & ASLEEP))
        syscall(SYS_futex, &b->word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    return true;
}

bool tw_barrier_wait(tw_barrier *b)
{
    uint32_t phase;
    if (come(b, &phase))
        return true;
    spin(b, phase);
    for (int i = 0; i < YIELDS && !has_turned(b, phase); i++)
        sched_yield();
    if (!has_turned(b, phase))
        sleep_through(b, phase);
    return false;
}

void tw_barrier_rest(tw_barrier *b)
{
    uint32_t phase;
    if (!come(b, &phase))
        sleep_through(b, phase);
}
