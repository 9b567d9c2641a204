/* Matrices that store a triangle: every routine takes them, and gives what it gives for the
 * triangle of a matrix that stores everything. */
#include "support/matrix.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>

enum { N = 97, NB = 24 };
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};

static twill_array *triangle(twill *tw, twill_type type, twill_uplo uplo)
{
    twill_array *a = NULL;
    OK(twill_matrix_create_triangle(tw, type, N, NB, uplo, &a));
    assert_int_equal(twill_array_uplo(a), uplo);
    return a;
}

static uint64_t digest_of(twill_array *a, twill_uplo part)
{
    uint64_t digest = 0;
    OK(twill_digest(a, part, &digest));
    return digest;
}

/* ---- Cholesky ------------------------------------------------------------------------------- */

static void factor(twill *tw, twill_uplo uplo, twill_array *a, bool inserted)
{
    twill_graph *g;
    if (inserted) {
        OK(twill_stf_begin(tw, &g));
        OK(twill_potrf_insert(g, uplo, a, NULL));
    } else {
        OK(twill_potrf_graph(uplo, a, NULL, &g));
        OK(twill_ptg_run(g));
    }
    OK(twill_wait(g));
    twill_graph_free(g);
}

TEST(a_stored_triangle_has_the_factor_of_the_whole_matrix)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int k = 0; k < 16; k++) {
            twill_type type = test_types[k % 4].type;
            twill_uplo uplo = triangles[k / 4 % 2];
            twill_array *whole = test_matrix(tw, type, N, N, NB), *half = triangle(tw, type, uplo);
            twill_array *before = triangle(tw, type, uplo);
            double ratio = -1.0;
            OK(twill_fill_spd(whole, 3));
            OK(twill_fill_spd(half, 3));
            OK(twill_copy(half, before));
            assert_true(digest_of(whole, uplo) == digest_of(half, TWILL_GENERAL));
            factor(tw, uplo, whole, k / 8);
            factor(tw, uplo, half, k / 8);
            assert_true(digest_of(whole, uplo) == digest_of(half, uplo));
            OK(twill_potrf_residual(uplo, before, half, &ratio));
            assert_true(ratio < 30.0);
            twill_array_free(whole);
            twill_array_free(half);
            twill_array_free(before);
        }
        twill_stop(tw);
    }
}

/* ---- everything else ------------------------------------------------------------------------ */

TEST(generators_and_norms_see_the_triangle)
{
    static const twill_norm_kind kinds[] = {TWILL_NORM_MAX, TWILL_NORM_ONE, TWILL_NORM_INF,
                                            TWILL_NORM_FRO};
    twill *tw = test_start(2, NULL);
    for (int k = 0; k < 8; k++) {
        twill_type type = test_types[k % 4].type;
        twill_uplo uplo = triangles[k / 4];
        twill_array *whole = test_matrix(tw, type, N, N, NB), *half = triangle(tw, type, uplo);
        OK(twill_fill_spd_cond(whole, 8, 100.0));
        OK(twill_fill_spd_cond(half, 8, 100.0));
        assert_true(digest_of(whole, uplo) == digest_of(half, TWILL_GENERAL));
        for (int i = 0; i < COUNT(kinds); i++) {
            double wanted, got;
            OK(twill_norm_triangular(kinds[i], uplo, TWILL_NON_UNIT, whole, &wanted));
            OK(twill_norm(kinds[i], half, &got));
            assert_true(got == wanted);
            OK(twill_norm_hermitian(kinds[i], uplo, whole, &wanted));
            OK(twill_norm_hermitian(kinds[i], uplo, half, &got));
            assert_true(got == wanted);
        }
    }
    twill_stop(tw);
}

TEST(elementwise_operations_stay_in_the_triangle)
{
    twill *tw = test_start(2, NULL);
    for (int k = 0; k < 8; k++) {
        twill_type type = test_types[k % 4].type;
        twill_uplo uplo = triangles[k / 4], other = triangles[1 - k / 4];
        twill_array *whole = test_matrix(tw, type, N, N, 31), *half = triangle(tw, type, uplo);
        twill_array *turned = triangle(tw, type, other), *check = test_matrix(tw, type, N, N, 40);
        OK(twill_fill_random(whole, 1));
        uint64_t outside = digest_of(whole, other);
        OK(twill_copy(whole, half)); /* all that `half` has */
        assert_true(digest_of(whole, uplo) == digest_of(half, TWILL_GENERAL));
        OK(twill_transpose(TWILL_CONJ_TRANS, half, turned));
        OK(twill_transpose(TWILL_CONJ_TRANS, whole, check));
        assert_true(digest_of(check, other) == digest_of(turned, TWILL_GENERAL));
        OK(twill_add(TWILL_GENERAL, TWILL_CONJ_TRANS, twill_real(1.0), turned, twill_real(1.0),
                     whole));
        OK(twill_scale(TWILL_GENERAL, twill_real(2.0), half));
        assert_true(digest_of(whole, uplo) == digest_of(half, TWILL_GENERAL));
        /* the diagonal is part of both triangles */
        OK(twill_fill_random(check, 1));
        OK(twill_set(uplo, twill_real(0.0), twill_real(5.0), whole));
        OK(twill_set(TWILL_GENERAL, twill_real(0.0), twill_real(5.0), half));
        assert_true(digest_of(whole, uplo) == digest_of(half, TWILL_GENERAL));
        OK(twill_copy_uplo(uplo, check, whole));
        assert_true(digest_of(whole, other) == outside);
    }
    twill_stop(tw);
}

