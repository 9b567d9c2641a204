/* QR of one block of columns, with the triangle T of its reflectors. */
#ifndef TW_LA_QR_RECURSIVE_H
#define TW_LA_QR_RECURSIVE_H

#include "la/blas/blas.h"

/* As LAPACK's geqrt with a single block: A = Q R, rows >= cols, Q = I - V T V^H. `work` has room
 * for cols * cols elements. */
void tw_geqrt_recursive(const tw_kernels *k, int rows, int cols, void *a, int lda, void *t, int ldt,
                        void *work);

#endif
