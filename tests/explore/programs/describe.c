/* Reports against ends: a thread asks what runs and what is blocked while large tasks come and go,
 * explicit graphs grow and are freed, and arrays are freed. */
#include "_common.h"

enum { ROUNDS = 2, TASKS = 4, LARGE = 2000 };
static twill *tw;
static atomic_int stop, ran;

static twill_outcome body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class cls = {
    .size = sizeof(twill_class), .name = "task", .chores = {TWILL_CPU(body)}};

static void *ask(void *arg)
{
    (void)arg;
    static char text[4096];
    while (!atomic_load(&stop)) {
        must(twill_describe(tw, text, sizeof text) < 100000, "a report is too long");
        nap_ns((long)draw(2000));
    }
    return NULL;
}

static void run_large(twill_graph *g)
{
    static char large[LARGE];
    twill_array *a = integers(tw, 2);
    for (int i = 0; i < TASKS; i++)
        succeed(twill_insert(g, &cls, TWILL_RW(twill_tile_at(a, i % 2, 0)), TWILL_VALUE(large)),
                "twill_insert");
    if (draw(2))
        succeed(twill_wait(g), "twill_wait");
    twill_array_free(a);
}

static void run_explicit(void)
{
    twill_graph *g;
    int64_t number;
    succeed(twill_dag_begin(tw, &g), "twill_dag_begin");
    for (int i = 0; i < TASKS; i++) {
        succeed(twill_dag_add(g, &number, &cls, TWILL_INT(i)), "twill_dag_add");
        if (i % 2) {
            succeed(twill_dag_run(g), "twill_dag_run");
            succeed(twill_wait(g), "twill_wait");
        }
    }
    twill_graph_free(g);
}

int main(void)
{
    tw = start();
    twill_graph *g = begin(tw);
    pthread_t asker = thread(ask, NULL);
    for (int r = 0; r < ROUNDS; r++) {
        run_large(g);
        run_explicit();
    }
    succeed(twill_wait(g), "twill_wait");
    stop = 1;
    pthread_join(asker, NULL);
    must(ran == ROUNDS * (TASKS + 2 + TASKS), "a task did not run once");
    twill_stop(tw);
    return 0;
}
