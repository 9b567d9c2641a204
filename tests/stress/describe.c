/* A monitor asks what runs and what is blocked, all the time, while the program makes, uses and
 * frees what there is to be told about. The sanitizers see what it should not touch.
 *
 * TW_ROUNDS is the number of times. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { SECONDS = 60, LARGE = 4000, NODES = 60 };

static int rounds(int wanted)
{
    return (int)limit_number("TW_ROUNDS", test_slow() ? wanted / 4 : wanted);
}

typedef struct monitor {
    twill *tw;
    pthread_t thread;
    atomic_int stop;
} monitor;

static void *ask(void *arg)
{
    monitor *m = arg;
    static char text[1 << 16];
    while (!atomic_load(&m->stop))
        twill_describe(m->tw, text, sizeof text);
    return NULL;
}

/* A context with a monitor, whose watchdog reports as often as it can. */
static void ignore(void *arg, const char *text)
{
    (void)arg, (void)text;
}

static void start_monitor(monitor *m, const char *what)
{
    m->tw = test_start_with((twill_options){.workers = 3, .watchdog = 1e-4, .report = ignore});
    atomic_store(&m->stop, 0);
    limit_begin(m->tw, SECONDS, "%s", what);
    assert_int_equal(pthread_create(&m->thread, NULL, ask, m), 0);
}

static void stop_monitor(monitor *m)
{
    atomic_store(&m->stop, 1);
    pthread_join(m->thread, NULL);
    limit_end();
    twill_stop(m->tw);
}

static twill_outcome body(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static const twill_class task = {
    .size = sizeof(twill_class), .name = "task", .chores = {TWILL_CPU(body)}};

static void insert_and_free(bool large)
{
    static char value[LARGE];
    monitor m;
    twill_graph *g;
    start_monitor(&m, large ? "large tasks" : "small tasks");
    OK(twill_stf_begin(m.tw, &g));
    for (int r = 0; r < rounds(2000); r++) {
        twill_array *a = test_integers(m.tw, 4);
        for (int i = 0; i < 20; i++) {
            twill_arg args[] = {TWILL_RW(twill_tile_at(a, i % 4, 0)),
                                TWILL_R(twill_tile_at(a, (i + 1) % 4, 0)),
                                large ? TWILL_VALUE(value) : TWILL_END, TWILL_END};
            OK(twill_insert_args(g, &task, args));
        }
        if (r % 2)
            OK(twill_wait(g));
        twill_array_free(a);
    }
    OK(twill_wait(g));
    stop_monitor(&m);
}

TEST(tasks_and_arrays_come_and_go)
{
    insert_and_free(false);
}

TEST(large_tasks_come_and_go)
{
    insert_and_free(true);
}

TEST(explicit_graphs_grow_run_and_go)
{
    monitor m;
    start_monitor(&m, "explicit graphs");
    for (int r = 0; r < rounds(400); r++) {
        twill_graph *g;
        OK(twill_dag_begin(m.tw, &g));
        for (int i = 0; i < NODES; i++) {
            OK(twill_dag_add(g, NULL, &task, TWILL_INT(i)));
            if (i % 10 == 9) {
                OK(twill_dag_run(g));
                OK(twill_wait(g));
            }
        }
        twill_graph_free(g);
    }
    stop_monitor(&m);
}

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    if (twill_nest(t, &g) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    for (int i = 0; i < 4; i++)
        twill_insert(g, &task, TWILL_INT(i));
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

TEST(nested_graphs_come_and_go)
{
    monitor m;
    twill_graph *g;
    start_monitor(&m, "nested graphs");
    for (int r = 0; r < rounds(400); r++) {
        OK(twill_stf_begin(m.tw, &g));
        for (int i = 0; i < 10; i++)
            OK(twill_insert(g, &nest, TWILL_INT(i)));
        OK(twill_wait(g));
        twill_graph_free(g);
    }
    stop_monitor(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(tasks_and_arrays_come_and_go),
        LIMITED_TEST(large_tasks_come_and_go),
        LIMITED_TEST(explicit_graphs_grow_run_and_go),
        LIMITED_TEST(nested_graphs_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
