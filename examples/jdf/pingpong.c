/* pingpong.jdf: a tile goes to and fro between two processes. On one, as today, the run ends with
 * an error that names the first task of the other process, and that is what this program expects.
 */
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#include "pingpong.h"

enum { TIMES = 10 };

int main(void)
{
    static const twill_datatype tile = {
        .size = sizeof(twill_datatype), .rows = 1, .cols = 1, .element = sizeof(int64_t)};
    int64_t hits = 0;
    twill *tw;
    twill_array *a;
    twill_graph *graph;
    twill_pattern pattern = twill_tiled(1, 1, 1, 1);
    if (twill_start(&tw, NULL) ||
        twill_array_wrap(tw, &pattern, TWILL_BYTES, sizeof hits, &hits, 1, &a) ||
        twill_pingpong_new(tw, TIMES, a, &tile, &graph) || twill_ptg_run(graph)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    bool alone = twill_wait(graph) != TWILL_OK;
    bool expected = alone ? strstr(twill_message(), "PONG(k=0)") != NULL : hits == 2 * TIMES + 1;
    if (alone)
        printf("This takes two processes: %s\n", twill_message());
    else
        printf("The tile was hit %d times.\n", (int)hits);
    twill_graph_free(graph);
    twill_stop(tw);
    return expected ? 0 : 1;
}
