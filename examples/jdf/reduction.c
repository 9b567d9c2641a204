/* reduction.jdf: 64 tiles are added up, the same two by two however many workers there are. */
#include <stdio.h>
#include <twill/twill.h>

#include "reduction.h"

enum { LEVELS = 6, LEAVES = 1 << LEVELS, ROWS = 10 };

int main(void)
{
    static double leaves[LEAVES * ROWS], sum[ROWS];
    twill *tw;
    twill_array *a, *s;
    twill_graph *graph;
    twill_pattern many = twill_tiled(LEAVES * ROWS, 1, ROWS, 1),
                  one = twill_tiled(ROWS, 1, ROWS, 1);
    for (int i = 0; i < LEAVES * ROWS; i++)
        leaves[i] = i;
    if (twill_start(&tw, NULL) ||
        twill_array_wrap(tw, &many, TWILL_FLOAT64, 0, leaves, LEAVES * ROWS, &a) ||
        twill_array_wrap(tw, &one, TWILL_FLOAT64, 0, sum, ROWS, &s) ||
        twill_reduction_new(tw, LEVELS, a, s, &graph) || twill_ptg_run(graph) ||
        twill_wait(graph)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_graph_free(graph);
    twill_stop(tw);
    int wrong = 0;
    for (int k = 0; k < ROWS; k++) /* k + (ROWS + k) + (2 ROWS + k) + ... */
        wrong += sum[k] != LEAVES * k + ROWS * LEAVES * (LEAVES - 1) / 2;
    printf("the sums of %d tiles are %s\n", LEAVES, wrong ? "wrong" : "right");
    return wrong != 0;
}
