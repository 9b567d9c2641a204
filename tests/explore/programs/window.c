/* Windows: a small window, two inserting threads, and tasks that ask to run again until a later one
 * has run. Insertion goes on although the window is full of tasks that wait. */
#include "_common.h"

enum { TASKS = 14, AGAINS = 2, THREADS = 2 };
static twill *tw;
static twill_array *a;
static atomic_int ran[THREADS][TASKS], opened[THREADS], tries;

static twill_outcome task_body(twill_task *t)
{
    atomic_fetch_add(&ran[twill_task_int(t, 0)][twill_task_int(t, 1)], 1);
    progress();
    return TWILL_DONE;
}

/* The last task of the thread opens the way. */
static twill_outcome again_body(twill_task *t)
{
    atomic_fetch_add(&tries, 1);
    if (!atomic_load(&opened[twill_task_int(t, 0)]))
        return TWILL_AGAIN;
    return task_body(t);
}

static twill_outcome open_body(twill_task *t)
{
    atomic_store(&opened[twill_task_int(t, 0)], 1);
    return task_body(t);
}

static const twill_class task = {
    .size = sizeof(twill_class), .name = "task", .chores = {TWILL_CPU(task_body)}};
static const twill_class again = {
    .size = sizeof(twill_class), .name = "again", .chores = {TWILL_CPU(again_body)}};
static const twill_class opener = {
    .size = sizeof(twill_class), .name = "open", .chores = {TWILL_CPU(open_body)}};

static void *insert(void *arg)
{
    int64_t me = *(int *)arg;
    twill_graph *g = begin(tw);
    for (int64_t i = 0; i < TASKS; i++) {
        const twill_class *cls = i < AGAINS ? &again : i == TASKS - 1 ? &opener : &task;
        twill_tile *tile = twill_tile_at(a, me, 0);
        succeed(i == TASKS - 1 || i % 3 == 2
                    ? twill_insert(g, cls, TWILL_INT(me), TWILL_INT(i))
                    : twill_insert(g, cls, TWILL_INT(me), TWILL_INT(i), TWILL_RW(tile)),
                "twill_insert");
    }
    succeed(twill_wait(g), "twill_wait");
    return NULL;
}

int main(void)
{
    int number[THREADS];
    pthread_t threads[THREADS];
    tw = start_with((twill_options){.window = 1 + draw(6)});
    a = integers(tw, THREADS);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        threads[i] = thread(insert, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    each_once(ran[0], THREADS * TASKS);
    twill_stop(tw);
    return 0;
}
