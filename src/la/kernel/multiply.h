/* Products of blocks by kernels of Twill's own, for real types. Libraries are made for large
 * matrices: on tiles of order 192 to 384 the AVX-512 kernels of OpenBLAS 0.3.21 reach two thirds to
 * three quarters of what they reach at order 2000; see docs/decisions/0015-own-products.md. */
#ifndef TW_LA_MULTIPLY_H
#define TW_LA_MULTIPLY_H

#include "la/kernel/recursive.h"

/* How one side of a product is packed: `count` rows of op(A), or columns of op(B), filled up with
 * zeros to a multiple of `width`, times `inner` elements each. */
typedef struct tw_packing {
    int width;
    void (*pack)(char trans, int count, int inner, const void *x, int ld, void *out);
} tw_packing;

typedef bool tw_triangle_kernel(tw_triangle t, int m, int n, const void *alpha, const void *a,
                                int lda, void *b, int ldb);

typedef struct tw_multiply {
    tw_gemm *gemm; /* stand-ins for the library's */
    tw_herk *syrk;

    /* A block of tiles C(i, j) := C(i, j) + alpha op(A(i)) op(B(j)), each factor packed once. */
    tw_grid_gemm *grid;

    /* C := C + alpha A B, m by n, of factors that are packed already; part 'L' or 'U': only that
     * triangle. The bits of this and of the grid are those of gemm and syrk. */
    tw_packing left, right;
    void (*packed)(char uplo, int m, int n, int inner, const void *alpha, const void *a,
                   const void *b, void *c, int ldc);

    /* As trsm and trmm. False: nothing was done, because a diagonal element has no inverse to
     * multiply with, alpha is zero, or there is no memory; the library must do it. Products with
     * numbers that are not finite may have more NaN than need be. */
    tw_triangle_kernel *solve, *trmm;
} tw_multiply;

/* NULL: there are none for this processor. */
const tw_multiply *tw_multiply_of(bool single);

/* What `twill info` says of them. */
extern const char tw_multiply_name[];

#endif
