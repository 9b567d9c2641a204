/* Patterns repeat after a few steps, so a small table holds them. */
#include "reach.h"

/* Differences are distinct modulo the radix wherever points count without wrapping around:
 * neighbours at most two away, powers of two to both sides, and the two children of a parent.
 * Lists that wrap have, at each place, every point once. */
static int place(const reach *r, int point, int source, int index)
{
    if (r->graph->pattern->wraps)
        return index;
    int difference = (source - point) % REACH;
    return difference < 0 ? difference + REACH : difference;
}

static void add(reach *r, int phase, int point, int source, int index)
{
    int k = place(r, point, source, index);
    r->source[phase][point].at[k] = (int8_t)source;
    r->reader[phase][source].at[k] = (int8_t)point;
}

static bool is_listed(const int *list, int n, int source)
{
    for (int k = 0; k < n; k++)
        if (list[k] == source)
            return true;
    return false;
}

static void add_point(reach *r, int phase, int point)
{
    int list[PATTERN_WIDTH];
    /* a step that is not the first, so that there is one before it */
    int n = r->graph->pattern->wishes(r->graph, r->period + phase, point, list);
    for (int k = 0; k < n; k++)
        if (list[k] >= 0 && list[k] < r->graph->width && !is_listed(list, k, list[k]))
            add(r, phase, point, list[k], k);
}

void reach_make(reach *r, const pattern_graph *graph)
{
    int levels = 1;
    while (1 << levels < graph->width)
        levels++;
    memset(r, -1, sizeof *r);
    r->graph = graph;
    r->full = graph->pattern->shape == PATTERN_FULL;
    r->period = PATTERN_PERIOD * levels;
    for (int phase = 0; phase < r->period; phase++)
        for (int point = 0; point < graph->width; point++)
            add_point(r, phase, point);
}
