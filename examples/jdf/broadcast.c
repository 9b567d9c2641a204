/* broadcast.jdf: Y(i) = i (X + 1), by one task that all others wait for. */
#include <stdio.h>
#include <twill/twill.h>

#include "broadcast.h"

enum { N = 100 };

int main(void)
{
    twill *tw;
    twill_array *x, *y;
    twill_graph *graph;
    void *data;
    int64_t ld, wrong = 0;
    twill_pattern one = twill_tiled(1, 1, 1, 1), many = twill_tiled(N, 1, 1, 1);
    if (twill_start(&tw, NULL) || twill_array_create(tw, &one, TWILL_FLOAT64, 0, &x) ||
        twill_array_create(tw, &many, TWILL_FLOAT64, 0, &y) ||
        twill_broadcast_new(tw, N, x, y, &graph) || twill_ptg_run(graph) || twill_wait(graph) ||
        twill_map(twill_view_all(y), TWILL_READ, &data, &ld)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    for (int64_t i = 0; i < N; i++) /* X was zero: arrays start so */
        wrong += ((const double *)data)[i] != (double)i;
    twill_unmap(twill_view_all(y), data);
    printf("%d tasks got the tile, %d of them a wrong one\n", N, (int)wrong);
    twill_graph_free(graph);
    twill_stop(tw);
    return wrong != 0;
}
