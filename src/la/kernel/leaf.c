/* Choosing the vectors, and small matrices as columns of them. */
#include "la/kernel/leaf.h"

#include "la/blas/blas.h"

#include <string.h>

const tw_leaf *tw_leaf_of(twill_type type)
{
    return tw_cpu_has_wide_vectors() ? &tw_leaves_wide[type] : &tw_leaves_plain[type];
}

/* ---- triangular solves ------------------------------------------------------------------- */

enum { ORDER = 32, WIDTH = 64 }; /* of a block that is solved at a time: it stays in the cache */

/* Copy n by cols elements, transposing; the size is a constant where this is called. */
static inline void turn(int64_t n, int64_t cols, const char *from, size_t row_from, size_t col_from,
                        char *to, size_t row_to, size_t col_to, size_t size)
{
    for (int64_t c = 0; c < cols; c++)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (size_t)i * row_to + (size_t)c * col_to,
                   from + (size_t)i * row_from + (size_t)c * col_from, size);
}

static void turn_any(int64_t n, int64_t cols, const char *from, size_t row_from, size_t col_from,
                     char *to, size_t row_to, size_t col_to, size_t size)
{
    if (size == 4)
        turn(n, cols, from, row_from, col_from, to, row_to, col_to, 4);
    else if (size == 8)
        turn(n, cols, from, row_from, col_from, to, row_to, col_to, 8);
    else
        turn(n, cols, from, row_from, col_from, to, row_to, col_to, 16);
}

/* Rows of X become columns, so that vectors are as long as X is wide. */
static void solve_block(const tw_leaf *leaf, int64_t n, int64_t cols, const char *l, int64_t ldl,
                        char *x, int64_t ldx)
{
    size_t size = leaf->size, step = WIDTH * size;
    _Alignas(64) char rows[ORDER * WIDTH * 16], factors[ORDER * 16];
    turn_any(n, cols, x, size, (size_t)ldx * size, rows, step, size, size);
    for (int64_t i = 1; i < n; i++) {
        turn_any(1, i, l + (size_t)i * size, 0, (size_t)ldl * size, factors, 0, size, size);
        leaf->update(cols, i, rows, WIDTH, factors, rows + (size_t)i * step);
    }
    turn_any(n, cols, rows, step, size, x, size, (size_t)ldx * size, size);
}

void tw_leaf_solve(const tw_leaf *leaf, int64_t n, int64_t cols, const void *l, int64_t ldl,
                   void *x, int64_t ldx)
{
    for (int64_t c = 0; c < cols; c += WIDTH) {
        int64_t some = cols - c < WIDTH ? cols - c : WIDTH;
        char *at = (char *)x + (size_t)(c * ldx) * leaf->size;
        if (some >= 4)
            solve_block(leaf, n, some, l, ldl, at, ldx);
        for (int64_t one = 0; some < 4 && one < some; one++)
            leaf->solve(n, l, ldl, at + (size_t)(one * ldx) * leaf->size);
    }
}

void tw_leaf_multiply(const tw_leaf *leaf, int64_t rows, int64_t cols, int64_t k, const void *a,
                      int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc)
{
    for (int64_t j = 0; j < cols; j++)
        leaf->update(rows, k, a, lda, (const char *)b + (size_t)(j * ldb) * leaf->size,
                     (char *)c + (size_t)(j * ldc) * leaf->size);
}
