/* Freeing a graph that tasks go on inserting into: a task that is completed by another thread has a
 * successor inserted first, and a task of a nested graph inserts into the graph around it. The
 * graph is freed when all of them are done. */
#include "_common.h"

static twill_graph *g;
static atomic_int ran;
static _Atomic(twill_task *) left;

static twill_outcome later_body(twill_task *t)
{
    (void)t;
    nap_ns((long)draw(20000));
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class later = {
    .size = sizeof(twill_class), .name = "later", .chores = {TWILL_CPU(later_body)}};

static twill_outcome async_body(twill_task *t)
{
    atomic_store(&left, t);
    progress();
    return TWILL_ASYNC;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};

static void *complete(void *arg)
{
    (void)arg;
    twill_task *t;
    while (!(t = atomic_load(&left)))
        nap_ns(500);
    nap_ns((long)draw(20000));
    succeed(twill_insert(g, &later, TWILL_INT(0)), "twill_insert");
    twill_task_done(t, TWILL_OK);
    return NULL;
}

static twill_outcome inner_body(twill_task *t)
{
    (void)t;
    nap_ns((long)draw(20000));
    succeed(twill_insert(g, &later, TWILL_INT(1)), "twill_insert");
    progress();
    return TWILL_DONE;
}

static const twill_class inner = {
    .size = sizeof(twill_class), .name = "inner", .chores = {TWILL_CPU(inner_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *nested;
    succeed(twill_nest(t, &nested), "twill_nest");
    succeed(twill_insert(nested, &inner, TWILL_INT(0)), "twill_insert");
    return twill_nest_end(nested);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

int main(void)
{
    twill *tw = start();
    g = begin(tw);
    bool nests = draw(2);
    pthread_t completer;
    if (nests) {
        succeed(twill_insert(g, &nest, TWILL_INT(0)), "twill_insert");
    } else {
        succeed(twill_insert(g, &async, TWILL_INT(0)), "twill_insert");
        completer = thread(complete, NULL);
    }
    twill_graph_free(g);
    must(ran == 1, "the graph was freed before its last task ran");
    if (!nests)
        pthread_join(completer, NULL);
    twill_stop(tw);
    return 0;
}
