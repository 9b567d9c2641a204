/* Small problems whose tiles Twill chose: the kernel runs at once, with all that graphs promise. */
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static const int64_t sizes[] = {1, 2, 31, 64, 127, 128, 129, 200, 384};

static twill_array *chosen(twill *tw, twill_type type, int64_t n)
{
    twill_array *a = NULL;
    OK(twill_matrix_create(tw, type, n, n, &a));
    return a;
}

static int64_t executed(const twill *tw)
{
    twill_counters c = {.size = sizeof c};
    twill_count(tw, &c);
    return c.executed;
}

TEST(small_matrices_are_factored_without_tasks)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(sizes); s++) {
            twill_array *a = chosen(tw, test_types[t].type, sizes[s]);
            twill_array *before = chosen(tw, test_types[t].type, sizes[s]);
            twill_uplo uplo = s % 2 ? TWILL_UPPER : TWILL_LOWER;
            int64_t info = -1;
            double ratio = INFINITY;
            OK(twill_fill_spd(a, 7));
            OK(twill_fill_spd(before, 7));
            int64_t tasks = executed(tw);
            OK(twill_potrf(uplo, a, &info));
            assert_int_equal(executed(tw), tasks);
            assert_int_equal(info, 0);
            OK(twill_potrf_residual(uplo, before, a, &ratio));
            assert_true(ratio < 30);
            twill_array_free(a);
            twill_array_free(before);
        }
    twill_stop(tw);
}

/* In tiles that Twill chose, and as one tile that the program named, which is what LAPACK gets. */
TEST(small_memory_of_the_program_needs_no_tasks)
{
    twill *tw = test_start(2, NULL);
    double memory[7 * 5];
    for (int by_program = 0; by_program < 2; by_program++) {
        twill_array *a = NULL, *before = chosen(tw, TWILL_FLOAT64, 5);
        twill_pattern one = twill_tiled(5, 5, 5, 5);
        int64_t info = -1;
        double ratio = INFINITY;
        OK(by_program ? twill_array_wrap(tw, &one, TWILL_FLOAT64, 0, memory, 7, &a)
                      : twill_matrix_wrap(tw, TWILL_FLOAT64, 5, 5, memory, 7, &a));
        OK(twill_fill_spd(a, 7));
        OK(twill_fill_spd(before, 7));
        int64_t tasks = executed(tw);
        OK(twill_potrf(TWILL_LOWER, a, &info));
        assert_int_equal(executed(tw), tasks);
        assert_int_equal(info, 0);
        OK(twill_potrf_residual(TWILL_LOWER, before, a, &ratio));
        assert_true(ratio < 30);
        twill_array_free(a);
    }
    twill_array *a = NULL;
    REFUSED(twill_matrix_wrap(tw, TWILL_FLOAT64, 5, 5, memory, 4, &a), TWILL_ERR_ARGUMENT,
            "leading dimension");
    REFUSED(twill_matrix_wrap(tw, TWILL_FLOAT64, 5, 5, NULL, 5, &a), TWILL_ERR_ARGUMENT, "memory");
    REFUSED(twill_matrix_wrap(tw, TWILL_FLOAT64, 5, 5, memory, 5, NULL), TWILL_ERR_ARGUMENT,
            "NULL");
    twill_stop(tw);
}

TEST(small_products_are_computed_without_tasks)
{
    const int64_t m = 30, n = 50, inner = 70;
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++) {
        twill_type type = test_types[t].type;
        twill_array *a = NULL, *b = NULL, *c = NULL;
        OK(twill_matrix_create(tw, type, inner, m, &a));
        OK(twill_matrix_create(tw, type, inner, n, &b));
        OK(twill_matrix_create(tw, type, m, n, &c));
        twill_array *tiled[] = {test_matrix(tw, type, inner, m, 16),
                                test_matrix(tw, type, inner, n, 16),
                                test_matrix(tw, type, m, n, 16)};
        twill_array *whole[] = {a, b, c};
        for (int i = 0; i < 3; i++) {
            OK(twill_fill_random(whole[i], (uint64_t)i));
            OK(twill_fill_random(tiled[i], (uint64_t)i));
        }
        twill_scalar alpha = twill_real(2), beta = twill_real(-1);
        int64_t tasks = executed(tw);
        OK(twill_gemm(TWILL_CONJ_TRANS, TWILL_NO_TRANS, alpha, a, b, beta, c));
        assert_int_equal(executed(tw), tasks);
        OK(twill_gemm(TWILL_CONJ_TRANS, TWILL_NO_TRANS, alpha, tiled[0], tiled[1], beta, tiled[2]));
        assert_true(executed(tw) > tasks);
        void *one = test_unpack(c), *other = test_unpack(tiled[2]);
        for (int64_t i = 0; i < m * n; i++)
            assert_true(cabs(test_load(one, type, i) - test_load(other, type, i)) <
                        1000 * test_types[t].eps);
        free(one);
        free(other);
    }
    twill_stop(tw);
}

