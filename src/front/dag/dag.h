/* The DAG front end: explicit tasks and edges, run many times. */
#ifndef TW_FRONT_DAG_H
#define TW_FRONT_DAG_H

#include "engine/engine.h"
#include "engine/use.h"

/* Bytes from a node to its task. */
enum { TW_NODE_HEAD = TW_LINE };

/* A task's place in the graph; the task itself comes right behind. */
typedef struct tw_node {
    int64_t number;
    const int64_t *successors; /* into the graph's list */
    int64_t nsuccessors;
    int32_t inputs;
    twill_task *task;
} tw_node;

typedef struct tw_edge {
    int64_t from, to;
} tw_edge;

typedef struct tw_dag {
    twill_graph *graph;
    tw_node **nodes;
    int64_t n, room;
    tw_edge *edges;
    int64_t nedges, edge_room;
    bool sealed;
    int64_t *successors; /* of all nodes, one after the other */
    int64_t *roots;
    int64_t nroots;
    /* Counts of inputs go down to 0 in one run and up again in the next: nothing is reset. */
    bool upwards;
    int64_t next_root; /* under the context's feed lock */
    tw_use *use;       /* of the tiles its tasks name, while a run is under way */
    atomic_bool running;
} tw_dag;

/* Check for cycles and prepare for running. */
twill_status tw_dag_seal(tw_dag *dag);

#endif
