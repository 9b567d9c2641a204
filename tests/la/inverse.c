/* trtri, lauum and potri: right, LAPACK's info, nothing outside the triangle, equal bits. */
#include "support/dense.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 40 };

static const int64_t orders[] = {0, 1, 2, NB - 1, NB, NB + 1, 97, 3 * NB};
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};
static const twill_diag diags[] = {TWILL_NON_UNIT, TWILL_UNIT};

/* A matrix whose triangles are well conditioned, also with a unit diagonal. */
static twill_array *make(twill *tw, twill_type type, int64_t n)
{
    twill_array *a = test_matrix(tw, type, n, n, NB);
    OK(twill_fill_spd(a, 3));
    void *full = test_unpack(a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex x = test_load(full, type, i + j * n);
            test_store(full, type, i + j * n, i == j ? x / (double)n : x / sqrt((double)n));
        }
    test_pack(a, full);
    free(full);
    return a;
}

/* What is outside the triangle (and the diagonal, with `unit`) is as before. */
static void check_outside(const void *before, twill_array *a, twill_uplo uplo, bool unit)
{
    int64_t n = twill_array_pattern(a)->extent[0];
    size_t element = twill_array_element(a);
    char *after = test_unpack(a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (!test_inside(uplo, i, j) || (unit && i == j))
                assert_memory_equal(after + (size_t)(i + j * n) * element,
                                    (const char *)before + (size_t)(i + j * n) * element, element);
    free(after);
}

static void check_trtri(twill *tw, const test_type *type, twill_uplo uplo, twill_diag diag,
                        int64_t n)
{
    int64_t info = -1;
    dense_shape shape = diag == TWILL_UNIT ? DENSE_UNIT_TRIANGLE : DENSE_TRIANGLE;
    twill_array *a = make(tw, type->type, n);
    void *before = test_unpack(a);
    dense t = dense_read(a, shape, uplo);
    OK(twill_trtri(uplo, diag, a, &info));
    assert_int_equal(info, 0);
    dense y = dense_read(a, shape, uplo);
    double ratio = dense_inverse_ratio(t, y, type->eps);
    if (!(ratio < 30.0))
        fail_msg("trtri %s %c%c n=%d: %g", type->name, uplo, diag, (int)n, ratio);
    check_outside(before, a, uplo, diag == TWILL_UNIT);
    dense_free(t);
    dense_free(y);
    free(before);
    twill_array_free(a);
}

TEST(the_inverse_of_a_triangle_is_right)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int u = 0; u < 2; u++)
            for (int d = 0; d < 2; d++)
                for (int i = 0; i < COUNT(orders); i++)
                    check_trtri(tw, &test_types[t], triangles[u], diags[d], orders[i]);
    twill_stop(tw);
}

static void check_lauum(twill *tw, const test_type *type, twill_uplo uplo, int64_t n)
{
    twill_array *a = make(tw, type->type, n);
    void *before = test_unpack(a);
    dense t = dense_read(a, DENSE_TRIANGLE, uplo), wanted = dense_zeros(n, n);
    OK(twill_lauum(uplo, a));
    dense got = dense_read(a, DENSE_HERMITIAN, uplo);
    bool lower = uplo == TWILL_LOWER;
    dense_multiply(1.0, lower ? 'C' : 'N', t, lower ? 'N' : 'C', t, wanted);
    double scale = (double)n * type->eps * dense_norm(wanted);
    for (int64_t i = 0; i < n * n; i++)
        got.at[i] -= wanted.at[i];
    if (!(dense_norm(got) <= scale))
        fail_msg("lauum %s %c n=%d: %g", type->name, uplo, (int)n, dense_norm(got) / scale);
    check_outside(before, a, uplo, false);
    dense_free(t);
    dense_free(wanted);
    dense_free(got);
    free(before);
    twill_array_free(a);
}

TEST(the_product_of_triangles_is_right)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int u = 0; u < 2; u++)
            for (int i = 0; i < COUNT(orders); i++)
                check_lauum(tw, &test_types[t], triangles[u], orders[i]);
    twill_stop(tw);
}

static void check_potri(twill *tw, const test_type *type, twill_uplo uplo, int64_t n)
{
    int64_t info = -1;
    twill_array *a = test_matrix(tw, type->type, n, n, NB);
    OK(twill_fill_spd(a, 3));
    void *before = test_unpack(a);
    dense spd = dense_read(a, DENSE_HERMITIAN, uplo);
    OK(twill_potrf(uplo, a, &info));
    OK(twill_potri(uplo, a, &info));
    assert_int_equal(info, 0);
    dense y = dense_read(a, DENSE_HERMITIAN, uplo);
    double ratio = dense_inverse_ratio(spd, y, type->eps);
    if (!(ratio < 30.0))
        fail_msg("potri %s %c n=%d: %g", type->name, uplo, (int)n, ratio);
    check_outside(before, a, uplo, false);
    dense_free(spd);
    dense_free(y);
    free(before);
    twill_array_free(a);
}

TEST(the_inverse_of_a_definite_matrix_is_right)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int u = 0; u < 2; u++)
            for (int i = 0; i < COUNT(orders); i++)
                check_potri(tw, &test_types[t], triangles[u], orders[i]);
    twill_stop(tw);
}

/* ---- singular ------------------------------------------------------------------------------- */

