/* Small matrices that have no solution, are not square, or meet tasks half way. */
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

enum { N = 40, NB = 16, SPOILT = 7 };

static twill_array *chosen(twill *tw, int64_t m, int64_t n, uint64_t seed)
{
    twill_array *a = NULL;
    OK(twill_matrix_create(tw, TWILL_FLOAT64, m, n, &a));
    OK(twill_fill_random(a, seed));
    return a;
}

static twill_array *tiled(twill *tw, int64_t m, int64_t n, uint64_t seed)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, m, n, NB);
    OK(twill_fill_random(a, seed));
    return a;
}

/* The identity with one more number on its diagonal. */
static twill_array *spoilt(twill *tw, double x)
{
    twill_array *a = chosen(tw, N, N, 1);
    OK(twill_fill_identity(a));
    double *full = test_unpack(a);
    full[SPOILT + SPOILT * N] = x;
    test_pack(a, full);
    free(full);
    return a;
}

static void expect_close(twill_array *one, twill_array *other)
{
    const twill_pattern *p = twill_array_pattern(one);
    double *x = test_unpack(one), *y = test_unpack(other);
    for (int64_t i = 0; i < p->extent[0] * p->extent[1]; i++)
        assert_true(fabs(x[i] - y[i]) < 1e-9 * (1 + fabs(y[i])));
    free(x);
    free(y);
}

/* LAPACK's info, and B as it was. */
TEST(without_a_solution_b_stays)
{
    twill *tw = test_start(2, NULL);
    twill_array *b = chosen(tw, N, 3, 2), *ipiv = NULL, *a = spoilt(tw, 0);
    int64_t info[3] = {-1, -1, -1};
    uint64_t before, after;
    OK(twill_digest(b, TWILL_GENERAL, &before));
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_gesv(a, ipiv, b, &info[0]));
    OK(twill_posv(TWILL_LOWER, spoilt(tw, -1), b, &info[1]));
    OK(twill_sysv(TWILL_LOWER, spoilt(tw, 0), b, &info[2]));
    for (int i = 0; i < 3; i++)
        assert_int_equal(info[i], SPOILT + 1);
    OK(twill_digest(b, TWILL_GENERAL, &after));
    assert_true(before == after);
    twill_stop(tw);
}

TEST(without_an_inverse_the_matrix_stays)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = spoilt(tw, 0), *ipiv = NULL;
    int64_t info = -1;
    uint64_t before, after;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_getrf(a, ipiv, &info));
    assert_int_equal(info, SPOILT + 1);
    OK(twill_digest(a, TWILL_GENERAL, &before));
    int64_t found[3] = {-1, -1, -1};
    OK(twill_trtri(TWILL_LOWER, TWILL_NON_UNIT, a, &found[0]));
    OK(twill_potri(TWILL_LOWER, a, &found[1]));
    OK(twill_getri(a, ipiv, &found[2]));
    for (int i = 0; i < 3; i++)
        assert_int_equal(found[i], SPOILT + 1);
    OK(twill_digest(a, TWILL_GENERAL, &after));
    assert_true(before == after);
    OK(twill_trtri(TWILL_LOWER, TWILL_UNIT, a, &info));
    assert_int_equal(info, 0); /* its diagonal is not looked at */
    twill_stop(tw);
}

static void gels_of(twill *tw, int64_t m, int64_t n, twill_trans trans)
{
    int64_t rows = m > n ? m : n, info = -1, other = -1;
    twill_array *a = chosen(tw, m, n, 3), *b = chosen(tw, rows, 2, 4);
    twill_array *c = tiled(tw, m, n, 3), *d = tiled(tw, rows, 2, 4);
    twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
    twill_count(tw, &before);
    OK(twill_gels(trans, a, b, &info));
    twill_count(tw, &after);
    assert_int_equal(after.executed, before.executed);
    OK(twill_gels(trans, c, d, &other));
    assert_int_equal(info, 0);
    assert_int_equal(other, 0);
    int64_t solution = trans == TWILL_NO_TRANS ? n : m;
    double *u = test_unpack(b), *v = test_unpack(d);
    for (int64_t i = 0; i < 2 * rows; i++)
        assert_true(i % rows >= solution || fabs(u[i] - v[i]) < 1e-8 * (1 + fabs(v[i])));
    free(u);
    free(v);
}

