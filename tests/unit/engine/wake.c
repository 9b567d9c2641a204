/* How many wake-ups follow one another until all sleepers are awake. Linked with --wrap=tw_unpark:
 * a worker that wakes another is one link further down the chain than who woke it. */
#include "support/limit.h"
#include "support/test.h"

#include "engine/engine.h"

enum { WORKERS = 256, LONGEST = 9 };

static _Atomic(twill *) watched;
static atomic_int links[WORKERS]; /* of the chain that woke this worker last */
static atomic_int wakeups, longest;

void __real_tw_unpark(tw_parker *parker);

void __wrap_tw_unpark(tw_parker *parker)
{
    twill *tw = atomic_load(&watched);
    for (int i = 1; tw && i < WORKERS; i++) {
        if (parker != &tw->worker[i].parker)
            continue;
        const tw_worker *waker = tw_self(tw);
        int link = 1 + (waker ? atomic_load(&links[waker->index]) : 0);
        int most = atomic_load(&longest);
        atomic_store(&links[i], link);
        while (link > most && !atomic_compare_exchange_weak(&longest, &most, link))
            ;
        atomic_fetch_add(&wakeups, 1);
    }
    __real_tw_unpark(parker);
}

static void wait_for_sleep(const twill *tw)
{
    while (atomic_load(&tw->idle.sleeping) < WORKERS - 1)
        test_sleep_ms(1);
}

/* Work for all of them, seen at once. */
TEST(a_chain_of_nine_reaches_256_workers)
{
    twill *tw = test_start_with((twill_options){.workers = WORKERS, .bind = "off"});
    wait_for_sleep(tw);
    atomic_store(&watched, tw);
    atomic_store(&wakeups, 0);
    atomic_store(&longest, 0);
    tw_wake(tw, WORKERS - 1);
    REACHES(&wakeups, WORKERS - 1);
    assert_in_range(atomic_load(&longest), 8, LONGEST);
    atomic_store(&watched, NULL);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_chain_of_nine_reaches_256_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