TEST(small_matrices_have_the_pivots_of_the_tile_algorithm)
{
    const int64_t shapes[][2] = {{1, 1}, {30, 30}, {33, 64}, {100, 70}, {200, 200}};
    twill *tw = test_start(2, NULL);
    for (int s = 0; s < COUNT(shapes); s++) {
        int64_t m = shapes[s][0], n = shapes[s][1], larger = m > n ? m : n, info = -1, other = -1;
        twill_array *a = NULL, *b = test_matrix(tw, TWILL_FLOAT64, m, n, larger);
        twill_array *pivots_a = NULL, *pivots_b = NULL;
        uint64_t first, second;
        OK(twill_matrix_create(tw, TWILL_FLOAT64, m, n, &a));
        OK(twill_pivots_create(a, &pivots_a));
        OK(twill_pivots_create(b, &pivots_b));
        OK(twill_fill_random(a, 3));
        OK(twill_fill_random(b, 3));
        int64_t tasks = executed(tw);
        OK(twill_getrf(a, pivots_a, &info));
        assert_int_equal(executed(tw), tasks);
        OK(twill_getrf(b, pivots_b, &other));
        assert_true(executed(tw) > tasks);
        assert_int_equal(info, 0);
        assert_int_equal(other, 0);
        OK(twill_digest(a, TWILL_GENERAL, &first));
        OK(twill_digest(b, TWILL_GENERAL, &second));
        assert_true(first == second);
    }
    twill_stop(tw);
}

TEST(a_zero_pivot_is_told)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 40), *ipiv = NULL;
    int64_t info = -1;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_fill_identity(a));
    double *full = test_unpack(a);
    full[7 + 7 * 40] = 0;
    test_pack(a, full);
    OK(twill_getrf(a, ipiv, &info));
    assert_int_equal(info, 8);
    free(full);
    twill_stop(tw);
}

/* The same matrix twice would wait for itself; it takes the normal way. */
TEST(a_matrix_may_be_both_factors)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 20), *c = chosen(tw, TWILL_FLOAT64, 20);
    OK(twill_fill_identity(a));
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(3), a, a, twill_real(0), c));
    double *full = test_unpack(c);
    for (int i = 0; i < 400; i++)
        assert_true(full[i] == (i % 21 ? 0 : 3));
    free(full);
    twill_stop(tw);
}

TEST(a_given_tile_size_runs_the_tile_algorithm)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 64, 64, 64);
    int64_t info;
    OK(twill_fill_spd(a, 7));
    int64_t tasks = executed(tw);
    OK(twill_potrf(TWILL_LOWER, a, &info));
    assert_int_equal(executed(tw), tasks + 1);
    twill_stop(tw);
}

TEST(large_matrices_get_several_tiles)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 1000);
    assert_true(twill_pattern_blocks(twill_array_pattern(a), 0) > 2);
    twill_stop(tw);
}

TEST(info_is_lapacks)
{
    const double spoilt[] = {-1.0, 0.0, NAN};
    twill *tw = test_start(2, NULL);
    for (int s = 1; s < COUNT(sizes); s++)
        for (int k = 0; k < COUNT(spoilt); k++) {
            int64_t n = sizes[s], at = n / 2, info = -1;
            twill_array *a = chosen(tw, TWILL_FLOAT64, n);
            OK(twill_fill_spd(a, 3));
            double *full = test_unpack(a);
            full[at + at * n] = spoilt[k];
            test_pack(a, full);
            OK(twill_potrf(TWILL_LOWER, a, &info));
            assert_int_equal(info, at + 1);
            free(full);
            twill_array_free(a);
        }
    twill_stop(tw);
}

typedef struct factoring {
    twill_array *a;
    atomic_int done;
    twill_status status;
} factoring;

static void *factor(void *arg)
{
    factoring *f = arg;
    int64_t info;
    f->status = twill_potrf(TWILL_LOWER, f->a, &info);
    atomic_store(&f->done, 1);
    return NULL;
}

