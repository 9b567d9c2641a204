/* Several threads insert into one graph and wait for it while others go on. Each wait covers what
 * its thread has inserted before. */
#include "_common.h"

enum { THREADS = 3, ROUNDS = 2, TASKS = 4, ALL = THREADS * ROUNDS * TASKS };
static twill_graph *g;
static twill_array *a;
static atomic_int ran[ALL];

static twill_outcome body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    atomic_fetch_add(&ran[twill_task_int(t, 1)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class cls = {
    .size = sizeof(twill_class), .name = "task", .chores = {TWILL_CPU(body)}};

static void *insert(void *arg)
{
    int number = *(int *)arg;
    for (int r = 0; r < ROUNDS; r++) {
        int first = (number * ROUNDS + r) * TASKS;
        for (int i = 0; i < TASKS; i++)
            succeed(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, i % 2 ? 0 : 1 + number, 0)),
                                 TWILL_INT(first + i)),
                    "twill_insert");
        succeed(twill_wait(g), "twill_wait");
        each_once(&ran[first], TASKS);
    }
    return NULL;
}

int main(void)
{
    int number[THREADS];
    pthread_t threads[THREADS];
    twill *tw = start();
    a = integers(tw, 1 + THREADS);
    g = begin(tw);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        threads[i] = thread(insert, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    each_once(ran, ALL);
    must(read_integer(a, 0) == ALL / 2, "an update was lost");
    twill_stop(tw);
    return 0;
}
