/* A graph of 10^9 tasks in three dimensions: it starts at once, and takes the memory of the tasks
 * in flight, however many there are.
 *
 *   STEP(i, j, k)   i, j, k = 0 .. SIDE-1
 *     CTL c <- (k > 0) ? c STEP(i, j, k-1)
 *           -> (k < SIDE-1) ? c STEP(i, j, k+1)
 */
#include "support/test.h"

#include <stdio.h>
#include <time.h>

enum { SIDE = 1000, ENOUGH = 100000 };
static const double soon = 2.0;  /* seconds; a billion visits would take longer */
static const double little = 16; /* MiB */

typedef struct globals {
    atomic_long *ran;
} globals;

static int64_t inputs(const void *globals_, const int64_t *p)
{
    (void)globals_;
    for (int d = 0; d < 3; d++)
        if (p[d] < 0 || p[d] >= SIDE)
            return -1;
    return p[2] > 0;
}

static bool startup(const void *globals_, int64_t *p, bool first)
{
    (void)globals_;
    if (first)
        return true;
    p[1] = (p[1] + 1) % SIDE;
    p[0] += p[1] == 0;
    return p[0] < SIDE;
}

static void release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    (void)globals_;
    if (p[2] == SIDE - 1)
        return;
    twill_ptg_output(out, 0);
    twill_ptg_send(out, 0, 0, (const int64_t[]){p[0], p[1], p[2] + 1});
}

static twill_outcome body(twill_task *task, const void *globals_, const int64_t *p,
                          const twill_flow *flow)
{
    const globals *g = globals_;
    (void)task, (void)p, (void)flow;
    atomic_fetch_add(g->ran, 1);
    return TWILL_DONE;
}

static const char *const names[] = {"i", "j", "k"};
static const twill_ptg_flow flows[] = {{.name = "c", .mode = TWILL_FLOW_CTL}};
static const twill_ptg_class step = {.size = sizeof(twill_ptg_class),
                                     .name = "STEP",
                                     .parameters = 3,
                                     .flows = 1,
                                     .parameter = names,
                                     .flow = flows,
                                     .inputs = inputs,
                                     .startup = startup,
                                     .release = release,
                                     .chores = {TWILL_CPU(body)}};
static const twill_ptg_class *const classes[] = {&step};
static const twill_ptg_graph cube = {
    .size = sizeof(twill_ptg_graph), .name = "cube", .classes = 1, .cls = classes};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident_mib(void)
{
    double kib = -1;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (kib < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %lf", &kib) != 1)
            kib = -1;
    fclose(file);
    return kib / 1024;
}

static void wait_for(atomic_long *ran, long tasks)
{
    while (atomic_load(ran) < tasks)
        test_sleep_ms(1);
}

static void a_billion_tasks_start_at_once_and_take_no_memory(void **state)
{
    (void)state;
    twill *tw = test_start(2, NULL);
    atomic_long ran = 0;
    globals g = {&ran};
    twill_graph *graph;
    OK(twill_ptg_new(tw, &cube, &g, sizeof g, &graph));
    double start = seconds();
    OK(twill_ptg_run(graph));
    wait_for(&ran, 1);
    assert_true(seconds() - start < soon);
    wait_for(&ran, ENOUGH);
    double early = resident_mib();
    wait_for(&ran, 4 * ENOUGH);
    double late = resident_mib();
    twill_cancel(graph);
    assert_int_equal(twill_wait(graph), TWILL_ERR_CANCELED);
    assert_true(atomic_load(&ran) < (long)SIDE * SIDE * SIDE);
    assert_true(late < early + little);
    twill_graph_free(graph);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_billion_tasks_start_at_once_and_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
