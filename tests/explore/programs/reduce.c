/* Reductions: threads contribute to the same tile, and each now and then closes what is open, by a
 * task that reads, by a wait, by mapping or by waiting for the tile. No contribution is lost or
 * comes twice, and who reads sees at least its own. */
#include "_sum.h"

enum { THREADS = 3, TASKS = 6 };
static twill *tw;
static twill_array *a;

static twill_outcome look_body(twill_task *t)
{
    must(*(int64_t *)twill_task_data(t, 0) >= twill_task_int(t, 1), "a contribution is missing");
    progress();
    return TWILL_DONE;
}

static const twill_class look = {
    .size = sizeof(twill_class), .name = "look", .chores = {TWILL_CPU(look_body)}};

static void close_somehow(twill_graph *g, int64_t mine)
{
    twill_tile *tile = twill_tile_at(a, 0, 0);
    switch (draw(6)) {
    case 0:
        succeed(twill_insert(g, &look, TWILL_R(tile), TWILL_INT(mine)), "twill_insert");
        break;
    case 1:
        succeed(twill_wait(g), "twill_wait");
        break;
    case 2:
        must(read_integer(a, 0) >= mine, "a contribution is missing");
        break;
    case 3:
        succeed(twill_wait_tile(tile, TWILL_READ), "twill_wait_tile");
        break;
    }
}

static void *work(void *arg)
{
    (void)arg;
    twill_graph *g = begin(tw);
    for (int i = 0; i < TASKS; i++) {
        succeed(twill_insert(g, &one, TWILL_REDUCE(twill_tile_at(a, 0, 0), &sum)), "twill_insert");
        close_somehow(g, i + 1);
    }
    if (draw(2))
        succeed(twill_wait(g), "twill_wait");
    twill_graph_free(g);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    tw = start();
    a = integers(tw, 1);
    for (int i = 0; i < THREADS; i++)
        threads[i] = thread(work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    must(read_integer(a, 0) == THREADS * TASKS, "the sum is wrong");
    twill_stop(tw);
    return 0;
}
