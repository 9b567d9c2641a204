/* Probe vectors as matrices, to multiply them with the Q of a factorization. */
#ifndef QR_VECTORS_H
#define QR_VECTORS_H

#include "probe.h"

/* Make vectors real where the elements are. */
void vectors_fit(const work *w, double complex *x, int64_t length);

/* A new matrix of them, one per column, in tiles as high as those of the problem; and back. */
twill_status vectors_to_array(const work *w, const double complex *x, int64_t length,
                              twill_array **a);
twill_status vectors_from_array(twill_array *a, int64_t length, double complex *x);

#endif
