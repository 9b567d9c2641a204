/* What the files of symmetric and Hermitian matrices share. */
#ifndef INDEFINITE_H
#define INDEFINITE_H

#include "operation/solution.h"

/* The rest of the factorization, the own data of its operations. */
typedef struct factor {
    twill_array *e, *ipiv;
} factor;

/* Is it one of the Hermitian ones? */
bool indefinite_is_hermitian(const work *w);

/* |A - P L D L^T P^T| / (n |A| eps), or with L^H. */
twill_status indefinite_factor_residual(work *w, double *ratio);

#endif