TEST(it_waits_for_tasks_that_came_before)
{
    twill *tw = test_start(2, NULL);
    factoring f = {.a = chosen(tw, TWILL_FLOAT64, 20)};
    test_hold hold = {NULL};
    twill_graph *g;
    pthread_t thread;
    OK(twill_fill_spd(f.a, 1));
    OK(twill_stf_begin(tw, &g));
    test_hold_begin(&hold, g, "writer", TWILL_RW(twill_tile_at(f.a, 0, 0)));
    assert_int_equal(pthread_create(&thread, NULL, factor, &f), 0);
    test_sleep_ms(20);
    assert_int_equal(atomic_load(&f.done), 0);
    test_hold_end(&hold);
    pthread_join(thread, NULL);
    OK(f.status);
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_stop(tw);
}

TEST(data_of_a_failed_graph_is_refused)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 20);
    twill_graph *g;
    int64_t info;
    OK(twill_fill_spd(a, 1));
    OK(twill_stf_begin(tw, &g));
    twill_insert(g, &test_planted, TWILL_RW(twill_tile_at(a, 0, 0)));
    REFUSED(twill_potrf(TWILL_LOWER, a, &info), TWILL_ERR_CANCELED, "graph that failed");
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    twill_graph_free(g);
    OK(twill_fill_spd(a, 1));
    OK(twill_potrf(TWILL_LOWER, a, &info));
    twill_stop(tw);
}

TEST(a_thread_does_not_wait_for_itself)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 20);
    void *data;
    int64_t ld, info;
    OK(twill_map(twill_view_all(a), TWILL_READ, &data, &ld));
    REFUSED(twill_potrf(TWILL_LOWER, a, &info), TWILL_ERR_STUCK, "twill_unmap");
    OK(twill_unmap(twill_view_all(a), data));
    twill_stop(tw);
}

static twill_outcome inside(twill_task *t)
{
    twill_array *a = *(twill_array *const *)twill_task_data(t, 0);
    atomic_int *refused = *(atomic_int *const *)twill_task_data(t, 1);
    int64_t info;
    if (twill_potrf(TWILL_LOWER, a, &info) == TWILL_ERR_STATE)
        atomic_store(refused, 1);
    return TWILL_DONE;
}

TEST(tasks_may_not_call_it)
{
    static const twill_class caller = {
        .size = sizeof(twill_class), .name = "caller", .chores = {TWILL_CPU(inside)}};
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 20);
    atomic_int refused = 0, *p = &refused;
    twill_graph *g;
    twill_blas blas = {.size = sizeof blas};
    OK(twill_blas_info(tw, &blas));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &caller, TWILL_VALUE(a), TWILL_VALUE(p)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&refused), 1);
    twill_graph_free(g);
    twill_stop(tw);
}

enum { THREADS = 3, ROUNDS = 300 };

static void *factor_often(void *arg)
{
    factoring *f = arg;
    for (int i = 0; i < ROUNDS && f->status == TWILL_OK; i++) {
        int64_t info;
        f->status = twill_fill_spd(f->a, 1);
        if (f->status == TWILL_OK)
            f->status = twill_potrf(TWILL_LOWER, f->a, &info);
    }
    return NULL;
}

/* Filling and factoring interleave, but each has the matrix to itself: none sees half of another's
 * work. A factor that is factored again may well be indefinite, but has no NaN. */
TEST(threads_take_turns)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = chosen(tw, TWILL_FLOAT64, 24);
    factoring f[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        f[i] = (factoring){.a = a};
        assert_int_equal(pthread_create(&threads[i], NULL, factor_often, &f[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        OK(f[i].status);
    }
    double *full = test_unpack(a);
    for (int i = 0; i < 24 * 24; i++)
        assert_true(isfinite(full[i]));
    free(full);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_are_factored_without_tasks),
        cmocka_unit_test(small_memory_of_the_program_needs_no_tasks),
        cmocka_unit_test(small_products_are_computed_without_tasks),
        cmocka_unit_test(small_matrices_have_the_pivots_of_the_tile_algorithm),
        cmocka_unit_test(a_zero_pivot_is_told),
        cmocka_unit_test(a_matrix_may_be_both_factors),
        cmocka_unit_test(a_given_tile_size_runs_the_tile_algorithm),
        cmocka_unit_test(large_matrices_get_several_tiles),
        cmocka_unit_test(info_is_lapacks),
        cmocka_unit_test(it_waits_for_tasks_that_came_before),
        cmocka_unit_test(data_of_a_failed_graph_is_refused),
        cmocka_unit_test(a_thread_does_not_wait_for_itself),
        cmocka_unit_test(tasks_may_not_call_it),
        cmocka_unit_test(threads_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
