/* Indefinite factorizations: LAPACK's own to compare with, and the factor multiplied out. */
#ifndef TEST_SUPPORT_INDEFINITE_H
#define TEST_SUPPORT_INDEFINITE_H

#include "support/dense.h"

/* A matrix with its factorization, done or to come, and right-hand sides. */
typedef struct indefinite {
    bool hermitian;
    twill_uplo uplo;
    twill_array *a, *e, *ipiv, *b;
} indefinite;

/* LAPACK's factorization of A's elements in packed memory; returns info. */
int indefinite_lapack(twill *tw, const indefinite *p, void *full, int *ipiv);

/* |P^T A P - L D L^T| / (n |A| eps), `a` being A before; it is overwritten. */
double indefinite_ratio(const indefinite *p, dense a, double eps);

#endif
