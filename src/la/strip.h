/* Solves with small triangles, to which recursion comes down. Libraries' own can be slow: those of
 * OpenBLAS 0.3.21 with its SkylakeX kernels reach a fifth of the rate of gemm from the right, and a
 * fourteenth from the left. */
#ifndef TW_LA_STRIP_H
#define TW_LA_STRIP_H

#include "la/recursive.h"

enum { TW_STRIP_ORDER = 32 }; /* largest order */

/* As tw_trsm_recursive, the triangle being a leaf. False: nothing was done, because there is no
 * kernel for this processor or type, or a diagonal element has no inverse to multiply with; the
 * library must do it. */
bool tw_strip_trsm(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                   const void *a, int lda, void *b, int ldb);

/* ---- for strip.c: kernels of a processor ---------------------------------------------------- */

/* X U = B, in place, for a strip of TW_STRIP_BYTES bytes per column of X and B. U is `order` by
 * `order`, a multiple of 4, upper triangular, stored by rows of TW_STRIP_ORDER elements; the
 * inverse of its diagonal comes apart. All is on 64-byte boundaries. */
enum { TW_STRIP_BYTES = 128 };
typedef void tw_strip_solver(int order, const void *u, const void *inverse, void *x);

/* The kernel for single or double precision; NULL: there is none. */
tw_strip_solver *tw_strip_kernel(bool single);

#endif
