/* Columns of a panel, one at a time: the part of LU that no product can do.
 *
 * Arithmetic is LAPACK's, one rounding per operation and in its order, so that pivots are chosen
 * as LAPACK chooses them: nothing is fused, whatever the processor could do. */
#ifndef TW_LA_LEAF_H
#define TW_LA_LEAF_H

#include <twill/array.h>

typedef struct tw_leaf {
    size_t size; /* of an element */

    /* x -= A u, A having k columns. */
    void (*update)(int64_t rows, int64_t k, const void *a, int64_t lda, const void *u, void *x);

    /* x := L^-1 x, L being of order n with a unit diagonal. */
    void (*solve)(int64_t n, const void *l, int64_t ldl, void *x);

    /* How large the largest element is (LAPACK's |re| + |im| when complex); -1 when there is none
     * but NaN. With `first` a NaN in front counts as the largest: so LAPACK's search has it. */
    double (*largest)(int64_t rows, const void *x, bool first);

    /* The first element that is as large; it must be there. */
    int64_t (*find)(int64_t rows, const void *x, double size);

    /* x /= *pivot, by its reciprocal unless that overflows; a pivot of zero leaves x alone. */
    void (*scale)(int64_t rows, const void *pivot, void *x);

    /* All of a small matrix: P A = L U, pivots counted from 1. */
    void (*factor)(int64_t rows, int64_t cols, void *a, int64_t lda, int64_t *pivots);
} tw_leaf;

/* Matrices in tiles of up to this order are factored by leaves alone, and have the bits that LAPACK
 * gives them with the BLAS by the book; it costs nothing that such tiles have not cost already. */
enum { TW_LEAF = 32 };

/* X := L^-1 X, L being of order n <= TW_LEAF with a unit diagonal; C -= A B, A having k columns. */
void tw_leaf_solve(const tw_leaf *leaf, int64_t n, int64_t cols, const void *l, int64_t ldl,
                   void *x, int64_t ldx);
void tw_leaf_multiply(const tw_leaf *leaf, int64_t rows, int64_t cols, int64_t k, const void *a,
                      int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc);

/* For the element type, as this processor does it best. */
const tw_leaf *tw_leaf_of(twill_type type);

/* The same text compiled for any processor, and for wide vectors. */
extern const tw_leaf tw_leaves_plain[TWILL_COMPLEX128 + 1], tw_leaves_wide[TWILL_COMPLEX128 + 1];

#endif