/* Zeros, also negative ones, where LAPACK finds them; nothing is changed. */
static void check_zeros(twill *tw, const test_type *type, twill_uplo uplo, const int64_t *at,
                        int zeros, double zero)
{
    enum { N = 130 };
    int64_t info = -1, again = -1;
    int lapack, n = N;
    char triangle = (char)uplo;
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    twill_array *a = make(tw, type->type, N);
    void *full = test_unpack(a);
    for (int i = 0; i < zeros; i++)
        test_store(full, type->type, at[i] + at[i] * N, zero);
    test_pack(a, full);
    OK(twill_trtri(uplo, TWILL_NON_UNIT, a, &info));
    OK(twill_potri(uplo, a, &again));
    void *after = test_unpack(a);
    assert_memory_equal(after, full, (size_t)N * N * twill_type_size(type->type));
    blas->kernels[type->type].trtri(&triangle, "N", &n, full, &n, &lapack, 1, 1);
    assert_int_equal(info, lapack);
    assert_int_equal(again, lapack);
    OK(twill_trtri(uplo, TWILL_UNIT, a, &info));
    assert_int_equal(info, 0);
    free(after);
    free(full);
    twill_array_free(a);
}

TEST(zeros_on_the_diagonal_are_found_where_lapack_finds_them)
{
    static const int64_t one[] = {0}, last[] = {129}, many[] = {100, 80, 41, 129}, edge[] = {40};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int t = 0; t < COUNT(test_types); t++)
            for (int u = 0; u < 2; u++) {
                check_zeros(tw, &test_types[t], triangles[u], one, 1, 0.0);
                check_zeros(tw, &test_types[t], triangles[u], last, 1, -0.0);
                check_zeros(tw, &test_types[t], triangles[u], many, 4, 0.0);
                check_zeros(tw, &test_types[t], triangles[u], edge, 1, 0.0);
            }
        twill_stop(tw);
    }
}

TEST(the_first_zero_is_told_by_a_graph_too)
{
    twill *tw = test_start(4, "rand");
    for (int round = 0; round < 50; round++) {
        twill_graph *g;
        twill_array *a = make(tw, TWILL_FLOAT64, 130);
        double *full = test_unpack(a);
        full[60 + 60 * 130] = full[125 + 125 * 130] = 0.0;
        test_pack(a, full);
        free(full);
        OK(twill_stf_begin(tw, &g));
        OK(twill_potri_insert(g, TWILL_UPPER, a, NULL));
        REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "info");
        assert_int_equal(twill_graph_info(g), 61);
        twill_graph_free(g);
        twill_array_free(a);
    }
    twill_stop(tw);
}

/* ---- bits ----------------------------------------------------------------------------------- */

/* Factor and invert in one graph, or one after the other. */
static uint64_t digest_of(twill *tw, twill_type type, twill_uplo uplo, bool together)
{
    twill_graph *g;
    int64_t info;
    uint64_t digest = 0;
    twill_array *a = NULL;
    if (together) /* store the triangle alone */
        OK(twill_matrix_create_triangle(tw, type, 150, NB, uplo, &a));
    else
        a = test_matrix(tw, type, 150, 150, NB);
    OK(twill_fill_spd(a, 11));
    if (together) {
        OK(twill_stf_begin(tw, &g));
        twill_la_options options = {.size = sizeof(twill_la_options), .no_priority = true};
        OK(twill_potrf_insert(g, uplo, a, NULL));
        if (type == TWILL_FLOAT64) {
            OK(twill_trtri_insert(g, uplo, TWILL_NON_UNIT, a, &options));
            OK(twill_lauum_insert(g, uplo, a, &options));
        } else {
            OK(twill_potri_insert(g, uplo, a, &options));
        }
        OK(twill_wait(g));
        twill_graph_free(g);
    } else {
        OK(twill_potrf(uplo, a, &info));
        OK(twill_potri(uplo, a, &info));
    }
    OK(twill_digest(a, uplo, &digest));
    twill_array_free(a);
    return digest;
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[4][2];
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int t = 0; t < COUNT(test_types); t++)
                for (int u = 0; u < 2; u++) {
                    uint64_t digest =
                        digest_of(tw, test_types[t].type, triangles[u], (w + s + t) % 2);
                    if (w == 0 && s == 0)
                        wanted[t][u] = digest;
                    assert_true(digest == wanted[t][u]);
                }
            twill_stop(tw);
        }
    assert_true(wanted[0][0] != wanted[1][0]);
}

TEST(bad_arguments_are_told_by_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    int64_t info = 0;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 20, 8);
    twill_array *tall = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8);
    REFUSED(twill_trtri(TWILL_GENERAL, TWILL_UNIT, a, &info), TWILL_ERR_ARGUMENT, "argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_trtri(TWILL_LOWER, (twill_diag)'X', a, &info), TWILL_ERR_ARGUMENT, "argument 2");
    assert_int_equal(info, -2);
    REFUSED(twill_lauum(TWILL_GENERAL, a), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_potri(TWILL_GENERAL, a, &info), TWILL_ERR_ARGUMENT, "argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_trtri(TWILL_LOWER, TWILL_UNIT, tall, &info), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_lauum(TWILL_LOWER, tall), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_potri(TWILL_LOWER, NULL, &info), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inverse_of_a_triangle_is_right),
        cmocka_unit_test(the_product_of_triangles_is_right),
        cmocka_unit_test(the_inverse_of_a_definite_matrix_is_right),
        cmocka_unit_test(zeros_on_the_diagonal_are_found_where_lapack_finds_them),
        cmocka_unit_test(the_first_zero_is_told_by_a_graph_too),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(bad_arguments_are_told_by_lapacks_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
