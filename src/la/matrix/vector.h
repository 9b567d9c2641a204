/* Columns of matrices as vectors that all ranks have. */
#ifndef TW_LA_MATRIX_VECTOR_H
#define TW_LA_MATRIX_VECTOR_H

#include "la/la.h"

#include <complex.h>

/* Set column j, and get it; the numbers are complex whatever the type. Collective: all ranks give
 * the same vector, and get it. Not inside tasks. */
twill_status tw_vector_put(twill_array *a, int64_t j, const double complex *x);
twill_status tw_vector_get(twill_array *a, int64_t j, double complex *x);

/* The largest element of each column, by |re| + |im|; NaN is the largest. `status` is that of what
 * this rank did before: if it or anything else fails on one rank, it fails on all. Collective. */
twill_status tw_columns_largest(twill_status status, twill_array *a, double *most);

#endif
