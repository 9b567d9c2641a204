/* Triangular kernels by recursion. */
#include "la/kernel/recursive.h"

#include "la/kernel/blocks.h"
#include "la/kernel/multiply.h"

/* Measured: smaller leaves cost calls, larger ones leave more to slow kernels. Where Twill has its
 * own solves, triangles up to an order that keeps a strip in the second cache are leaves. */
enum { LEAF = 32, OWN_LEAF = 512 };

static const char *at(const tw_kernels *k, const void *a, int64_t i, int64_t j, int ld)
{
    return (const char *)a + (i + j * ld) * (int64_t)k->size;
}

static void *at_rw(const tw_kernels *k, void *a, int64_t i, int64_t j, int ld)
{
    return (char *)a + (i + j * ld) * (int64_t)k->size;
}

/* Whole leaves in the first half, so that only the last leaf is odd. */
static int first_half(int n)
{
    return (n / 2 + LEAF - 1) / LEAF * LEAF;
}

/* The block of A beside its diagonal, `h` being the order of the first part. */
static const void *beside(const tw_kernels *k, char uplo, const void *a, int h, int lda)
{
    return uplo == 'L' ? at(k, a, h, 0, lda) : at(k, a, 0, h, lda);
}

/* op(A) X = alpha B: with op(A) lower the first rows of X come first. */
static void trsm_left(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                      const void *a, int lda, void *b, int ldb)
{
    int h = first_half(m), rest = m - h;
    bool lower = (t.uplo == 'L') == (t.trans == 'N');
    const void *second = at(k, a, h, h, lda), *off = beside(k, t.uplo, a, h, lda);
    void *b2 = at_rw(k, b, h, 0, ldb);
    if (lower) {
        tw_trsm_recursive(k, t, h, n, alpha, a, lda, b, ldb);
        tw_block_gemm(k, t.trans, 'N', rest, n, h, k->minus_one, off, lda, b, ldb, alpha, b2, ldb);
        tw_trsm_recursive(k, t, rest, n, k->one, second, lda, b2, ldb);
    } else {
        tw_trsm_recursive(k, t, rest, n, alpha, second, lda, b2, ldb);
        tw_block_gemm(k, t.trans, 'N', h, n, rest, k->minus_one, off, lda, b2, ldb, alpha, b, ldb);
        tw_trsm_recursive(k, t, h, n, k->one, a, lda, b, ldb);
    }
}

/* X op(A) = alpha B: with op(A) upper the first columns of X come first. */
static void trsm_right(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                       const void *a, int lda, void *b, int ldb)
{
    int h = first_half(n), rest = n - h;
    bool lower = (t.uplo == 'L') == (t.trans == 'N');
    const void *second = at(k, a, h, h, lda), *off = beside(k, t.uplo, a, h, lda);
    void *b2 = at_rw(k, b, 0, h, ldb);
    if (lower) {
        tw_trsm_recursive(k, t, m, rest, alpha, second, lda, b2, ldb);
        tw_block_gemm(k, 'N', t.trans, m, h, rest, k->minus_one, b2, ldb, off, lda, alpha, b, ldb);
        tw_trsm_recursive(k, t, m, h, k->one, a, lda, b, ldb);
    } else {
        tw_trsm_recursive(k, t, m, h, alpha, a, lda, b, ldb);
        tw_block_gemm(k, 'N', t.trans, m, rest, h, k->minus_one, b, ldb, off, lda, alpha, b2, ldb);
        tw_trsm_recursive(k, t, m, rest, k->one, second, lda, b2, ldb);
    }
}

static const tw_multiply *own_of(const tw_kernels *k)
{
    return k->complex ? NULL : tw_multiply_of(k->single);
}

static bool solve_leaf(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                       const void *a, int lda, void *b, int ldb)
{
    const tw_multiply *own = own_of(k);
    int order = t.side == 'L' ? m : n;
    if (order <= OWN_LEAF && own && own->solve(t, m, n, alpha, a, lda, b, ldb))
        return true;
    if (order <= LEAF)
        k->trsm(&t.side, &t.uplo, &t.trans, &t.diag, &m, &n, alpha, a, &lda, b, &ldb, 1, 1, 1, 1);
    return order <= LEAF;
}

void tw_trsm_recursive(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                       const void *a, int lda, void *b, int ldb)
{
    if (solve_leaf(k, t, m, n, alpha, a, lda, b, ldb))
        return;
    if (t.side == 'L')
        trsm_left(k, t, m, n, alpha, a, lda, b, ldb);
    else
        trsm_right(k, t, m, n, alpha, a, lda, b, ldb);
}

int tw_potrf_recursive(const tw_kernels *k, char uplo, int n, void *a, int lda)
{
    int info = 0;
    if (n <= LEAF) {
        k->potrf(&uplo, &n, a, &lda, &info, 1);
        return info;
    }
    int h = first_half(n), rest = n - h;
    bool lower = uplo == 'L';
    void *off = lower ? at_rw(k, a, h, 0, lda) : at_rw(k, a, 0, h, lda);
    void *second = at_rw(k, a, h, h, lda);
    info = tw_potrf_recursive(k, uplo, h, a, lda);
    if (info != 0)
        return info;
    tw_triangle t = {lower ? 'R' : 'L', uplo, 'C', 'N'};
    tw_trsm_recursive(k, t, lower ? rest : h, lower ? h : rest, k->one, a, lda, off, lda);
    tw_block_herk(k, uplo, lower ? 'N' : 'C', rest, h, k->minus_one, off, lda, k->one, second, lda);
    info = tw_potrf_recursive(k, uplo, rest, second, lda);
    return info == 0 ? 0 : h + info;
}
