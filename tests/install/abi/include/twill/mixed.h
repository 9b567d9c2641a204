/* Solving in mixed precision: factor in single, refine to the accuracy of double.
 *
 * Threads: as in <twill/la.h>. */
#ifndef TWILL_MIXED_H
#define TWILL_MIXED_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the solution is refined. */
typedef enum twill_refine {
    TWILL_REFINE_CLASSIC, /* X := X + A^-1 (B - A X), as LAPACK's xSPOSV and xSGESV */
    TWILL_REFINE_GMRES    /* GMRES with the factor as preconditioner: for worse conditions too */
} twill_refine;

/* Solve A X = B, A Hermitian positive definite, of type FLOAT64 or COMPLEX128. Refinement ends when
 * for every column |B - A X| < |X| |A| eps sqrt(n), largest elements and the infinity norm of A,
 * which is LAPACK's rule, and after 30 steps at the latest. When that is not reached, or A cannot
 * be factored in single precision, A is factored in double: the result is then that of twill_posv.
 *
 * B stays as it is. A stays too when refinement succeeds, else it becomes its factor. `*iterations`
 * is LAPACK's ITER: steps of refinement, of the column with most, or why there are none: -2,
 * numbers too large for single precision; -3, not definite there; -31, not accurate after 30 steps.
 * `*info` as of twill_posv; when it is not 0, X is no solution. Needs half the memory of A more (of
 * its triangle). Waits; not inside tasks: what is done next depends on numbers. */
TWILL_API twill_status twill_posv_mixed(twill_uplo uplo, twill_array *a, twill_array *b,
                                        twill_array *x, twill_refine refine, int64_t *iterations,
                                        int64_t *info);

/* The same for general matrices of square tiles, by LU with partial pivoting: see twill_gesv.
 * `ipiv` are the pivots of the factorization that was used last; -3 means that the factor in single
 * precision is exactly singular. Needs half the memory of A more. */
TWILL_API twill_status twill_gesv_mixed(twill_array *a, twill_array *ipiv, twill_array *b,
                                        twill_array *x, twill_refine refine, int64_t *iterations,
                                        int64_t *info);

#ifdef __cplusplus
}
#endif
#endif
