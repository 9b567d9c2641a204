/* A stop while data is mapped and another thread completes a task. */
#include "_common.h"

static _Atomic(twill_task *) left;
static atomic_int ran;

static twill_outcome async_body(twill_task *t)
{
    atomic_store(&left, t);
    progress();
    return TWILL_ASYNC;
}

static twill_outcome body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};
static const twill_class cls = {
    .size = sizeof(twill_class), .name = "task", .chores = {TWILL_CPU(body)}};

static void *complete(void *arg)
{
    (void)arg;
    twill_task *t;
    while (!(t = atomic_load(&left)))
        nap_ns(500);
    twill_task_done(t, TWILL_OK);
    return NULL;
}

int main(void)
{
    twill *tw = start();
    twill_array *a = integers(tw, 2);
    twill_graph *g = begin(tw);
    void *data;
    int64_t ld;
    succeed(twill_map(twill_view_tile(a, 0, 0), TWILL_READ_WRITE, &data, &ld), "twill_map");
    pthread_t completer = thread(complete, NULL);
    succeed(twill_insert(g, &async, TWILL_RW(twill_tile_at(a, 1, 0))), "twill_insert");
    succeed(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, 1, 0))), "twill_insert");
    succeed(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, 0, 0))), "twill_insert");
    nap_ns((long)draw(3000));
    twill_stop(tw);
    pthread_join(completer, NULL);
    must(ran == 2, "a task did not run");
    return 0;
}
