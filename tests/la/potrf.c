/* Cholesky: residuals, LAPACK's own factor, and the same bits whoever computes them. */
#include "support/matrix.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>

enum { NB = 24 };

static const int64_t orders[] = {0, 1, 2, NB - 1, NB, NB + 1, 97, 100, 3 * NB};
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};

/* ---- one factorization ---------------------------------------------------------------------- */

/* A matrix in tiles, or in memory of the program's with some rows to spare. */
typedef struct matrix {
    twill_array *array;
    void *memory;
} matrix;

static matrix make_matrix(twill *tw, twill_type type, int64_t n, bool wrapped)
{
    matrix m = {NULL, NULL};
    twill_pattern p = twill_tiled(n, n, NB, NB);
    if (!wrapped) {
        OK(twill_array_create(tw, &p, type, 0, &m.array));
        return m;
    }
    m.memory = calloc((size_t)((n + 5) * (n + 1)), twill_type_size(type));
    assert_non_null(m.memory);
    OK(twill_array_wrap(tw, &p, type, 0, m.memory, n + 5, &m.array));
    return m;
}

static void free_matrix(matrix *m)
{
    twill_array_free(m->array);
    free(m->memory);
}

/* Put a mark where the factorization has no business. */
static void mark_other_triangle(void *full, twill_type type, twill_uplo uplo, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (!test_inside(uplo, i, j))
                test_store(full, type, i + j * n, 1e6 + (double)i - 2e6 * I);
}

/* The largest difference from LAPACK's factor, relative to the entry or, for small ones, to the
 * usual size of entries. */
static double difference(const void *x, const void *y, twill_type type, twill_uplo uplo, int64_t n)
{
    double most = 0.0, usual = 0.5 / sqrt((double)(n > 0 ? n : 1));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex a = test_load(x, type, i + j * n), b = test_load(y, type, i + j * n);
            double size = cabs(b) > usual ? cabs(b) : usual;
            double d = cabs(a - b) / size;
            if (test_inside(uplo, i, j) && !(d <= most))
                most = d;
        }
    return most;
}

static void check_other_triangle(const void *x, const void *y, const test_type *type,
                                 twill_uplo uplo, int64_t n)
{
    size_t element = twill_type_size(type->type);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (!test_inside(uplo, i, j))
                assert_memory_equal((const char *)x + (size_t)(i + j * n) * element,
                                    (const char *)y + (size_t)(i + j * n) * element, element);
}

static void check_factorization(twill *tw, const test_type *type, twill_uplo uplo, int64_t n,
                                bool wrapped)
{
    matrix a = make_matrix(tw, type->type, n, wrapped), before = make_matrix(tw, type->type, n, 0);
    int64_t info = -1;
    double ratio = -1.0;
    OK(twill_fill_spd(a.array, 7));
    void *lapack = test_unpack(a.array);
    mark_other_triangle(lapack, type->type, uplo, n);
    test_pack(a.array, lapack);
    OK(twill_copy(a.array, before.array));
    OK(twill_potrf(uplo, a.array, &info));
    assert_int_equal(info, 0);
    OK(twill_potrf_residual(uplo, before.array, a.array, &ratio));
    void *factor = test_unpack(a.array);
    assert_int_equal(test_lapack(tw, type, uplo, lapack, n), 0);
    double d = difference(factor, lapack, type->type, uplo, n);
    if (!(ratio >= 0.0 && ratio < 30.0) || !(d <= 20 * type->eps * (double)(n + 1)))
        fail_msg("%s %c n=%d %s: residual %g, %g from LAPACK", type->name, uplo, (int)n,
                 wrapped ? "wrapped" : "tiled", ratio, d);
    check_other_triangle(factor, lapack, type, uplo, n);
    free(lapack);
    free(factor);
    free_matrix(&a);
    free_matrix(&before);
}

static void check_all_orders(const test_type *type)
{
    twill *tw = test_start(2, NULL);
    for (int u = 0; u < COUNT(triangles); u++)
        for (int i = 0; i < COUNT(orders); i++)
            for (int wrapped = 0; wrapped < 2; wrapped++)
                check_factorization(tw, type, triangles[u], orders[i], wrapped);
    twill_stop(tw);
}

TEST(the_factor_is_right_and_lapacks_in_single_precision)
{
    check_all_orders(&test_types[0]);
}

TEST(the_factor_is_right_and_lapacks_in_double_precision)
{
    check_all_orders(&test_types[1]);
}

TEST(the_factor_is_right_and_lapacks_in_single_complex)
{
    check_all_orders(&test_types[2]);
}

