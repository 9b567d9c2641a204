/* sysv and hesv: residuals, LAPACK's pivots and info, the factor multiplied out, equal bits. */
#include "support/indefinite.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 24, NRHS = 5 };

static const int64_t orders[] = {0, 1, 2, NB - 1, NB, NB + 1, 97, 150};
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};

static indefinite make(twill *tw, twill_type type, bool hermitian, twill_uplo uplo, int64_t n)
{
    indefinite p = {.hermitian = hermitian, .uplo = uplo};
    twill_pattern column = twill_tiled(n, 1, NB, 1);
    p.a = test_matrix(tw, type, n, n, NB);
    p.b = test_matrix(tw, type, n, NRHS, NB);
    OK(twill_array_create(tw, &column, type, 0, &p.e));
    OK(twill_array_create(tw, &column, TWILL_BYTES, 8, &p.ipiv));
    OK(hermitian ? twill_fill_hermitian(p.a, 3) : twill_fill_symmetric(p.a, 3));
    OK(twill_fill_random(p.b, 4));
    return p;
}

static void free_problem(indefinite *p)
{
    twill_array_free(p->a);
    twill_array_free(p->e);
    twill_array_free(p->ipiv);
    twill_array_free(p->b);
}

static twill_status factor(const indefinite *p, int64_t *info)
{
    return p->hermitian ? twill_hetrf(p->uplo, p->a, p->e, p->ipiv, info)
                        : twill_sytrf(p->uplo, p->a, p->e, p->ipiv, info);
}

static dense_shape shape_of(const indefinite *p)
{
    return p->hermitian ? DENSE_HERMITIAN : DENSE_SYMMETRIC;
}

static void check(twill *tw, const test_type *type, indefinite p, int64_t n)
{
    int64_t info = -1;
    int *theirs = calloc((size_t)n + 1, sizeof *theirs);
    char *before = test_unpack(p.a), *full = test_unpack(p.a);
    dense a = dense_read(p.a, shape_of(&p), p.uplo), b = dense_read(p.b, DENSE_GENERAL, p.uplo);
    OK(factor(&p, &info));
    assert_int_equal(info, indefinite_lapack(tw, &p, full, theirs));
    int64_t *ours = test_unpack(p.ipiv);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(ours[i], theirs[i]);
    OK(p.hermitian ? twill_hetrs(p.uplo, p.a, p.e, p.ipiv, p.b)
                   : twill_sytrs(p.uplo, p.a, p.e, p.ipiv, p.b));
    dense x = dense_read(p.b, DENSE_GENERAL, p.uplo);
    double solved = dense_solve_ratio(a, x, b, type->eps);
    double factored = indefinite_ratio(&p, a, type->eps);
    if (!(solved < 30.0) || !(factored < 30.0))
        fail_msg("%s %s %c n=%d: factor %g, solution %g", type->name, p.hermitian ? "he" : "sy",
                 p.uplo, (int)n, factored, solved);
    char *after = test_unpack(p.a);
    size_t size = twill_type_size(type->type);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (!test_inside(p.uplo, i, j))
                assert_memory_equal(after + (size_t)(i + j * n) * size,
                                    before + (size_t)(i + j * n) * size, size);
    dense_free(a);
    dense_free(b);
    dense_free(x);
    free(theirs);
    free(before);
    free(full);
    free(ours);
    free(after);
    free_problem(&p);
}

TEST(factor_and_solution_are_right_and_the_pivots_are_lapacks)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int h = 0; h < 2; h++)
            for (int u = 0; u < 2; u++)
                for (int i = 0; i < COUNT(orders); i++)
                    check(tw, &test_types[t],
                          make(tw, test_types[t].type, h, triangles[u], orders[i]), orders[i]);
    twill_stop(tw);
}

/* Small integers have many equal candidates, and exact zeros. Complex quotients are
 * rounded, in some order, so that of these there is one step only. */
static void fill_integers(const indefinite *p, int64_t n, uint64_t seed)
{
    twill_type type = twill_array_type(p->a);
    bool complex_type = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
    void *full = test_unpack(p->a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double complex x = (double)test_random(&seed, 3) - 1.0;
            if (complex_type && (i != j || !p->hermitian))
                x += ((double)test_random(&seed, 3) - 1.0) * I;
            test_store(full, type, i + j * n, x);
            test_store(full, type, j + i * n, p->hermitian ? conj(x) : x);
        }
    test_pack(p->a, full);
    free(full);
}

