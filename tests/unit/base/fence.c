/* Light and heavy fences, also where membarrier is forbidden before or after it was prepared. */
#include "base/fence.h"

#include "base/clock.h"
#include "support/test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RIGHT, WRONG, NOT_HERE, SECONDS = 60 };

/* From now on membarrier fails, in all threads of this process. False: that is not possible here.
 */
static bool forbid_membarrier(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {COUNT(steps), steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

static void check(int (*body)(void *arg))
{
    int result = test_child(body, NULL, SECONDS);
    if (result == NOT_HERE)
        skip();
    assert_int_equal(result, RIGHT);
}

/* ---- both announce, then look: at least one sees the other --------------------------------- */

typedef struct pair {
    _Alignas(TW_LINE) atomic_int light;
    _Alignas(TW_LINE) atomic_int heavy;
    _Alignas(TW_LINE) atomic_int round; /* that may begin */
    _Alignas(TW_LINE) atomic_int done;  /* by the light side */
    _Alignas(TW_LINE) atomic_int seen;  /* by the light side in that round */
    bool prepared;
} pair;

/* So that they meet at different moments. */
static void dawdle(int n)
{
    for (int i = 0; i < n; i++)
        __asm__ volatile("" : : : "memory");
}

/* The line is at hand: a look at it does not wait for anybody. */
static void fetch(const atomic_int *x)
{
    (void)atomic_load_explicit(x, memory_order_relaxed);
}

static void *be_light(void *arg)
{
    pair *p = arg;
    for (int round = 1;; round++) {
        int begun;
        fetch(&p->heavy);
        while ((begun = atomic_load(&p->round)) < round)
            if (begun < 0)
                return NULL;
        dawdle(round / 16 % 16);
        atomic_store_explicit(&p->light, round, memory_order_relaxed);
        tw_fence_light(p->prepared);
        int seen = atomic_load_explicit(&p->heavy, memory_order_relaxed);
        atomic_store_explicit(&p->seen, seen, memory_order_relaxed);
        atomic_store(&p->done, round);
    }
}

/* For half a second; fewer rounds where fences take longer. */
static int meet(bool prepared)
{
    pair p = {.prepared = prepared};
    pthread_t thread;
    int result = RIGHT;
    if (pthread_create(&thread, NULL, be_light, &p))
        return NOT_HERE;
    double end = tw_seconds() + 0.5;
    for (int round = 1; result == RIGHT && tw_seconds() < end; round++) {
        fetch(&p.light);
        atomic_store(&p.round, round);
        dawdle(round % 1024);
        atomic_store_explicit(&p.heavy, round, memory_order_relaxed);
        tw_fence_heavy(prepared);
        bool sees = atomic_load_explicit(&p.light, memory_order_relaxed) == round;
        while (atomic_load(&p.done) < round)
            ;
        if (!sees && atomic_load_explicit(&p.seen, memory_order_relaxed) != round)
            result = WRONG;
    }
    atomic_store(&p.round, -1);
    pthread_join(thread, NULL);
    return result;
}

static int meet_as_it_is(void *arg)
{
    (void)arg;
    return meet(tw_fence_prepare());
}

static int meet_without(void *arg)
{
    (void)arg;
    return forbid_membarrier() ? meet(tw_fence_prepare()) : NOT_HERE;
}

static int meet_after_it_was_forbidden(void *arg)
{
    (void)arg;
    bool prepared = tw_fence_prepare();
    return prepared && forbid_membarrier() ? meet(prepared) : NOT_HERE;
}

TEST(one_sees_the_other)
{
    check(meet_as_it_is);
}

TEST(one_sees_the_other_without_membarrier)
{
    check(meet_without);
}

TEST(one_sees_the_other_when_membarrier_stops_working)
{
    check(meet_after_it_was_forbidden);
}

/* ---- preparing ------------------------------------------------------------------------------ */

static int prepare_forbidden(void *arg)
{
    (void)arg;
    if (!forbid_membarrier())
        return NOT_HERE;
    return tw_fence_prepare() ? WRONG : RIGHT;
}

TEST(what_is_forbidden_is_not_prepared)
{
    check(prepare_forbidden);
}

/* ---- a context that sleeps and wakes -------------------------------------------------------- */

static int sleep_and_wake(void *arg)
{
    enum { ROUNDS = 200 };
    twill *tw = NULL;
    twill_graph *g;
    atomic_int counter = 0, *count = &counter;
    (void)arg;
    if (twill_start(&tw, &(twill_options){.size = sizeof(twill_options),
                                          .workers = 3,
                                          .bind = "off",
                                          .spin_us = 1}) ||
        twill_stf_begin(tw, &g))
        return WRONG;
    bool forbidden = forbid_membarrier();
    for (int i = 0; i < ROUNDS && forbidden; i++)
        if (twill_insert(g, &test_count, TWILL_VALUE(count)) ||
            twill_insert(g, &test_count, TWILL_VALUE(count)) || twill_wait(g))
            return WRONG;
    twill_stop(tw);
    return !forbidden ? NOT_HERE : counter == 2 * ROUNDS ? RIGHT : WRONG;
}

TEST(a_context_goes_on_when_membarrier_stops_working)
{
    check(sleep_and_wake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sees_the_other),
        cmocka_unit_test(one_sees_the_other_without_membarrier),
        cmocka_unit_test(one_sees_the_other_when_membarrier_stops_working),
        cmocka_unit_test(what_is_forbidden_is_not_prepared),
        cmocka_unit_test(a_context_goes_on_when_membarrier_stops_working),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