TEST(memory_is_read_and_written_in_the_triangle_alone)
{
    twill *tw = test_start(2, NULL);
    double *from = malloc(sizeof *from * N * N), *to = malloc(sizeof *to * N * N);
    assert_true(from && to);
    for (int u = 0; u < 2; u++) {
        twill_array *a = triangle(tw, TWILL_FLOAT64, triangles[u]);
        for (int k = 0; k < N * N; k++) {
            from[k] = k;
            to[k] = -1.0;
        }
        OK(twill_matrix_read(a, TWILL_GENERAL, from, N));
        OK(twill_matrix_write(a, TWILL_GENERAL, to, N));
        for (int k = 0; k < N * N; k++)
            assert_true(to[k] == (test_inside(triangles[u], k % N, k / N) ? from[k] : -1.0));
    }
    free(from);
    free(to);
    twill_stop(tw);
}

TEST(a_map_shows_zeros_where_there_are_no_tiles)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = triangle(tw, TWILL_FLOAT64, TWILL_LOWER);
    twill_view all = twill_view_all(a), missing = twill_view_tile(a, 0, 2);
    void *data;
    int64_t ld;
    OK(twill_map(all, TWILL_WRITE, &data, &ld));
    for (int64_t k = 0; k < N * N; k++)
        ((double *)data)[k % N + k / N * ld] = 1.0;
    OK(twill_unmap(all, data));
    OK(twill_map(all, TWILL_READ, &data, &ld));
    for (int64_t k = 0; k < N * N; k++) {
        bool stored = k % N / NB >= k / N / NB;
        assert_true(((double *)data)[k % N + k / N * ld] == stored);
    }
    OK(twill_unmap(all, data));
    OK(twill_map(missing, TWILL_READ_WRITE, &data, &ld));
    assert_true(*(double *)data == 0.0);
    OK(twill_unmap(missing, data));
    twill_stop(tw);
}

TEST(a_tile_size_is_chosen)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = NULL, *b = NULL;
    OK(twill_matrix_create(tw, TWILL_FLOAT32, 900, 900, &a));
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT32, 900, 0, TWILL_UPPER, &b));
    assert_int_equal(twill_array_pattern(a)->block[0], twill_array_pattern(b)->block[0]);
    twill_stop(tw);
}

TEST(the_other_triangle_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = triangle(tw, TWILL_FLOAT64, TWILL_LOWER),
                *b = triangle(tw, TWILL_FLOAT64, TWILL_UPPER);
    twill_array *none = NULL;
    int64_t info = 7;
    double x;
    uint64_t digest;
    REFUSED(twill_potrf(TWILL_UPPER, a, &info), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_potrf_residual(TWILL_LOWER, a, b, &x), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_norm_symmetric(TWILL_NORM_ONE, TWILL_UPPER, a, &x), TWILL_ERR_ARGUMENT,
            "argument 2");
    REFUSED(twill_digest(a, TWILL_UPPER, &digest), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_copy(a, b), TWILL_ERR_ARGUMENT, "triangle");
    REFUSED(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 10, -1, TWILL_LOWER, &none),
            TWILL_ERR_ARGUMENT, "argument 4");
    REFUSED(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 10, 4, TWILL_GENERAL, &none),
            TWILL_ERR_ARGUMENT, "argument 5");
    REFUSED(twill_matrix_create_triangle(tw, TWILL_FLOAT64, -1, 4, TWILL_LOWER, &none),
            TWILL_ERR_ARGUMENT, "elements");
    REFUSED(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 1, 4, TWILL_LOWER, NULL),
            TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_triangle_has_the_factor_of_the_whole_matrix),
        cmocka_unit_test(generators_and_norms_see_the_triangle),
        cmocka_unit_test(elementwise_operations_stay_in_the_triangle),
        cmocka_unit_test(memory_is_read_and_written_in_the_triangle_alone),
        cmocka_unit_test(a_map_shows_zeros_where_there_are_no_tiles),
        cmocka_unit_test(a_tile_size_is_chosen),
        cmocka_unit_test(the_other_triangle_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
