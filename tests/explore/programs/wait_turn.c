/* A wait whose last task enables one that came later: the worker goes straight on with that one,
 * which does not end before the wait has returned. */
#include "_common.h"

static twill_graph *g;
static twill_tile *tile;
static pthread_t waiter;
static atomic_int second_inserted, returned;

static twill_outcome first_body(twill_task *t)
{
    (void)t;
    while (!atomic_load(&second_inserted))
        nap_ns(100000);
    progress();
    return TWILL_DONE;
}

/* The waiting thread may find it, too. */
static twill_outcome second_body(twill_task *t)
{
    (void)t;
    while (!atomic_load(&returned) && !pthread_equal(pthread_self(), waiter))
        nap_ns(100000);
    progress();
    return TWILL_DONE;
}

static const twill_class first = {
    .size = sizeof(twill_class), .name = "first", .chores = {TWILL_CPU(first_body)}};
static const twill_class second = {
    .size = sizeof(twill_class), .name = "second", .chores = {TWILL_CPU(second_body)}};

static void *insert_second(void *arg)
{
    nap_ns(20000000); /* the wait for the first task has begun: nobody else can do anything */
    succeed(twill_insert(g, &second, TWILL_RW(tile)), "twill_insert");
    atomic_store(&second_inserted, 1);
    return arg;
}

int main(void)
{
    twill *tw = start();
    if (twill_workers(tw) == 1) { /* serial: the first body would run inside its insertion */
        twill_stop(tw);
        return 0;
    }
    twill_array *a = integers(tw, 1);
    tile = twill_tile_at(a, 0, 0);
    waiter = pthread_self();
    g = begin(tw);
    succeed(twill_insert(g, &first, TWILL_RW(tile)), "twill_insert");
    nap_ns(5000000); /* a worker has it, and this thread can do nothing but sleep */
    pthread_t other = thread(insert_second, NULL);
    succeed(twill_wait(g), "twill_wait");
    atomic_store(&returned, 1);
    pthread_join(other, NULL);
    twill_stop(tw);
    return 0;
}
