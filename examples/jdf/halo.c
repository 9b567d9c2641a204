/* halo.jdf: heat spreads in a plate; the same bits as in a loop over the whole plate. */
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#include "halo.h"

/* The last block is smaller than the others. */
enum { BLOCKS = 6, ROWS = 40, BLOCK = 30, COLS = BLOCKS * BLOCK - 7, STEPS = 25 };

void heat_step(const twill_flow *block, const twill_flow *left, const twill_flow *right);

static double *column(const twill_flow *block, int64_t j)
{
    return (double *)block->data + j * block->ld;
}

void heat_step(const twill_flow *block, const twill_flow *left, const twill_flow *right)
{
    double before[ROWS], here[ROWS]; /* columns as they were */
    memcpy(before, left->data ? column(left, left->cols - 1) : column(block, 0), sizeof before);
    for (int64_t j = 0; j < block->cols; j++) {
        double *now = column(block, j);
        const double *after = j < block->cols - 1 ? column(block, j + 1)
                              : right->data       ? column(right, 0)
                                                  : here;
        memcpy(here, now, sizeof here);
        for (int i = 0; i < ROWS; i++) {
            double above = here[i > 0 ? i - 1 : i], below = here[i < ROWS - 1 ? i + 1 : i];
            now[i] = here[i] + 0.125 * (above + below + before[i] + after[i] - 4 * here[i]);
        }
        memcpy(before, here, sizeof before);
    }
}

int main(void)
{
    static const twill_datatype first = {.size = sizeof(twill_datatype), .col = {.count = 1}},
                                last = {.size = sizeof(twill_datatype), .col = {.first = -1}};
    static double plate[ROWS * COLS], wanted[ROWS * COLS];
    const twill_flow all = {wanted, ROWS, ROWS, COLS}, none = {0};
    twill *tw;
    twill_array *a;
    twill_graph *graph;
    twill_pattern pattern = twill_tiled(ROWS, COLS, ROWS, BLOCK);
    plate[0] = wanted[0] = plate[ROWS * 100 + 7] = wanted[ROWS * 100 + 7] = 1000;
    for (int t = 0; t < STEPS; t++)
        heat_step(&all, &none, &none);
    if (twill_start(&tw, NULL) ||
        twill_array_wrap(tw, &pattern, TWILL_FLOAT64, 0, plate, ROWS, &a) ||
        twill_halo_new(tw, BLOCKS, STEPS, a, &first, &last, &graph) || twill_ptg_run(graph) ||
        twill_wait(graph)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_graph_free(graph);
    twill_stop(tw);
    bool same = memcmp(plate, wanted, sizeof plate) == 0;
    printf("%d steps of %d blocks: %s\n", STEPS, BLOCKS, same ? "as in one loop" : "wrong");
    return same ? 0 : 1;
}
