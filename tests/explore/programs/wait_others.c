/* A wait that is late to look: the tasks it waits for are done, and other waits and insertions have
 * gone on since. It returns although tasks that came later do not end before it has returned. */
#include "_common.h"

static twill *tw;
static twill_graph *g;
static atomic_int returned, begun, inserting;

static twill_outcome short_body(twill_task *t)
{
    (void)t;
    progress();
    return TWILL_DONE;
}

/* One after the other, as long as the first wait has not returned. */
static twill_outcome endless_body(twill_task *t)
{
    (void)t;
    nap_ns(3000);
    return TWILL_DONE;
}

static const twill_class brief = {
    .size = sizeof(twill_class), .name = "brief", .chores = {TWILL_CPU(short_body)}};
static const twill_class endless = {
    .size = sizeof(twill_class), .name = "endless", .chores = {TWILL_CPU(endless_body)}};

static void *go_on_inserting(void *arg)
{
    atomic_fetch_add(&inserting, 1);
    while (!atomic_load(&returned)) {
        succeed(twill_insert(g, &endless, TWILL_INT(0)), "twill_insert");
        nap_ns(1000);
    }
    return arg;
}

static void *wait_too(void *arg)
{
    while (!atomic_load(&begun))
        nap_ns(100);
    succeed(twill_wait(g), "twill_wait");
    return arg;
}

int main(void)
{
    tw = start_with((twill_options){.window = 4});
    g = begin(tw);
    succeed(twill_insert(g, &brief, TWILL_INT(0)), "twill_insert");
    pthread_t inserter[2] = {thread(go_on_inserting, NULL), thread(go_on_inserting, NULL)};
    pthread_t waiter = thread(wait_too, NULL);
    while (atomic_load(&inserting) < 2)
        nap_ns(1000);
    atomic_store(&begun, 1);
    succeed(twill_wait(g), "twill_wait");
    atomic_store(&returned, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(inserter[i], NULL);
    pthread_join(waiter, NULL);
    twill_stop(tw);
    return 0;
}
