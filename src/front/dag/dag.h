/* The DAG front end: explicit tasks and edges, run many times. */
#ifndef TW_FRONT_DAG_H
#define TW_FRONT_DAG_H

#include "engine/engine.h"
#include "engine/use.h"

/* A task's place in the graph; the task itself is the next line and what follows. */
enum { TW_FEW_SUCCESSORS = 4 };

typedef struct tw_node {
    _Alignas(TW_LINE) int64_t number;
    twill_task **successors; /* `few`, or part of the graph's list */
    int32_t nsuccessors;
    int32_t inputs;
    twill_task *few[TW_FEW_SUCCESSORS];
    int32_t height; /* tasks of the longest path that begins here */
    bool critical;  /* on the critical path */
    bool asked;     /* the program has said that it is */
    bool ranked;    /* the program gave it a priority; others have their height */
} tw_node;

static inline twill_task *tw_node_task(tw_node *node)
{
    return (twill_task *)(node + 1);
}

static inline tw_node *tw_task_node(twill_task *t)
{
    return (tw_node *)t - 1;
}

typedef struct tw_edge {
    int64_t from, to;
} tw_edge;

/* Nodes lie one after the other, in the order in which they were added. */
typedef struct tw_chunk {
    struct tw_chunk *next;
    size_t used;
} tw_chunk;

typedef struct tw_dag {
    twill_graph *graph;
    tw_chunk *chunks;
    tw_node **nodes;
    int64_t n, room;
    tw_edge *edges;
    int64_t nedges, edge_room;
    bool sealed;
    bool chosen;             /* the program has said which tasks are critical, of some */
    bool told, ranked;       /* and they know it; and their heights are their priorities */
    twill_task **successors; /* of all nodes, one after the other */
    int64_t *roots;
    int64_t nroots;
    int64_t next_root; /* under the context's startup lock */
    tw_use *use;       /* of the tiles its tasks name; made by the first run, used by all */
} tw_dag;

extern const tw_graph_ops tw_dag_ops;

/* TWILL_ERR_ARGUMENT when the graph is not an explicit one. */
twill_status tw_dag_check(const twill_graph *g);

/* Check for cycles and prepare for running; the second one does what else only the first run after
 * a change has to do, unless that has been done. */
twill_status tw_dag_seal(tw_dag *dag);
twill_status tw_dag_fix(tw_dag *dag);

/* The height of each task, and the critical path; `order` is a topological one. Tell the tasks,
 * where there is a critical set or somebody has asked for costs; and rank them, where there is a
 * set. */
void tw_dag_measure(tw_dag *dag, const int64_t *order);
void tw_dag_tell(tw_dag *dag);

#endif
