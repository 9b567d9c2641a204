/* chain.jdf: fifty steps of x := x/2 + 1, which end at 2 wherever they begin. */
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

#include "chain.h"

int main(void)
{
    twill *tw;
    twill_array *a;
    twill_graph *graph;
    void *x;
    int64_t ld;
    twill_pattern pattern = twill_tiled(1, 1, 1, 1);
    if (twill_start(&tw, NULL) || twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a) ||
        twill_fill_random(a, 1) || twill_chain_new(tw, 50, a, &graph) || twill_ptg_run(graph) ||
        twill_wait(graph) || twill_map(twill_view_all(a), TWILL_READ, &x, &ld)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    double end = *(double *)x;
    twill_unmap(twill_view_all(a), x);
    printf("the chain ends at %.15f\n", end);
    twill_graph_free(graph);
    twill_stop(tw);
    return fabs(end - 2) < 1e-12 ? 0 : 1;
}