TEST(pivots_and_info_of_small_integers_are_lapacks)
{
    twill *tw = test_start(2, NULL);
    int singular = 0;
    for (int t = 1; t < COUNT(test_types); t += 2)
        for (int round = 0; round < 200; round++) {
            int64_t n = 2 + (t == 1 ? round % 5 : 0), info;
            indefinite p = make(tw, test_types[t].type, round % 2, triangles[round / 2 % 2], n);
            fill_integers(&p, n, (uint64_t)round);
            int theirs[8];
            void *full = test_unpack(p.a);
            OK(factor(&p, &info));
            int wanted = indefinite_lapack(tw, &p, full, theirs);
            int64_t *ours = test_unpack(p.ipiv);
            assert_int_equal(info, wanted);
            singular += info > 0;
            for (int64_t i = 0; i < n; i++)
                assert_int_equal(ours[i], theirs[i]);
            free(ours);
            free(full);
            free_problem(&p);
        }
    assert_true(singular > 10);
    twill_stop(tw);
}

/* ---- what cannot be solved ------------------------------------------------------------------ */

/* Row and column `at` are zero. */
static void make_singular(const indefinite *p, int64_t n, int64_t at)
{
    twill_type type = twill_array_type(p->a);
    void *full = test_unpack(p->a);
    for (int64_t i = 0; i < n; i++) {
        test_store(full, type, at + i * n, 0.0);
        test_store(full, type, i + at * n, 0.0);
    }
    test_pack(p->a, full);
    free(full);
}

TEST(a_singular_matrix_is_told_and_b_stays)
{
    enum { N = 60 };
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int t = 0; t < COUNT(test_types); t++)
            for (int u = 0; u < 2; u++) {
                int64_t info = -1;
                indefinite p = make(tw, test_types[t].type, s % 2, triangles[u], N);
                make_singular(&p, N, 31);
                char *before = test_unpack(p.b);
                OK(p.hermitian ? twill_hesv(p.uplo, p.a, p.b, &info)
                               : twill_sysv(p.uplo, p.a, p.b, &info));
                assert_true(info > 0 && info <= N);
                char *after = test_unpack(p.b);
                assert_memory_equal(after, before, N * NRHS * twill_type_size(test_types[t].type));
                free(before);
                free(after);
                free_problem(&p);
            }
        twill_stop(tw);
    }
}

TEST(a_matrix_of_zeros_is_factored_with_info)
{
    twill *tw = test_start(2, NULL);
    for (int u = 0; u < 2; u++) {
        int64_t info = -1, n = 100;
        indefinite p = make(tw, TWILL_FLOAT64, false, triangles[u], n);
        double *zeros = calloc((size_t)(n * n), sizeof *zeros);
        test_pack(p.a, zeros);
        int *theirs = calloc((size_t)n, sizeof *theirs);
        OK(factor(&p, &info));
        assert_int_equal(info, indefinite_lapack(tw, &p, zeros, theirs));
        double *left = test_unpack(p.a);
        for (int64_t i = 0; i < n * n; i++)
            assert_true(left[i] == 0.0);
        free(zeros);
        free(theirs);
        free(left);
        free_problem(&p);
    }
    twill_stop(tw);
}

/* Where it ends up does not depend on how a BLAS compares it with numbers, and LAPACK looks for it
 * as long as it does not work in blocks. */
TEST(nan_and_infinity_on_the_diagonal_are_told_as_by_lapack)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    twill *tw = test_start(2, NULL);
    int told = 0;
    for (int t = 0; t < COUNT(test_types); t++)
        for (int v = 0; v < COUNT(values); v++)
            for (int round = 0; round < 12; round++) {
                int64_t n = 5 * (round + 1), at = n * (3 + round % 7) / 10, info = -1;
                indefinite p = make(tw, test_types[t].type, round % 2, triangles[round / 2 % 2], n);
                int theirs[64];
                void *full = test_unpack(p.a);
                test_store(full, test_types[t].type, at + at * n, values[v]);
                test_pack(p.a, full);
                OK(factor(&p, &info));
                assert_int_equal(info, indefinite_lapack(tw, &p, full, theirs));
                told += info > 0;
                free(full);
                free_problem(&p);
            }
    assert_true(told > 30);
    twill_stop(tw);
}

/* Anywhere: info and pivots. Up to twice the order of LAPACK's blocks, which do not look for NaN.
 * Which of several real numbers is the largest when one is NaN depends in OpenBLAS on where they
 * are in memory, in the reference BLAS on nothing else. */
