/* Products of matrices and triangular solves: the level 3 BLAS on tiled matrices.
 *
 * Threads: as in <twill/la.h>. */
#ifndef TWILL_LEVEL3_H
#define TWILL_LEVEL3_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The nine routines of the BLAS, for all four types, with the arguments of the BLAS: sizes and
 * leading dimensions are those of the arrays. `op(A)` is A, its transpose or its conjugate
 * transpose. Where the BLAS reads or writes a triangle, so do these: the rest may hold anything, or
 * not be stored.
 *
 * The matrices of a product must have conforming tiles: where the product needs a column of one
 * matrix beside a row of another, both are in tiles of the same number, which are as large.
 * Matrices that are one tile always are, and those whose tiles Twill chose are made to
 * (twill_matrix_create). Layouts may differ. The result must have no tile of the
 * factors.
 *
 * As in the BLAS: a factor of beta = 0 overwrites C whatever was in it, NaN included; with
 * alpha = 0, or an inner size of 0, A and B are not looked at. All may be of size 0.
 *
 * Errors: TWILL_ERR_ARGUMENT with the number of the argument that the BLAS would report, told
 * before any work. The _insert forms wait for nothing: see <twill/la.h>; of the options they know
 * no_priority. */

/* C := alpha op(A) op(B) + beta C; C is m by n, op(A) m by k, op(B) k by n. */
TWILL_API twill_status twill_gemm(twill_trans transa, twill_trans transb, twill_scalar alpha,
                                  twill_array *a, twill_array *b, twill_scalar beta,
                                  twill_array *c);
TWILL_API twill_status twill_gemm_insert(twill_graph *graph, twill_trans transa, twill_trans transb,
                                         twill_scalar alpha, twill_array *a, twill_array *b,
                                         twill_scalar beta, twill_array *c,
                                         const twill_la_options *options);

/* C := alpha A B + beta C (TWILL_LEFT) or alpha B A + beta C (TWILL_RIGHT), with A symmetric; of A
 * only the triangle `uplo` is read. B and C are m by n. */
TWILL_API twill_status twill_symm(twill_side side, twill_uplo uplo, twill_scalar alpha,
                                  twill_array *a, twill_array *b, twill_scalar beta,
                                  twill_array *c);
TWILL_API twill_status twill_symm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                                         twill_scalar alpha, twill_array *a, twill_array *b,
                                         twill_scalar beta, twill_array *c,
                                         const twill_la_options *options);

/* The same with A Hermitian; for real types the same altogether. */
TWILL_API twill_status twill_hemm(twill_side side, twill_uplo uplo, twill_scalar alpha,
                                  twill_array *a, twill_array *b, twill_scalar beta,
                                  twill_array *c);
TWILL_API twill_status twill_hemm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                                         twill_scalar alpha, twill_array *a, twill_array *b,
                                         twill_scalar beta, twill_array *c,
                                         const twill_la_options *options);

/* C := alpha A A^T + beta C (TWILL_NO_TRANS, A is n by k) or alpha A^T A + beta C (TWILL_TRANS, A
 * is k by n); of C only the triangle `uplo` is read and written. TWILL_CONJ_TRANS is for real
 * types. */
TWILL_API twill_status twill_syrk(twill_uplo uplo, twill_trans trans, twill_scalar alpha,
                                  twill_array *a, twill_scalar beta, twill_array *c);
TWILL_API twill_status twill_syrk_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                                         twill_scalar alpha, twill_array *a, twill_scalar beta,
                                         twill_array *c, const twill_la_options *options);

/* The same with conjugate transposes, C Hermitian, alpha and beta real: TWILL_NO_TRANS or
 * TWILL_CONJ_TRANS; TWILL_TRANS is for real types. The diagonal of C becomes real. */
TWILL_API twill_status twill_herk(twill_uplo uplo, twill_trans trans, double alpha, twill_array *a,
                                  double beta, twill_array *c);
TWILL_API twill_status twill_herk_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                                         double alpha, twill_array *a, double beta, twill_array *c,
                                         const twill_la_options *options);

/* C := alpha A B^T + alpha B A^T + beta C, or alpha A^T B + alpha B^T A + beta C; else as syrk. */
TWILL_API twill_status twill_syr2k(twill_uplo uplo, twill_trans trans, twill_scalar alpha,
                                   twill_array *a, twill_array *b, twill_scalar beta,
                                   twill_array *c);
TWILL_API twill_status twill_syr2k_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                                          twill_scalar alpha, twill_array *a, twill_array *b,
                                          twill_scalar beta, twill_array *c,
                                          const twill_la_options *options);

/* C := alpha A B^H + conj(alpha) B A^H + beta C, or alpha A^H B + conj(alpha) B^H A + beta C; else
 * as herk. */
TWILL_API twill_status twill_her2k(twill_uplo uplo, twill_trans trans, twill_scalar alpha,
                                   twill_array *a, twill_array *b, double beta, twill_array *c);
TWILL_API twill_status twill_her2k_insert(twill_graph *graph, twill_uplo uplo, twill_trans trans,
                                          twill_scalar alpha, twill_array *a, twill_array *b,
                                          double beta, twill_array *c,
                                          const twill_la_options *options);

/* B := alpha op(A) B (TWILL_LEFT) or alpha B op(A) (TWILL_RIGHT), with A triangular: `uplo` says
 * which triangle is read; with TWILL_UNIT its diagonal is ones and not read. B is m by n. */
TWILL_API twill_status twill_trmm(twill_side side, twill_uplo uplo, twill_trans trans,
                                  twill_diag diag, twill_scalar alpha, twill_array *a,
                                  twill_array *b);
TWILL_API twill_status twill_trmm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                                         twill_trans trans, twill_diag diag, twill_scalar alpha,
                                         twill_array *a, twill_array *b,
                                         const twill_la_options *options);

/* B := the X with op(A) X = alpha B (TWILL_LEFT) or X op(A) = alpha B (TWILL_RIGHT); A as in trmm.
 * A zero on the diagonal is not looked for: it gives Inf and NaN. */
TWILL_API twill_status twill_trsm(twill_side side, twill_uplo uplo, twill_trans trans,
                                  twill_diag diag, twill_scalar alpha, twill_array *a,
                                  twill_array *b);
TWILL_API twill_status twill_trsm_insert(twill_graph *graph, twill_side side, twill_uplo uplo,
                                         twill_trans trans, twill_diag diag, twill_scalar alpha,
                                         twill_array *a, twill_array *b,
                                         const twill_la_options *options);

/* The same from the left as an explicit graph, on one rank: twill_dag_run starts it. Tasks on its
 * critical path have bodies for teams, see twill/critical.h, which cut blocks of B by columns: B
 * best has tiles as wide as itself, and as high as those of A. With `commute` products may come in
 * any order: less waiting, more memory, and bits that differ from run to run. Otherwise bits depend
 * neither on mode nor on team, and are others than those of twill_trsm. */
TWILL_API twill_status twill_trsm_dag(twill_uplo uplo, twill_trans trans, twill_diag diag,
                                      twill_scalar alpha, twill_array *a, twill_array *b,
                                      bool commute, twill_graph **graph);

#ifdef __cplusplus
}
#endif
#endif
