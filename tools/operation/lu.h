/* What the files of LU share. */
#ifndef LU_H
#define LU_H

#include "operation/operation.h"

/* The array of pivots, which `prepare` makes. */
twill_array *lu_pivots(const work *w);

/* LAPACK's ratios: |A - P L U| / (n |A| eps), |A X - B| / (n |A| |X| eps) and
 * |A X - I| / (n |A| |X| eps). */
twill_status lu_factor_residual(work *w, double *ratio);
twill_status lu_solve_residual(work *w, double *ratio);
twill_status lu_inverse_residual(work *w, double *ratio);

#endif
