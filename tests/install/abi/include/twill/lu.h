/* LU factorization of general matrices, and what is done with it.
 *
 * Threads: as in <twill/la.h>. */
#ifndef TWILL_LU_H
#define TWILL_LU_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices here have square tiles, and any number of rows and columns, 0 included. Pivots are an
 * array of 64-bit integers, LAPACK's: row i was interchanged with row ipiv[i], both counted from 1.
 * It has min(m, n) elements (TWILL_BYTES of 8) in tiles as high as those of the matrix:
 * twill_pivots_create makes the right one, and twill_array_wrap on a pattern
 * twill_tiled(min(m, n), 1, nb, 1) gives the program's own memory. */
TWILL_API twill_status twill_pivots_create(twill_array *a, twill_array **ipiv);

/* Factor A = P L U, L with a unit diagonal; both overwrite A. `*info` is LAPACK's: 0, or the number
 * i, from 1, of the first U(i,i) that is exactly zero; the factorization is completed all the same,
 * and TWILL_OK in both cases. */
TWILL_API twill_status twill_getrf(twill_array *a, twill_array *ipiv, int64_t *info);

/* The same inserted into a graph. options->method says how pivots are found:
 *   TWILL_METHOD_PARTIAL (and _AUTO)  the largest of the column, as LAPACK does;
 *   TWILL_METHOD_TOURNAMENT           tiles propose rows and the best of these win: a panel needs
 *                                     fewer steps that all workers wait for, entries of L may be a
 *                                     little larger than 1;
 *   TWILL_METHOD_NO_PIVOTING          none, for matrices known not to need any (diagonally
 *                                     dominant, say); ipiv[i] is i.
 * options->lookahead: tile columns beside a panel that are brought up to date before the rest; 0
 * is 2. A zero on the diagonal of U does not cancel the graph: twill_getrf_info finds it. */
TWILL_API twill_status twill_getrf_insert(twill_graph *graph, twill_array *a, twill_array *ipiv,
                                          const twill_la_options *options);

/* LAPACK's info of a factored matrix: waits for its diagonal, and looks for the first zero. */
TWILL_API twill_status twill_getrf_info(twill_array *factor, int64_t *info);

/* Solve A X = B, A^T X = B or A^H X = B with the factors of twill_getrf; X overwrites B. */
TWILL_API twill_status twill_getrs(twill_trans trans, twill_array *a, twill_array *ipiv,
                                   twill_array *b);
TWILL_API twill_status twill_getrs_insert(twill_graph *graph, twill_trans trans, twill_array *a,
                                          twill_array *ipiv, twill_array *b,
                                          const twill_la_options *options);

/* Factor A and solve A X = B. With *info > 0 there is no solution and B is left as it was; the
 * inserted form solves all the same, and X has infinities or NaN then. */
TWILL_API twill_status twill_gesv(twill_array *a, twill_array *ipiv, twill_array *b, int64_t *info);
TWILL_API twill_status twill_gesv_insert(twill_graph *graph, twill_array *a, twill_array *ipiv,
                                         twill_array *b, const twill_la_options *options);

/* Inverse of A in the place of the factors of twill_getrf. `*info` is LAPACK's: 0, or the number,
 * from 1, of the first U(i,i) that is exactly zero; the factors then stay as they are. The inserted
 * form wants a work space like A whose content does not matter, that lives until the graph is done;
 * twill_wait and twill_graph_info report a zero. */
TWILL_API twill_status twill_getri(twill_array *a, twill_array *ipiv, int64_t *info);
TWILL_API twill_status twill_getri_insert(twill_graph *graph, twill_array *a, twill_array *ipiv,
                                          twill_array *work, const twill_la_options *options);

/* Estimate the reciprocal of the condition number, 1 / (|A| |A^-1|), from the factors of
 * twill_getrf; `anorm` is |A| in the same norm, TWILL_NORM_ONE or TWILL_NORM_INF, from before. 0: A
 * is singular to working precision. */
TWILL_API twill_status twill_gecon(twill_norm_kind norm, twill_array *factor, double anorm,
                                   double *rcond);

#ifdef __cplusplus
}
#endif
#endif
