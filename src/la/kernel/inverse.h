/* Inverses and products of triangles, whole tiles at a time, by recursion to gemm; see recursive.h
 * for why. A flow says where a tile's bytes are and how large it is. */
#ifndef TW_LA_INVERSE_H
#define TW_LA_INVERSE_H

#include "la/blas/blas.h"

#include <twill/ptg.h>

/* A := A^-1. The diagonal must have no zeros: tw_tile_zero looks for them. */
void tw_tile_trtri(const tw_kernels *k, char uplo, char diag, const twill_flow *a);

/* A := L^H L (lower) or U U^H (upper). */
void tw_tile_lauum(const tw_kernels *k, char uplo, const twill_flow *a);

/* B := L^H B (lower) or B U^H (upper). */
void tw_tile_trmm(const tw_kernels *k, char uplo, const twill_flow *a, const twill_flow *b);

/* The first diagonal element that is exactly zero, counted from 1, or 0. */
int64_t tw_tile_zero(const tw_kernels *k, const twill_flow *a);

#endif