TEST(least_squares_of_any_shape)
{
    const int64_t shapes[][2] = {{30, 11}, {11, 30}, {100, 60}, {60, 100}, {200, 1}, {1, 200}};
    twill *tw = test_start(2, NULL);
    for (int i = 0; i < COUNT(shapes); i++) {
        gels_of(tw, shapes[i][0], shapes[i][1], TWILL_NO_TRANS);
        gels_of(tw, shapes[i][0], shapes[i][1], TWILL_TRANS);
    }
    twill_stop(tw);
}

/* As LAPACK scales them: entries whose squares are no numbers. And exact zeros are told. */
TEST(least_squares_of_extremes)
{
    const int64_t orders[] = {20, 120};
    const double sizes[] = {1e-300, 1e300};
    twill *tw = test_start(2, NULL);
    for (int s = 0; s < COUNT(orders); s++)
        for (int k = 0; k < COUNT(sizes); k++) {
            int64_t info = -1;
            twill_array *a = chosen(tw, orders[s], orders[s], 3), *b = chosen(tw, orders[s], 1, 4);
            twill_array *c = chosen(tw, orders[s], orders[s], 3), *d = chosen(tw, orders[s], 1, 4);
            OK(twill_scale(TWILL_GENERAL, twill_real(sizes[k]), a));
            OK(twill_scale(TWILL_GENERAL, twill_real(sizes[k]), b));
            OK(twill_gels(TWILL_NO_TRANS, a, b, &info));
            assert_int_equal(info, 0);
            OK(twill_gels(TWILL_NO_TRANS, c, d, &info));
            double *x = test_unpack(b), *y = test_unpack(d);
            for (int64_t i = 0; i < orders[s]; i++)
                assert_true(fabs(x[i] - y[i]) < 1e-6 * (1 + fabs(y[i])));
            free(x);
            free(y);
            double *full = test_unpack(c);
            for (int64_t i = 0; i < orders[s]; i++)
                full[i] = 0;
            test_pack(c, full);
            free(full);
            OK(twill_gels(TWILL_NO_TRANS, c, d, &info));
            assert_int_equal(info, 1);
        }
    twill_stop(tw);
}

/* A factor made at once serves tasks, and one that tasks made serves a call without any. */
TEST(factors_serve_either_way)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, N, N, 3), *ipiv = NULL, *b = chosen(tw, N, 2, 4);
    twill_array *c = chosen(tw, N, N, 3), *pivots = NULL, *d = chosen(tw, N, 2, 4);
    twill_graph *g;
    int64_t info = -1;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_pivots_create(c, &pivots));
    OK(twill_getrf(a, ipiv, &info));
    OK(twill_stf_begin(tw, &g));
    OK(twill_getrs_insert(g, TWILL_NO_TRANS, a, ipiv, b, NULL));
    OK(twill_getrf_insert(g, c, pivots, NULL));
    OK(twill_wait(g));
    twill_graph_free(g);
    OK(twill_getrs(TWILL_NO_TRANS, c, pivots, d));
    expect_close(b, d);
    twill_stop(tw);
}

static twill_array *column_like(twill_array *a, twill_type type, size_t element)
{
    const twill_pattern *p = twill_array_pattern(a);
    twill_pattern column = twill_tiled(p->extent[0], 1, p->block[0], 1);
    twill_array *x = NULL;
    OK(twill_array_create(twill_array_context(a), &column, type, element, &x));
    return x;
}

/* Random matrices have blocks of order 2. */
static void indefinite_either_way(twill *tw, twill_uplo uplo)
{
    twill_array *a = chosen(tw, N, N, 3), *b = chosen(tw, N, 2, 4);
    twill_array *c = chosen(tw, N, N, 3), *d = chosen(tw, N, 2, 4);
    twill_array *e[] = {column_like(a, TWILL_FLOAT64, 0), column_like(c, TWILL_FLOAT64, 0)};
    twill_array *ipiv[] = {column_like(a, TWILL_BYTES, 8), column_like(c, TWILL_BYTES, 8)};
    twill_graph *g;
    int64_t info = -1;
    OK(twill_sytrf(uplo, a, e[0], ipiv[0], &info));
    assert_int_equal(info, 0);
    OK(twill_stf_begin(tw, &g));
    OK(twill_sytrs_insert(g, uplo, a, e[0], ipiv[0], b, NULL));
    OK(twill_sytrf_insert(g, uplo, c, e[1], ipiv[1], NULL));
    OK(twill_wait(g));
    twill_graph_free(g);
    OK(twill_sytrs(uplo, c, e[1], ipiv[1], d));
    int64_t *pivots = test_unpack(ipiv[0]), *others = test_unpack(ipiv[1]), twos = 0;
    for (int i = 0; i < N; i++) {
        assert_int_equal(pivots[i], others[i]);
        twos += pivots[i] < 0;
    }
    assert_true(twos > 0);
    free(pivots);
    free(others);
    expect_close(e[0], e[1]);
    expect_close(a, c);
    expect_close(b, d);
}

