/* hello.jdf: run a graph twice; its tasks say hello in any order. */
#include <stdatomic.h>
#include <stdio.h>
#include <twill/twill.h>

#include "hello.h"

enum { N = 5, RUNS = 2 };

int main(void)
{
    twill *tw;
    twill_graph *graph;
    atomic_int count = 0;
    twill_status status = twill_start(&tw, NULL);
    if (status == TWILL_OK)
        status = twill_hello_new(tw, N, NULL, &count, &graph);
    for (int i = 0; i < RUNS && status == TWILL_OK; i++) {
        status = twill_ptg_run(graph);
        if (status == TWILL_OK)
            status = twill_wait(graph);
    }
    if (status != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_graph_free(graph);
    twill_stop(tw);
    return count == N * RUNS ? 0 : 1;
}
