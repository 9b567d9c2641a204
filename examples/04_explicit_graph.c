/* An explicit graph: tasks and edges given once, run many times. A diamond with a counter in each
 * corner. */
#include <stdatomic.h>
#include <stdio.h>
#include <twill/twill.h>

static twill_outcome count_body(twill_task *t)
{
    atomic_int *counter = *(atomic_int *const *)twill_task_data(t, 0);
    atomic_fetch_add(counter, 1);
    return TWILL_DONE;
}

static const twill_class count = {
    .size = sizeof(twill_class), .name = "count", .chores = {TWILL_CPU(count_body)}};

int main(void)
{
    enum { RUNS = 1000 };
    atomic_int counters[4] = {0};
    int64_t node[4];
    twill *tw;
    twill_graph *g;
    if (twill_start(&tw, NULL) != TWILL_OK || twill_dag_begin(tw, &g) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    for (int i = 0; i < 4; i++) {
        atomic_int *counter = &counters[i];
        twill_dag_add(g, &node[i], &count, TWILL_VALUE(counter));
    }
    twill_dag_edge(g, node[0], node[1]);
    twill_dag_edge(g, node[0], node[2]);
    twill_dag_edge(g, node[1], node[3]);
    twill_dag_edge(g, node[2], node[3]);
    for (int run = 0; run < RUNS; run++) {
        if (twill_dag_run(g) != TWILL_OK || twill_wait(g) != TWILL_OK) {
            fprintf(stderr, "%s\n", twill_message());
            return 1;
        }
    }
    /* An edge back would make a cycle: it is refused, and named. */
    twill_dag_edge(g, node[3], node[0]);
    twill_status cycle = twill_dag_run(g);
    printf("%d runs of 4 tasks; then: %s\n", RUNS, twill_message());
    twill_stop(tw);
    int good = cycle == TWILL_ERR_CYCLE;
    for (int i = 0; i < 4; i++)
        good = good && atomic_load(&counters[i]) == RUNS;
    return good ? 0 : 1;
}
