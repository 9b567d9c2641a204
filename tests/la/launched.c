/* Cholesky, LU, QR and products in an MPI program: each rank compares its tiles with what one rank
 * alone gets. Started without a launcher it is one rank; tests/mpi/la.sh starts it with more. */
#include "support/limit.h"
#include "support/ranks.h"
#include "support/routines.h"

#include "base/mix.h"
#include "comm/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 8, N = 5 * NB + 3 };

typedef struct problem {
    int64_t p, q;
    bool insert;
    int64_t bad; /* order of a minor that is not positive definite, or 0 */
} problem;

static double *make_matrix(const problem *x)
{
    double *m = malloc(N * N * sizeof *m);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            int64_t low = i < j ? i : j, high = i < j ? j : i;
            double r = (double)(tw_mix((uint64_t)(low * 1000 + high)) >> 11) * 0x1p-53 - 0.5;
            m[i + j * N] = i != j ? r : x->bad == i + 1 ? -1.0 : r + N;
        }
    return m;
}

static twill_array *make_array(twill *tw, const problem *x, const double *matrix)
{
    twill_pattern p = twill_block_cyclic(N, N, NB, NB, x->p, x->q);
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    test_scatter(a, matrix);
    return a;
}

static int64_t insert(twill *tw, twill_array *a)
{
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    twill_potrf_insert(g, TWILL_LOWER, a, NULL); /* on some ranks it may have failed already */
    twill_wait(g);
    int64_t info = twill_graph_info(g);
    twill_graph_free(g);
    return info;
}

/* Elements of other ranks stay as they are in the result. */
static void factor(twill *tw, const problem *x, double *matrix)
{
    int64_t info = -1;
    twill_array *a = make_array(tw, x, matrix);
    if (x->insert)
        info = insert(tw, a);
    else
        OK(twill_potrf(TWILL_LOWER, a, &info));
    assert_int_equal(info, x->bad);
    if (!x->bad)
        test_collect(a, matrix);
    twill_array_free(a);
}

static void multiply(twill *tw, const problem *x, double *matrix)
{
    twill_array *a = make_array(tw, x, matrix), *b = make_array(tw, x, matrix);
    twill_array *c = make_array(tw, x, matrix);
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_TRANS, twill_real(1), a, b, twill_real(-0.5), c));
    test_collect(c, matrix);
    twill_array_free(a);
    twill_array_free(b);
    twill_array_free(c);
}

typedef void compute(twill *tw, const problem *x, double *matrix);

static double *alone(problem x, compute *what)
{
    twill *tw = test_start_with((twill_options){.workers = 2, .mpi = "off"});
    x.p = x.q = 1;
    double *matrix = make_matrix(&x);
    what(tw, &x, matrix);
    twill_stop(tw);
    return matrix;
}

/* Is what this rank owns as it should be? */
static void compare(int rank, const problem *x, const double *got, const double *wanted)
{
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            if (i / NB % x->p + j / NB % x->q * x->p == rank)
                assert_true(got[i + j * N] == wanted[i + j * N]);
}

static void try_all(problem x, compute *what)
{
    limit_begin(NULL, 120, "a program of several ranks");
    double *wanted = alone(x, what);
    twill *tw = test_start(1, NULL);
    int ranks = twill_ranks(tw);
    assert_int_equal(ranks, tw_mpi_launched()); /* also of a context after others */
    for (x.p = 1; x.p <= ranks; x.p++) {
        x.q = ranks / x.p;
        if (x.p * x.q != ranks)
            continue;
        double *got = make_matrix(&x);
        what(tw, &x, got);
        compare(twill_rank(tw), &x, got, wanted);
        free(got);
    }
    twill_stop(tw);
    free(wanted);
    limit_end();
}

TEST(the_graph_gives_the_bits_of_one_rank)
{
    try_all((problem){0}, factor);
}

TEST(insertion_gives_the_bits_of_one_rank)
{
    try_all((problem){.insert = true}, factor);
}

TEST(a_product_gives_the_bits_of_one_rank)
{
    try_all((problem){0}, multiply);
}

