/* Triangular kernels by recursion: nearly all of their work becomes gemm and herk, which every
 * library does well. Libraries' own trsm can be five times slower than gemm on whole tiles
 * (OpenBLAS 0.3.21 with its SkylakeX kernels); where Twill has solves of its own, tiles need no
 * recursion. Arguments are those of BLAS and LAPACK. */
#ifndef TW_LA_RECURSIVE_H
#define TW_LA_RECURSIVE_H

#include "la/blas/blas.h"

typedef struct tw_triangle {
    char side, uplo, trans, diag;
} tw_triangle;

/* B := alpha op(A)^-1 B or alpha B op(A)^-1; B is m x n. */
void tw_trsm_recursive(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                       const void *a, int lda, void *b, int ldb);

/* A := its Cholesky factor. Returns LAPACK's info. */
int tw_potrf_recursive(const tw_kernels *k, char uplo, int n, void *a, int lda);

#endif
