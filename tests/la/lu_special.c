/* LU of matrices with ties, zeros, NaN, infinities, and numbers at the ends of the range: info and
 * pivots are LAPACK's. */
#include "support/lu.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 61, NB = 20 };

static uint64_t seed = 5;

static double uniform(void)
{
    return (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5;
}

static double complex entry(twill_type type, double re, double im)
{
    return type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128 ? test_number(re, im)
                                                               : test_number(re, 0);
}

static void *random_matrix(twill_type type, double scale)
{
    void *full = malloc(N * N * 16);
    for (int i = 0; i < N * N; i++)
        test_store(full, type, i, entry(type, scale * uniform(), scale * uniform()));
    return full;
}

static void *small_integers(twill_type type, int most)
{
    void *full = malloc(N * N * 16);
    uint64_t range = (uint64_t)(2 * most + 1);
    for (int i = 0; i < N * N; i++)
        test_store(full, type, i,
                   entry(type, (double)test_random(&seed, range) - most,
                         (double)test_random(&seed, range) - most));
    return full;
}

/* Factor it, and compare with the book; returns the residual and frees `full`. */
static double check(twill *tw, const test_type *type, void *full, int64_t nb, const char *what)
{
    test_dense a = test_dense_make(tw, type->type, N, N, nb, false);
    twill_array *ipiv;
    int64_t info = -1, pivots[N];
    void *book = malloc(N * N * 16);
    memcpy(book, full, N * N * 16);
    test_pack(a.array, full);
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_getrf(a.array, ipiv, &info));
    int64_t wanted = test_lu(type->type, book, N, N, pivots);
    int64_t *found = test_pivots(ipiv);
    for (int i = 0; i < N; i++)
        if (found[i] != pivots[i] || info != wanted)
            fail_msg("%s of %s: pivot %d is %d, LAPACK's is %d; info is %d, LAPACK's %d", what,
                     type->name, i, (int)found[i], (int)pivots[i], (int)info, (int)wanted);
    void *factor = test_unpack(a.array);
    double ratio = test_lu_residual(type, full, factor, found, N, N);
    free(found);
    free(factor);
    free(book);
    free(full);
    twill_array_free(ipiv);
    test_dense_free(&a);
    return ratio;
}

static void each_type(void (*body)(twill *tw, const test_type *type))
{
    const test_setup setups[] = {{"serial", 1}, {"lws", 2}, {"rand", 4}};
    for (int s = 0; s < COUNT(setups); s++) {
        twill *tw = test_start(setups[s].workers, setups[s].sched);
        for (int t = 0; t < COUNT(test_types); t++)
            body(tw, &test_types[t]);
        twill_stop(tw);
    }
}

/* ---- ties ----------------------------------------------------------------------------------- */

static void check_integers(twill *tw, const test_type *type)
{
    for (int most = 1; most <= 5; most++)
        for (int64_t nb = 4; nb <= 32; nb += 7)
            assert_true(check(tw, type, small_integers(type->type, most), nb, "integers") < 30);
}

TEST(of_equal_pivots_the_uppermost_is_taken)
{
    each_type(check_integers);
}

/* ---- zeros ---------------------------------------------------------------------------------- */

static void clear(void *full, twill_type type, int line)
{
    for (int i = 0; i < N; i++) {
        test_store(full, type, line + (int64_t)i * N, 0);
        test_store(full, type, i + (int64_t)line * N, 0);
    }
}

static void check_singular(twill *tw, const test_type *type)
{
    static const int lines[] = {0, 1, NB - 1, NB, 33, N - 1};
    for (int i = 0; i < COUNT(lines); i++) {
        void *full = random_matrix(type->type, 1);
        clear(full, type->type, lines[i]);
        if (i % 2)
            clear(full, type->type, N - 2);
        assert_true(check(tw, type, full, NB, "singular matrix") < 30);
    }
    assert_true(check(tw, type, calloc(N * N, 16), NB, "zero") == 0);
}

TEST(a_zero_pivot_is_told_and_the_factorization_completed)
{
    each_type(check_singular);
}

/* A zero pivot in one panel, and the tasks behind it still run: nothing is canceled. */
TEST(a_zero_pivot_does_not_fail_the_graph)
{
    twill *tw = test_start(2, NULL);
    test_dense a = test_dense_make(tw, TWILL_FLOAT64, N, N, NB, false);
    twill_array *ipiv;
    twill_graph *g;
    int64_t info = -1;
    void *full = random_matrix(TWILL_FLOAT64, 1);
    clear(full, TWILL_FLOAT64, 4);
    clear(full, TWILL_FLOAT64, 50);
    test_pack(a.array, full);
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_stf_begin(tw, &g));
    OK(twill_getrf_insert(g, a.array, ipiv, NULL));
    OK(twill_wait(g));
    assert_int_equal(twill_graph_info(g), 0);
    OK(twill_getrf_info(a.array, &info));
    assert_int_equal(info, 5);
    free(full);
    twill_graph_free(g);
    twill_array_free(ipiv);
    test_dense_free(&a);
    twill_stop(tw);
}

/* ---- NaN and infinity ----------------------------------------------------------------------- */

static void check_strange(twill *tw, const test_type *type)
{
    static const int places[] = {0, 1, 30, N, N + 1, 20 * N + 20, 20 * N + 45, N * N - 1};
    for (int i = 0; i < COUNT(places); i++)
        for (int infinite = 0; infinite < 2; infinite++) {
            void *full = random_matrix(type->type, 1);
            test_store(full, type->type, places[i],
                       entry(type->type, infinite ? (double)INFINITY : (double)NAN, 1));
            double ratio = check(tw, type, full, NB, infinite ? "infinity" : "NaN");
            assert_true(isnan(ratio));
        }
}

TEST(nan_and_infinity_are_met_as_lapack_meets_them)
{
    each_type(check_strange);
}

/* ---- the ends of the range ------------------------------------------------------------------ */

static void check_extremes(twill *tw, const test_type *type)
{
    bool single = type->type == TWILL_FLOAT32 || type->type == TWILL_COMPLEX64;
    const double scales[] = {single ? 1e-37 : 1e-300, single ? 1e36 : 1e300};
    for (int i = 0; i < COUNT(scales); i++)
        assert_true(check(tw, type, random_matrix(type->type, scales[i]), NB, "scaled") < 30);
    /* below the smallest normal number, where the reciprocal of a pivot overflows: full precision
     * is gone, but pivots and info are as they are elsewhere */
    double tiny = single ? 1e-39 : 1e-309;
    assert_false(isnan(check(tw, type, random_matrix(type->type, tiny), 70, "tiny")));
}

TEST(numbers_at_the_ends_of_the_range_are_handled)
{
    each_type(check_extremes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equal_pivots_the_uppermost_is_taken),
        cmocka_unit_test(a_zero_pivot_is_told_and_the_factorization_completed),
        cmocka_unit_test(a_zero_pivot_does_not_fail_the_graph),
        cmocka_unit_test(nan_and_infinity_are_met_as_lapack_meets_them),
        cmocka_unit_test(numbers_at_the_ends_of_the_range_are_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
