/* One-byte spinlock for sections of a few instructions, the pause that goes with spinning, and
 * lines that are asked for before they are written. */
#ifndef TW_BASE_LOCK_H
#define TW_BASE_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define TW_LINE 64
#define tw_likely(x) __builtin_expect(!!(x), 1)
#define tw_unlikely(x) __builtin_expect(!!(x), 0)
/* Keeps what is rarely called out of the way of what calls it. */
#define TW_NOINLINE __attribute__((noinline))
/* For what every task runs, and something rare as well: the compiler would call it for both. */
#define TW_ALWAYS_INLINE inline __attribute__((always_inline))

typedef struct tw_lock {
    atomic_bool held;
} tw_lock;

/* `bytes` and what is left of their last line, as aligned_alloc wants it. */
static inline size_t tw_whole_lines(size_t bytes)
{
    return (bytes + TW_LINE - 1) / TW_LINE * TW_LINE;
}

static inline void tw_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The line will be written soon: let it come, and others give up theirs. */
static inline void tw_prefetch_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* Orders earlier stores before later loads: both sides of "announce, then look" need it. */
static inline void tw_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

static inline bool tw_trylock(tw_lock *lock)
{
    /* acquire pairs with the release of tw_unlock */
    return !atomic_exchange_explicit(&lock->held, true, memory_order_acquire);
}

/* Somebody holds it. For assertions: who is sure to be that somebody says so with it. */
static inline bool tw_is_locked(const tw_lock *lock)
{
    return atomic_load_explicit(&lock->held, memory_order_relaxed);
}

/* Take a lock that another thread holds. */
TW_NOINLINE void tw_lock_wait(tw_lock *lock);

static inline void tw_lock_take(tw_lock *lock)
{
    if (tw_unlikely(!tw_trylock(lock)))
        tw_lock_wait(lock);
}

static inline void tw_unlock(tw_lock *lock)
{
    atomic_store_explicit(&lock->held, false, memory_order_release);
}

#endif
