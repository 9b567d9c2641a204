/* What QR does to the tiles of one panel. LQ is its mirror image: with `mirror` the tiles are those
 * of A^H, each stored as its conjugate transpose. */
#ifndef TW_LA_QR_TILES_H
#define TW_LA_QR_TILES_H

#include "la/blas/blas.h"

#include <twill/ptg.h>

/* Order up to which a block is factored by columns: products of matrices would not pay. */
enum { TW_QR_SMALL = 96 };

/* Rows and columns of a tile as QR sees it. */
static inline int tw_qr_rows(bool mirror, const twill_flow *a)
{
    return (int)(mirror ? a->cols : a->rows);
}

static inline int tw_qr_cols(bool mirror, const twill_flow *a)
{
    return (int)(mirror ? a->rows : a->cols);
}

/* Bytes of memory for the time of the following two: `rows` is the sum over the tiles. */
size_t tw_qr_panel_bytes(const tw_kernels *k, int64_t rows, int64_t cols, int64_t ib, bool copies);
size_t tw_qr_merge_bytes(const tw_kernels *k, int64_t cols, int64_t ib);

/* Factor the tiles, stacked, and leave R in the first of them, V below it and in the others, and T
 * as LAPACK's geqrt does, `ldt` its leading dimension. */
void tw_qr_panel(const tw_kernels *k, bool mirror, const twill_flow *tiles, int count, void *t,
                 int ldt, int ib, void *work);

/* Factor two triangles, stacked: R goes to the first, V, upper triangular too, to the second. What
 * is below the triangles is not touched. */
void tw_qr_merge(const tw_kernels *k, bool mirror, const twill_flow *top, const twill_flow *other,
                 void *t, int ldt, int ib, void *work);

/* C := op(Q) C (side L) or C op(Q), Q being that of a panel of one tile; trans C is its inverse.
 * `work` has room for ib times the columns (side L) or rows of C. */
void tw_qr_panel_apply(const tw_kernels *k, bool mirror, const twill_flow *a, const void *t,
                       int ldt, int ib, char side, char trans, const twill_flow *c, void *work);

/* Are the tiles one block of memory, so that no copies are needed? */
bool tw_qr_adjacent(const tw_kernels *k, bool mirror, const twill_flow *tiles, int count);

#endif