static void check_odd(const char *blas)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    static const int64_t orders[] = {2, 3, 7, 30, 65, 128};
    twill *tw = test_start_with((twill_options){.workers = 2, .blas = blas});
    twill_blas found = {.size = sizeof found};
    bool there =
        twill_blas_info(tw, &found) == TWILL_OK && !(blas && strncmp(found.path, "linked", 6) == 0);
    uint64_t seed = 5;
    for (int t = blas ? 0 : 2; there && t < COUNT(test_types); t++)
        for (int round = 0; round < 24 * COUNT(orders); round++) {
            int64_t n = orders[round % COUNT(orders)], info = -1;
            indefinite p = make(tw, test_types[t].type, round & 1, triangles[round >> 1 & 1], n);
            int theirs[128];
            void *full = test_unpack(p.a);
            for (int many = 0; many <= round % 3; many++) {
                int64_t i = (int64_t)test_random(&seed, (uint64_t)n);
                int64_t j = (int64_t)test_random(&seed, (uint64_t)n);
                test_store(full, test_types[t].type, i + j * n, values[round / 3 % 3]);
                test_store(full, test_types[t].type, j + i * n, values[round / 3 % 3]);
            }
            test_pack(p.a, full);
            OK(factor(&p, &info));
            assert_int_equal(info, indefinite_lapack(tw, &p, full, theirs));
            int64_t *ours = test_unpack(p.ipiv);
            for (int64_t i = 0; i < n; i++)
                assert_int_equal(ours[i], theirs[i]);
            free(ours);
            free(full);
            free_problem(&p);
        }
    twill_stop(tw);
}

TEST(nan_and_infinity_anywhere_are_as_in_lapack)
{
    check_odd(NULL);
    check_odd("reference");
}

/* Sizes near the ends of the range of the type. */
TEST(very_large_and_very_small_matrices_are_solved)
{
    static const double scales[] = {1e300, 1e-300};
    twill *tw = test_start(2, NULL);
    for (int t = 1; t < COUNT(test_types); t += 2)
        for (int u = 0; u < 2; u++)
            for (int s = 0; s < 2; s++) {
                int64_t n = 60, info = -1;
                twill_type type = test_types[t].type;
                indefinite p = make(tw, type, u, triangles[u], n);
                dense a = dense_read(p.a, shape_of(&p), p.uplo);
                dense b = dense_read(p.b, DENSE_GENERAL, p.uplo);
                void *full = test_unpack(p.a);
                for (int64_t i = 0; i < n * n; i++)
                    test_store(full, type, i, test_load(full, type, i) * scales[s]);
                test_pack(p.a, full);
                OK(u ? twill_hesv(p.uplo, p.a, p.b, &info) : twill_sysv(p.uplo, p.a, p.b, &info));
                assert_int_equal(info, 0);
                dense x = dense_read(p.b, DENSE_GENERAL, p.uplo);
                for (int64_t i = 0; i < n * NRHS; i++)
                    x.at[i] *= scales[s];
                assert_true(dense_solve_ratio(a, x, b, test_types[t].eps) < 30.0);
                dense_free(a);
                dense_free(b);
                dense_free(x);
                free(full);
                free_problem(&p);
            }
    twill_stop(tw);
}

TEST(a_canceled_factorization_leaves_nothing_behind)
{
    twill *tw = test_start(2, NULL);
    for (int round = 0; round < 20; round++) {
        twill_graph *g;
        indefinite p = make(tw, TWILL_FLOAT64, false, TWILL_LOWER, 150);
        OK(twill_stf_begin(tw, &g));
        OK(twill_sytrf_insert(g, p.uplo, p.a, p.e, p.ipiv, NULL));
        twill_cancel(g);
        twill_status status = twill_wait(g);
        assert_true(status == TWILL_ERR_CANCELED || status == TWILL_OK);
        twill_graph_free(g);
        free_problem(&p);
    }
    twill_stop(tw);
}

/* ---- bits ----------------------------------------------------------------------------------- */

static uint64_t digest_of(twill *tw, twill_type type, bool hermitian, twill_uplo uplo,
                          bool together)
{
    twill_graph *g;
    int64_t info = 0;
    uint64_t digest = 0;
    indefinite p = make(tw, type, hermitian, uplo, 150);
    if (together) {
        OK(twill_stf_begin(tw, &g));
        OK(hermitian ? twill_hesv_insert(g, uplo, p.a, p.e, p.ipiv, p.b, NULL)
                     : twill_sysv_insert(g, uplo, p.a, p.e, p.ipiv, p.b, NULL));
        OK(twill_wait(g));
        twill_graph_free(g);
    } else {
        OK(hermitian ? twill_hesv(uplo, p.a, p.b, &info) : twill_sysv(uplo, p.a, p.b, &info));
    }
    OK(twill_digest(p.b, TWILL_GENERAL, &digest));
    free_problem(&p);
    return digest;
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[4][2][2];
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int t = 0; t < COUNT(test_types); t++)
                for (int h = 0; h < 2; h++)
                    for (int u = 0; u < 2; u++) {
                        uint64_t digest =
                            digest_of(tw, test_types[t].type, h, triangles[u], (w + s + t) % 2);
                        if (w == 0 && s == 0)
                            wanted[t][h][u] = digest;
                        assert_true(digest == wanted[t][h][u]);
                    }
            twill_stop(tw);
        }
}