/* The solution X of A X = B, A random. */
static void solve(twill *tw, const problem *x, double *matrix)
{
    int64_t info = -1;
    twill_array *a = make_array(tw, x, matrix), *b = make_array(tw, x, matrix), *ipiv;
    OK(twill_fill_random(a, 5));
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_gesv(a, ipiv, b, &info));
    assert_int_equal(info, 0);
    test_collect(b, matrix);
    twill_array_free(a);
    twill_array_free(b);
    twill_array_free(ipiv);
}

TEST(a_solution_has_the_bits_of_one_rank)
{
    try_all((problem){0}, solve);
}

/* QR with the tree that the grid has, so that its R may differ from one rank's: Q R is A. */
static void check_qr(twill *tw, int64_t p, int64_t q)
{
    problem x = {.p = p, .q = q};
    double *zeros = calloc(N * N, sizeof *zeros), size = 0, distance = 0;
    twill_array *a = make_array(tw, &x, zeros), *r = make_array(tw, &x, zeros);
    twill_array *u = make_array(tw, &x, zeros);
    twill_reflectors *h;
    OK(twill_fill_random(a, 5));
    OK(twill_copy(a, r));
    OK(twill_reflectors_create(tw, NULL, &h));
    OK(twill_geqrf(r, h));
    OK(twill_ungqr(r, h, u));
    OK(twill_norm(TWILL_NORM_ONE, a, &size));
    OK(twill_trmm(TWILL_RIGHT, TWILL_UPPER, TWILL_NO_TRANS, TWILL_NON_UNIT, twill_real(1), r, u));
    OK(twill_add(TWILL_GENERAL, TWILL_NO_TRANS, twill_real(-1), a, twill_real(1), u));
    OK(twill_norm(TWILL_NORM_ONE, u, &distance));
    assert_true(distance < 30 * N * 1.2e-16 * size);
    twill_reflectors_free(h);
    twill_array_free(a);
    twill_array_free(r);
    twill_array_free(u);
    free(zeros);
}

TEST(the_tree_of_a_grid_factors)
{
    limit_begin(NULL, 120, "QR in a program of several ranks");
    twill *tw = test_start(1, NULL);
    int64_t ranks = twill_ranks(tw);
    for (int64_t p = 1; p <= ranks; p++)
        if (ranks % p == 0)
            check_qr(tw, p, ranks / p);
    twill_stop(tw);
    limit_end();
}

static void fill(twill *tw, const problem *x, double *matrix)
{
    twill_array *a = make_array(tw, x, matrix);
    OK(twill_fill_spd(a, 7));
    test_collect(a, matrix);
    twill_array_free(a);
}

TEST(filling_gives_the_elements_of_one_rank)
{
    try_all((problem){0}, fill);
}

/* ---- all routines ---------------------------------------------------------------------------- */

/* `make soak` tries all combinations. */
static bool all_of_them(void)
{
    return getenv("TW_ALL");
}

static void compare_deals(twill *tw, test_deal deal, int owners)
{
    static test_results one, here;
    int64_t ranks = twill_ranks(tw);
    twill *alone = test_start_with((twill_options){.workers = 2, .mpi = "off"});
    deal.p = deal.q = 1;
    deal.owners = TEST_CYCLIC;
    test_routines(alone, &deal, &one);
    twill_stop(alone);
    for (deal.p = 1; deal.p <= ranks; deal.p++)
        for (int o = TEST_CYCLIC; o <= TEST_FUNCTION; o++) {
            deal.q = ranks / deal.p;
            deal.owners = (test_owners)o;
            if (ranks % deal.p || (!all_of_them() && o != (owners + deal.p) % 3))
                continue;
            test_routines(tw, &deal, &here);
            test_same_results(&one, &here);
        }
}

/* Some types for each number of ranks, and all of them on one. */
static bool is_tried(int type, int64_t number)
{
    return all_of_them() || type == TWILL_FLOAT32 + (int)(number % 4);
}

