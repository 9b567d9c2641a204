/* The recursive kernels against what they promise: op(A) X = alpha B, and A = L L^H. Products are
 * formed by the library's gemm, so that the kernels are checked by another routine. */
#include "la/kernel/recursive.h"

#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 101, OTHER = 37, LD = 109 }; /* several leaves, the last one odd */

static const char sides[] = "LR", triangles[] = "LU", transposes[] = "NTC", diagonals[] = "NU";

static uint64_t seed = 1;

static double uniform(void)
{
    return (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5;
}

static void *matrix(twill_type type, double diagonal)
{
    void *a = calloc((size_t)LD * LD, 16);
    for (int j = 0; j < LD; j++)
        for (int i = 0; i < LD; i++)
            test_store(a, type, i + (int64_t)j * LD,
                       i == j ? uniform() + diagonal : uniform() + uniform() * I);
    return a;
}

/* The triangle alone, zeros elsewhere, ones on a unit diagonal. */
static void *whole(twill_type type, tw_triangle t, const void *a)
{
    void *w = calloc((size_t)LD * LD, 16);
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++) {
            int64_t at = i + (int64_t)j * LD;
            double complex x = i == j && t.diag == 'U' ? 1 : test_load(a, type, at);
            if (i == j || (t.uplo == 'L') == (i > j))
                test_store(w, type, at, x);
        }
    return w;
}

static double tolerance(twill_type type)
{
    return type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? 1e-4 : 1e-12;
}

static double largest_difference(twill_type type, int m, int n, const void *x, const void *y,
                                 double factor)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int64_t at = i + (int64_t)j * LD;
            largest = fmax(largest, cabs(test_load(x, type, at) - factor * test_load(y, type, at)));
        }
    return largest;
}

static void check_trsm(const tw_kernels *k, twill_type type, tw_triangle t)
{
    int m = t.side == 'L' ? ORDER : OTHER, n = t.side == 'L' ? OTHER : ORDER, ld = LD;
    /* a unit triangle of large entries would be ill conditioned */
    void *a = matrix(type, 2 * ORDER), *b = matrix(type, 0), *x = malloc((size_t)LD * LD * 16);
    if (t.diag == 'U')
        for (int64_t at = 0; at < (int64_t)LD * LD; at++)
            test_store(a, type, at, test_load(a, type, at) / ORDER);
    double two[2] = {2, 0};
    float twof[2] = {2, 0};
    const void *alpha = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? (const void *)twof : two;
    memcpy(x, b, (size_t)LD * LD * 16);
    tw_trsm_recursive(k, t, m, n, alpha, a, ld, x, ld);

    void *w = whole(type, t, a), *product = calloc((size_t)LD * LD, 16);
    double zero[2] = {0, 0};
    int order = ORDER;
    if (t.side == 'L')
        k->gemm(&t.trans, "N", &m, &n, &order, k->one, w, &ld, x, &ld, zero, product, &ld, 1, 1);
    else
        k->gemm("N", &t.trans, &m, &n, &order, k->one, x, &ld, w, &ld, zero, product, &ld, 1, 1);
    assert_true(largest_difference(type, m, n, product, b, 2) < tolerance(type));

    /* the frame around B belongs to somebody else */
    for (int64_t at = 0; at < (int64_t)LD * LD; at++)
        if (at % LD >= m || at / LD >= n)
            assert_true(test_load(x, type, at) == test_load(b, type, at));
    free(a), free(b), free(x), free(w), free(product);
}

TEST(trsm_solves)
{
    twill *tw = test_start(1, "lws");
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    for (twill_type type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
        for (int c = 0; c < 24; c++)
            check_trsm(&blas->kernels[type], type,
                       (tw_triangle){sides[c % 2], triangles[c / 2 % 2], transposes[c / 4 % 3],
                                     diagonals[c / 12]});
    twill_stop(tw);
}

/* Hermitian with a dominant diagonal; the other triangle is filled with something else. */
static void *definite(twill_type type)
{
    void *a = matrix(type, 0);
    for (int j = 0; j < ORDER; j++)
        test_store(a, type, j + (int64_t)j * LD, 2 * ORDER + uniform());
    return a;
}

static void check_potrf(const tw_kernels *k, twill_type type, char uplo, int bad)
{
    int n = ORDER;
    void *a = definite(type), *f = malloc((size_t)LD * LD * 16);
    if (bad > 0)
        test_store(a, type, (bad - 1) * (int64_t)(LD + 1), -1);
    memcpy(f, a, (size_t)LD * LD * 16);
    assert_int_equal(tw_potrf_recursive(k, uplo, n, f, LD), bad);
    for (int j = 0; j < ORDER && bad == 0; j++)
        for (int i = j; i < ORDER; i++) {
            double complex sum = 0;
            for (int q = 0; q <= j; q++)
                sum += uplo == 'L' ? test_load(f, type, i + (int64_t)q * LD) *
                                         conj(test_load(f, type, j + (int64_t)q * LD))
                                   : conj(test_load(f, type, q + (int64_t)i * LD)) *
                                         test_load(f, type, q + (int64_t)j * LD);
            double complex want = uplo == 'L' ? test_load(a, type, i + (int64_t)j * LD)
                                              : conj(test_load(a, type, j + (int64_t)i * LD));
            assert_true(cabs(sum - want) < 2 * ORDER * tolerance(type));
        }
    free(a), free(f);
}

TEST(potrf_factors)
{
    twill *tw = test_start(1, "lws");
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    static const int bad[] = {0, 1, 32, 33, 64, 90, ORDER};
    for (twill_type type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            check_potrf(&blas->kernels[type], type, 'L', bad[i]);
            check_potrf(&blas->kernels[type], type, 'U', bad[i]);
        }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trsm_solves),
                                       cmocka_unit_test(potrf_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
