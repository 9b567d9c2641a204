/* Matrices of any of the four types, seen as complex numbers. */
#ifndef TEST_SUPPORT_MATRIX_H
#define TEST_SUPPORT_MATRIX_H

#include "la/blas/blas.h"

#include <complex.h>
#include <twill/twill.h>

/* The four types with what tests need to know of them. */
typedef struct test_type {
    twill_type type;
    const char *name;
    double eps;            /* unit roundoff */
    const char *reference; /* LAPACK's own Cholesky, which no library replaces by its own */
} test_type;
extern const test_type test_types[4];

/* The number with these parts, whatever they are; C's own macro is not there for all compilers. */
double complex test_number(double re, double im);

double complex test_load(const void *data, twill_type type, int64_t at);
void test_store(void *data, twill_type type, int64_t at, double complex x);

/* Is (i, j) in the triangle? */
bool test_inside(twill_uplo uplo, int64_t i, int64_t j);

/* The whole matrix as packed memory of its own, to be freed; and back. */
void *test_unpack(twill_array *a);
void test_pack(twill_array *a, const void *full);

/* LAPACK's factorization of packed memory; returns info. */
int test_lapack(twill *tw, const test_type *type, twill_uplo uplo, void *full, int64_t n);

#endif
