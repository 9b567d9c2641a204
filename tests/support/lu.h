/* LU by the book: LAPACK's unblocked algorithm, rounded after every operation as the element type
 * rounds, and residuals by plain loops. */
#ifndef TEST_SUPPORT_LU_H
#define TEST_SUPPORT_LU_H

#include "support/matrix.h"

/* A matrix in tiles, or in memory of the program's with some rows to spare. */
typedef struct test_dense {
    twill_array *array;
    void *memory;
} test_dense;

test_dense test_dense_make(twill *tw, twill_type type, int64_t m, int64_t n, int64_t nb,
                           bool wrapped);
void test_dense_free(test_dense *a);

/* Factor packed memory; returns info. Pivots count from 1. */
int64_t test_lu(twill_type type, void *full, int64_t m, int64_t n, int64_t *pivots);

/* The pivots of an array, to be freed. */
int64_t *test_pivots(twill_array *ipiv);

/* |A - P L U| / (max(m, n) |A| eps), 1-norm; `full` is A. */
double test_lu_residual(const test_type *type, const void *full, const void *factor,
                        const int64_t *pivots, int64_t m, int64_t n);

/* The largest entry of L. */
double test_growth(twill_type type, const void *factor, int64_t m, int64_t n);

#endif
