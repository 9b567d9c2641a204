/* LU: pivots and factors of LAPACK's, residuals, and the same bits whoever computes them. */
#include "support/lu.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 24 };

static const int64_t shapes[][2] = {{0, 0},       {0, 5},   {5, 0},           {1, 1},
                                    {1, 7},       {7, 1},   {NB - 1, NB - 1}, {NB, NB},
                                    {97, 97},     {50, 97}, {97, 50},         {NB + 1, NB},
                                    {NB, NB + 1}, {130, 5}, {5, 130},         {100, 100}};

/* ---- one factorization ---------------------------------------------------------------------- */

typedef struct outcome {
    void *before, *after;
    int64_t *pivots, info;
} outcome;

static void factor(twill *tw, twill_array *a, twill_method method, outcome *o)
{
    twill_array *ipiv;
    twill_graph *g;
    twill_la_options options = {.size = sizeof(twill_la_options), .method = method};
    o->before = test_unpack(a);
    OK(twill_pivots_create(a, &ipiv));
    if (method == TWILL_METHOD_AUTO) {
        OK(twill_getrf(a, ipiv, &o->info));
    } else {
        OK(twill_stf_begin(tw, &g));
        OK(twill_getrf_insert(g, a, ipiv, &options));
        OK(twill_wait(g));
        OK(twill_getrf_info(a, &o->info));
        twill_graph_free(g);
    }
    o->after = test_unpack(a);
    o->pivots = test_pivots(ipiv);
    twill_array_free(ipiv);
}

static void free_outcome(outcome *o)
{
    free(o->before);
    free(o->after);
    free(o->pivots);
}

/* Info and pivots are those of the book; returns whether they are. */
static bool as_by_the_book(const outcome *o, twill_type type, int64_t m, int64_t n)
{
    int64_t least = m < n ? m : n;
    size_t bytes = (size_t)(m * n) * twill_type_size(type);
    int64_t *pivots = malloc((size_t)(least + 1) * sizeof *pivots);
    void *book = malloc(bytes + 1);
    memcpy(book, o->before, bytes);
    int64_t info = test_lu(type, book, m, n, pivots);
    bool same = info == o->info && !memcmp(pivots, o->pivots, (size_t)least * sizeof *pivots);
    free(pivots);
    free(book);
    return same;
}

static void check_shape(twill *tw, const test_type *type, const int64_t *shape, int64_t nb,
                        bool wrapped)
{
    int64_t m = shape[0], n = shape[1];
    test_dense a = test_dense_make(tw, type->type, m, n, nb, wrapped);
    outcome o;
    OK(twill_fill_random(a.array, 7));
    factor(tw, a.array, TWILL_METHOD_AUTO, &o);
    assert_int_equal(o.info, 0);
    double ratio = test_lu_residual(type, o.before, o.after, o.pivots, m, n);
    if (!(ratio < 30) || !as_by_the_book(&o, type->type, m, n))
        fail_msg("%s %d by %d, nb %d: residual %g, or pivots differ", type->name, (int)m, (int)n,
                 (int)nb, ratio);
    free_outcome(&o);
    test_dense_free(&a);
}

TEST(the_factors_are_right_and_pivots_are_lapacks)
{
    twill *tw = test_start(2, NULL);
    uint64_t seed = 1;
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int wrapped = 0; wrapped < 2; wrapped++)
                check_shape(tw, &test_types[t], shapes[s],
                            wrapped ? 1 + (int64_t)test_random(&seed, 120) : NB, wrapped);
    twill_stop(tw);
}

/* Large enough for products, several pieces of rows and leaves. */
TEST(large_tiles_are_factored_as_well)
{
    twill *tw = test_start(3, NULL);
    const int64_t large[][2] = {{230, 210}, {210, 230}, {300, 120}};
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(large) - (test_slow() ? 2 : 0); s++)
            check_shape(tw, &test_types[t], large[s], 110, s % 2);
    twill_stop(tw);
}

