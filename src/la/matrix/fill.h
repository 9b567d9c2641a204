/* Matrices from a rule for their entries. */
#ifndef TW_LA_FILL_H
#define TW_LA_FILL_H

#include <twill/matrix.h>

/* n entries of a column from (i, j): real parts, and imaginary parts between them if it is complex.
 * Called by all workers at once. */
typedef void tw_entries(const void *recipe, int64_t i, int64_t j, int64_t n, bool is_complex,
                        double *x);

/* Fill what the matrix stores, and wait. The matrix is checked already. */
twill_status tw_fill(twill_array *a, tw_entries *entries, const void *recipe);

/* A number in (-0.5, 0.5) from random bits. */
static inline double tw_uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

#endif
