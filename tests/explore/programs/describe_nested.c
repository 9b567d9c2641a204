/* Reports against tasks that are over before their bodies return: a nested graph that has ended, or
 * twill_task_done by another thread, completes a task while its body is on its way out. */
#include "_common.h"

enum { TASKS = 3, LARGE = 2000 };
static twill *tw;
static atomic_int stop, inner_ran;
static _Atomic(twill_task *) left;

static twill_outcome inner_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&inner_ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class inner = {
    .size = sizeof(twill_class), .name = "inner", .chores = {TWILL_CPU(inner_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    succeed(twill_insert(g, &inner, TWILL_INT(0)), "twill_insert");
    twill_outcome outcome = twill_nest_end(g);
    nap_ns((long)draw(3000));
    return outcome;
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static twill_outcome async_body(twill_task *t)
{
    atomic_store(&left, t);
    nap_ns((long)draw(3000));
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
        nap_ns(300);
    twill_task_done(t, TWILL_OK);
    return NULL;
}

static void *ask(void *arg)
{
    (void)arg;
    static char text[4096];
    while (!atomic_load(&stop)) {
        must(twill_describe(tw, text, sizeof text) < 100000, "a report is too long");
        nap_ns((long)draw(1000));
    }
    return NULL;
}

int main(void)
{
    static char large[LARGE];
    tw = start();
    twill_graph *g = begin(tw);
    pthread_t asker = thread(ask, NULL), completer = thread(complete, NULL);
    for (int i = 0; i < TASKS; i++)
        succeed(twill_insert(g, &nest, TWILL_VALUE(large)), "twill_insert");
    succeed(twill_insert(g, &async, TWILL_VALUE(large)), "twill_insert");
    succeed(twill_wait(g), "twill_wait");
    must(inner_ran == TASKS, "a nested task did not run once");
    atomic_store(&stop, 1);
    pthread_join(asker, NULL);
    pthread_join(completer, NULL);
    twill_stop(tw);
    return 0;
}
