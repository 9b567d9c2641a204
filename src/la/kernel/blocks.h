/* Column-major blocks of elements: addresses, and what BLAS has no name for. */
#ifndef TW_LA_BLOCKS_H
#define TW_LA_BLOCKS_H

#include "la/kernel/recursive.h"

/* Element (i, j). */
static inline const void *tw_at(const tw_kernels *k, const void *a, int64_t i, int64_t j,
                                int64_t ld)
{
    return (const char *)a + (i + j * ld) * (int64_t)k->size;
}

static inline void *tw_at_rw(const tw_kernels *k, void *a, int64_t i, int64_t j, int64_t ld)
{
    return (char *)a + (i + j * ld) * (int64_t)k->size;
}

/* Is a product this large done by Twill itself? Libraries have ways of their own for small and for
 * narrow ones. */
bool tw_block_is_own(const tw_kernels *k, int64_t m, int64_t n, int64_t inner);

/* C := alpha op(A) op(B) + beta C, by the library or, if that is faster, by Twill itself. */
void tw_block_gemm(const tw_kernels *k, char ta, char tb, int m, int n, int inner,
                   const void *alpha, const void *a, int lda, const void *b, int ldb,
                   const void *beta, void *c, int ldc);

/* C(i, j) := alpha op(A(i)) op(B(j)) + beta C(i, j), with the same bits. */
void tw_block_grid(const tw_kernels *k, const tw_grid *g, const void *beta);

/* B := alpha op(A) B or alpha B op(A), A being triangular and B m by n, for finite numbers. */
void tw_block_trmm(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                   const void *a, int lda, void *b, int ldb);

/* A triangle of C := alpha A A^H + beta C, with trans 'N', or of alpha A^H A + beta C; and with
 * plain transposes. */
void tw_block_herk(const tw_kernels *k, char uplo, char trans, int n, int inner, const void *alpha,
                   const void *a, int lda, const void *beta, void *c, int ldc);
void tw_block_syrk(const tw_kernels *k, char uplo, char trans, int n, int inner, const void *alpha,
                   const void *a, int lda, const void *beta, void *c, int ldc);

/* X := Y, X + Y, X - Y, 0; all are rows x cols. */
void tw_block_copy(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y,
                   int ldy);
void tw_block_add(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y,
                  int ldy);
void tw_block_subtract(const tw_kernels *k, int rows, int cols, void *x, int ldx, const void *y,
                       int ldy);
void tw_block_clear(const tw_kernels *k, int rows, int cols, void *x, int ldx);

/* X := Y^H; X is rows x cols. With `upper` only what is on and above the diagonal of X, or, with
 * `lower`, on and below. */
typedef enum tw_block_part { TW_BLOCK_ALL, TW_BLOCK_UPPER, TW_BLOCK_LOWER } tw_block_part;
void tw_block_conjugate(const tw_kernels *k, tw_block_part uplo, int rows, int cols, void *x,
                        int ldx, const void *y, int ldy);

#endif
