/* The BLAS calls that products and triangular solves are made of, on tiles or on whole small
 * matrices. */
#ifndef TW_LA_CALLS_H
#define TW_LA_CALLS_H

#include "la/kernel/recursive.h"
#include "la/la.h"

/* What a product needs beside its matrices: the first two options of the call, and its factors. */
typedef struct tw_blas_args {
    char options[2];
    tw_element alpha, beta;
} tw_blas_args;

static inline tw_tile_view tw_view_of(const twill_flow *f)
{
    return (tw_tile_view){f->data, (int)f->rows, (int)f->cols, (int)f->ld};
}

/* `x` are the first factor, the second, and C. Those of rank k read the first factor only. */
typedef void tw_product_call(const tw_kernels *k, const tw_tile_view *x, const tw_blas_args *s);
tw_product_call tw_call_gemm, tw_call_symm, tw_call_hemm, tw_call_syrk, tw_call_herk, tw_call_syr2k,
    tw_call_her2k;

/* C := beta C. The options are the part, and 'H' when C has the diagonal of a Hermitian matrix. */
void tw_call_scale(const tw_kernels *k, const tw_tile_view *c, const tw_blas_args *s);

/* B := alpha op(A) B and the like, or with the inverse of op(A). */
typedef void tw_triangle_call(const tw_kernels *k, tw_triangle t, const void *alpha,
                              const tw_tile_view *a, const tw_tile_view *b);
tw_triangle_call tw_call_trmm, tw_call_trsm;

#endif
