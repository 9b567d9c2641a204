/* A problem subcommand's options, and the matrices it makes from them. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "options.h"

/* What the command line says. Zero or NULL: not given, and n, m, k, nrhs and seed -1. */
typedef struct problem {
    const char *op; /* the subcommand */
    int64_t n, nb, workers, seed, repeat;
    const char *type, *uplo, *matrix, *load, *save, *trace;
    const char *sched, *front, *layout, *grid, *devices, *mode, *priority, *progress;
    bool check, stats, json, quiet;

    /* Found out from it: */
    twill_type element;
    int64_t m, k, nrhs;
    int64_t rows[2];   /* I and J of --matrix */
    char source[1024]; /* the file that --load reads */
    char command[512]; /* the command line, for traces */
    double gemm;       /* GFLOP/s of the tile product, 0: not measured */
} problem;

/* The options that all problem subcommands have. */
extern const option problem_options[];

/* Their defaults. */
problem problem_defaults(const char *op);

/* Check what the table cannot: the kind of matrix, files, the grid. Sets n, type and what follows
 * from them. Returns the exit status, after a complaint when it is not STATUS_OK. */
int problem_check(problem *p);

/* Complain and return STATUS_SYSTEM when `copies` n by n matrices do not fit into memory. */
int problem_fits(const problem *p, int copies);

/* A matrix in the layout asked for; `memory` is the program's own when it is wrapped. */
typedef struct matrix {
    twill_array *array;
    void *memory;
} matrix;

/* Create one of n by n, and free it. The first one decides p->nb when that is not given. */
int matrix_create(problem *p, twill *tw, matrix *a);
void matrix_free(matrix *a);

/* The triangle that --uplo names. */
twill_uplo problem_uplo(const problem *p);

#endif
