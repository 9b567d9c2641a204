/* A program of somebody else that runs a graph of its own: the middle of Pascal's triangle. */
#include "pascal.h"

#include <stdio.h>
#include <twill/twill.h>

enum { N = 9 };

int main(void)
{
    twill *tw;
    twill_array *a;
    twill_graph *graph;
    twill_pattern pattern = twill_tiled(N, N, 1, 1);
    void *corner;
    int64_t ld;
    if (twill_start(&tw, NULL) || twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a) ||
        twill_pascal_new(tw, N, a, &graph) || twill_ptg_run(graph) || twill_wait(graph)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_view view = twill_view_tile(a, N - 1, N - 1);
    if (twill_map(view, TWILL_READ, &corner, &ld))
        return 1;
    double ways = *(double *)corner;
    twill_unmap(view, corner);
    twill_graph_free(graph);
    twill_array_free(a);
    twill_stop(tw);
    puts(ways == 12870 ? "OK" : "wrong");
    return ways != 12870;
}
