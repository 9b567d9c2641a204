/* potrs, posv and pocon: residuals, failures as LAPACK tells them, conditions, equal bits. */
#include "support/dense.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NB = 24 };

static const int64_t orders[] = {0, 1, 2, NB - 1, NB, NB + 1, 97};
static const int64_t counts[] = {0, 1, NB + 1};
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};

/* Factor and solve, in one of the ways there are. */
typedef enum way { PLAIN, STEPS, INSERTED, TRIANGLE, WAYS } way;

static int64_t posv(way how, twill_uplo uplo, twill_array *a, twill_array *b)
{
    int64_t info = -1;
    twill_graph *g;
    if (how == STEPS) {
        OK(twill_potrf(uplo, a, &info));
        if (info == 0)
            OK(twill_potrs(uplo, a, b));
    } else if (how == INSERTED) {
        OK(twill_stf_begin(twill_array_context(a), &g));
        OK(twill_posv_insert(g, uplo, a, b, NULL));
        twill_status status = twill_wait(g);
        info = twill_graph_info(g);
        assert_true(status == (info ? TWILL_ERR_NUMERICAL : TWILL_OK));
        twill_graph_free(g);
    } else {
        OK(twill_posv(uplo, a, b, &info));
    }
    return info;
}

static twill_array *make(twill *tw, twill_type type, int64_t n, way how, twill_uplo uplo)
{
    twill_array *a;
    if (how == TRIANGLE)
        OK(twill_matrix_create_triangle(tw, type, n, NB, uplo, &a));
    else
        a = test_matrix(tw, type, n, n, NB);
    OK(twill_fill_spd(a, 3));
    return a;
}

static void check(twill *tw, const test_type *type, twill_uplo uplo, int64_t n, int64_t nrhs,
                  way how)
{
    twill_array *a = make(tw, type->type, n, how, uplo);
    twill_array *b = test_matrix(tw, type->type, n, nrhs, NB);
    OK(twill_fill_random(b, 4));
    dense da = dense_read(a, DENSE_HERMITIAN, uplo), db = dense_read(b, DENSE_GENERAL, uplo);
    assert_int_equal(posv(how, uplo, a, b), 0);
    dense x = dense_read(b, DENSE_GENERAL, uplo);
    double ratio = dense_solve_ratio(da, x, db, type->eps);
    if (!(ratio < 30.0))
        fail_msg("%s %c n=%d nrhs=%d way %d: %g", type->name, uplo, (int)n, (int)nrhs, how, ratio);
    dense_free(da);
    dense_free(db);
    dense_free(x);
    twill_array_free(a);
    twill_array_free(b);
}

TEST(solutions_are_right)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int u = 0; u < 2; u++)
            for (int i = 0; i < COUNT(orders); i++)
                for (int k = 0; k < COUNT(counts); k++)
                    for (int how = PLAIN; how < WAYS; how++)
                        check(tw, &test_types[t], triangles[u], orders[i], counts[k], how);
    twill_stop(tw);
}

/* ---- failures ------------------------------------------------------------------------------- */

TEST(what_is_not_definite_is_told_as_lapack_does_and_b_stays)
{
    enum { N = 61 };
    static const struct {
        int64_t i, j;
        double value;
    } damages[] = {{0, 0, -1.0},  {40, 40, 0.0},      {60, 60, -5.0}, {20, 20, NAN},
                   {50, 10, NAN}, {30, 30, INFINITY}, {25, 24, 1e4}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int t = 0; t < COUNT(test_types); t++)
            for (int d = 0; d < COUNT(damages); d++) {
                twill_uplo uplo = triangles[(s + t + d) % 2];
                twill_type type = test_types[t].type;
                twill_array *a = make(tw, type, N, PLAIN, uplo),
                            *b = test_matrix(tw, type, N, 3, NB);
                OK(twill_fill_random(b, 4));
                void *full = test_unpack(a), *before = test_unpack(b);
                test_store(full, type, damages[d].i + damages[d].j * N, damages[d].value);
                test_store(full, type, damages[d].j + damages[d].i * N, damages[d].value);
                test_pack(a, full);
                int64_t info = posv(PLAIN, uplo, a, b);
                void *after = test_unpack(b);
                assert_int_equal(info, test_lapack(tw, &test_types[t], uplo, full, N));
                if (info > 0)
                    assert_memory_equal(after, before, 3 * N * twill_type_size(type));
                OK(twill_fill_spd(a, 3));
                free(full);
                free(before);
                free(after);
                twill_array_free(a);
                twill_array_free(b);
            }
        twill_stop(tw);
    }
}

