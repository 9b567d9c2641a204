/* An instance of a parameterised graph, as twillc lists it, and drawings of it. */
#ifndef DRAWING_H
#define DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct drawn_task {
    char *name; /* GEMM(3,1,0) */
    int class;
    int rank;  /* number among the ranks seen; -1: not known */
    int level; /* longest way from a task without predecessors */
    double x;  /* place in its level, in tasks */
    int way;   /* the first of its waypoints */
    int ways;  /* how many: one in each level that its edges pass, the next one first */
} drawn_task;

/* Where the edges of a task pass a level, between the boxes there. */
typedef struct waypoint {
    int level;
    double x;
} waypoint;

typedef struct drawn_edge {
    int from, to;
    char *label; /* flow => flow */
} drawn_edge;

typedef struct drawing {
    char *name;
    char **classes;
    int class_count;
    char **ranks; /* "row,column" */
    int rank_count;
    drawn_task *tasks;
    int task_count;
    drawn_edge *edges;
    int edge_count;
    int lost; /* dependencies that lead to no task */
    int levels;
    waypoint *ways;
    int way_count;
    struct tw_rgb *colours; /* of classes */
    int *table;             /* of names, for finding tasks; a power of two */
    int table_size;
} drawing;

/* Read what `twillc --print tasks` writes. False: no memory, or a line that makes no sense. */
bool drawing_read(drawing *d, FILE *in);
void drawing_free(drawing *d);

/* Give every task a level and a place in it, and waypoints to what it sends further than to the
 * next level; and colours to classes. False: no memory. Tasks on a cycle share level 0. */
bool drawing_arrange(drawing *d);

/* What a waypoint takes of a level, in tasks. */
#define DRAWING_WAY 0.2

/* Write the graph for Graphviz, or as a picture; the picture needs places. */
void drawing_dot(const drawing *d, FILE *out);
void drawing_svg(const drawing *d, FILE *out);

/* The line of rank number `i`. */
const char *drawing_line(int i);

#endif
