/* What algorithms do to whole tiles, in any of the four types. A flow says where a tile's bytes are
 * and how large it is. */
#ifndef TW_LA_TILES_H
#define TW_LA_TILES_H

#include "la/blas.h"

#include <twill/ptg.h>

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

/* C := C - A A^H. */
void tw_tile_herk(const tw_kernels *k, char uplo, const twill_flow *a, const twill_flow *c);

/* C := C - A B^H; in the upper form C := C - B^H A. */
void tw_tile_gemm(const tw_kernels *k, char uplo, const twill_flow *a, const twill_flow *b,
                  const twill_flow *c);

#endif