TEST(very_large_and_very_small_matrices_are_solved)
{
    static const double scales[] = {1e300, 1e-300};
    twill *tw = test_start(2, NULL);
    for (int t = 1; t < COUNT(test_types); t += 2)
        for (int s = 0; s < 2; s++) {
            int64_t n = 97;
            twill_array *a = make(tw, test_types[t].type, n, PLAIN, TWILL_LOWER);
            twill_array *b = test_matrix(tw, test_types[t].type, n, 2, NB);
            OK(twill_fill_random(b, 4));
            dense da = dense_read(a, DENSE_HERMITIAN, TWILL_LOWER);
            dense db = dense_read(b, DENSE_GENERAL, TWILL_LOWER);
            OK(twill_scale(TWILL_GENERAL, twill_real(scales[s]), a));
            assert_int_equal(posv(PLAIN, TWILL_LOWER, a, b), 0);
            dense x = dense_read(b, DENSE_GENERAL, TWILL_LOWER);
            for (int64_t i = 0; i < n * 2; i++)
                x.at[i] *= scales[s];
            assert_true(dense_solve_ratio(da, x, db, test_types[t].eps) < 30.0);
            dense_free(da);
            dense_free(db);
            dense_free(x);
            twill_array_free(a);
            twill_array_free(b);
        }
    twill_stop(tw);
}

/* ---- conditions ----------------------------------------------------------------------------- */

typedef void lapack_pocon(const char *uplo, const int *n, const void *a, const int *lda,
                          const void *norm, void *rcond, void *work, void *rest, int *info, size_t);

static double lapack_rcond(twill *tw, twill_type type, twill_uplo uplo, int n, double norm,
                           const void *factor)
{
    lapack_pocon *pocon;
    *(void **)&pocon = dense_lapack(tw, type, "pocon");
    assert_non_null(pocon);
    bool single = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
    float norm32 = (float)norm, rcond32 = 0;
    double rcond64 = 0;
    char triangle = (char)uplo;
    int info = 0;
    void *work = malloc((size_t)n * 3 * 16), *rest = malloc((size_t)n * 16);
    pocon(&triangle, &n, factor, &n, single ? (void *)&norm32 : (void *)&norm,
          single ? (void *)&rcond32 : (void *)&rcond64, work, rest, &info, 1);
    free(work);
    free(rest);
    return single ? rcond32 : rcond64;
}

TEST(conditions_are_lapacks)
{
    static const double wanted[] = {1.0, 100.0, 1e4};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int u = 0; u < 2; u++)
            for (int c = 0; c < 3; c++)
                for (int64_t n = 1; n < 100; n += 48) {
                    twill_type type = test_types[t].type;
                    double norm = 0, rcond = -1;
                    int64_t info;
                    twill_array *a = test_matrix(tw, type, n, n, NB);
                    OK(twill_fill_spd_cond(a, 3, wanted[c]));
                    OK(twill_norm_hermitian(TWILL_NORM_ONE, triangles[u], a, &norm));
                    OK(twill_potrf(triangles[u], a, &info));
                    assert_int_equal(info, 0);
                    OK(twill_pocon(triangles[u], a, norm, &rcond));
                    void *full = test_unpack(a);
                    double theirs = lapack_rcond(tw, type, triangles[u], (int)n, norm, full);
                    if (!(fabs(rcond - theirs) < 0.02 * theirs))
                        fail_msg("%s %c n=%d: %g, LAPACK has %g", test_types[t].name, triangles[u],
                                 (int)n, rcond, theirs);
                    free(full);
                    twill_array_free(a);
                }
    twill_stop(tw);
}

/* One column of the inverse is larger than all others together: the estimate begins far below it,
 * and its signs never change. */
TEST(conditions_of_diagonal_matrices_are_exact)
{
    enum { N = 100 };
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int large = 0; large < N; large += 33) {
            double rcond = -1;
            twill_array *a = test_matrix(tw, test_types[t].type, N, N, NB);
            OK(twill_fill_identity(a));
            void *full = test_unpack(a);
            test_store(full, test_types[t].type, large + large * N, 1.0 / 32.0);
            test_pack(a, full);
            OK(twill_pocon(triangles[large % 2], a, 1.0, &rcond));
            assert_true(rcond == 1.0 / 1024.0);
            OK(twill_gecon(TWILL_NORM_ONE, a, 1.0, &rcond));
            assert_true(rcond == 1.0 / 32.0);
            free(full);
            twill_array_free(a);
        }
    twill_stop(tw);
}

TEST(conditions_of_extreme_matrices_are_told)
{
    twill *tw = test_start(1, NULL);
    double rcond = -1;
    twill_array *empty = test_matrix(tw, TWILL_FLOAT64, 0, 0, NB);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 50, 50, NB);
    OK(twill_pocon(TWILL_LOWER, empty, 0.0, &rcond));
    assert_true(rcond == 1.0);
    OK(twill_fill_identity(a));
    OK(twill_pocon(TWILL_LOWER, a, 0.0, &rcond));
    assert_true(rcond == 0.0);
    OK(twill_pocon(TWILL_LOWER, a, NAN, &rcond));
    assert_true(isnan(rcond));
    OK(twill_pocon(TWILL_LOWER, a, 1.0, &rcond));
    assert_true(fabs(rcond - 1.0) < 1e-13);
    OK(twill_set(TWILL_LOWER, twill_real(0.0), twill_real(1e-200), a));
    OK(twill_pocon(TWILL_LOWER, a, 1.0, &rcond)); /* the inverse overflows */
    assert_true(rcond == 0.0);
    REFUSED(twill_pocon(TWILL_LOWER, a, -1.0, &rcond), TWILL_ERR_ARGUMENT, "argument 5");
    twill_stop(tw);
}

