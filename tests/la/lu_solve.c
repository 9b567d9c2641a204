/* What LU is for: systems of equations and inverses. */
#include "support/dense.h"
#include "support/lu.h"
#include "support/test.h"

#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

enum { NB = 24 };

static const int64_t orders[] = {0, 1, NB - 1, NB, NB + 1, 97};
static const int64_t sides[] = {0, 1, 30};
static const twill_trans transposes[] = {TWILL_NO_TRANS, TWILL_TRANS, TWILL_CONJ_TRANS};

/* A, its factors' pivots and B; with A and B as they were. */
typedef struct system {
    test_dense a, b;
    twill_array *ipiv;
    dense a0, b0;
} system_of;

static system_of make_system(twill *tw, twill_type type, int64_t n, int64_t nrhs, int64_t nb)
{
    system_of s = {.a = test_dense_make(tw, type, n, n, nb, nb % 2),
                   .b = test_dense_make(tw, type, n, nrhs, nb, nb % 3 == 0)};
    OK(twill_fill_random(s.a.array, 21));
    OK(twill_fill_random(s.b.array, 22));
    OK(twill_pivots_create(s.a.array, &s.ipiv));
    s.a0 = dense_read(s.a.array, DENSE_GENERAL, TWILL_LOWER);
    s.b0 = dense_read(s.b.array, DENSE_GENERAL, TWILL_LOWER);
    return s;
}

static void free_system(system_of *s)
{
    dense_free(s->a0);
    dense_free(s->b0);
    twill_array_free(s->ipiv);
    test_dense_free(&s->a);
    test_dense_free(&s->b);
}

static void check_solution(const system_of *s, const test_type *type, twill_trans trans,
                           const char *what)
{
    dense x = dense_read(s->b.array, DENSE_GENERAL, TWILL_LOWER);
    dense a = dense_op(s->a0, (char)trans);
    double ratio = dense_solve_ratio(a, x, s->b0, type->eps);
    if (!(ratio < 30))
        fail_msg("%s %s %c n=%d nrhs=%d: residual %g", what, type->name, trans, (int)a.rows,
                 (int)x.cols, ratio);
    dense_free(a);
    dense_free(x);
}

/* ---- systems -------------------------------------------------------------------------------- */

TEST(systems_are_solved_with_the_factors)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int i = 0; i < COUNT(orders); i++)
            for (int r = 0; r < COUNT(sides); r++)
                for (int c = 0; c < COUNT(transposes); c++) {
                    int64_t info;
                    system_of s =
                        make_system(tw, test_types[t].type, orders[i], sides[r], NB + 3 * c);
                    OK(twill_getrf(s.a.array, s.ipiv, &info));
                    OK(twill_getrs(transposes[c], s.a.array, s.ipiv, s.b.array));
                    check_solution(&s, &test_types[t], transposes[c], "getrs");
                    free_system(&s);
                }
    twill_stop(tw);
}

TEST(factoring_and_solving_is_one_call)
{
    twill *tw = test_start(3, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int i = 0; i < COUNT(orders); i++)
            for (int r = 0; r < COUNT(sides); r++) {
                int64_t info = -1;
                system_of s = make_system(tw, test_types[t].type, orders[i], sides[r], NB);
                OK(twill_gesv(s.a.array, s.ipiv, s.b.array, &info));
                assert_int_equal(info, 0);
                check_solution(&s, &test_types[t], TWILL_NO_TRANS, "gesv");
                free_system(&s);
            }
    twill_stop(tw);
}

