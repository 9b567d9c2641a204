/* twillc --from-c: sequential loops over tiles as a parameterised task graph. */
#ifndef LOOPS_H
#define LOOPS_H

#include "source.h"

typedef struct loops_options {
    const char *function; /* NULL: the only one that has loops over tiles */
    const char *name;     /* of the graph; NULL: the function's */
    const char *base;     /* what is written is BASE.c: bodies may include the input from there */
    const char *const *args; /* of the C compiler */
    int arg_count;
    bool in_place;
    bool distribute;          /* the function runs on all ranks */
    const char *const *tiles; /* A=EXPR: elements of its tiles */
    int tile_count;
    FILE *print;   /* the intermediate form goes there; NULL: nowhere */
    FILE *explain; /* each dependence goes there; NULL: nowhere */
} loops_options;

typedef struct loops_result {
    const char *jdf;  /* NULL after diagnostics */
    const char *name; /* of the graph */
} loops_result;

/* Read a C file as a graph. False: there is no libclang or no isl, as *why says. */
bool loops_read(source *s, const loops_options *o, loops_result *result, const char **why);

#endif
