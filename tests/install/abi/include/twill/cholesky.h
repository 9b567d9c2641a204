/* Cholesky factorization, and what is done with it.
 *
 * Threads: as in <twill/la.h>. */
#ifndef TWILL_CHOLESKY_H
#define TWILL_CHOLESKY_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Factor a Hermitian positive definite matrix of square tiles: A = L L^H (TWILL_LOWER) or U^H U
 * (TWILL_UPPER); the other triangle is not touched. `*info` is LAPACK's: 0, or the order of the
 * first leading minor that is not positive definite; the trailing matrix is then not factored.
 * TWILL_OK in both cases. Not inside tasks. */
TWILL_API twill_status twill_potrf(twill_uplo uplo, twill_array *a, int64_t *info);

/* The same inserted into a graph of yours: waits for nothing, and overlaps with whatever else is
 * inserted. twill_wait and twill_graph_info report a numerical failure. */
TWILL_API twill_status twill_potrf_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          const twill_la_options *options);

/* The same as a parameterised graph: twill_ptg_run starts it, as often as you like, twill_wait and
 * twill_graph_info tell how it ended. Its memory does not grow with the number of its tasks. */
TWILL_API twill_status twill_potrf_graph(twill_uplo uplo, twill_array *a,
                                         const twill_la_options *options, twill_graph **graph);

/* The same as an explicit graph, on one rank: twill_dag_run starts it, as often as you like. Tasks
 * on its critical path have bodies for teams, see twill/critical.h; bits depend neither on the mode
 * nor on the team, and are others than those of twill_potrf. */
TWILL_API twill_status twill_potrf_dag(twill_uplo uplo, twill_array *a, twill_graph **graph);

/* LAPACK's test ratio |A - L L^H| / (n |A| eps) in the 1-norm: `a` is the matrix before, `factor`
 * after. `a` is overwritten by the difference. Good below 30. */
TWILL_API twill_status twill_potrf_residual(twill_uplo uplo, twill_array *a, twill_array *factor,
                                            double *ratio);

/* ---- solving ----------------------------------------------------------------------------- */

/* Solve A X = B with the factor that twill_potrf left; X overwrites B, which has tiles as high as
 * those of A unless Twill chose those of one of them. */
TWILL_API twill_status twill_potrs(twill_uplo uplo, twill_array *a, twill_array *b);
TWILL_API twill_status twill_potrs_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          twill_array *b, const twill_la_options *options);

/* Factor and solve: A becomes its factor, B the solution. `*info` as of twill_potrf; when it is not
 * 0, B stays as it was. The inserted form solves tile by tile while it still factors: a B without a
 * solution may then be changed. */
TWILL_API twill_status twill_posv(twill_uplo uplo, twill_array *a, twill_array *b, int64_t *info);
TWILL_API twill_status twill_posv_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                         twill_array *b, const twill_la_options *options);

/* Estimate the condition of A from its factor: *rcond = 1 / (norm |A^-1|) in the 1-norm, `norm`
 * being that of A before it was factored (twill_norm_hermitian). As LAPACK's xPOCON, by a few
 * solves: nearly always within a factor of 3. 0: singular to working precision. */
TWILL_API twill_status twill_pocon(twill_uplo uplo, twill_array *a, double norm, double *rcond);

/* ---- triangles and inverses -------------------------------------------------------------- */

/* Inverse of a triangular matrix of square tiles, in its place; the other triangle, and with
 * TWILL_UNIT the diagonal, are not touched. `*info` is LAPACK's: 0, or the number, from 1, of the
 * first element of the diagonal that is exactly zero; the matrix then stays as it was (with the
 * second form, part of it may be changed). */
TWILL_API twill_status twill_trtri(twill_uplo uplo, twill_diag diag, twill_array *a, int64_t *info);
TWILL_API twill_status twill_trtri_insert(twill_graph *graph, twill_uplo uplo, twill_diag diag,
                                          twill_array *a, const twill_la_options *options);

/* A = L^H L (TWILL_LOWER) or U U^H (TWILL_UPPER), in the place of L or U, whose diagonal must be
 * real as that of a Cholesky factor is. */
TWILL_API twill_status twill_lauum(twill_uplo uplo, twill_array *a);
TWILL_API twill_status twill_lauum_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          const twill_la_options *options);

/* Inverse of a Hermitian positive definite matrix, in the place of the factor that twill_potrf
 * left; the triangle of it. `*info` as of twill_trtri. */
TWILL_API twill_status twill_potri(twill_uplo uplo, twill_array *a, int64_t *info);
TWILL_API twill_status twill_potri_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          const twill_la_options *options);

#ifdef __cplusplus
}
#endif
#endif