/* The checks above would prove nothing if they accepted anything. */
TEST(a_wrong_factor_has_a_large_residual)
{
    twill *tw = test_start(1, NULL);
    test_dense a = test_dense_make(tw, TWILL_FLOAT64, 50, 40, NB, false);
    outcome o;
    OK(twill_fill_random(a.array, 7));
    factor(tw, a.array, TWILL_METHOD_AUTO, &o);
    ((double *)o.after)[49] += 1e-6;
    assert_true(test_lu_residual(&test_types[1], o.before, o.after, o.pivots, 50, 40) > 30);
    o.pivots[3] = o.pivots[3] % 50 + 1;
    assert_false(as_by_the_book(&o, TWILL_FLOAT64, 50, 40));
    free_outcome(&o);
    test_dense_free(&a);
    twill_stop(tw);
}

/* ---- other ways to find pivots -------------------------------------------------------------- */

static void check_method(twill *tw, const test_type *type, const int64_t *shape,
                         twill_method method)
{
    int64_t m = shape[0], n = shape[1];
    test_dense a = test_dense_make(tw, type->type, m, n, NB, false);
    bool none = method == TWILL_METHOD_NO_PIVOTING;
    outcome o;
    OK(twill_fill_random(a.array, 7));
    void *full = test_unpack(a.array);
    for (int64_t i = 0; none && i < m && i < n; i++) /* dominant, so that none are needed */
        test_store(full, type->type, i + i * m, test_load(full, type->type, i + i * m) + m + n);
    test_pack(a.array, full);
    free(full);
    factor(tw, a.array, method, &o);
    double ratio = test_lu_residual(type, o.before, o.after, o.pivots, m, n);
    double growth = test_growth(type->type, o.after, m, n);
    if (!(ratio < 30) || !(growth < (none ? 1 : 50)) || o.info != 0)
        fail_msg("%s %d by %d, method %d: residual %g, largest of L %g, info %d", type->name,
                 (int)m, (int)n, method, ratio, growth, (int)o.info);
    for (int64_t i = 0; i < m && i < n; i++)
        assert_in_range(o.pivots[i], i + 1, none ? i + 1 : m);
    free_outcome(&o);
    test_dense_free(&a);
}

TEST(a_tournament_finds_pivots_that_do)
{
    for (int workers = 1; workers <= 3; workers += 2) {
        twill *tw = test_start(workers, NULL);
        for (int t = 0; t < COUNT(test_types); t++)
            for (int s = 0; s < COUNT(shapes); s++)
                check_method(tw, &test_types[t], shapes[s], TWILL_METHOD_TOURNAMENT);
        twill_stop(tw);
    }
}

TEST(dominant_matrices_need_no_pivots)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            check_method(tw, &test_types[t], shapes[s], TWILL_METHOD_NO_PIVOTING);
    twill_stop(tw);
}

/* Where one tile holds all rows, a tournament is partial pivoting. */
TEST(a_tournament_of_one_is_partial_pivoting)
{
    twill *tw = test_start(2, NULL);
    test_dense a = test_dense_make(tw, TWILL_FLOAT64, 40, 90, 40, false);
    outcome o;
    OK(twill_fill_random(a.array, 3));
    factor(tw, a.array, TWILL_METHOD_TOURNAMENT, &o);
    assert_true(as_by_the_book(&o, TWILL_FLOAT64, 40, 90));
    free_outcome(&o);
    test_dense_free(&a);
    twill_stop(tw);
}

/* ---- determinism ---------------------------------------------------------------------------- */

