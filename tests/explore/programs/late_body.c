/* A body that goes on after its task is over, completed by another thread, and inserts into another
 * graph, while its own graph is freed and the record serves others. */
#include "_common.h"

static twill_graph *other;
static atomic_int ran, inserted;
static _Atomic(twill_task *) left;

static twill_outcome later_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class later = {
    .size = sizeof(twill_class), .name = "later", .chores = {TWILL_CPU(later_body)}};

static twill_outcome async_body(twill_task *t)
{
    atomic_store(&left, t);
    nap_ns((long)draw(4000));
    succeed(twill_insert(other, &later, TWILL_INT(0)), "twill_insert");
    atomic_store(&inserted, 1);
    progress();
    return TWILL_ASYNC;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    succeed(twill_insert(g, &later, TWILL_INT(0)), "twill_insert");
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static void *complete(void *arg)
{
    twill_task *t;
    while (!(t = atomic_load(&left)))
        nap_ns(300);
    twill_task_done(t, TWILL_OK);
    return arg;
}

int main(void)
{
    static char large[1200];
    twill *tw = start();
    other = begin(tw);
    twill_graph *g = begin(tw);
    pthread_t completer = thread(complete, NULL);
    succeed(twill_insert(g, &async, TWILL_VALUE(large)), "twill_insert");
    if (draw(2)) {
        twill_graph_free(g);
        g = begin(tw);
    }
    for (int i = 0; i < 2; i++)
        succeed(twill_insert(g, &nest, TWILL_INT(0)), "twill_insert");
    succeed(twill_wait(g), "twill_wait");
    while (!atomic_load(&inserted))
        nap_ns(1000);
    succeed(twill_wait(other), "twill_wait");
    must(ran == 3, "a task did not run once");
    pthread_join(completer, NULL);
    twill_stop(tw);
    return 0;
}