TEST(factoring_and_solving_may_be_inserted)
{
    for (int k = 0; k < test_nsetups; k++) {
        twill *tw = test_start(test_setups[k].workers, test_setups[k].sched);
        for (twill_method m = TWILL_METHOD_AUTO; m <= TWILL_METHOD_TOURNAMENT; m++) {
            system_of s = make_system(tw, TWILL_COMPLEX128, 90, 30, NB);
            twill_la_options options = {.size = sizeof(twill_la_options), .method = m};
            twill_graph *g;
            OK(twill_stf_begin(tw, &g));
            OK(twill_gesv_insert(g, s.a.array, s.ipiv, s.b.array, &options));
            OK(twill_wait(g));
            check_solution(&s, &test_types[3], TWILL_NO_TRANS, "gesv_insert");
            twill_graph_free(g);
            free_system(&s);
        }
        twill_stop(tw);
    }
}

/* Right-hand sides may be cut into other columns than the matrix. */
TEST(right_hand_sides_have_tiles_of_any_width)
{
    twill *tw = test_start(2, NULL);
    system_of s = make_system(tw, TWILL_FLOAT64, 70, 1, NB);
    twill_pattern p = twill_tiled(70, 11, NB, 3);
    twill_array *b;
    int64_t info;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &b));
    OK(twill_fill_random(b, 3));
    dense b0 = dense_read(b, DENSE_GENERAL, TWILL_LOWER);
    OK(twill_gesv(s.a.array, s.ipiv, b, &info));
    dense x = dense_read(b, DENSE_GENERAL, TWILL_LOWER);
    assert_true(dense_solve_ratio(s.a0, x, b0, test_types[1].eps) < 30);
    dense_free(b0);
    dense_free(x);
    twill_array_free(b);
    free_system(&s);
    twill_stop(tw);
}

/* ---- no solution ---------------------------------------------------------------------------- */

static void make_singular(twill_array *a, int64_t column)
{
    int64_t n = twill_array_pattern(a)->extent[0];
    void *full = test_unpack(a);
    for (int64_t i = 0; i < n; i++)
        test_store(full, twill_array_type(a), i + column * n, 0);
    test_pack(a, full);
    free(full);
}

TEST(without_a_solution_the_right_hand_sides_stay)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++) {
        int64_t info = -1;
        uint64_t before, after;
        system_of s = make_system(tw, test_types[t].type, 61, 4, NB);
        make_singular(s.a.array, 40);
        OK(twill_digest(s.b.array, TWILL_GENERAL, &before));
        OK(twill_gesv(s.a.array, s.ipiv, s.b.array, &info));
        assert_int_equal(info, 41);
        OK(twill_digest(s.b.array, TWILL_GENERAL, &after));
        assert_true(before == after);
        OK(twill_digest(s.a.array, TWILL_GENERAL, &before));
        info = -1;
        OK(twill_getri(s.a.array, s.ipiv, &info));
        assert_int_equal(info, 41);
        OK(twill_digest(s.a.array, TWILL_GENERAL, &after));
        assert_true(before == after);
        free_system(&s);
    }
    twill_stop(tw);
}

/* ---- inverses ------------------------------------------------------------------------------- */

static void check_inverse(const system_of *s, const test_type *type)
{
    dense x = dense_read(s->a.array, DENSE_GENERAL, TWILL_LOWER);
    double ratio = dense_inverse_ratio(s->a0, x, type->eps);
    if (!(ratio < 30))
        fail_msg("getri %s n=%d: residual %g", type->name, (int)x.rows, ratio);
    dense_free(x);
}

TEST(matrices_are_inverted)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int i = 0; i < COUNT(orders); i++)
            for (int64_t nb = NB - 1; nb <= NB; nb++) {
                int64_t info = -1;
                system_of s = make_system(tw, test_types[t].type, orders[i], 1, nb);
                OK(twill_getrf(s.a.array, s.ipiv, &info));
                OK(twill_getri(s.a.array, s.ipiv, &info));
                assert_int_equal(info, 0);
                check_inverse(&s, &test_types[t]);
                free_system(&s);
            }
    twill_stop(tw);
}

