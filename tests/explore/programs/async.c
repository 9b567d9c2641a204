/* Asynchronous completion: tasks are completed by another thread, or by the body of another task,
 * perhaps before their own body has returned. What depends on them runs afterwards, and a failure
 * told that way cancels the graph. */
#include "_common.h"

enum { TASKS = 6 };
static _Atomic(twill_task *) left[TASKS];
static atomic_int ran[TASKS], after[TASKS];
static int64_t finished[TASKS];
static int failing; /* -1: none */

static void complete(int i)
{
    twill_task *t;
    while (!(t = atomic_exchange(&left[i], NULL)))
        nap_ns(300);
    finished[i] = 1;
    twill_task_done(t, i == failing ? TWILL_ERR_TASK : TWILL_OK);
    progress();
}

static void *complete_some(void *arg)
{
    (void)arg;
    for (int i = 0; i < TASKS; i += 2)
        if (failing < 0 || i <= failing)
            complete(i);
    return NULL;
}

static twill_outcome async_body(twill_task *t)
{
    int i = (int)twill_task_int(t, 1);
    atomic_fetch_add(&ran[i], 1);
    atomic_store(&left[i], t);
    nap_ns(i % 3 ? 0 : 1000);
    progress();
    return TWILL_ASYNC;
}

/* Asks again until the task is there, so that it waits for nobody. */
static twill_outcome finish_body(twill_task *t)
{
    int i = (int)twill_task_int(t, 0);
    if (!atomic_load(&left[i]))
        return TWILL_AGAIN;
    complete(i);
    return TWILL_DONE;
}

static twill_outcome after_body(twill_task *t)
{
    int i = (int)twill_task_int(t, 1);
    must(finished[i] == 1, "a task ran before what it depends on was complete");
    atomic_fetch_add(&after[i], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};
static const twill_class finish = {
    .size = sizeof(twill_class), .name = "finish", .chores = {TWILL_CPU(finish_body)}};
static const twill_class later = {
    .size = sizeof(twill_class), .name = "later", .chores = {TWILL_CPU(after_body)}};

int main(void)
{
    twill *tw = start();
    twill_array *a = integers(tw, TASKS);
    twill_graph *g = begin(tw), *h = begin(tw);
    failing = draw(3) ? -1 : 0;
    pthread_t other = thread(complete_some, NULL);
    for (int i = 0; i < (failing < 0 ? TASKS : 1); i++) {
        twill_tile *tile = twill_tile_at(a, i, 0);
        succeed(twill_insert(g, &async, TWILL_RW(tile), TWILL_INT(i)), "twill_insert");
        twill_insert(g, &later, TWILL_R(tile), TWILL_INT(i));
        if (i % 2)
            succeed(twill_insert(h, &finish, TWILL_INT(i)), "twill_insert");
    }
    twill_status status = twill_wait(g);
    must(status == (failing < 0 ? TWILL_OK : TWILL_ERR_TASK), "the wait says something else");
    succeed(twill_wait(h), "twill_wait");
    pthread_join(other, NULL);
    if (failing < 0) {
        each_once(ran, TASKS);
        each_once(after, TASKS);
    } else {
        must(after[0] == 0, "a task ran that depends on one that failed");
    }
    twill_stop(tw);
    return 0;
}
