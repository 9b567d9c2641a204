/* stencil.jdf: heat spreads in a rod; the same bits as in a loop over the whole rod. */
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#include "stencil.h"

enum { BLOCKS = 12, BLOCK = 50, POINTS = BLOCKS * BLOCK, STEPS = 40 };

void heat_step(double *block, int64_t n, const double *left, const double *right);

void heat_step(double *block, int64_t n, const double *left, const double *right)
{
    double before = left ? left[BLOCK - 1] : block[0];
    double after = right ? right[0] : block[n - 1];
    for (int64_t i = 0; i < n; i++) {
        double here = block[i], next = i < n - 1 ? block[i + 1] : after;
        block[i] = here + 0.25 * (before - 2 * here + next);
        before = here;
    }
}

int main(void)
{
    static double rod[POINTS], wanted[POINTS]; /* the array's tiles are in the program's memory */
    twill *tw;
    twill_array *a;
    twill_graph *graph;
    twill_pattern pattern = twill_tiled(POINTS, 1, BLOCK, 1);
    rod[0] = wanted[0] = rod[333] = wanted[333] = 1000;
    for (int t = 0; t < STEPS; t++)
        heat_step(wanted, POINTS, NULL, NULL);
    if (twill_start(&tw, NULL) ||
        twill_array_wrap(tw, &pattern, TWILL_FLOAT64, 0, rod, POINTS, &a) ||
        twill_stencil_new(tw, BLOCKS, STEPS, a, &graph) || twill_ptg_run(graph) ||
        twill_wait(graph)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_graph_free(graph);
    twill_stop(tw);
    bool same = memcmp(rod, wanted, sizeof rod) == 0;
    printf("%d steps of %d blocks: %s\n", STEPS, BLOCKS, same ? "as in one loop" : "wrong");
    return same ? 0 : 1;
}
