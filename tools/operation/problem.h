/* A problem subcommand's options, and the matrices it makes from them. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "command/options.h"

/* What the command line says. Zero or NULL: not given, and n, m, k, nrhs and seed -1. */
typedef struct problem {
    const char *op; /* the subcommand */
    int64_t m, n, k, nrhs, nb, ib, branches, lookahead, workers, seed, repeat, reserved;
    const char *type, *uplo, *side, *diag, *trans, *transa, *transb, *tree, *pivoting;
    const char *precision, *refine; /* of a factorization; how its solutions are refined */
    const char *matrix, *load, *b, *save, *trace;
    const char *sched, *front, *layout, *grid, *devices, *mode, *priority, *progress;
    const char *prescribed; /* workers for each task of the critical path */
    bool check, stats, json, quiet, commute;

    /* Found out from it: */
    bool simple; /* everything is left to the library: call the routine's simple form */
    twill_type element;
    int64_t rows[2];   /* I and J of --matrix */
    int64_t ranks[2];  /* P and Q of the grid */
    char command[512]; /* the command line, for traces */
    double gemm;       /* GFLOP/s of products of matrices, 0: not measured */
} problem;

/* The options that all problem subcommands have. */
extern const option problem_options[];

/* Their defaults. */
problem problem_defaults(const char *op);

/* Set what follows from other options. */
void problem_check(problem *p);

/* Is --trans n, or the good one of t and c? Real matrices have only one transpose. Returns the exit
 * status, after a complaint when it is not STATUS_OK. */
int problem_check_trans(const problem *p, char good);

/* Fit the problem to the ranks there are. Returns the exit status, after a complaint when it is not
 * STATUS_OK. */
int problem_join(problem *p, const twill *tw);

/* The letter of --type for an element type, and back. */
const char *problem_letter(twill_type element);
twill_type problem_element(const char *letter);

/* Complain and return STATUS_SYSTEM when so many elements do not fit into memory. */
int problem_fits(const problem *p, double elements);

/* A matrix in the layout asked for; `memory` is the program's own when it is wrapped. */
typedef struct matrix {
    twill_array *array;
    void *memory;
} matrix;

/* Create one, and free it. The first one decides p->nb when that is not given. */
int matrix_create(problem *p, twill *tw, int64_t rows, int64_t cols, matrix *a);
void matrix_free(matrix *a);

/* What --uplo, --side, --diag, --trans and the like name. */
twill_uplo problem_uplo(const problem *p);
twill_side problem_side(const problem *p);
twill_diag problem_diag(const problem *p);
twill_trans problem_trans(const char *value);

#endif
