/* Failures: tasks of one graph fail one after the other while two threads wait for it. Each failure
 * is reported by exactly one wait. */
#include "_common.h"

enum { FAILURES = 3, WAITERS = 2 };
static twill_graph *g;
static atomic_int failed, reported, over;

static twill_outcome fail_body(twill_task *t)
{
    atomic_fetch_add(&failed, 1);
    progress();
    return twill_task_fail(t, "planted");
}

static const twill_class bad = {
    .size = sizeof(twill_class), .name = "bad", .chores = {TWILL_CPU(fail_body)}};

static void *wait_often(void *arg)
{
    (void)arg;
    while (!atomic_load(&over)) {
        if (twill_wait(g) != TWILL_OK) {
            atomic_fetch_add(&reported, 1);
            progress();
        }
        nap_ns((long)draw(400));
    }
    return NULL;
}

int main(void)
{
    pthread_t waiter[WAITERS];
    twill *tw = start();
    g = begin(tw);
    for (int i = 0; i < WAITERS; i++)
        waiter[i] = thread(wait_often, NULL);
    for (int i = 0; i < FAILURES; i++) {
        while (twill_insert(g, &bad, TWILL_INT(i)) != TWILL_OK)
            nap_ns(100); /* an earlier failure is not reported yet */
        while (failed != i + 1 || reported < i + 1)
            nap_ns(3000);
    }
    atomic_store(&over, 1);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(waiter[i], NULL);
    succeed(twill_wait(g), "twill_wait");
    must(reported == FAILURES, "a failure was reported twice");
    twill_stop(tw);
    return 0;
}
