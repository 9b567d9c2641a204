/* The hooks that the compiler calls in explored code (-fsanitize=thread). */
#include "know.h"
#include "memory.h"
#include "race.h"

/* ---- atomic operations ---------------------------------------------------------------------- */

#define UPDATE(N, T, name, op)                                           \
    T __tsan_atomic##N##_##name(volatile T *a, T v, int order)           \
    {                                                                    \
        return (T)ex_atomic_update(a, sizeof(T), op, v, order, EX_HERE); \
    }

#define CAS(N, T, kind, weak)                                                                  \
    int __tsan_atomic##N##_compare_exchange_##kind(volatile T *a, T *expected, T v, int order, \
                                                   int failed)                                 \
    {                                                                                          \
        uint64_t old = *expected;                                                              \
        bool done = ex_atomic_cas(a, sizeof(T), &old, v, order, failed, weak, EX_HERE);        \
        *expected = (T)old;                                                                    \
        return done;                                                                           \
    }

#define ATOMIC(N, T)                                             \
    T __tsan_atomic##N##_load(const volatile T *a, int order)    \
    {                                                            \
        return (T)ex_atomic_load(a, sizeof(T), order, EX_HERE);  \
    }                                                            \
    void __tsan_atomic##N##_store(volatile T *a, T v, int order) \
    {                                                            \
        ex_atomic_store(a, sizeof(T), v, order, EX_HERE);        \
    }                                                            \
    UPDATE(N, T, exchange, EX_EXCHANGE)                          \
    UPDATE(N, T, fetch_add, EX_ADD)                              \
    UPDATE(N, T, fetch_sub, EX_SUB)                              \
    UPDATE(N, T, fetch_or, EX_OR)                                \
    UPDATE(N, T, fetch_and, EX_AND)                              \
    UPDATE(N, T, fetch_xor, EX_XOR)                              \
    UPDATE(N, T, fetch_nand, EX_NAND)                            \
    CAS(N, T, strong, false)                                     \
    CAS(N, T, weak, true)

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    if (!ex.self)
        return;
    ex_point("fence", NULL, EX_HERE);
    ex_fence(ex.self, order);
}

/* Only the compiler's order. */
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* ---- plain accesses ------------------------------------------------------------------------- */

#define PLAIN(name, size, kind)            \
    void __tsan_##name##size(void *a)      \
    {                                      \
        if (ex_the_plan.plain)             \
            ex_point(#name, a, EX_HERE);   \
        ex_access(a, size, kind, EX_HERE); \
    }
#define PLAINS(size)                       \
    PLAIN(read, size, 0)                   \
    PLAIN(write, size, EX_WRITE)           \
    PLAIN(unaligned_read, size, 0)         \
    PLAIN(unaligned_write, size, EX_WRITE) \
    PLAIN(volatile_read, size, 0)          \
    PLAIN(volatile_write, size, EX_WRITE)
PLAINS(1)
PLAINS(2)
PLAINS(4)
PLAINS(8)
PLAINS(16)

void __tsan_read_range(void *a, size_t n)
{
    ex_access_range(a, n, 0, EX_HERE);
}

void __tsan_write_range(void *a, size_t n)
{
    ex_access_range(a, n, EX_WRITE, EX_HERE);
}

/* ---- calls, for reports ------------------------------------------------------------------------
 */

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    ex_thread *me = ex.self;
    if (!me)
        return;
    if (me->depth < EX_CALLS)
        me->calls[me->depth] = caller;
    me->depth++;
}

void __tsan_func_exit(void)
{
    ex_thread *me = ex.self;
    if (me && me->depth > 0)
        me->depth--;
}
