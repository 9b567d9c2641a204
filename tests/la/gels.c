/* Least squares: LAPACK's solutions, its info, its scaling, and its numbers of bad arguments. */
#include "support/full.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NB = 8 };

typedef struct problem {
    const test_type *type;
    int64_t m, n, nrhs;
    bool inverse; /* op(A) = A^H */
    double a, b;  /* factors of the entries */
} problem;

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_complex(const problem *p)
{
    return p->type->type == TWILL_COMPLEX64 || p->type->type == TWILL_COMPLEX128;
}

static twill_trans trans_of(const problem *p)
{
    return !p->inverse ? TWILL_NO_TRANS : is_complex(p) ? TWILL_CONJ_TRANS : TWILL_TRANS;
}

/* ---- LAPACK --------------------------------------------------------------------------------- */

typedef void lapack_gels(const char *trans, const int *m, const int *n, const int *nrhs, void *a,
                         const int *lda, void *b, const int *ldb, void *work, const int *lwork,
                         int *info, size_t);

/* Solve in packed memory; returns info. */
static int lapack(twill *tw, const problem *p, void *a, void *b)
{
    const tw_blas *blas;
    char name[16], trans = (char)trans_of(p);
    int m = (int)p->m, n = (int)p->n, nrhs = (int)p->nrhs, info = 0;
    int lda = (int)most(1, m), ldb = (int)most(1, most(m, n)), lwork = 64 * (m + n + nrhs + 1);
    void *work = calloc((size_t)lwork, 16);
    snprintf(name, sizeof name, "%cgels_", "sdcz"[p->type - test_types]);
    OK(tw_blas_get(tw, &blas));
    lapack_gels *function;
    *(void **)&function = blas->library.symbol(&blas->library, name);
    assert_true(function && work);
    function(&trans, &m, &n, &nrhs, a, &lda, b, &ldb, work, &lwork, &info, 1);
    free(work);
    return info;
}

/* ---- one problem ------------------------------------------------------------------------------
 */

typedef struct pair {
    twill_array *a, *b;
} pair;

/* Multiply all entries. */
static void multiply(twill_array *a, double factor)
{
    const twill_pattern *p = twill_array_pattern(a);
    void *packed = test_unpack(a);
    for (int64_t i = 0; i < p->extent[0] * p->extent[1]; i++)
        test_store(packed, twill_array_type(a), i,
                   test_load(packed, twill_array_type(a), i) * factor);
    test_pack(a, packed);
    free(packed);
}

static pair make(twill *tw, const problem *p)
{
    pair x;
    twill_pattern q = twill_tiled(most(p->m, p->n), p->nrhs, NB, 3);
    x.a = test_matrix(tw, p->type->type, p->m, p->n, NB);
    OK(twill_array_create(tw, &q, p->type->type, 0, &x.b));
    OK(twill_fill_random(x.a, 3));
    OK(twill_fill_random(x.b, 4));
    multiply(x.a, p->a);
    multiply(x.b, p->b);
    return x;
}

static void let_go(pair *x)
{
    twill_array_free(x->a);
    twill_array_free(x->b);
}

/* |x - y| over the size of y, for the rows of the solution. */
static double difference(const problem *p, const void *x, const void *y)
{
    int64_t rows = p->inverse ? p->m : p->n, ld = most(p->m, p->n);
    double distance = 0.0, size = 0.0;
    for (int64_t j = 0; j < p->nrhs; j++)
        for (int64_t i = 0; i < rows; i++) {
            double complex a = test_load(x, p->type->type, i + j * ld),
                           b = test_load(y, p->type->type, i + j * ld);
            if (!(cabs(a - b) <= distance))
                distance = cabs(a - b);
            size = fmax(size, cabs(b));
        }
    return distance == 0.0 ? 0.0 : distance / size;
}

static void solve(twill *tw, const problem *p, pair x, bool inserted, int64_t *info)
{
    if (!inserted) {
        OK(twill_gels(trans_of(p), x.a, x.b, info));
        return;
    }
    twill_graph *g;
    twill_reflectors *h;
    OK(twill_reflectors_create(tw, NULL, &h));
    OK(twill_stf_begin(tw, &g));
    OK(twill_gels_insert(g, trans_of(p), x.a, h, x.b, NULL));
    twill_status status = twill_wait(g);
    assert_true(status == TWILL_OK || status == TWILL_ERR_NUMERICAL);
    *info = twill_graph_info(g);
    twill_graph_free(g);
    twill_reflectors_free(h);
}

/* The solution is LAPACK's, up to rounding; so is info, which is returned. */
static int check_pair(twill *tw, const problem *p, pair x, bool inserted)
{
    int64_t info = -1;
    void *a = test_unpack(x.a), *b = test_unpack(x.b);
    int wanted = lapack(tw, p, a, b);
    solve(tw, p, x, inserted, &info);
    assert_int_equal(info, wanted);
    void *mine = test_unpack(x.b);
    double d = wanted ? 0.0 : difference(p, mine, b);
    /* square random matrices of these orders have conditions up to some thousands */
    if (!(d <= 3000 * p->type->eps * (double)(p->m + p->n)))
        fail_msg("%s %dx%d nrhs=%d %c times %g and %g: %g from LAPACK", p->type->name, (int)p->m,
                 (int)p->n, (int)p->nrhs, trans_of(p), p->a, p->b, d);
    free(a);
    free(b);
    free(mine);
    return wanted;
}

