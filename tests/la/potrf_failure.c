/* Cholesky of what is not positive definite: LAPACK's info, and what is left alone. */
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

enum { N = 61, NB = 16 };

static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};

/* Where the matrix is spoilt, and with what. */
typedef struct damage {
    int64_t i, j;
    double value;
} damage;

static void spoil(void *full, twill_type type, damage d)
{
    test_store(full, type, d.i + d.j * N, d.value);
    test_store(full, type, d.j + d.i * N, d.value);
}

static void check_info(twill *tw, const test_type *type, twill_uplo uplo, damage d)
{
    twill_array *a = test_matrix(tw, type->type, N, N, NB);
    int64_t info = -1;
    OK(twill_fill_spd(a, 5));
    void *full = test_unpack(a);
    spoil(full, type->type, d);
    test_pack(a, full);
    OK(twill_potrf(uplo, a, &info));
    int wanted = test_lapack(tw, type, uplo, full, N);
    if (wanted <= 0 || info != wanted)
        fail_msg("%s %c, %g at (%d, %d): info is %d, LAPACK's is %d", type->name, uplo, d.value,
                 (int)d.i, (int)d.j, (int)info, wanted);
    free(full);
    twill_array_free(a);
}

static void check_everywhere(const damage *damages, int n)
{
    const test_setup setups[] = {{"serial", 1}, {"lws", 2}, {"rand", 4}};
    for (int s = 0; s < COUNT(setups); s++) {
        twill *tw = test_start(setups[s].workers, setups[s].sched);
        for (int t = 0; t < COUNT(test_types); t++)
            for (int u = 0; u < COUNT(triangles); u++)
                for (int i = 0; i < n; i++)
                    check_info(tw, &test_types[t], triangles[u], damages[i]);
        twill_stop(tw);
    }
}

TEST(a_pivot_that_is_not_positive_is_found_where_lapack_finds_it)
{
    const damage damages[] = {
        {0, 0, -1.0},         {0, 0, 0.0},          {1, 1, -5.0},     {NB - 1, NB - 1, -5.0},
        {NB, NB, -5.0},       {N / 2, N / 2, -5.0}, {40, 40, 0.0},    {N - 2, N - 2, -5.0},
        {N - 1, N - 1, -5.0}, {50, 3, 1000.0},      {20, 18, 1000.0},
    };
    check_everywhere(damages, COUNT(damages));
}

TEST(a_nan_is_found_where_lapack_finds_it)
{
    const damage damages[] = {
        {0, 0, NAN}, {N / 2, N / 2, NAN}, {N - 1, N - 1, NAN}, {NB, NB, NAN},
        {1, 0, NAN}, {N - 1, 0, NAN},     {40, 20, NAN},       {N - 1, N - 2, NAN},
    };
    check_everywhere(damages, COUNT(damages));
}

TEST(of_two_bad_pivots_the_first_counts)
{
    twill *tw = test_start(3, NULL);
    for (int t = 0; t < COUNT(test_types); t++) {
        twill_array *a = test_matrix(tw, test_types[t].type, N, N, NB);
        int64_t info = -1;
        OK(twill_fill_spd(a, 5));
        void *full = test_unpack(a);
        spoil(full, test_types[t].type, (damage){50, 50, -5.0});
        spoil(full, test_types[t].type, (damage){20, 20, NAN});
        test_pack(a, full);
        OK(twill_potrf(TWILL_LOWER, a, &info));
        assert_int_equal(info, 21);
        free(full);
    }
    twill_stop(tw);
}

/* ---- after the failure ---------------------------------------------------------------------- */

/* Tasks of a factorization of nt by nt tiles. */
static int64_t tasks(int64_t nt)
{
    return nt + nt * (nt - 1) + nt * (nt - 1) * (nt - 2) / 6;
}

/* With one worker nothing runs before the wait: all tasks are there when the first one fails. */
TEST(the_tasks_behind_a_failure_are_skipped)
{
    enum { NT = (N + NB - 1) / NB };
    static const struct {
        int64_t at;
        int64_t executed; /* at least: the steps before, and the pivot itself */
    } cases[] = {{0, 1}, {NB, 1 + NT - 1 + 1 + 1}, {N - 1, 0}};
    for (int i = 0; i < COUNT(cases); i++) {
        twill *tw = test_start(1, "eager");
        twill_graph *g;
        twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
        twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
        OK(twill_fill_spd(a, 5));
        void *full = test_unpack(a);
        spoil(full, TWILL_FLOAT64, (damage){cases[i].at, cases[i].at, -5.0});
        test_pack(a, full);
        free(full);
        OK(twill_stf_begin(tw, &g));
        twill_count(tw, &before);
        OK(twill_potrf_insert(g, TWILL_LOWER, a, NULL));
        REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "potrf");
        assert_int_equal(twill_graph_info(g), cases[i].at + 1);
        twill_count(tw, &after);
        int64_t executed = after.executed - before.executed;
        assert_int_equal(after.inserted - before.inserted, tasks(NT));
        assert_int_equal(after.skipped - before.skipped, tasks(NT) - executed);
        if (cases[i].at == 0)
            assert_int_equal(executed, 1);
        else if (cases[i].at == N - 1)
            assert_int_equal(executed, tasks(NT)); /* the very last task is the one that fails */
        else
            assert_in_range(executed, cases[i].executed, tasks(NT) - 1);
        twill_stop(tw);
    }
}

TEST(graph_and_matrix_are_usable_after_a_failure)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        double ratio = -1;
        twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
        twill_array *before = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
        OK(twill_stf_begin(tw, &g));
        for (int round = 0; round < 2; round++) {
            OK(twill_fill_hermitian(a, 3)); /* its diagonal is random: not definite */
            OK(twill_potrf_insert(g, TWILL_UPPER, a, NULL));
            REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "info");
            assert_true(twill_graph_info(g) > 0);
            OK(twill_fill_spd(a, 3));
            OK(twill_copy(a, before));
            OK(twill_potrf_insert(g, TWILL_UPPER, a, NULL));
            OK(twill_wait(g));
            assert_int_equal(twill_graph_info(g), 0);
            OK(twill_potrf_residual(TWILL_UPPER, before, a, &ratio));
            assert_true(ratio >= 0 && ratio < 30);
        }
        twill_stop(tw);
    }
}

/* What comes later in the same graph and reads the factor is not run on half a factor. */
TEST(what_reads_the_factor_is_not_run)
{
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    atomic_int ran = 0, *count = &ran;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    OK(twill_fill_hermitian(a, 3));
    OK(twill_stf_begin(tw, &g));
    OK(twill_potrf_insert(g, TWILL_LOWER, a, NULL));
    twill_status status =
        twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 3, 3)));
    assert_true(status == TWILL_OK || status == TWILL_ERR_NUMERICAL);
    REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "info");
    assert_int_equal(atomic_load(&ran), 0);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pivot_that_is_not_positive_is_found_where_lapack_finds_it),
        cmocka_unit_test(a_nan_is_found_where_lapack_finds_it),
        cmocka_unit_test(of_two_bad_pivots_the_first_counts),
        cmocka_unit_test(the_tasks_behind_a_failure_are_skipped),
        cmocka_unit_test(graph_and_matrix_are_usable_after_a_failure),
        cmocka_unit_test(what_reads_the_factor_is_not_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
