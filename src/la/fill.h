/* Matrices from a rule for their entries. */
#ifndef TW_LA_FILL_H
#define TW_LA_FILL_H

#include <twill/matrix.h>

/* Writes real and imaginary part of entry (i, j); called by all workers at once. */
typedef void tw_entry(const void *recipe, int64_t i, int64_t j, double *x);

/* Fill what the matrix stores, and wait. The matrix is checked already. */
twill_status tw_fill(twill_array *a, tw_entry *entry, const void *recipe);

/* A number in (-0.5, 0.5) from random bits. */
static inline double tw_uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

#endif
