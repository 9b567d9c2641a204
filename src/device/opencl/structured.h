/* Matrices with a structure: what is made of them before a product, and systems with triangles. */
#ifndef TW_DEVICE_OPENCL_STRUCTURED_H
#define TW_DEVICE_OPENCL_STRUCTURED_H

#include "device/opencl/product.h"

enum { TW_OCL_BLOCK = 32 }; /* order of diagonal blocks, as in kernels/blocks.cl */

/* to := alpha op(A), m by n: of a matrix of this kind, whose `part` is stored; only `into` of it.
 */
void tw_ocl_expand(tw_ocl_call *call, int64_t m, int64_t n, tw_ocl_scalar alpha, int kind, int part,
                   int trans, tw_ocl_matrix a, int into, tw_ocl_matrix to);

/* The plain copy of a matrix in workspace. */
tw_ocl_matrix tw_ocl_copy_of(tw_ocl_call *call, int64_t m, int64_t n, tw_ocl_matrix a);

/* A triangle of order n. */
typedef struct tw_ocl_triangle {
    tw_ocl_matrix a;
    int64_t n;
    int part;
    bool unit;
} tw_ocl_triangle;

/* op(A) X = alpha B (left) or X op(A) = alpha B, with `other` columns or rows of B, which X
 * replaces. */
void tw_ocl_solve(tw_ocl_call *call, bool left, int trans, tw_ocl_triangle t, int64_t other,
                  tw_ocl_scalar alpha, tw_ocl_matrix b);

/* The inverse of a triangle, in place; info becomes `before` + the first zero on its diagonal. */
void tw_ocl_invert(tw_ocl_call *call, tw_ocl_triangle t, int64_t before);

/* Half of a size, in whole blocks. */
static inline int64_t tw_ocl_half(int64_t n, int64_t block)
{
    return (n / 2 + block - 1) / block * block;
}

#endif
