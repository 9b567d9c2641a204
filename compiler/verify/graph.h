/* Paths in a graph whose edges are relations. */
#ifndef VERIFY_GRAPH_H
#define VERIFY_GRAPH_H

#include "verify/poly.h"

typedef struct graph_edge {
    int from, to;
    isl_map *map;
} graph_edge;

typedef struct graph {
    poly *poly;
    int node_count;
    int *class_of; /* the class whose instances a node stands for */
    graph_edge *edges;
    int edge_count;
    int *component; /* of each node; edges go to components of lower or equal number */
    int component_count;
    isl_map **stars; /* node x node: paths inside a component, found when first needed */
    bool *has_stars; /* of a component */
} graph;

/* The graph with these nodes and no edges. */
void graph_make(graph *g, poly *p, int node_count);
void graph_free(graph *g);

/* Takes the map. */
void graph_add(graph *g, int from, int to, isl_map *map);

/* Find the strongly connected components, when all edges are there. */
void graph_settle(graph *g);

/* For each node the paths from `start` to it, the empty one included, or NULL where there are
 * none; `reach` has room for all nodes, and its maps belong to the caller. */
void graph_reach(graph *g, int start, isl_map **reach);

/* The identity on the instances of a class. */
isl_map *identity_of(const poly *p, int class);

#endif
