/* Litmus tests of the memory model: each outcome that is checked for is called wrong, and
 * tests/explore/litmus.sh says which ones must be found and which must not. */
#include "explore.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int x, y, z;
static int data;
static int r[8];

static void set(atomic_int *a, int v)
{
    atomic_store_explicit(a, v, memory_order_relaxed);
}

static int get(atomic_int *a)
{
    return atomic_load_explicit(a, memory_order_relaxed);
}

static void barrier(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* ---- store buffering: both see the other's old value ------------------------------------- */

#define SB(name, order, fence_a, fence_b)       \
    static void *name##_a(void *arg)            \
    {                                           \
        atomic_store_explicit(&x, 1, order);    \
        fence_a;                                \
        r[0] = atomic_load_explicit(&y, order); \
        return arg;                             \
    }                                           \
    static void *name##_b(void *arg)            \
    {                                           \
        atomic_store_explicit(&y, 1, order);    \
        fence_b;                                \
        r[1] = atomic_load_explicit(&x, order); \
        return arg;                             \
    }

#define FENCE atomic_thread_fence(memory_order_seq_cst)
#define LIGHT atomic_signal_fence(memory_order_seq_cst)
SB(sb, memory_order_relaxed, (void)0, (void)0)
SB(sb_fences, memory_order_relaxed, FENCE, FENCE)
SB(sb_one_fence, memory_order_relaxed, FENCE, (void)0)
SB(sb_sc, memory_order_seq_cst, (void)0, (void)0)
SB(sb_light, memory_order_relaxed, LIGHT, LIGHT)
SB(sb_membarrier, memory_order_relaxed, LIGHT, barrier())

static bool sb_seen(void)
{
    return r[0] == 0 && r[1] == 0;
}

/* ---- message passing: the flag without the data -------------------------------------------- */

#define MP(name, before, store_order, load_order, after) \
    static void *name##_a(void *arg)                     \
    {                                                    \
        set(&x, 1);                                      \
        before;                                          \
        atomic_store_explicit(&y, 1, store_order);       \
        return arg;                                      \
    }                                                    \
    static void *name##_b(void *arg)                     \
    {                                                    \
        r[0] = atomic_load_explicit(&y, load_order);     \
        after;                                           \
        r[1] = get(&x);                                  \
        return arg;                                      \
    }

MP(mp, (void)0, memory_order_relaxed, memory_order_relaxed, (void)0)
MP(mp_release, (void)0, memory_order_release, memory_order_relaxed, (void)0)
MP(mp_acquire, (void)0, memory_order_relaxed, memory_order_acquire, (void)0)
MP(mp_both, (void)0, memory_order_release, memory_order_acquire, (void)0)
MP(mp_fences, atomic_thread_fence(memory_order_release), memory_order_relaxed, memory_order_relaxed,
   atomic_thread_fence(memory_order_acquire))

static bool mp_seen(void)
{
    return r[0] == 1 && r[1] == 0;
}

/* A release sequence goes on through a read-modify-write of another thread. */
static void *sequence_b(void *arg)
{
    int one = 1;
    atomic_compare_exchange_strong_explicit(&y, &one, 2, memory_order_relaxed,
                                            memory_order_relaxed);
    return arg;
}

static void *sequence_c(void *arg)
{
    r[0] = atomic_load_explicit(&y, memory_order_acquire);
    r[1] = get(&x);
    return arg;
}

static bool sequence_seen(void)
{
    return r[0] == 2 && r[1] == 0;
}

/* ---- independent reads of independent writes ------------------------------------------------ */

#define IRIW(name, put, order, between)         \
    static void *name##_wx(void *arg)           \
    {                                           \
        atomic_store_explicit(&x, 1, put);      \
        return arg;                             \
    }                                           \
    static void *name##_wy(void *arg)           \
    {                                           \
        atomic_store_explicit(&y, 1, put);      \
        return arg;                             \
    }                                           \
    static void *name##_rxy(void *arg)          \
    {                                           \
        r[0] = atomic_load_explicit(&x, order); \
        between;                                \
        r[1] = atomic_load_explicit(&y, order); \
        return arg;                             \
    }                                           \
    static void *name##_ryx(void *arg)          \
    {                                           \
        r[2] = atomic_load_explicit(&y, order); \
        between;                                \
        r[3] = atomic_load_explicit(&x, order); \
        return arg;                             \
    }

IRIW(iriw, memory_order_release, memory_order_acquire, (void)0)
IRIW(iriw_sc, memory_order_seq_cst, memory_order_seq_cst, (void)0)
IRIW(iriw_fences, memory_order_relaxed, memory_order_relaxed, FENCE)

static bool iriw_seen(void)
{
    return r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0;
}

/* ---- coherence: one location has one order --------------------------------------------------- */

static void *corr_a(void *arg)
{
    set(&x, 1);
    set(&x, 2);
    return arg;
}

static void *corr_b(void *arg)
{
    r[0] = get(&x);
    r[1] = get(&x);
    return arg;
}

static bool corr_seen(void)
{
    return r[0] > r[1];
}

/* What one has read, and told, the other may not miss. */
static void *told_b(void *arg)
{
    r[0] = get(&x);
    atomic_store_explicit(&y, 1, memory_order_release);
    return arg;
}

static void *told_c(void *arg)
{
    r[1] = atomic_load_explicit(&y, memory_order_acquire);
    r[2] = get(&x);
    return arg;
}

static bool told_seen(void)
{
    return r[1] && r[0] > r[2];
}

/* Two stores each, the other way round, and both first ones win. */
static void *ww_a(void *arg)
{
    set(&x, 1);
    set(&y, 2);
    return arg;
}

static void *ww_b(void *arg)
{
    set(&y, 1);
    set(&x, 2);
    return arg;
}

static bool ww_seen(void)
{
    return get(&x) == 1 && get(&y) == 1;
}

/* Two read-modify-writes never take the same value. */
static void *count_up(void *arg)
{
    for (int i = 0; i < 3; i++)
        atomic_fetch_add_explicit(&z, 1, memory_order_relaxed);
    return arg;
}

static bool count_seen(void)
{
    return get(&z) != 6;
}

/* A lock of one flag, with or without the release of its end. */
static atomic_bool held;

static void locked(memory_order end)
{
    while (atomic_exchange_explicit(&held, true, memory_order_acquire))
        ;
    data++;
    atomic_store_explicit(&held, false, end);
}

static void *lock_ab(void *arg)
{
    locked(memory_order_release);
    return arg;
}

static void *unlock_relaxed(void *arg)
{
    locked(memory_order_relaxed);
    return arg;
}

static bool lock_seen(void)
{
    return data != 2;
}

static const struct {
    const char *name;
    void *(*body[4])(void *);
    bool (*seen)(void);
} tests[] = {
    {"sb", {sb_a, sb_b}, sb_seen},
    {"sb_fences", {sb_fences_a, sb_fences_b}, sb_seen},
    {"sb_one_fence", {sb_one_fence_a, sb_one_fence_b}, sb_seen},
    {"sb_sc", {sb_sc_a, sb_sc_b}, sb_seen},
    {"sb_light", {sb_light_a, sb_light_b}, sb_seen},
    {"sb_membarrier", {sb_membarrier_a, sb_membarrier_b}, sb_seen},
    {"mp", {mp_a, mp_b}, mp_seen},
    {"mp_release", {mp_release_a, mp_release_b}, mp_seen},
    {"mp_acquire", {mp_acquire_a, mp_acquire_b}, mp_seen},
    {"mp_both", {mp_both_a, mp_both_b}, mp_seen},
    {"mp_fences", {mp_fences_a, mp_fences_b}, mp_seen},
    {"sequence", {mp_both_a, sequence_b, sequence_c}, sequence_seen},
    {"iriw", {iriw_wx, iriw_wy, iriw_rxy, iriw_ryx}, iriw_seen},
    {"iriw_sc", {iriw_sc_wx, iriw_sc_wy, iriw_sc_rxy, iriw_sc_ryx}, iriw_seen},
    {"iriw_fences", {iriw_fences_wx, iriw_fences_wy, iriw_fences_rxy, iriw_fences_ryx}, iriw_seen},
    {"corr", {corr_a, corr_b}, corr_seen},
    {"told", {corr_a, told_b, told_c}, told_seen},
    {"ww", {ww_a, ww_b}, ww_seen},
    {"count", {count_up, count_up}, count_seen},
    {"lock", {lock_ab, lock_ab}, lock_seen},
    {"unlock_relaxed", {unlock_relaxed, unlock_relaxed}, lock_seen},
};

int main(int argc, char **argv)
{
    pthread_t thread[4];
    int n = 0;
    size_t t = 0, all = sizeof tests / sizeof *tests;
    while (t < all && (argc < 2 || strcmp(tests[t].name, argv[1])))
        t++;
    if (t == all) {
        explore_wrong("no such litmus test");
        return 2;
    }
    for (; n < 4 && tests[t].body[n]; n++)
        pthread_create(&thread[n], NULL, tests[t].body[n], NULL);
    while (n > 0)
        pthread_join(thread[--n], NULL);
    explore_check(!tests[t].seen(), "the outcome is seen");
    return 0;
}