TEST(the_factor_is_right_and_lapacks_in_double_complex)
{
    check_all_orders(&test_types[3]);
}

/* The checks above would prove nothing if they accepted anything. */
TEST(a_wrong_factor_has_a_large_residual)
{
    twill *tw = test_start(1, NULL);
    for (int t = 0; t < COUNT(test_types); t++) {
        twill_type type = test_types[t].type;
        int64_t n = 50, info;
        double ratio;
        matrix a = make_matrix(tw, type, n, false), before = make_matrix(tw, type, n, false);
        OK(twill_fill_spd(a.array, 7));
        OK(twill_copy(a.array, before.array));
        OK(twill_potrf(TWILL_LOWER, a.array, &info));
        void *full = test_unpack(a.array);
        test_store(full, type, 49, test_load(full, type, 49) + 0.01);
        test_pack(a.array, full);
        OK(twill_potrf_residual(TWILL_LOWER, before.array, a.array, &ratio));
        assert_true(ratio > 30.0);
        free(full);
        free_matrix(&a);
        free_matrix(&before);
    }
    twill_stop(tw);
}

/* ---- determinism ---------------------------------------------------------------------------- */

static uint64_t digest_of(twill *tw, twill_type type, twill_uplo uplo, bool inserted,
                          twill_la_options options)
{
    twill_graph *g;
    uint64_t digest = 0;
    matrix a = make_matrix(tw, type, 150, false);
    OK(twill_fill_spd(a.array, 11));
    if (inserted) {
        OK(twill_stf_begin(tw, &g));
        OK(twill_potrf_insert(g, uplo, a.array, &options));
    } else {
        OK(twill_potrf_graph(uplo, a.array, &options, &g));
        OK(twill_ptg_run(g));
    }
    OK(twill_wait(g));
    OK(twill_digest(a.array, uplo, &digest));
    twill_graph_free(g);
    free_matrix(&a);
    return digest;
}

TEST(the_bits_do_not_depend_on_workers_schedulers_or_front_ends)
{
    uint64_t wanted[4][2];
    for (int workers = 1; workers <= 8; workers++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers, tw_schedulers[s]->name);
            for (int t = 0; t < COUNT(test_types); t++)
                for (int u = 0; u < 2; u++) {
                    twill_la_options options = {.size = sizeof(twill_la_options),
                                                .no_priority = s % 2,
                                                .lookahead = workers % 4};
                    uint64_t digest = digest_of(tw, test_types[t].type, triangles[u],
                                                (workers + s + t) % 2, options);
                    if (workers == 1 && s == 0)
                        wanted[t][u] = digest;
                    assert_true(digest == wanted[t][u]);
                }
            twill_stop(tw);
        }
    assert_true(wanted[0][0] != wanted[0][1] && wanted[0][0] != wanted[1][0]);
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(what_cannot_be_factored_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *square = test_matrix(tw, TWILL_FLOAT64, 20, 20, 8), *bytes, *tiles;
    twill_array *tall = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8);
    twill_pattern p = twill_tiled(20, 20, 8, 8), q = twill_tiled(20, 20, 8, 4);
    int64_t info = 77;
    OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &bytes));
    OK(twill_array_create(tw, &q, TWILL_FLOAT64, 0, &tiles));
    REFUSED(twill_potrf(TWILL_GENERAL, square, &info), TWILL_ERR_ARGUMENT, "uplo");
    assert_int_equal(info, -1);
    info = 77;
    REFUSED(twill_potrf(TWILL_LOWER, tall, &info), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_potrf(TWILL_LOWER, tiles, &info), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_potrf(TWILL_LOWER, bytes, &info), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_potrf(TWILL_LOWER, NULL, &info), TWILL_ERR_ARGUMENT, "NULL");
    twill_graph *g;
    REFUSED(twill_potrf_graph(
                TWILL_LOWER, square,
                &(twill_la_options){.size = sizeof(twill_la_options), .lookahead = -1}, &g),
            TWILL_ERR_ARGUMENT, "lookahead");
    assert_int_equal(info, 77);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_right_and_lapacks_in_single_precision),
        cmocka_unit_test(the_factor_is_right_and_lapacks_in_double_precision),
        cmocka_unit_test(the_factor_is_right_and_lapacks_in_single_complex),
        cmocka_unit_test(the_factor_is_right_and_lapacks_in_double_complex),
        cmocka_unit_test(a_wrong_factor_has_a_large_residual),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_schedulers_or_front_ends),
        cmocka_unit_test(what_cannot_be_factored_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
