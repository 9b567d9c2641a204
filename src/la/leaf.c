/* Choosing the vectors, and small matrices as columns. */
#include "la/leaf.h"

#if defined(__x86_64__)
static bool has_wide_vectors(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
static bool has_wide_vectors(void)
{
    return false;
}
#endif

const tw_leaf *tw_leaf_of(twill_type type)
{
    return has_wide_vectors() ? &tw_leaves_wide[type] : &tw_leaves_plain[type];
}

void tw_leaf_solve(const tw_leaf *leaf, int64_t n, int64_t cols, const void *l, int64_t ldl,
                   void *x, int64_t ldx)
{
    for (int64_t c = 0; c < cols; c++)
        for (int64_t k = 0; k + 1 < n; k++) {
            char *top = (char *)x + (size_t)(k + c * ldx) * leaf->size;
            leaf->update(n - k - 1, 1, (const char *)l + (size_t)(k + 1 + k * ldl) * leaf->size,
                         ldl, top, top + leaf->size);
        }
}

void tw_leaf_multiply(const tw_leaf *leaf, int64_t rows, int64_t cols, int64_t k, const void *a,
                      int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc)
{
    for (int64_t j = 0; j < cols; j++)
        leaf->update(rows, k, a, lda, (const char *)b + (size_t)(j * ldb) * leaf->size,
                     (char *)c + (size_t)(j * ldc) * leaf->size);
}
