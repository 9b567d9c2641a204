/* Cholesky and triangular solves as explicit graphs: right, and with the same bits however they
 * run. */
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

static const int64_t orders[] = {0, 1, 40, 97, 160};

static void run(twill_graph *g, twill_status wanted)
{
    OK(twill_dag_run(g));
    assert_int_equal(twill_wait(g), wanted);
}

/* ---- Cholesky ----------------------------------------------------------------------------------
 */

static uint64_t factor(twill *tw, twill_type type, twill_uplo uplo, int64_t n, int64_t nb)
{
    twill_array *a, *before;
    twill_graph *g;
    uint64_t digest;
    double ratio;
    twill_pattern p = twill_tiled(n, n, nb, nb);
    OK(twill_array_create(tw, &p, type, 0, &a));
    OK(twill_array_create(tw, &p, type, 0, &before));
    OK(twill_fill_spd(a, 5));
    OK(twill_fill_spd(before, 5));
    OK(twill_potrf_dag(uplo, a, &g));
    run(g, TWILL_OK);
    assert_int_equal(twill_graph_info(g), 0);
    OK(twill_digest(a, uplo, &digest));
    OK(twill_potrf_residual(uplo, before, a, &ratio));
    assert_true(ratio < 30);
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(before);
    return digest;
}

/* ---- triangular solves -------------------------------------------------------------------------
 */

typedef struct form {
    twill_uplo uplo;
    twill_trans trans;
    twill_diag diag;
    twill_scalar alpha;
    bool commute;
} form;

/* Against the solve by insertion. */
static uint64_t solve(twill *tw, twill_type type, form f, int64_t m, int64_t n, int64_t nb,
                      int64_t wide)
{
    twill_array *a, *b, *c;
    twill_graph *g;
    uint64_t digest;
    double size, difference;
    twill_pattern pa = twill_tiled(m, m, nb, nb), pb = twill_tiled(m, n, nb, wide);
    OK(twill_array_create(tw, &pa, type, 0, &a));
    OK(twill_array_create(tw, &pb, type, 0, &b));
    OK(twill_array_create(tw, &pb, type, 0, &c));
    /* small enough for a diagonal that is taken as ones */
    OK(twill_fill_random(a, 1));
    OK(twill_scale(TWILL_GENERAL, twill_real(1.0 / (double)(m + 1)), a));
    OK(twill_fill_random(b, 2));
    OK(twill_copy(b, c));
    OK(twill_trsm_dag(f.uplo, f.trans, f.diag, f.alpha, a, b, f.commute, &g));
    run(g, TWILL_OK);
    OK(twill_trsm(TWILL_LEFT, f.uplo, f.trans, f.diag, f.alpha, a, c));
    OK(twill_digest(b, TWILL_GENERAL, &digest));
    OK(twill_norm(TWILL_NORM_MAX, c, &size));
    OK(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, twill_real(-1), b, twill_real(1), c));
    OK(twill_norm(TWILL_NORM_MAX, c, &difference));
    double eps = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? 1e-4 : 1e-12;
    if (!(difference <= eps * size))
        fail_msg("type %d, %c %c %c, %lld x %lld: off by %g of %g", type, f.uplo, f.trans, f.diag,
                 (long long)m, (long long)n, difference, size);
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(b);
    twill_array_free(c);
    return digest;
}

/* ---- however they run --------------------------------------------------------------------------
 */

typedef uint64_t digest_of(twill *tw, int which);

static uint64_t factor_which(twill *tw, int which)
{
    return factor(tw, test_types[which % 4].type, which / 4 % 2 ? TWILL_UPPER : TWILL_LOWER,
                  orders[which / 8 % COUNT(orders)], which / 8 % 2 ? 24 : 37);
}

static uint64_t solve_which(twill *tw, int which)
{
    form f = {which / 4 % 2 ? TWILL_UPPER : TWILL_LOWER,
              which / 8 % 2 ? TWILL_CONJ_TRANS : TWILL_NO_TRANS, TWILL_UNIT,
              twill_real(which % 3 ? 1.0 : 0.5), false};
    return solve(tw, test_types[which % 4].type, f, orders[which / 16 % COUNT(orders)], 50, 24,
                 which % 5 ? 50 : 20);
}

static void compare(digest_of *digest, int count)
{
    static const int workers[] = {1, 3};
    uint64_t first[16 * COUNT(orders)];
    for (int w = 0; w < COUNT(workers); w++) {
        twill *tw = test_start(workers[w], w ? "rand" : "lws");
        for (int i = test_slow() ? 2 * count / 3 : 0; i < count; i++) {
            uint64_t got = digest(tw, i);
            if (w == 0)
                first[i] = got;
            else
                assert_true(got == first[i]);
        }
        twill_stop(tw);
    }
}

