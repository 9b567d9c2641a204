/* Whole matrices of complex numbers, multiplied by plain loops: what tile algorithms are compared
 * with. */
#ifndef TEST_SUPPORT_FULL_H
#define TEST_SUPPORT_FULL_H

#include "support/matrix.h"

typedef struct test_full {
    int64_t m, n;
    double complex *x; /* column-major, packed */
} test_full;

test_full test_full_zeros(int64_t m, int64_t n);
test_full test_full_identity(int64_t m, int64_t n);
test_full test_full_of(twill_array *a);
void test_full_free(test_full *a);

/* Set what is outside the triangle (trapezoid) to zero. */
void test_full_cut(test_full a, twill_uplo uplo);

/* op(A) op(B), the operations being 'N', 'T' or 'C'. */
test_full test_full_times(char ta, test_full a, char tb, test_full b);

/* 1-norms of A and of A - B; NaN when there is one. */
double test_full_norm(test_full a);
double test_full_distance(test_full a, test_full b);

#endif