/* ---- bits, arguments, memory ---------------------------------------------------------------- */

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[4][2], digest;
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int t = 0; t < COUNT(test_types); t++)
                for (int u = 0; u < 2; u++) {
                    twill_type type = test_types[t].type;
                    twill_array *a = make(tw, type, 150, PLAIN, triangles[u]);
                    twill_array *b = test_matrix(tw, type, 150, 30, NB);
                    OK(twill_fill_random(b, 4));
                    assert_int_equal(posv((way)((w + s + t) % WAYS), triangles[u], a, b), 0);
                    OK(twill_digest(b, TWILL_GENERAL, &digest));
                    if (w == 0 && s == 0)
                        wanted[t][u] = digest;
                    assert_true(digest == wanted[t][u]);
                    twill_array_free(a);
                    twill_array_free(b);
                }
            twill_stop(tw);
        }
}

TEST(bad_arguments_are_told_by_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    int64_t info = 0;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 50, 50, NB),
                *b = test_matrix(tw, TWILL_FLOAT64, 50, 2, NB);
    twill_array *few = test_matrix(tw, TWILL_FLOAT64, 40, 2, NB), *upper;
    twill_array *single = test_matrix(tw, TWILL_FLOAT32, 50, 2, NB);
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 50, NB, TWILL_UPPER, &upper));
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_posv(TWILL_GENERAL, a, b, &info), TWILL_ERR_ARGUMENT, "argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_posv(TWILL_LOWER, a, few, &info), TWILL_ERR_ARGUMENT, "argument 7");
    assert_int_equal(info, -7);
    REFUSED(twill_potrs(TWILL_LOWER, a, few), TWILL_ERR_ARGUMENT, "argument 7");
    REFUSED(twill_potrs(TWILL_LOWER, a, single), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_potrs_insert(g, TWILL_GENERAL, a, b, NULL), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_posv_insert(g, TWILL_LOWER, a, NULL, NULL), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_posv(TWILL_LOWER, upper, b, &info), TWILL_ERR_ARGUMENT, "argument 1");
    twill_stop(tw);
}

static double resident_mib(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2)
        skip();
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* One small solve of each kind. */
static void solve_once(twill *tw, twill_array *a, twill_array *b, twill_array *x)
{
    int64_t info = -1, steps;
    OK(twill_fill_spd(a, 1));
    OK(twill_posv_mixed(TWILL_LOWER, a, b, x, TWILL_REFINE_CLASSIC, &steps, &info));
    assert_int_equal(info, 0);
    OK(twill_sysv(TWILL_UPPER, a, x, &info));
    assert_int_equal(info, 0);
    twill_array *c = make(tw, TWILL_FLOAT32, 30, PLAIN, TWILL_LOWER);
    twill_array *d = test_matrix(tw, TWILL_FLOAT32, 30, 1, NB);
    assert_int_equal(posv(INSERTED, TWILL_LOWER, c, d), 0);
    twill_array_free(c);
    twill_array_free(d);
}

/* TW_SOLVES: 10000 in the soak test. */
TEST(many_small_solves_keep_memory_flat)
{
    const char *text = getenv("TW_SOLVES");
    int many = text ? atoi(text) : 300;
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 50, 50, NB),
                *b = test_matrix(tw, TWILL_FLOAT64, 50, 2, NB);
    twill_array *x = test_matrix(tw, TWILL_FLOAT64, 50, 2, NB);
    OK(twill_fill_random(b, 2));
    double before = 0;
    for (int i = 0; i < many; i++) {
        if (i == many / 10)
            before = resident_mib();
        solve_once(tw, a, b, x);
    }
    double grown = resident_mib() - before;
    if (!test_slow() && grown > 4.0)
        fail_msg("%d solves: %.1f MiB more", many, grown);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_right),
        cmocka_unit_test(what_is_not_definite_is_told_as_lapack_does_and_b_stays),
        cmocka_unit_test(very_large_and_very_small_matrices_are_solved),
        cmocka_unit_test(conditions_are_lapacks),
        cmocka_unit_test(conditions_of_diagonal_matrices_are_exact),
        cmocka_unit_test(conditions_of_extreme_matrices_are_told),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(bad_arguments_are_told_by_lapacks_numbers),
        cmocka_unit_test(many_small_solves_keep_memory_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
