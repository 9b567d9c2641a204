/* What instances of a program wait for. */
#ifndef LOOPS_DEPEND_H
#define LOOPS_DEPEND_H

#include "loops/program.h"

typedef enum edge_kind {
    EDGE_FLOW,  /* takes what the other has written */
    EDGE_ANTI,  /* writes what the other has read */
    EDGE_OUTPUT /* writes what the other has written */
} edge_kind;

/* Instances of one statement that wait for instances of another. */
typedef struct edge {
    edge_kind kind;
    int from, to;               /* statements */
    int from_access, to_access; /* -1 in control edges */
    isl_map *map;               /* from -> to */
} edge;

typedef struct dependences {
    program *program;
    bool all;   /* keep what is removed, too */
    int depth;  /* of the deepest statement */
    edge *data; /* values that go from task to task */
    int data_count;
    edge *control; /* order that these do not give; one per pair of statements */
    int control_count;
    edge *removed; /* what renaming makes unnecessary, for --explain */
    int removed_count;
    int *first;      /* number of the first access of a statement */
    isl_set **loads; /* of each access: instances that get the tile from memory */
    isl_set **stores;
} dependences;

/* All that the program needs; `all`: and what is removed. False after a diagnostic. */
bool dependences_find(dependences *d, program *p, bool all);
void dependences_free(dependences *d);

/* reduce.c: leave out control edges that follow from others. */
void dependences_reduce(dependences *d);

/* explain.c: each dependence with the two lines that it comes from. */
void dependences_explain(const dependences *d, FILE *out);

#endif