TEST(indefinite_factors_serve_either_way)
{
    twill *tw = test_start(2, NULL);
    indefinite_either_way(tw, TWILL_LOWER);
    indefinite_either_way(tw, TWILL_UPPER);
    twill_stop(tw);
}

TEST(reflectors_serve_either_way)
{
    const int64_t shapes[][2] = {{N, N}, {N, 10}, {130, 50}, {10, N}};
    twill *tw = test_start(2, NULL);
    for (int i = 0; i < COUNT(shapes); i++) {
        int64_t m = shapes[i][0], n = shapes[i][1];
        twill_array *a = chosen(tw, m, n, 3), *b = chosen(tw, m > n ? m : n, m, 4);
        twill_array *c = chosen(tw, m, n, 3), *d = chosen(tw, m > n ? m : n, m, 4);
        twill_reflectors *h = NULL, *r = NULL;
        twill_graph *g;
        OK(twill_reflectors_create(tw, NULL, &h));
        OK(twill_reflectors_create(tw, NULL, &r));
        OK(twill_geqrf(a, h));
        OK(twill_stf_begin(tw, &g));
        OK(twill_unmqr_insert(g, TWILL_RIGHT, TWILL_NO_TRANS, a, h, b, NULL));
        OK(twill_geqrf_insert(g, c, r, NULL));
        OK(twill_wait(g));
        twill_graph_free(g);
        OK(twill_unmqr(TWILL_RIGHT, TWILL_NO_TRANS, c, r, d));
        expect_close(a, c);
        expect_close(b, d);
        twill_reflectors_free(h);
        twill_reflectors_free(r);
    }
    twill_stop(tw);
}

/* B with more columns than A has rows has a larger tile, but still one. */
TEST(many_right_hand_sides)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = spoilt(tw, 2), *b = chosen(tw, N, 3 * N, 4), *c = chosen(tw, N, 3 * N, 4);
    twill_array *ipiv = NULL;
    twill_reflectors *h = NULL;
    int64_t info = -1;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_reflectors_create(tw, NULL, &h));
    OK(twill_posv(TWILL_LOWER, a, b, &info));
    OK(twill_fill_identity(a));
    OK(twill_gesv(a, ipiv, b, &info));
    OK(twill_sysv(TWILL_UPPER, a, b, &info));
    OK(twill_gels(TWILL_NO_TRANS, a, b, &info));
    OK(twill_geqrf(a, h));
    OK(twill_unmqr(TWILL_LEFT, TWILL_NO_TRANS, a, h, b));
    OK(twill_trmm(TWILL_LEFT, TWILL_UPPER, TWILL_NO_TRANS, TWILL_NON_UNIT, twill_real(1), a, b));
    double *x = test_unpack(b), *y = test_unpack(c);
    for (int64_t i = 0; i < 3 * N * N; i++)
        assert_true(fabs(x[i] * (i % N == SPOILT ? 2 : 1) - y[i]) < 1e-12);
    free(x);
    free(y);
    twill_reflectors_free(h);
    twill_stop(tw);
}

/* With alpha zero the factors are not looked at, however large they are. */
TEST(nothing_times_nan_is_nothing)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, 200, 200, 1), *b = chosen(tw, 200, 200, 2),
                *c = chosen(tw, 200, 200, 3);
    double *full = test_unpack(a), norm = NAN;
    full[5] = NAN;
    test_pack(a, full);
    free(full);
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(0), a, b, twill_real(0), c));
    OK(twill_norm(TWILL_NORM_MAX, c, &norm));
    assert_true(norm == 0);
    OK(twill_trsm(TWILL_LEFT, TWILL_LOWER, TWILL_NO_TRANS, TWILL_NON_UNIT, twill_real(0), b, a));
    OK(twill_norm(TWILL_NORM_MAX, a, &norm));
    assert_true(norm == 0);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_solution_b_stays),
        cmocka_unit_test(without_an_inverse_the_matrix_stays),
        cmocka_unit_test(least_squares_of_any_shape),
        cmocka_unit_test(least_squares_of_extremes),
        cmocka_unit_test(factors_serve_either_way),
        cmocka_unit_test(indefinite_factors_serve_either_way),
        cmocka_unit_test(reflectors_serve_either_way),
        cmocka_unit_test(many_right_hand_sides),
        cmocka_unit_test(nothing_times_nan_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