static void check(twill *tw, const problem *p, bool inserted)
{
    pair x = make(tw, p);
    assert_int_equal(check_pair(tw, p, x, inserted), 0);
    let_go(&x);
}

static const struct {
    int64_t m, n, nrhs;
} shapes[] = {{0, 0, 1},   {0, 5, 2},   {5, 0, 2},  {4, 3, 0},  {1, 1, 1},       {NB, NB - 1, 1},
              {61, 23, 7}, {23, 61, 7}, {97, 9, 3}, {9, 97, 3}, {NB + 1, 2, NB}, {40, 40, 1}};

TEST(solutions_are_those_of_lapack)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int inverse = 0; inverse < 2; inverse++) {
                problem p = {&test_types[t], shapes[s].m, shapes[s].n, shapes[s].nrhs,
                             inverse,        1.0,         1.0};
                check(tw, &p, (t + s) % 2);
            }
    twill_stop(tw);
}

/* The same in units in which the squares of the entries overflow or vanish. */
TEST(extreme_entries_are_scaled_as_lapack_scales_them)
{
    static const double factors[] = {1e-300, 1e-150, 1.0, 1e300};
    static const double single[] = {1e-36, 1e-20, 1.0, 1e36};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int i = 0; i < COUNT(factors); i++)
            for (int j = 0; j < COUNT(factors); j++) {
                const double *f = t % 2 ? factors : single;
                double size = f[j] / f[i], limit = t % 2 ? 1e301 : 1e30;
                if (size > limit || size < 1.0 / limit)
                    continue; /* the solution would not be a normal number */
                problem p = {&test_types[t], 31, 12, 2, j % 2, f[i], f[j]};
                check(tw, &p, false);
                problem q = {&test_types[t], 12, 31, 2, i % 2, f[i], f[j]};
                check(tw, &q, false);
            }
    twill_stop(tw);
}

/* ---- no full rank -----------------------------------------------------------------------------
 */

static void set(twill_array *a, int64_t i, int64_t j, double complex value)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_sub(twill_view_all(a), i, j, 1, 1);
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    test_store(data, twill_array_type(a), 0, value);
    OK(twill_unmap(v, data));
}

/* A column of zeros, or a row in the wide matrix, is told by its number: the first of two. */
TEST(an_exact_zero_on_the_diagonal_is_told_as_by_lapack)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int zero = 0; zero < 20; zero += 3)
            for (int wide = 0; wide < 2; wide++) {
                problem p = {&test_types[t], wide ? 20 : 45, wide ? 45 : 20, 2, t % 2, 1.0, 1.0};
                pair x = make(tw, &p);
                for (int i = 0; i < 45; i++) {
                    set(x.a, wide ? zero : i, wide ? i : zero, 0.0);
                    set(x.a, wide ? 19 : i, wide ? i : 19, 0.0);
                }
                assert_int_equal(check_pair(tw, &p, x, zero % 2), zero + 1);
                let_go(&x);
            }
    twill_stop(tw);
}

/* A is factored whatever is found, as LAPACK does it: a zero at its beginning stops nothing. */
TEST(a_matrix_without_full_rank_is_factored_all_the_same)
{
    enum { M = 90, N = 60 };
    for (int round = 0; round < 20; round++) {
        const test_setup *setup = &test_setups[round % test_nsetups];
        twill *tw = test_start(setup->workers, setup->sched);
        problem p = {&test_types[round % 4], M, N, 2, false, 1.0, 1.0};
        pair x = make(tw, &p), y = make(tw, &p);
        twill_reflectors *h;
        int64_t info = -1;
        for (int i = 0; i < M; i++) {
            set(x.a, i, 1, 0.0);
            set(y.a, i, 1, 0.0);
        }
        OK(twill_reflectors_create(tw, NULL, &h));
        OK(twill_gels(TWILL_NO_TRANS, x.a, x.b, &info));
        assert_int_equal(info, 2);
        OK(twill_geqrf(y.a, h));
        test_full mine = test_full_of(x.a), wanted = test_full_of(y.a);
        assert_true(test_full_distance(mine, wanted) == 0.0);
        test_full_free(&mine);
        test_full_free(&wanted);
        twill_reflectors_free(h);
        let_go(&x);
        let_go(&y);
        twill_stop(tw);
    }
}

TEST(the_zero_matrix_has_the_solution_zero)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int inverse = 0; inverse < 2; inverse++) {
            problem p = {&test_types[t], 19, 11, 3, inverse, 0.0, 1.0};
            pair x = make(tw, &p);
            assert_int_equal(check_pair(tw, &p, x, inverse), 0);
            test_full b = test_full_of(x.b);
            assert_true(test_full_norm(b) == 0.0);
            test_full_free(&b);
            let_go(&x);
        }
    twill_stop(tw);
}