static uint64_t digest_of(twill *tw, twill_type type, twill_la_options options)
{
    twill_graph *g;
    uint64_t digest = 0;
    test_dense a = test_dense_make(tw, type, 310, 290, 100, false);
    twill_array *ipiv;
    OK(twill_fill_random(a.array, 11));
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_stf_begin(tw, &g));
    OK(twill_getrf_insert(g, a.array, ipiv, &options));
    OK(twill_wait(g));
    OK(twill_digest(a.array, TWILL_GENERAL, &digest));
    int64_t *pivots = test_pivots(ipiv);
    for (int i = 0; i < 290; i++)
        digest = digest * 31 + (uint64_t)pivots[i];
    free(pivots);
    twill_graph_free(g);
    twill_array_free(ipiv);
    test_dense_free(&a);
    return digest;
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[4][4];
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int t = 0; t < COUNT(test_types); t++)
                for (twill_method m = TWILL_METHOD_PARTIAL; m <= TWILL_METHOD_NO_PIVOTING; m++) {
                    twill_la_options options = {.size = sizeof(twill_la_options),
                                                .method = m,
                                                .no_priority = s % 2,
                                                .lookahead = workers[w] % 3};
                    if (test_slow() && (s + w + t + (int)m) % 4 && w + s > 0)
                        continue;
                    uint64_t digest = digest_of(tw, test_types[t].type, options);
                    if (w == 0 && s == 0)
                        wanted[t][m] = digest;
                    assert_true(digest == wanted[t][m]);
                }
            twill_stop(tw);
        }
    assert_true(wanted[0][1] != wanted[0][2] && wanted[1][1] != wanted[1][2]);
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(what_cannot_be_factored_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 30, 8), *bytes, *tiles, *ipiv, *other,
                *triangle;
    twill_array *small = test_matrix(tw, TWILL_FLOAT64, 10, 30, 8);
    twill_pattern p = twill_tiled(20, 20, 8, 8), q = twill_tiled(20, 30, 8, 4);
    int64_t info = 77;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &bytes));
    OK(twill_array_create(tw, &q, TWILL_FLOAT64, 0, &tiles));
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_pivots_create(small, &other));
    REFUSED(twill_getrf(bytes, ipiv, &info), TWILL_ERR_ARGUMENT, "type");
    assert_int_equal(info, 77);
    REFUSED(twill_getrf(NULL, ipiv, &info), TWILL_ERR_ARGUMENT, "getrf: argument 3");
    assert_int_equal(info, -3);
    REFUSED(twill_getrf(tiles, ipiv, &info), TWILL_ERR_ARGUMENT, "square tiles");
    assert_int_equal(info, -3);
    REFUSED(twill_getrf(a, NULL, &info), TWILL_ERR_ARGUMENT, "getrf: argument 5");
    assert_int_equal(info, -5);
    info = 0;
    REFUSED(twill_getrf(a, other, &info), TWILL_ERR_ARGUMENT, "20 elements");
    assert_int_equal(info, -5);
    REFUSED(twill_getrf(a, a, &info), TWILL_ERR_ARGUMENT, "argument 5");
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, 20, 8, TWILL_LOWER, &triangle));
    REFUSED(twill_getrf(triangle, ipiv, &info), TWILL_ERR_ARGUMENT, "stores a triangle");
    REFUSED(twill_getrf_info(NULL, &info), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_pivots_create(NULL, &other), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_pivots_create(a, NULL), TWILL_ERR_ARGUMENT, "NULL");
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_getrf_insert(
                g, a, ipiv, &(twill_la_options){.size = sizeof(twill_la_options), .lookahead = -1}),
            TWILL_ERR_ARGUMENT, "lookahead");
    twill_graph_free(g);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factors_are_right_and_pivots_are_lapacks),
        cmocka_unit_test(large_tiles_are_factored_as_well),
        cmocka_unit_test(a_wrong_factor_has_a_large_residual),
        cmocka_unit_test(a_tournament_finds_pivots_that_do),
        cmocka_unit_test(dominant_matrices_need_no_pivots),
        cmocka_unit_test(a_tournament_of_one_is_partial_pivoting),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(what_cannot_be_factored_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
