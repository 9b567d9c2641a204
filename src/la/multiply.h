/* Products of blocks by kernels of Twill's own, for real types. Libraries are made for large
 * matrices: on tiles of order 192 to 384 the AVX-512 kernels of OpenBLAS 0.3.21 reach two thirds to
 * three quarters of what they reach at order 2000; see docs/decisions/0015-own-products.md. */
#ifndef TW_LA_MULTIPLY_H
#define TW_LA_MULTIPLY_H

#include "la/blas.h"

/* Stand-ins for the library's; NULL: there are none for this processor. */
tw_gemm *tw_multiply_gemm(bool single);
tw_herk *tw_multiply_syrk(bool single);

/* A block of tiles C(i, j) := C(i, j) + alpha op(A(i)) op(B(j)), each factor packed once. The bits
 * are those of one gemm for each tile of C. */
tw_grid_gemm *tw_multiply_grid(bool single);

/* What `twill info` says of them. */
extern const char tw_multiply_name[];

#endif