/* ---- other ways to store it ----------------------------------------------------------------- */

/* The solution with a matrix that has the elements of `like`. */
static uint64_t solve_stored(twill_array *like, twill_array *a, twill_uplo uplo)
{
    int64_t info = -1;
    uint64_t digest;
    const twill_pattern *p = twill_array_pattern(like);
    twill_array *b = test_matrix(twill_array_context(a), TWILL_COMPLEX128, p->extent[0], NRHS, NB);
    OK(twill_fill_random(b, 4));
    OK(twill_copy_uplo(uplo, like, a));
    OK(twill_hesv(uplo, a, b, &info));
    assert_int_equal(info, 0);
    OK(twill_digest(b, TWILL_GENERAL, &digest));
    twill_array_free(b);
    return digest;
}

TEST(triangles_alone_and_parts_of_matrices_are_solved)
{
    enum { N = 100 };
    twill *tw = test_start(2, NULL);
    for (int u = 0; u < 2; u++) {
        twill_array *like = test_matrix(tw, TWILL_COMPLEX128, N, N, NB), *triangle, *part;
        twill_array *full = test_matrix(tw, TWILL_COMPLEX128, N, N, NB);
        twill_array *whole = test_matrix(tw, TWILL_COMPLEX128, 3 * NB + N, 2 * NB + N, NB);
        OK(twill_fill_hermitian(like, 3));
        OK(twill_matrix_create_triangle(tw, TWILL_COMPLEX128, N, NB, triangles[u], &triangle));
        OK(twill_matrix_sub(twill_view_sub(twill_view_all(whole), 3 * NB, 2 * NB, N, N), &part));
        uint64_t digest = solve_stored(like, full, triangles[u]);
        assert_true(solve_stored(like, triangle, triangles[u]) == digest);
        assert_true(solve_stored(like, part, triangles[u]) == digest);
        twill_array_free(like);
        twill_array_free(full);
        twill_array_free(part);
        twill_array_free(whole);
        twill_array_free(triangle);
    }
    twill_stop(tw);
}

TEST(bad_arguments_are_told_by_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    int64_t info = 0;
    indefinite p = make(tw, TWILL_FLOAT64, false, TWILL_LOWER, 50),
               q = make(tw, TWILL_FLOAT64, 0, 'L', 30);
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_sysv(TWILL_GENERAL, p.a, p.b, &info), TWILL_ERR_ARGUMENT, "argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_hesv(TWILL_LOWER, p.a, q.b, &info), TWILL_ERR_ARGUMENT, "argument 8");
    assert_int_equal(info, -8);
    REFUSED(twill_sytrf(TWILL_GENERAL, p.a, p.e, p.ipiv, &info), TWILL_ERR_ARGUMENT, "argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_sytrf(TWILL_LOWER, p.a, q.e, p.ipiv, &info), TWILL_ERR_ARGUMENT, "argument 5");
    assert_int_equal(info, -5);
    REFUSED(twill_hetrf(TWILL_LOWER, p.a, p.e, NULL, &info), TWILL_ERR_ARGUMENT, "argument 6");
    REFUSED(twill_hetrf_insert(g, TWILL_LOWER, p.a, p.ipiv, p.ipiv, NULL), TWILL_ERR_ARGUMENT,
            "argument 5");
    REFUSED(twill_sytrs_insert(g, TWILL_LOWER, p.a, p.e, q.ipiv, p.b, NULL), TWILL_ERR_ARGUMENT,
            "argument 7");
    REFUSED(twill_hetrs_insert(g, TWILL_LOWER, p.a, p.e, p.ipiv, q.b, NULL), TWILL_ERR_ARGUMENT,
            "argument 9");
    REFUSED(twill_sytrf_insert(g, TWILL_LOWER, p.a, p.e, p.ipiv,
                               &(twill_la_options){.size = sizeof(twill_la_options), .ib = 1}),
            TWILL_ERR_ARGUMENT, "ib");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_and_solution_are_right_and_the_pivots_are_lapacks),
        cmocka_unit_test(pivots_and_info_of_small_integers_are_lapacks),
        cmocka_unit_test(a_singular_matrix_is_told_and_b_stays),
        cmocka_unit_test(a_matrix_of_zeros_is_factored_with_info),
        cmocka_unit_test(nan_and_infinity_on_the_diagonal_are_told_as_by_lapack),
        cmocka_unit_test(nan_and_infinity_anywhere_are_as_in_lapack),
        cmocka_unit_test(very_large_and_very_small_matrices_are_solved),
        cmocka_unit_test(a_canceled_factorization_leaves_nothing_behind),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(triangles_alone_and_parts_of_matrices_are_solved),
        cmocka_unit_test(bad_arguments_are_told_by_lapacks_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
