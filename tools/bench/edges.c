/* While edges are added, in[to + 1] counts those that lead to `to`; sums make places of counts. */
#include "bench/edges.h"

#include <stdlib.h>

bool edges_open(edges *e, int64_t tasks)
{
    size_t n = (size_t)tasks + 1;
    *e = (edges){.in = calloc(n, sizeof *e->in), .out = calloc(n, sizeof *e->out), .tasks = tasks};
    if (!e->in || !e->out)
        edges_close(e);
    return e->in;
}

void edges_close(edges *e)
{
    free(e->in);
    free(e->out);
    free(e->source);
    free(e->target);
    *e = (edges){0};
}

static bool make_room(edges *e)
{
    int64_t room = e->room ? 2 * e->room : 1024;
    uint32_t *source =
        room <= UINT32_MAX ? realloc(e->source, (size_t)room * sizeof *source) : NULL;
    if (!source)
        return false;
    e->source = source;
    e->room = room;
    return true;
}

bool edges_add(edges *e, int64_t from, int64_t to)
{
    if (e->count == e->room && !make_room(e))
        return false;
    e->source[e->count++] = (uint32_t)from;
    e->in[to + 1]++;
    e->out[from + 1]++;
    return true;
}

/* Fill `target` from the last edge to the first, so that places end where they start. */
static void turn_around(edges *e)
{
    for (int64_t to = e->tasks - 1; to >= 0; to--)
        for (int64_t k = e->in [to + 1]; k-- > e->in[to];)
            e->target[--e->out[e->source[k] + 1]] = (uint32_t)to;
}

bool edges_finish(edges *e)
{
    e->target = malloc((size_t)(e->count + 1) * sizeof *e->target);
    if (!e->target)
        return false;
    for (int64_t i = 0; i < e->tasks; i++) {
        e->in[i + 1] += e->in[i];
        e->out[i + 1] += e->out[i];
    }
    turn_around(e);
    /* out[i + 1] is where task i starts now */
    for (int64_t i = 0; i < e->tasks; i++)
        e->out[i] = e->out[i + 1];
    e->out[e->tasks] = (uint32_t)e->count;
    return true;
}
