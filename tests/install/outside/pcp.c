/* A program for the PCP interface, in all four modes: pcp THREADS RESERVED MODE, sizes of mode 3 on
 * standard input. The last line is OK if all it sees is right. */
#include <math.h>
#include <pcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 40, SIDE = 4, PHASES = 20 };

static pcp_barrier_t *barrier;
static int sizes, finalized, sequential, parallel, wrong, largest;
static long sum;

static void reconfigure(int size)
{
    pcp_barrier_destroy(barrier);
    barrier = size > 0 ? pcp_barrier_create(size) : NULL;
    sizes++;
}

static void finalize(void)
{
    pcp_barrier_destroy(barrier);
    finalized++;
}

/* A link of the chain: all of its threads meet, again and again, and one counts. */
static void link_alone(void *arg)
{
    sum += *(int *)arg;
    sequential++;
}

static void link_together(void *arg, int nth, int rank)
{
    static int seen[64];
    for (int phase = 1; phase <= PHASES; phase++) {
        seen[rank] = phase;
        pcp_barrier_wait(barrier);
        for (int i = 0; i < nth; i++)
            wrong += rank == 0 && seen[i] != phase;
        pcp_barrier_wait(barrier);
    }
    if (rank == 0) {
        sum += *(int *)arg;
        largest = nth > largest ? nth : largest;
        parallel++;
    }
}

static void side_alone(void *arg)
{
    volatile double x = *(int *)arg;
    for (int i = 0; i < 2000; i++)
        x = sqrt(x + i);
}

static void *number(int value)
{
    int *arg = malloc(sizeof *arg);
    *arg = value;
    return arg;
}

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("wrong: %s\n", what);
        wrong++;
    }
}

static int build(void)
{
    struct pcp_task_type link = {link_alone, link_together, reconfigure, finalize};
    struct pcp_task_type side = {side_alone, NULL, NULL, NULL};
    pcp_task_type_handle_t links = pcp_register_task_type(&link);
    pcp_task_type_handle_t sides = pcp_register_task_type(&side);
    pcp_task_handle_t before = PCP_TASK_HANDLE_NULL;
    int tasks = 0;
    pcp_begin_graph();
    for (int i = 0; i < LINKS; i++) {
        pcp_task_handle_t task = pcp_insert_task(links, number(i));
        if (before != PCP_TASK_HANDLE_NULL)
            pcp_insert_dependence(before, task);
        for (int s = 0; s < SIDE; s++, tasks++)
            pcp_insert_dependence(task, pcp_insert_task(sides, number(s)));
        before = task;
        tasks++;
    }
    pcp_end_graph();
    return tasks;
}

static void check_statistics(int tasks, int threads)
{
    struct pcp_statistics s;
    struct pcp_trace t;
    pcp_view_statistics(&s);
    check(fabs(s.cost - threads * s.execution_time) < 1e-6, "cost");
    check(fabs(s.cost - s.cost_reserved - s.cost_other) < 1e-6, "parts of the cost");
    check(s.longest_path_length >= s.critical_path_length - 1e-6, "the longest path");
    check(s.execution_time >= s.longest_path_length - 1e-6, "the time");
    check(s.cost_critical + s.cost_noncritical <= s.cost + 1e-6, "what is busy");
    pcp_view_trace(&t);
    int critical = 0;
    check(t.num_events == tasks, "events");
    for (int i = 0; i < t.num_events; i++) {
        const struct pcp_event *e = &t.events[i];
        critical += e->is_critical;
        check(e->task == i && e->begin >= 0 && e->end >= e->begin, "an event");
        check(e->first_core >= 0 && e->first_core + e->num_cores <= threads, "its cores");
        check(e->num_cores == 1 || e->is_critical, "a team for an ordinary task");
    }
    check(critical == LINKS + 1, "critical tasks");
    check(t.num_adaption_events >= 1, "the size of the reserved set");
    free(t.events);
    free(t.adaption_events);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2, reserved = argc > 2 ? atoi(argv[2]) : 1;
    int mode = argc > 3 ? atoi(argv[3]) : PCP_FIXED;
    double start = pcp_get_time();
    pcp_start(threads);
    pcp_set_mode(mode);
    if (mode == PCP_FIXED)
        pcp_set_reserved_set_size(reserved);
    int tasks = build();
    pcp_execute_graph();
    check_statistics(tasks, threads);
    check(sum == LINKS * (LINKS - 1) / 2 && sequential + parallel == LINKS, "links");
    check(sizes > 0, "reconfigure");
    check(mode != PCP_REGULAR || parallel == 0, "teams in regular mode");
    int most = reserved < threads ? reserved : threads - 1;
    check(mode != PCP_FIXED || (most < 2 ? parallel == 0 : largest == most), "the size of teams");
    pcp_view_statistics_stdout();
    pcp_view_trace_tikz();
    pcp_begin_graph(); /* nothing in it */
    pcp_end_graph();
    pcp_execute_graph();
    pcp_view_trace_tikz();
    pcp_stop();
    check(finalized == 1, "finalize");
    check(pcp_get_time() > start, "time");
    printf("%s\n", wrong ? "FAILED" : "OK");
    return wrong != 0;
}
