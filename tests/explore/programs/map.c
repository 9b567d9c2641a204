/* Host access against running graphs: one thread maps, unmaps, waits for tiles and frees arrays
 * while tasks and nested graphs use them. What is mapped stands still, updates are not lost, and
 * nothing is freed in use. */
#include "_common.h"

enum { ARRAYS = 4, TASKS = 6 };
static twill_array *shared, *own[ARRAYS];
static atomic_int mapped, ran;

static twill_outcome add_body(twill_task *t)
{
    must(!atomic_load(&mapped), "a task writes what the program has mapped");
    ++*(int64_t *)twill_task_data(t, 0);
    progress();
    return TWILL_DONE;
}

static twill_outcome touch_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};
static const twill_class touch = {
    .size = sizeof(twill_class), .name = "touch", .chores = {TWILL_CPU(touch_body)}};

static atomic_int inserted;

/* Its tasks use arrays that the program frees as soon as they are inserted. */
static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    for (int i = 0; i < ARRAYS; i++)
        succeed(twill_insert(g, &touch, TWILL_RW(twill_tile_at(own[i], 0, 0))), "twill_insert");
    atomic_store(&inserted, 1);
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static void *look(void *arg)
{
    (void)arg;
    int64_t before = 0;
    for (int i = 0; i < 3; i++) {
        void *data;
        int64_t ld;
        twill_view v = twill_view_all(shared);
        succeed(twill_map(v, i == 1 ? TWILL_READ_WRITE : TWILL_READ, &data, &ld), "twill_map");
        atomic_store(&mapped, 1);
        must(*(int64_t *)data >= before, "an update was lost");
        before = *(int64_t *)data;
        nap_ns(500);
        must(*(int64_t *)data == before, "what is mapped has changed");
        atomic_store(&mapped, 0);
        succeed(twill_unmap(v, data), "twill_unmap");
    }
    succeed(twill_wait_tile(twill_tile_at(shared, 0, 0), TWILL_READ_WRITE), "twill_wait_tile");
    return NULL;
}

int main(void)
{
    twill *tw = start();
    twill_graph *g = begin(tw);
    bool works = twill_workers(tw) > 1; /* somebody besides this thread */
    shared = integers(tw, 1);
    for (int i = 0; i < ARRAYS; i++)
        own[i] = integers(tw, 1);
    pthread_t other = thread(look, NULL);
    succeed(twill_insert(g, &nest, TWILL_INT(0)), "twill_insert");
    for (int i = 0; i < TASKS; i++)
        succeed(twill_insert(g, &add, TWILL_RW(twill_tile_at(shared, 0, 0))), "twill_insert");
    while (works && !inserted)
        nap_ns(300);
    for (int i = 0; works && i < ARRAYS; i++)
        twill_array_free(own[i]);
    must(!works || ran == ARRAYS, "an array was freed before its tasks ran");
    succeed(twill_wait(g), "twill_wait");
    pthread_join(other, NULL);
    must(read_integer(shared, 0) == TASKS, "an update was lost");
    twill_stop(tw);
    return 0;
}