TEST(an_inverse_may_be_inserted_behind_its_factorization)
{
    twill *tw = test_start(3, NULL);
    system_of s = make_system(tw, TWILL_COMPLEX64, 80, 1, NB);
    twill_array *work = test_matrix(tw, TWILL_COMPLEX64, 80, 80, NB);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_getrf_insert(g, s.a.array, s.ipiv, NULL));
    OK(twill_getri_insert(g, s.a.array, s.ipiv, work, NULL));
    OK(twill_wait(g));
    check_inverse(&s, &test_types[2]);
    make_singular(s.a.array, 70);
    OK(twill_getrf_insert(g, s.a.array, s.ipiv, NULL));
    OK(twill_getri_insert(g, s.a.array, s.ipiv, work, NULL));
    REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "");
    assert_int_equal(twill_graph_info(g), 71);
    twill_graph_free(g);
    free_system(&s);
    twill_stop(tw);
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* The estimate is a lower bound of the condition, and seldom far below it. */
static void check_condition(twill *tw, const test_type *type, int64_t n, twill_norm_kind norm)
{
    int64_t info;
    double before, inverse, rcond = -1;
    system_of s = make_system(tw, type->type, n, 1, NB);
    OK(twill_norm(norm, s.a.array, &before));
    OK(twill_getrf(s.a.array, s.ipiv, &info));
    OK(twill_gecon(norm, s.a.array, before, &rcond));
    OK(twill_getri(s.a.array, s.ipiv, &info));
    OK(twill_norm(norm, s.a.array, &inverse));
    double exact = 1 / (before * inverse);
    if (!(rcond >= 0.99 * exact && rcond <= 10 * exact))
        fail_msg("gecon %s n=%d: %g, not %g", type->name, (int)n, rcond, exact);
    free_system(&s);
}

TEST(conditions_are_estimated)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int64_t n = 1; n < 90; n += 29) {
            check_condition(tw, &test_types[t], n, TWILL_NORM_ONE);
            check_condition(tw, &test_types[t], n, TWILL_NORM_INF);
        }
    twill_stop(tw);
}

TEST(special_matrices_have_special_conditions)
{
    twill *tw = test_start(1, NULL);
    double rcond = -1;
    int64_t info;
    system_of s = make_system(tw, TWILL_FLOAT64, 30, 1, NB),
              none = make_system(tw, TWILL_FLOAT64, 0, 1, NB);
    make_singular(s.a.array, 7);
    OK(twill_getrf(s.a.array, s.ipiv, &info));
    OK(twill_gecon(TWILL_NORM_ONE, s.a.array, 1, &rcond));
    assert_true(rcond == 0);
    OK(twill_gecon(TWILL_NORM_ONE, none.a.array, 0, &rcond));
    assert_true(rcond == 1);
    REFUSED(twill_gecon(TWILL_NORM_FRO, s.a.array, 1, &rcond), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_gecon(TWILL_NORM_ONE, NULL, 1, &rcond), TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_gecon(TWILL_NORM_ONE, test_matrix(tw, TWILL_FLOAT64, 4, 5, 2), 1, &rcond),
            TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_gecon(TWILL_NORM_ONE, s.a.array, -1, &rcond), TWILL_ERR_ARGUMENT, "argument 5");
    REFUSED(twill_gecon(TWILL_NORM_ONE, s.a.array, 1, NULL), TWILL_ERR_ARGUMENT, "argument 6");
    free_system(&s);
    free_system(&none);
    twill_stop(tw);
}

/* ---- determinism ---------------------------------------------------------------------------- */