TEST(potrf)
{
    compare(factor_which, 8 * COUNT(orders));
}

TEST(trsm)
{
    compare(solve_which, 16 * COUNT(orders));
}

TEST(trsm_in_any_order)
{
    twill *tw = test_start(3, "rand");
    for (int which = 0; which < 16; which++)
        solve(tw, test_types[which % 4].type,
              (form){which / 4 % 2 ? TWILL_UPPER : TWILL_LOWER,
                     which / 8 % 2 ? TWILL_TRANS : TWILL_NO_TRANS, TWILL_UNIT,
                     twill_real(which % 3 ? 1.0 : -2.0), true},
              160, 70, 24, 70);
    twill_stop(tw);
}

TEST(a_matrix_that_is_not_definite)
{
    twill *tw = test_start(3, "lws");
    static const int bad[] = {0, 31, 32, 64, 99};
    for (int i = 0; i < 2 * COUNT(bad); i++) {
        enum { N = 100, NB = 40 };
        twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
        twill_uplo uplo = i % 2 ? TWILL_UPPER : TWILL_LOWER;
        twill_graph *g;
        OK(twill_fill_spd(a, 5));
        void *full = test_unpack(a);
        test_store(full, TWILL_FLOAT64, bad[i / 2] * (N + 1), i < 4 ? -5 : NAN);
        test_pack(a, full);
        OK(twill_potrf_dag(uplo, a, &g));
        run(g, TWILL_ERR_NUMERICAL);
        assert_int_equal(twill_graph_info(g), bad[i / 2] + 1);
        twill_graph_free(g);
        twill_array_free(a);
        free(full);
    }
    twill_stop(tw);
}

TEST(bad_arguments_are_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 60, 60, 20);
    twill_array *b = test_matrix(tw, TWILL_FLOAT64, 60, 10, 15);
    twill_graph *g;
    REFUSED(twill_potrf_dag(TWILL_GENERAL, a, &g), TWILL_ERR_ARGUMENT, "uplo");
    REFUSED(twill_potrf_dag(TWILL_LOWER, b, &g), TWILL_ERR_ARGUMENT, "potrf");
    REFUSED(twill_trsm_dag(TWILL_LOWER, TWILL_NO_TRANS, TWILL_UNIT, twill_real(1), a, b, false, &g),
            TWILL_ERR_ARGUMENT, "as high as those of A");
    REFUSED(twill_trsm_dag(TWILL_LOWER, TWILL_NO_TRANS, TWILL_UNIT, twill_real(1), a, a, false, &g),
            TWILL_ERR_ARGUMENT, "trsm");
    twill_array_free(a);
    twill_array_free(b);
    twill_stop(tw);
}

TEST(kernels_are_measured)
{
    twill *tw = test_start_with((twill_options){.workers = 2, .patience_us = 1000000});
    double seconds;
    for (int kernel = TWILL_KERNEL_GEMM; kernel <= TWILL_KERNEL_POTRF; kernel++)
        for (int members = 0; members <= 2; members++) {
            seconds = 0;
            OK(twill_kernel_seconds(tw, (twill_kernel)kernel,
                                    test_types[(kernel + members) % 4].type, 33, 70, members,
                                    &seconds));
            assert_true(seconds > 0 && seconds < 1);
        }
    REFUSED(twill_kernel_seconds(tw, (twill_kernel)9, TWILL_FLOAT64, 10, 10, 1, &seconds),
            TWILL_ERR_ARGUMENT, "no such kernel");
    REFUSED(twill_kernel_seconds(tw, TWILL_KERNEL_GEMM, TWILL_FLOAT64, 0, 10, 1, &seconds),
            TWILL_ERR_ARGUMENT, "nb 0");
    REFUSED(twill_kernel_seconds(tw, TWILL_KERNEL_GEMM, TWILL_FLOAT64, 10, 10, 3, &seconds),
            TWILL_ERR_ARGUMENT, "3 members of 2 workers");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(potrf),
                                       cmocka_unit_test(trsm),
                                       cmocka_unit_test(trsm_in_any_order),
                                       cmocka_unit_test(a_matrix_that_is_not_definite),
                                       cmocka_unit_test(kernels_are_measured),
                                       cmocka_unit_test(bad_arguments_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
