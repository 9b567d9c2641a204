/* Scaling of least squares problems, as LAPACK's gels does it: when the largest entry of a matrix
 * is so small or large that the factorization might underflow or overflow. */
#ifndef TW_LA_GELS_SCALE_H
#define TW_LA_GELS_SCALE_H

#include "la/direct.h"
#include "la/la.h"

/* A matrix, the rows of it that count, and the tile that takes its largest entry. */
typedef struct tw_scaled {
    twill_array *a;
    int64_t rows;
    twill_tile *norm;
} tw_scaled;

/* An array of two such tiles, and a third for whoever makes it, on ranks that A is on: the one that
 * is there, if that fits. */
twill_status tw_scales_fit(const twill_array *a, twill_array **scales);

/* Insert: find the largest entry, then scale if that is called for. */
twill_status tw_scale_insert(twill_graph *g, const tw_scaled *s);

/* Insert: undo in the solution, rows of X, what was done to A and B. X is zero if A was, in all of
 * its rows. */
twill_status tw_unscale_insert(twill_graph *g, twill_array *x, int64_t rows, twill_tile *norm_a,
                               twill_tile *norm_b);

/* The same for a small matrix as a whole. Returns the largest entry. */
double tw_scale_whole(const tw_kernels *k, const twill_flow *a, int64_t rows);
void tw_unscale_whole(const tw_kernels *k, const twill_flow *x, int64_t rows, double norm_a,
                      double norm_b);

/* What gels does to small matrices, A and B, as a whole; the argument is the option of the
 * transpose. */
tw_direct_kernel tw_gels_whole;

#endif
