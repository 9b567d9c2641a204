/* Waits of several threads for one graph: a wait is for the tasks so far, so it returns although a
 * task that came later, and that another thread waits for, goes on until then. */
#include "_common.h"

static twill_graph *g;
static atomic_int second_inserted;
static _Atomic(twill_task *) left;

static twill_outcome first_body(twill_task *t)
{
    (void)t;
    while (!atomic_load(&second_inserted))
        nap_ns(1000);
    progress();
    return TWILL_DONE;
}

static twill_outcome second_body(twill_task *t)
{
    atomic_store(&left, t);
    progress();
    return TWILL_ASYNC;
}

static const twill_class first = {
    .size = sizeof(twill_class), .name = "first", .chores = {TWILL_CPU(first_body)}};
static const twill_class second = {
    .size = sizeof(twill_class), .name = "second", .chores = {TWILL_CPU(second_body)}};

static void *wait_second(void *arg)
{
    (void)arg;
    nap_ns(20000000); /* the wait for the first task has begun: nobody else can do anything */
    succeed(twill_insert(g, &second, TWILL_INT(0)), "twill_insert");
    atomic_store(&second_inserted, 1);
    succeed(twill_wait(g), "twill_wait");
    return NULL;
}

int main(void)
{
    twill *tw = start();
    if (twill_workers(tw) == 1) { /* serial: the first body would run inside its insertion */
        twill_stop(tw);
        return 0;
    }
    g = begin(tw);
    succeed(twill_insert(g, &first, TWILL_INT(0)), "twill_insert");
    pthread_t other = thread(wait_second, NULL);
    succeed(twill_wait(g), "twill_wait");
    twill_task *t;
    while (!(t = atomic_load(&left)))
        nap_ns(1000);
    twill_task_done(t, TWILL_OK);
    pthread_join(other, NULL);
    twill_stop(tw);
    return 0;
}
