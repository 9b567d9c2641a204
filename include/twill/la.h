/* Linear algebra on tiled matrices: 2-d arrays of the four numeric types. */
#ifndef TWILL_LA_H
#define TWILL_LA_H

#include <twill/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum twill_uplo { TWILL_LOWER = 'L', TWILL_UPPER = 'U', TWILL_GENERAL = 'G' } twill_uplo;

/* ---- filling and looking ----------------------------------------------------------------- */

/* Random entries in (-0.5, 0.5), real and imaginary parts alike; entry (i, j) depends on seed, i
 * and j alone. */
TWILL_API twill_status twill_fill_random(twill_array *a, uint64_t seed);

/* Hermitian (real: symmetric) with random entries, n added to the diagonal: positive definite and
 * well conditioned. twill_fill_hermitian leaves the diagonal random. */
TWILL_API twill_status twill_fill_spd(twill_array *a, uint64_t seed);
TWILL_API twill_status twill_fill_hermitian(twill_array *a, uint64_t seed);

/* to = from; type, size and tile size must be the same. */
TWILL_API twill_status twill_copy(twill_array *from, twill_array *to);

/* A number that depends on the bits of the matrix (of its triangle, without TWILL_GENERAL) and on
 * nothing else: equal bits, equal digest, whatever the tile size. docs/manual.md gives the sum. */
TWILL_API twill_status twill_digest(twill_array *a, twill_uplo part, uint64_t *digest);

/* ---- Cholesky ---------------------------------------------------------------------------- */

/* Expert options; zero is the default. */
typedef struct twill_potrf_options {
    bool no_priority; /* all tasks with the same priority */
    int lookahead;    /* columns beside the panel that are updated before the others; 0 means 1 */
} twill_potrf_options;

/* Factor a Hermitian positive definite matrix of square tiles: A = L L^H (TWILL_LOWER) or U^H U
 * (TWILL_UPPER); the other triangle is not touched. `*info` is LAPACK's: 0, or the order of the
 * first leading minor that is not positive definite; the trailing matrix is then not factored.
 * TWILL_OK in both cases. Not inside tasks. */
TWILL_API twill_status twill_potrf(twill_uplo uplo, twill_array *a, int64_t *info);

/* The same inserted into a graph of yours: waits for nothing, and overlaps with whatever else is
 * inserted. twill_wait and twill_graph_info report a numerical failure. */
TWILL_API twill_status twill_potrf_insert(twill_graph *graph, twill_uplo uplo, twill_array *a,
                                          const twill_potrf_options *options);

/* The same as a parameterised graph: twill_ptg_run starts it, as often as you like, twill_wait and
 * twill_graph_info tell how it ended. Its memory does not grow with the number of its tasks. */
TWILL_API twill_status twill_potrf_graph(twill_uplo uplo, twill_array *a,
                                         const twill_potrf_options *options, twill_graph **graph);

/* LAPACK's test ratio |A - L L^H| / (n |A| eps) in the 1-norm: `a` is the matrix before, `factor`
 * after. `a` is overwritten by the difference. Good below 30. */
TWILL_API twill_status twill_potrf_residual(twill_uplo uplo, twill_array *a, twill_array *factor,
                                            double *ratio);

/* ---- rates ------------------------------------------------------------------------------- */

/* Measured rate of the tile product on all workers at once, cache-cold tiles of order nb: the
 * limit that factorizations are compared with. Takes about a tenth of a second. */
TWILL_API twill_status twill_gemm_rate(twill *tw, twill_type type, int64_t nb, double *gflops);

#ifdef __cplusplus
}
#endif
#endif
