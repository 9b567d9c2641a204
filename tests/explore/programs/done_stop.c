/* Asynchronous completion against the stop: another thread completes the last task; as soon as the
 * wait says so the context is stopped, while that thread is still on its way out. */
#include "_common.h"

enum { TASKS = 2 };
static _Atomic(twill_task *) left[TASKS];

static twill_outcome async_body(twill_task *t)
{
    atomic_store(&left[twill_task_int(t, 0)], t);
    progress();
    return TWILL_ASYNC;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};

static void *complete(void *arg)
{
    twill_task *t;
    _Atomic(twill_task *) *place = arg;
    while (!(t = atomic_load(place)))
        nap_ns(500);
    nap_ns((long)draw(4000));
    twill_task_done(t, TWILL_OK);
    return NULL;
}

int main(void)
{
    pthread_t threads[TASKS];
    twill *tw = start();
    twill_graph *g = begin(tw);
    bool waits = draw(2);
    for (int i = 0; i < TASKS; i++) {
        succeed(twill_insert(g, &async, TWILL_INT(i)), "twill_insert");
        threads[i] = thread(complete, &left[i]);
    }
    if (waits)
        succeed(twill_wait(g), "twill_wait");
    twill_stop(tw);
    for (int i = 0; i < TASKS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