TEST(all_routines_give_the_bits_of_one_rank)
{
    limit_begin(NULL, (double)limit_number("TW_LIMIT", 250), "routines on several ranks");
    twill *tw = test_start(1, NULL);
    for (int type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
        if (twill_ranks(tw) == 1 || is_tried(type, twill_ranks(tw)))
            compare_deals(tw, test_usual_deal((twill_type)type, 1, 1), 2);
    twill_stop(tw);
    limit_end();
}

/* More ranks than tiles, ranks without any, and matrices without elements. */
TEST(odd_sizes_give_the_bits_of_one_rank)
{
    static const int64_t sizes[][2] = {{0, 0}, {1, 1}, {5, 3}, {8, 8}, {3, 17}, {17, 9}};
    limit_begin(NULL, (double)limit_number("TW_LIMIT", 250), "routines on several ranks");
    twill *tw = test_start(1, NULL);
    for (int s = 0; s < COUNT(sizes); s++)
        for (int type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
            if (is_tried(type, twill_ranks(tw) + s))
                compare_deals(
                    tw,
                    (test_deal){
                        .type = (twill_type)type, .m = sizes[s][0], .n = sizes[s][1], .nb = 8},
                    s);
    twill_stop(tw);
    limit_end();
}

TEST(a_matrix_of_one_tile_and_what_is_for_one_rank)
{
    twill *tw = test_start(1, NULL);
    twill_array *a, *b;
    int64_t info = -1;
    OK(twill_matrix_create(tw, TWILL_FLOAT64, 5, 5, &a));
    OK(twill_fill_spd(a, 1));
    OK(twill_potrf(TWILL_LOWER, a, &info));
    assert_int_equal(info, 0);
    if (twill_ranks(tw) > 1) {
        OK(twill_matrix_create(tw, TWILL_FLOAT64, 5, 1, &b));
        assert_int_equal(twill_sysv(TWILL_LOWER, a, b, &info), TWILL_ERR_UNSUPPORTED);
        assert_non_null(strstr(twill_message(), "one rank"));
        twill_array_free(b);
    }
    twill_array_free(a);
    twill_stop(tw);
}

/* Files that ranks make when they are so far. */
static bool wait_for_file(int rank, int seconds)
{
    char name[40];
    snprintf(name, sizeof name, "ended.%d", rank);
    for (int ms = 0; ms < 1000 * seconds; ms += 5, test_sleep_ms(5))
        if (remove(name) == 0)
            return true;
    return false;
}

static void make_file(int rank)
{
    char name[40];
    snprintf(name, sizeof name, "ended.%d", rank);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fclose(f);
}

TEST(others_hear_of_the_end_though_this_rank_does_nothing)
{
    twill *tw = test_start(1, NULL);
    int ranks = twill_ranks(tw);
    problem x = {.p = 1, .q = ranks};
    for (int round = 0; round < 20; round++) {
        double *matrix = make_matrix(&x);
        factor(tw, &x, matrix);
        free(matrix);
        if (twill_rank(tw) > 0)
            make_file(twill_rank(tw));
        for (int r = 1; r < ranks && twill_rank(tw) == 0; r++)
            assert_true(wait_for_file(r, 20));
    }
    twill_stop(tw);
}

TEST(a_failure_reaches_all_ranks)
{
    try_all((problem){.bad = 3 * NB + 2}, factor);
    try_all((problem){.bad = 3 * NB + 2, .insert = true}, factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_graph_gives_the_bits_of_one_rank),
        cmocka_unit_test(insertion_gives_the_bits_of_one_rank),
        cmocka_unit_test(a_product_gives_the_bits_of_one_rank),
        cmocka_unit_test(a_solution_has_the_bits_of_one_rank),
        cmocka_unit_test(the_tree_of_a_grid_factors),
        cmocka_unit_test(filling_gives_the_elements_of_one_rank),
        cmocka_unit_test(all_routines_give_the_bits_of_one_rank),
        cmocka_unit_test(odd_sizes_give_the_bits_of_one_rank),
        cmocka_unit_test(a_matrix_of_one_tile_and_what_is_for_one_rank),
        cmocka_unit_test(others_hear_of_the_end_though_this_rank_does_nothing),
        cmocka_unit_test(a_failure_reaches_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
