/* Problem subcommands: what one operation must say, and the driver that does the rest.
 *
 * The driver makes the matrices, fills them from a seed or from files, times the operation,
 * computes digest and residual, and reports. One file per operation says what is particular. */
#ifndef OPERATION_H
#define OPERATION_H

#include "operation/report.h"
#include "operation/transfer.h"

enum { OPERANDS = 4 };

/* How an operand is filled when --matrix says nothing. */
typedef enum filling {
    FILL_NOTHING, /* it is not an input */
    FILL_RANDOM,
    FILL_HERMITIAN, /* real: symmetric */
    FILL_SYMMETRIC,
    FILL_SPD,
    FILL_DOMINANT /* both triangles well conditioned, also when the diagonal is taken as ones */
} filling;

/* A matrix of the operation. Sizes are letters: m, n, k, r (--nrhs), or x for max(m, n). */
typedef struct operand {
    const char *name; /* its files are NAME_in.npy and NAME.npy */
    char rows, cols;
    filling fill;
    bool result; /* written by the operation: saved, and made afresh for the check */
} operand;

/* A problem under way. */
typedef struct work {
    problem *p;
    twill *tw;
    int operands;
    operand list[OPERANDS];
    source from[OPERANDS];
    matrix x[OPERANDS]; /* what the operation works on */
    matrix
        before[OPERANDS]; /* with --check: results as they were before, for `residual` to use up */
    void *own;            /* of `prepare` */
    int64_t iterations;   /* of refinement, in the last run */
} work;

typedef struct operation {
    const char *name, *about;
    const char *takes;  /* of the options in operation.c, those it has: "m uplo trans" */
    const char *sizes;  /* why it lacks others: "its matrix is n by n" */
    const char *fronts; /* for --front, the default first: "ptg|stf" */

    /* Name the operands, the one that --matrix means first; returns how many. */
    int (*operands)(const problem *p, operand *list);
    /* Options that do not go together: the exit status, after a complaint. Optional. */
    int (*check)(const problem *p);
    double (*flops)(const problem *p); /* LAPACK's count; NULL where the numbers decide it */
    int64_t (*tasks)(const work *w);   /* for the progress bar; optional */

    /* More than the operands: make it once, let go of it. Optional. */
    twill_status (*prepare)(work *w);
    void (*finish)(work *w);

    /* What the timed part starts from, such as a factor in the place of a matrix; with *info > 0
     * there is none, and nothing is timed. Optional. */
    twill_status (*factor)(work *w, int64_t *info);
    /* The part that is timed. A numerical failure is told by *info alone. */
    twill_status (*run)(work *w, int64_t *info);
    twill_status (*digest)(work *w, uint64_t *digest);
    /* LAPACK's test ratio; w->before may be overwritten. Not called when info > 0 unless
     * `checks_failures`, for operations whose result is defined then. */
    twill_status (*residual)(work *w, double *ratio);
    bool checks_failures;
    void (*add_json)(const work *w, json *j); /* what is its own; optional */
    int (*save)(work *w);                     /* results that are no operands; optional */
    const char *info_means;                   /* with one %lld: what info > 0 says */
} operation;

/* Run the subcommand, or print its help. Both return the exit status. */
int operation_run(const operation *op, int argc, char **argv);
int operation_help(const operation *op);

/* Expert options of the library as the command line gives them. */
twill_la_options operation_expert(const problem *p);

/* All there are, in a list that ends with NULL. */
extern const operation *const operations[];
extern const operation potrf_operation;
extern const operation gemm_operation, summa_operation, symm_operation, hemm_operation,
    syrk_operation, herk_operation, syr2k_operation, her2k_operation, trmm_operation,
    trsm_operation;
extern const operation potrs_operation, posv_operation, posv_mixed_operation, potri_operation,
    pocon_operation, trtri_operation, lauum_operation;
extern const operation sytrf_operation, sytrs_operation, sysv_operation, hetrf_operation,
    hetrs_operation, hesv_operation;
extern const operation getrf_operation, getrs_operation, gesv_operation, gesv_mixed_operation,
    getri_operation, gecon_operation;
extern const operation geqrf_operation, gelqf_operation, unmqr_operation, unmlq_operation,
    ungqr_operation, unglq_operation, gels_operation;

#endif
