/* Estimate of the norm of an inverse, and with it of a condition number, by a few solves: the
 * method of Hager and Higham, as LAPACK's xLACN2. For any factorization that can solve. */
#ifndef TW_LA_CONDITION_H
#define TW_LA_CONDITION_H

#include "la/la.h"

/* x := A^-1 x or, with `adjoint`, A^-H x. `x` has one column, in tiles as high as those of A, and
 * A's type. Returns when that is done. */
typedef twill_status tw_condition_solve(void *arg, twill_array *x, bool adjoint);

/* *rcond := 1 / (norm * estimate of |A^-1|), both in the 1-norm; 0 when A is singular to working
 * precision, as LAPACK has it: norm 0, or an inverse that overflows; 1 for an empty matrix. For the
 * infinity norm exchange `adjoint`. `a` says only what x is like. NaN in the norm gives NaN. */
twill_status tw_condition(twill_array *a, double norm, tw_condition_solve *solve, void *arg,
                          double *rcond);

#endif