/* Which entries become NaN depends on the order of operations; that some do, and info, does not. */
static void check_spoiled(twill *tw, const problem *p, pair x)
{
    int64_t info = -1;
    void *a = test_unpack(x.a), *b = test_unpack(x.b);
    OK(twill_gels(trans_of(p), x.a, x.b, &info));
    assert_int_equal(info, lapack(tw, p, a, b));
    test_full result = test_full_of(x.b);
    assert_true(info > 0 || isnan(test_full_norm(result)));
    test_full_free(&result);
    free(a);
    free(b);
}

TEST(nan_and_infinity_end_and_are_seen)
{
    static const double planted[] = {NAN, INFINITY};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int v = 0; v < 2; v++)
            for (int wide = 0; wide < 2; wide++) {
                problem p = {&test_types[t], wide ? 20 : 45, wide ? 45 : 20, 2, false, 1.0, 1.0};
                pair x = make(tw, &p);
                set(x.a, 13, 17, planted[v]);
                check_spoiled(tw, &p, x);
                let_go(&x);
            }
    twill_stop(tw);
}

/* ---- determinism ------------------------------------------------------------------------------
 */

/* Also in matrices that LAPACK would solve faster, wherever it is. */
TEST(nan_of_small_matrices_is_seen)
{
    twill *tw = test_start(1, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int round = 0; round < 40; round++) {
            int64_t m = 2 + 2 * round, n = 1 + m / 2, info = 0;
            twill_array *a = NULL, *b = NULL;
            bool in_b = round % 4 == 3;
            OK(twill_matrix_create(tw, test_types[t].type, m, n, &a));
            OK(twill_matrix_create(tw, test_types[t].type, m, 1, &b));
            OK(twill_fill_random(a, 1));
            OK(twill_fill_random(b, 2));
            void *full = test_unpack(in_b ? b : a);
            test_store(full, test_types[t].type, (in_b ? 0 : n / 2 * m) + m - 1 - round % 2, NAN);
            test_pack(in_b ? b : a, full);
            free(full);
            OK(twill_gels(TWILL_NO_TRANS, a, b, &info));
            test_full result = test_full_of(b);
            if (info == 0 && !isnan(test_full_norm(result)))
                fail_msg("%s: a NaN of %d rows is lost", test_types[t].name, (int)m);
            test_full_free(&result);
            twill_array_free(a);
            twill_array_free(b);
        }
    twill_stop(tw);
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[2] = {0, 0};
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int wide = 0; wide < 2; wide++) {
                problem p = {&test_types[1], wide ? 20 : 170, wide ? 170 : 20, 5, false, 1.0, 1.0};
                pair x = make(tw, &p);
                uint64_t digest = 0;
                int64_t info;
                solve(tw, &p, x, s % 2, &info);
                OK(twill_digest(x.b, TWILL_GENERAL, &digest));
                wanted[wide] = w + s ? wanted[wide] : digest;
                assert_true(digest == wanted[wide]);
                let_go(&x);
            }
            twill_stop(tw);
        }
    assert_true(wanted[0] != wanted[1]);
}

/* ---- what is refused ----------------------------------------------------------------------------
 */

TEST(bad_arguments_have_lapacks_numbers)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_COMPLEX128, 20, 12, 8),
                *b = test_matrix(tw, TWILL_COMPLEX128, 20, 3, 8),
                *low = test_matrix(tw, TWILL_COMPLEX128, 12, 3, 8),
                *real = test_matrix(tw, TWILL_FLOAT64, 20, 3, 8),
                *other = test_matrix(tw, TWILL_COMPLEX128, 20, 3, 5);
    int64_t info = 77;
    REFUSED(twill_gels(TWILL_TRANS, a, b, &info), TWILL_ERR_ARGUMENT, "argument 1");
    assert_int_equal(info, -1);
    REFUSED(twill_gels((twill_trans)'x', real, b, &info), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_gels(TWILL_NO_TRANS, a, low, &info), TWILL_ERR_ARGUMENT, "argument 8");
    assert_int_equal(info, -8);
    REFUSED(twill_gels(TWILL_NO_TRANS, a, real, &info), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_gels(TWILL_NO_TRANS, a, other, &info), TWILL_ERR_ARGUMENT, "tiles");
    REFUSED(twill_gels(TWILL_NO_TRANS, NULL, b, &info), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_gels(TWILL_NO_TRANS, a, NULL, &info), TWILL_ERR_ARGUMENT, "NULL");
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_gels_insert(g, TWILL_NO_TRANS, a, NULL, b, NULL), TWILL_ERR_ARGUMENT, "NULL");
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_lapack),
        cmocka_unit_test(extreme_entries_are_scaled_as_lapack_scales_them),
        cmocka_unit_test(an_exact_zero_on_the_diagonal_is_told_as_by_lapack),
        cmocka_unit_test(a_matrix_without_full_rank_is_factored_all_the_same),
        cmocka_unit_test(the_zero_matrix_has_the_solution_zero),
        cmocka_unit_test(nan_and_infinity_end_and_are_seen),
        cmocka_unit_test(nan_of_small_matrices_is_seen),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(bad_arguments_have_lapacks_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
