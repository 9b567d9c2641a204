/* What algorithms do to whole tiles, in any of the four types. A flow says where a tile's bytes are
 * and how large it is. */
#ifndef TW_LA_TILES_H
#define TW_LA_TILES_H

#include "la/kernel/packs.h"

/* C := C + alpha op(A) op(B), whole tiles. */
void tw_tile_product(const tw_kernels *k, char ta, char tb, const void *alpha, const twill_flow *a,
                     const twill_flow *b, const twill_flow *c);

/* What Cholesky needs. The lower form is that of the formulas; the upper one is its mirror image.
 */

/* A := L with A = L L^H; returns LAPACK's info. By recursion, or by LAPACK alone. */
int tw_tile_potrf(const tw_kernels *k, char uplo, const twill_flow *a);
int tw_tile_potrf_lapack(const tw_kernels *k, char uplo, const twill_flow *a);

/* C := C L^-H. */
void tw_tile_trsm(const tw_kernels *k, char uplo, const twill_flow *l, const twill_flow *c);

/* Where a product stands: step k changes tile (m, n) of nt by nt, as of the lower triangle. */
typedef struct tw_chol_step {
    int64_t m, n, k, nt;
} tw_chol_step;

/* C := C - A A^H. A is the first flow of the task. */
void tw_tile_herk(const twill_task *t, const tw_kernels *k, char uplo, tw_chol_step step,
                  const twill_flow *a, const twill_flow *c);

/* C := C - A B^H; in the upper form C := C - B^H A. A and B are the first two flows of the task. */
void tw_tile_gemm(const twill_task *t, const tw_kernels *k, char uplo, tw_chol_step step,
                  const twill_flow *a, const twill_flow *b, const twill_flow *c);

#endif
