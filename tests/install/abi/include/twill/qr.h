/* QR and LQ factorization, their orthogonal factors, and least squares.
 *
 * Threads: as in <twill/la.h>; reflectors are used by one thread at a time, as if it were an output
 * of every call. */
#ifndef TWILL_QR_H
#define TWILL_QR_H

#include <twill/la.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All matrices are of any size, 0 included. A has square tiles; a matrix that Q is applied to has
 * tiles that fit those of A where Q stands, and of any size across.
 *
 * ---- reflectors ---------------------------------------------------------------------------
 *
 * A factorization leaves Q as reflectors: partly in A, where LAPACK has them, and partly in this
 * object, which takes the place of LAPACK's tau:
 *
 *     twill_reflectors *h;
 *     twill_reflectors_create(tw, NULL, &h);
 *     twill_geqrf(a, h);
 *     twill_unmqr(TWILL_LEFT, TWILL_CONJ_TRANS, a, h, c);
 *     twill_reflectors_free(h);
 */
typedef struct twill_reflectors twill_reflectors;

/* Make one, for factorizations one after the other, of any size. Of the options, tree and ib count:
 * they are those of the factorizations. NULL, or 0: chosen by the shape of each matrix.
 *   TWILL_TREE_FLAT       all tiles of a panel at once; with one branch A and tau are LAPACK's
 *   TWILL_TREE_BINARY     a few tiles at once, the results merged in pairs; for tall matrices
 *   TWILL_TREE_GREEDY     tile by tile, as many merges at a time as there can be
 *   TWILL_TREE_FIBONACCI  tile by tile, merges in a pipeline from panel to panel
 * A larger ib makes larger products, and more operations.
 *
 * Branches are for matrices on several ranks: tile rows i, i + branches, i + 2 branches ... of a
 * panel (tile columns for LQ) are reduced by the tree for themselves, and the results merged in
 * pairs. 0 is a branch for each row of A's grid of ranks (LQ: column), so that a rank factors what
 * it has; 1 is the tree of one rank. Results depend on the number of branches, not on the grid. */
TWILL_API twill_status twill_reflectors_create(twill *tw, const twill_la_options *options,
                                               twill_reflectors **h);

/* Wait for everything that uses it, then free it. NULL is allowed. Not inside tasks. */
TWILL_API void twill_reflectors_free(twill_reflectors *h);

/* Tree and inner block size of the last factorization. TWILL_ERR_STATE before the first. */
TWILL_API twill_status twill_reflectors_info(const twill_reflectors *h, twill_tree *tree,
                                             int64_t *ib);

/* Branches of its tree: at most one for each tile row (LQ: column). TWILL_ERR_STATE before. */
TWILL_API twill_status twill_reflectors_branches(const twill_reflectors *h, int64_t *branches);

/* LAPACK's tau, min(m, n) elements of the matrix's type, after waiting for the factorization, on
 * all ranks, which call it together. Only flat trees of one branch have it: TWILL_ERR_UNSUPPORTED
 * otherwise. Not inside tasks. */
TWILL_API twill_status twill_reflectors_tau(twill_reflectors *h, void *tau);

/* ---- factorization ----------------------------------------------------------------------- */

/* A = Q R: R replaces A on and above its diagonal, reflectors below it and in h. */
TWILL_API twill_status twill_geqrf(twill_array *a, twill_reflectors *h);
TWILL_API twill_status twill_geqrf_insert(twill_graph *graph, twill_array *a, twill_reflectors *h,
                                          const twill_la_options *options);

/* A = L Q: L replaces A on and below its diagonal, reflectors above it and in h. */
TWILL_API twill_status twill_gelqf(twill_array *a, twill_reflectors *h);
TWILL_API twill_status twill_gelqf_insert(twill_graph *graph, twill_array *a, twill_reflectors *h,
                                          const twill_la_options *options);

/* ---- the orthogonal (unitary) factor ------------------------------------------------------- */

/* C := Q C, Q^H C (TWILL_LEFT), C Q or C Q^H (TWILL_RIGHT), Q from twill_geqrf, a square matrix of
 * the order of A's rows; a and h as it left them. For complex types TWILL_TRANS is refused. */
TWILL_API twill_status twill_unmqr(twill_side side, twill_trans trans, twill_array *a,
                                   twill_reflectors *h, twill_array *c);
TWILL_API twill_status twill_unmqr_insert(twill_graph *graph, twill_side side, twill_trans trans,
                                          twill_array *a, twill_reflectors *h, twill_array *c,
                                          const twill_la_options *options);

/* The same for Q from twill_gelqf, of the order of A's columns. */
TWILL_API twill_status twill_unmlq(twill_side side, twill_trans trans, twill_array *a,
                                   twill_reflectors *h, twill_array *c);
TWILL_API twill_status twill_unmlq_insert(twill_graph *graph, twill_side side, twill_trans trans,
                                          twill_array *a, twill_reflectors *h, twill_array *c,
                                          const twill_la_options *options);

/* The first columns of Q from twill_geqrf, as many as q has (at most its rows, which are those of
 * A), and the first rows of Q from twill_gelqf. Unlike LAPACK's, A stays as it is. */
TWILL_API twill_status twill_ungqr(twill_array *a, twill_reflectors *h, twill_array *q);
TWILL_API twill_status twill_ungqr_insert(twill_graph *graph, twill_array *a, twill_reflectors *h,
                                          twill_array *q, const twill_la_options *options);
TWILL_API twill_status twill_unglq(twill_array *a, twill_reflectors *h, twill_array *q);
TWILL_API twill_status twill_unglq_insert(twill_graph *graph, twill_array *a, twill_reflectors *h,
                                          twill_array *q, const twill_la_options *options);

/* ---- least squares ----------------------------------------------------------------------- */

/* Solve op(A) X = B for an A of full rank: X of least |B - op(A) X| when op(A) has more rows than
 * columns, else X of least norm. B has max(m, n) rows; B is in the first ones, X afterwards. A
 * becomes its QR (m >= n) or LQ factorization. `*info` is LAPACK's: 0, or i when entry i of the
 * diagonal of the triangle is exactly zero; B is then not specified. TWILL_OK in both cases. For
 * complex types TWILL_TRANS is refused. Matrices with very small or large entries are scaled. */
TWILL_API twill_status twill_gels(twill_trans trans, twill_array *a, twill_array *b, int64_t *info);

/* The same inserted: twill_wait and twill_graph_info report a zero. h is left with A's reflectors;
 * they are those of A after scaling. */
TWILL_API twill_status twill_gels_insert(twill_graph *graph, twill_trans trans, twill_array *a,
                                         twill_reflectors *h, twill_array *b,
                                         const twill_la_options *options);

#ifdef __cplusplus
}
#endif
#endif