static uint64_t digest_of(twill *tw, twill_type type, int what)
{
    system_of s = make_system(tw, type, 120, 40, 40);
    twill_graph *g;
    int64_t info;
    uint64_t digest = 0;
    OK(twill_stf_begin(tw, &g));
    if (what == 0)
        OK(twill_gesv(s.a.array, s.ipiv, s.b.array, &info));
    else
        OK(twill_gesv_insert(g, s.a.array, s.ipiv, s.b.array, NULL));
    OK(twill_wait(g));
    if (what == 2)
        OK(twill_getri(s.a.array, s.ipiv, &info));
    OK(twill_digest(what == 2 ? s.a.array : s.b.array, TWILL_GENERAL, &digest));
    twill_graph_free(g);
    free_system(&s);
    return digest;
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[4][3];
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int t = 0; t < COUNT(test_types); t++)
                for (int what = 0; what < 3; what++) {
                    uint64_t digest = digest_of(tw, test_types[t].type, what);
                    if (w == 0 && s == 0)
                        wanted[t][what] = digest;
                    assert_true(digest == wanted[t][what]);
                }
            twill_stop(tw);
        }
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(bad_arguments_have_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 20, 8), *ipiv, *tall_pivots;
    twill_array *tall = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8);
    twill_array *b = test_matrix(tw, TWILL_FLOAT64, 20, 3, 8);
    twill_array *single = test_matrix(tw, TWILL_FLOAT32, 20, 3, 8);
    twill_array *other = test_matrix(tw, TWILL_FLOAT64, 20, 3, 5);
    int64_t info = 0;
    twill_graph *g;
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_pivots_create(tall, &tall_pivots));
    REFUSED(twill_getrs((twill_trans)'X', a, ipiv, b), TWILL_ERR_ARGUMENT, "getrs: argument 1");
    REFUSED(twill_getrs(TWILL_TRANS, tall, tall_pivots, b), TWILL_ERR_ARGUMENT,
            "getrs: argument 2");
    REFUSED(twill_getrs(TWILL_TRANS, NULL, ipiv, b), TWILL_ERR_ARGUMENT, "getrs: argument 4");
    REFUSED(twill_getrs(TWILL_TRANS, a, tall_pivots, b), TWILL_ERR_ARGUMENT, "getrs: argument 6");
    REFUSED(twill_getrs(TWILL_TRANS, a, ipiv, NULL), TWILL_ERR_ARGUMENT, "getrs: argument 7");
    REFUSED(twill_getrs(TWILL_TRANS, a, ipiv, single), TWILL_ERR_ARGUMENT, "getrs: argument 7");
    REFUSED(twill_getrs(TWILL_TRANS, a, ipiv, other), TWILL_ERR_ARGUMENT, "getrs: argument 7");
    REFUSED(twill_gesv(tall, tall_pivots, b, &info), TWILL_ERR_ARGUMENT, "gesv: argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_gesv(a, ipiv, test_matrix(tw, TWILL_FLOAT64, 21, 3, 8), &info),
            TWILL_ERR_ARGUMENT, "gesv: argument 7");
    assert_int_equal(info, -7);
    REFUSED(twill_getri(tall, tall_pivots, &info), TWILL_ERR_ARGUMENT, "getri: argument 1");
    REFUSED(twill_getri(a, NULL, &info), TWILL_ERR_ARGUMENT, "getri: argument 4");
    assert_int_equal(info, -4);
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_getri_insert(g, a, ipiv, b, NULL), TWILL_ERR_ARGUMENT, "work space");
    REFUSED(twill_gesv_insert(g, a, ipiv, NULL, NULL), TWILL_ERR_ARGUMENT, "gesv: argument 6");
    REFUSED(twill_getrs_insert(g, TWILL_TRANS, a, NULL, b, NULL), TWILL_ERR_ARGUMENT,
            "getrs: argument 6");
    twill_graph_free(g);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_solved_with_the_factors),
        cmocka_unit_test(factoring_and_solving_is_one_call),
        cmocka_unit_test(factoring_and_solving_may_be_inserted),
        cmocka_unit_test(right_hand_sides_have_tiles_of_any_width),
        cmocka_unit_test(without_a_solution_the_right_hand_sides_stay),
        cmocka_unit_test(matrices_are_inverted),
        cmocka_unit_test(an_inverse_may_be_inserted_behind_its_factorization),
        cmocka_unit_test(conditions_are_estimated),
        cmocka_unit_test(special_matrices_have_special_conditions),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(bad_arguments_have_lapacks_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
