/* The level 3 BLAS checked by plain loops: one call on tiled matrices, with rubbish wherever the
 * routine has no business. */
#ifndef TEST_SUPPORT_LEVEL3_H
#define TEST_SUPPORT_LEVEL3_H

#include "support/matrix.h"

typedef enum level3_routine {
    LEVEL3_GEMM,
    LEVEL3_SYMM,
    LEVEL3_HEMM,
    LEVEL3_SYRK,
    LEVEL3_HERK,
    LEVEL3_SYR2K,
    LEVEL3_HER2K,
    LEVEL3_TRMM,
    LEVEL3_TRSM,
    LEVEL3_ROUTINES
} level3_routine;
extern const char *const level3_names[LEVEL3_ROUTINES];

/* A call. Sizes as in `twill help`: the result is m by n, or n by n when a triangle is updated. */
typedef struct level3_call {
    level3_routine routine;
    const test_type *type;
    twill_side side;
    twill_uplo uplo;
    twill_trans transa, transb;
    twill_diag diag;
    int64_t m, n, k;
    int64_t mb, nb, kb; /* how m, n and k are cut */
    double complex alpha, beta;
    unsigned wrapped; /* bits: A, B and the result in memory of the program's */
    bool triangle;    /* what is symmetric or triangular stores a triangle only */
    bool part;        /* all are parts of larger matrices */
    bool inserted;    /* the asynchronous form */
    bool no_priority;
    uint64_t seed;
} level3_call;

/* Can the routine take these transposes for this type? */
bool level3_allowed(const level3_call *o);

/* Make the call and check every element of the result; returns the worst error in units of eps
 * times what the terms of its sum add up to in magnitude. The test fails when it is 30 or more, or
 * when anything else has changed. */
double level3_check(twill *tw, const level3_call *o);

/* Make the call on random matrices, and return the digest of the result. */
uint64_t level3_digest(twill *tw, const level3_call *o);

#endif
