/* The edges of a graph in both directions, for graphs whose edges no formula gives. */
#ifndef EDGES_H
#define EDGES_H

#include <stdbool.h>
#include <stdint.h>

/* Edges in[i] .. in[i+1]-1 of `source` lead to task i, edges out[i] .. out[i+1]-1 of `target` from
 * it. */
typedef struct edges {
    uint32_t *in, *out, *source, *target;
    int64_t tasks, count, room;
} edges;

/* For so many tasks. False without memory, here and below. */
bool edges_open(edges *e, int64_t tasks);
void edges_close(edges *e);

/* Add an edge; `to` never gets smaller. */
bool edges_add(edges *e, int64_t from, int64_t to);

/* After the last one: make the other direction. */
bool edges_finish(edges *e);

static inline int64_t edges_in(const edges *e, int64_t task)
{
    return e->in[task];
}

static inline int64_t edges_source(const edges *e, int64_t edge)
{
    return e->source[edge];
}

static inline int64_t edges_out(const edges *e, int64_t task)
{
    return e->out[task];
}

static inline int64_t edges_target(const edges *e, int64_t edge)
{
    return e->target[edge];
}

#endif
