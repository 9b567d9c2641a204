/* Symmetric and Hermitian matrices that need not be definite: factorization and solve.
 *
 * Threads: as in <twill/la.h>. */
#ifndef TWILL_INDEFINITE_H
#define TWILL_INDEFINITE_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The routines called sy take symmetric matrices, also when these are complex; those called he take
 * Hermitian ones. For real types they are the same. Only one triangle is read and written.
 *
 * A = P L D L^T P^T (TWILL_LOWER) or P U D U^T P^T (TWILL_UPPER), with ^H for Hermitian matrices: L
 * and U have a unit diagonal, D has blocks of order 1 and 2. Pivots are Bunch and Kaufman's, the
 * same as those of LAPACK's xSYTRF and xHETRF. Kept are
 *   in A     L or U without its diagonal, all rows interchanged; on the diagonal that of D
 *   in e     the rest of D: lower e[i] = D(i+1,i), upper e[i] = D(i-1,i), else 0. A matrix n by 1
 *            of A's type, in tiles nb by 1 when those of A are nb by nb
 *   in ipiv  LAPACK's, from 1. Positive: row i was interchanged with ipiv[i]. Two negative numbers
 *            in a row are a block of order 2: of its two rows the one further along (lower: the
 *            second, upper: the first) was interchanged with -ipiv[i]. An array of 64-bit integers
 *            (TWILL_BYTES of 8), tiled as e is
 * That is the form of LAPACK's xSYTRF_RK but for the choice of pivots. */

/* Factor. `*info` is LAPACK's: 0, or the number i, from 1, of the first block D(i,i) that is
 * exactly zero (the last one in the upper form); the factorization is completed all the same. The
 * inserted form tells by TWILL_ERR_NUMERICAL at the end, when all of the factor is there.
 * options->ib: width of a panel. Needs memory for one more matrix while it runs. */
TWILL_API twill_status twill_sytrf(twill_uplo uplo, twill_array *a, twill_array *e,
                                   twill_array *ipiv, int64_t *info);
TWILL_API twill_status twill_hetrf(twill_uplo uplo, twill_array *a, twill_array *e,
                                   twill_array *ipiv, int64_t *info);
TWILL_API twill_status twill_sytrf_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          twill_array *e, twill_array *ipiv,
                                          const twill_la_options *options);
TWILL_API twill_status twill_hetrf_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          twill_array *e, twill_array *ipiv,
                                          const twill_la_options *options);

/* Solve A X = B with the factor; X overwrites B, which has tiles as high as A's
 * unless Twill chose those of one of them. */
TWILL_API twill_status twill_sytrs(twill_uplo uplo, twill_array *a, twill_array *e,
                                   twill_array *ipiv, twill_array *b);
TWILL_API twill_status twill_hetrs(twill_uplo uplo, twill_array *a, twill_array *e,
                                   twill_array *ipiv, twill_array *b);
TWILL_API twill_status twill_sytrs_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          twill_array *e, twill_array *ipiv, twill_array *b,
                                          const twill_la_options *options);
TWILL_API twill_status twill_hetrs_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          twill_array *e, twill_array *ipiv, twill_array *b,
                                          const twill_la_options *options);

/* Factor and solve. With *info > 0 the matrix is singular and B stays as it was. The plain form
 * keeps e and ipiv to itself; the inserted one needs them. */
TWILL_API twill_status twill_sysv(twill_uplo uplo, twill_array *a, twill_array *b, int64_t *info);
TWILL_API twill_status twill_hesv(twill_uplo uplo, twill_array *a, twill_array *b, int64_t *info);
TWILL_API twill_status twill_sysv_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                         twill_array *e, twill_array *ipiv, twill_array *b,
                                         const twill_la_options *options);
TWILL_API twill_status twill_hesv_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                         twill_array *e, twill_array *ipiv, twill_array *b,
                                         const twill_la_options *options);

#ifdef __cplusplus
}
#endif
#endif
