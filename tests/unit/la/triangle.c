/* Twill's own triangular solves and products against the library's, for every side, triangle,
 * transpose and diagonal; and what they leave to the library. */
#include "la/kernel/blocks.h"
#include "la/kernel/multiply.h"

#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LD = 75 };

static uint64_t seed = 5;

static void *matrix(twill_type type, double diagonal)
{
    void *a = calloc((size_t)LD * LD, 8);
    for (int at = 0; at < LD * LD; at++)
        test_store(a, type, at,
                   (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5 +
                       (at % (LD + 1) ? 0.0 : diagonal));
    return a;
}

static void check(const tw_kernels *k, twill_type type, tw_triangle t, int order, int vectors,
                  bool product)
{
    const tw_multiply *own = tw_multiply_of(k->single);
    int m = t.side == 'L' ? order : vectors, n = t.side == 'L' ? vectors : order, ld = LD;
    void *a = matrix(type, 20), *b = matrix(type, 0), *x = malloc((size_t)LD * LD * 8);
    double three = 3;
    float threef = 3;
    const void *alpha = k->single ? (const void *)&threef : &three;
    if (t.diag == 'U') /* it is not looked at, but the entries must be small */
        for (int at = 0; at < LD * LD; at++)
            test_store(a, type, at, at % (LD + 1) ? test_load(a, type, at) / 20 : 0.0);
    memcpy(x, b, (size_t)LD * LD * 8);
    assert_true((product ? own->trmm : own->solve)(t, m, n, alpha, a, ld, x, ld));
    (product ? k->trmm : k->trsm)(&t.side, &t.uplo, &t.trans, &t.diag, &m, &n, alpha, a, &ld, b,
                                  &ld, 1, 1, 1, 1);
    double tolerance = (k->single ? 2e-5 : 4e-14) * (product ? 20 : 1);
    for (int at = 0; at < LD * LD; at++) {
        double complex got = test_load(x, type, at), want = test_load(b, type, at);
        bool inside = at % LD < m && at / LD < n;
        if (inside ? !(cabs(got - want) <= tolerance) : got != want)
            fail_msg("%c%c%c%c order %d vectors %d at %d: %g, not %g", t.side, t.uplo, t.trans,
                     t.diag, order, vectors, at, creal(got), creal(want));
    }
    free(a), free(b), free(x);
}

static const tw_kernels *kernels(twill *tw, twill_type type)
{
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    return &blas->kernels[type];
}

TEST(solutions_and_products_are_the_librarys)
{
    static const int vectors[] = {0, 1, 8, 17, 23, 24, 25, 47, 48, 49, 70};
    if (!tw_multiply_of(false))
        skip();
    twill *tw = test_start(1, NULL);
    for (twill_type type = TWILL_FLOAT32; type <= TWILL_FLOAT64; type++)
        for (int c = 0; c < 24; c++) {
            tw_triangle t = {"LR"[c % 2], "LU"[c / 2 % 2], "NTC"[c / 4 % 3], "NU"[c / 12]};
            for (int order = 1; order <= 73; order++)
                for (int product = 0; product < 2; product++)
                    check(kernels(tw, type), type, t, order, vectors[(order + c) % COUNT(vectors)],
                          product);
        }
    twill_stop(tw);
}

/* Larger than what is packed at a time, and with what lies between. */
TEST(many_vectors_are_solved_in_parts)
{
    enum { ORDER = 300, VECTORS = 400 };
    twill *tw = test_start(1, NULL);
    const tw_kernels *k = kernels(tw, TWILL_FLOAT64);
    for (int side = 0; side < 2; side++) {
        tw_triangle t = {"LR"[side], 'L', 'N', 'N'};
        int m = side ? VECTORS : ORDER, n = side ? ORDER : VECTORS, lda = ORDER + 1, ldb = m + 3;
        double *a = calloc((size_t)lda * ORDER, 8), *b = calloc((size_t)ldb * (size_t)n, 8);
        for (int i = 0; i < lda * ORDER; i++)
            a[i] = i % (lda + 1) ? (double)(i % 7 - 3) / ORDER : 4;
        for (int i = 0; i < ldb * n; i++)
            b[i] = i % 11;
        double *x = memcpy(malloc((size_t)ldb * (size_t)n * 8), b, (size_t)ldb * (size_t)n * 8);
        tw_trsm_recursive(k, t, m, n, k->one, a, lda, x, ldb);
        tw_block_trmm(k, t, m, n, k->one, a, lda, x, ldb);
        tw_trsm_recursive(k, t, m, n, k->one, a, lda, x, ldb);
        k->trsm(&t.side, &t.uplo, &t.trans, &t.diag, &m, &n, k->one, a, &lda, b, &ldb, 1, 1, 1, 1);
        for (int i = 0; i < ldb * n; i++)
            assert_true(fabs(x[i] - b[i]) <= (i % ldb < m ? 1e-12 : 0));
        free(a), free(b), free(x);
    }
    twill_stop(tw);
}

/* What has no inverse is not touched. */
TEST(the_rest_is_left_to_the_library)
{
    static const double diagonals[] = {0.0, 1e-310, INFINITY, NAN};
    const tw_multiply *own = tw_multiply_of(false);
    tw_triangle t = {'L', 'L', 'N', 'N'}, unit = {'L', 'L', 'N', 'U'};
    double a[4], b[2], one = 1, zero = 0;
    if (!own)
        skip();
    for (int i = 0; i < COUNT(diagonals); i++) {
        a[0] = a[1] = 1, a[2] = 0, a[3] = diagonals[i];
        b[0] = b[1] = 5;
        assert_false(own->solve(t, 2, 1, &one, a, 2, b, 2));
        assert_false(own->solve(unit, 2, 1, &zero, a, 2, b, 2));
        assert_false(own->trmm(unit, 2, 1, &zero, a, 2, b, 2));
        assert_true(b[0] == 5 && b[1] == 5);
    }
    assert_true(own->solve(unit, 2, 1, &one, a, 2, b, 2));
    assert_true(b[0] == 5 && b[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_and_products_are_the_librarys),
                                       cmocka_unit_test(many_vectors_are_solved_in_parts),
                                       cmocka_unit_test(the_rest_is_left_to_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
