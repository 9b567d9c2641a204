/* QR and LQ: residuals, orthogonality, LAPACK's own factors, and the same bits whoever computes. */
#include "support/full.h"
#include "support/test.h"

#include "sched/sched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NB = 8 };

typedef struct shape {
    int64_t m, n;
} shape;
static const shape shapes[] = {{0, 0},   {0, 5},   {5, 0},   {1, 1},           {NB - 1, NB - 1},
                               {NB, NB}, {NB, 1},  {1, NB},  {NB + 1, NB + 1}, {37, 37},
                               {61, 23}, {23, 61}, {150, 5}, {150, 1},         {1, 150},
                               {5, 150}, {150, 20}};

/* One problem: what is factored and how. */
typedef struct problem {
    const test_type *type;
    bool lq;
    int64_t m, n, nb, ib;
    twill_tree tree;
    int64_t branches;
} problem;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void complain(const problem *p, const char *what, double ratio)
{
    if (!(ratio >= 0.0 && ratio < 30.0))
        fail_msg("%s of %s %lldx%lld nb=%lld ib=%lld tree=%d branches=%lld %s: %g", what,
                 p->lq ? "LQ" : "QR", (long long)p->m, (long long)p->n, (long long)p->nb,
                 (long long)p->ib, p->tree, (long long)p->branches, p->type->name, ratio);
}

/* |x - y| over the usual bound. */
static void compare(const problem *p, const char *what, test_full x, test_full y, double norm)
{
    int64_t size = x.m > x.n ? x.m : x.n;
    double scale = norm * (double)(size + 1) * p->type->eps, distance = test_full_distance(x, y);
    complain(p, what, distance == 0.0 ? 0.0 : distance / scale);
}

/* ---- the parts of a check ------------------------------------------------------------------ */

static twill_reflectors *factor(twill *tw, const problem *p, twill_array *a)
{
    twill_reflectors *h;
    OK(twill_reflectors_create(tw,
                               &(twill_la_options){.size = sizeof(twill_la_options),
                                                   .tree = p->tree,
                                                   .ib = p->ib,
                                                   .branches = p->branches},
                               &h));
    OK(p->lq ? twill_gelqf(a, h) : twill_geqrf(a, h));
    return h;
}

/* Q with as many columns (LQ: rows) as there are. */
static test_full generate(twill *tw, const problem *p, twill_array *a, twill_reflectors *h,
                          int64_t count)
{
    int64_t order = p->lq ? p->n : p->m;
    twill_array *q =
        test_matrix(tw, p->type->type, p->lq ? count : order, p->lq ? order : count, p->nb);
    OK(p->lq ? twill_unglq(a, h, q) : twill_ungqr(a, h, q));
    test_full full = test_full_of(q);
    twill_array_free(q);
    return full;
}

static void check_orthogonal(const problem *p, test_full q)
{
    test_full product = p->lq ? test_full_times('N', q, 'C', q) : test_full_times('C', q, 'N', q);
    test_full one = test_full_identity(product.m, product.n);
    compare(p, "orthogonality", product, one, 1.0);
    test_full_free(&product);
    test_full_free(&one);
}

static void check_factors(const problem *p, test_full before, test_full after, test_full q)
{
    test_full r = {after.m, after.n, after.x};
    test_full_cut(r, p->lq ? TWILL_LOWER : TWILL_UPPER);
    test_full product = p->lq ? test_full_times('N', r, 'N', q) : test_full_times('N', q, 'N', r);
    compare(p, "residual", product, before, test_full_norm(before));
    test_full_free(&product);
}

/* A few columns or rows of Q are those of the whole Q. */
static void check_part(twill *tw, const problem *p, twill_array *a, twill_reflectors *h,
                       test_full q, int64_t count)
{
    test_full some = generate(tw, p, a, h, count);
    test_full wanted = test_full_zeros(some.m, some.n);
    for (int64_t j = 0; j < some.n; j++)
        for (int64_t i = 0; i < some.m; i++)
            wanted.x[i + j * some.m] = q.x[i + j * q.m];
    compare(p, "part of Q", some, wanted, 1.0);
    test_full_free(&some);
    test_full_free(&wanted);
}

/* C := op(Q) C or C op(Q), beside the product with Q itself; tiles of C of another size across. */
static void check_product(twill *tw, const problem *p, twill_array *a, twill_reflectors *h,
                          test_full q, twill_side side, bool inverse)
{
    enum { OTHER = 11, ACROSS = 5 };
    bool is_complex = p->type->type == TWILL_COMPLEX64 || p->type->type == TWILL_COMPLEX128;
    twill_trans trans = inverse ? is_complex ? TWILL_CONJ_TRANS : TWILL_TRANS : TWILL_NO_TRANS;
    int64_t order = p->lq ? p->n : p->m;
    twill_pattern pattern = side == TWILL_LEFT ? twill_tiled(order, OTHER, p->nb, ACROSS)
                                               : twill_tiled(OTHER, order, ACROSS, p->nb);
    twill_array *c;
    OK(twill_array_create(tw, &pattern, p->type->type, 0, &c));
    OK(twill_fill_random(c, 5));
    test_full before = test_full_of(c);
    OK(p->lq ? twill_unmlq(side, trans, a, h, c) : twill_unmqr(side, trans, a, h, c));
    test_full after = test_full_of(c);
    char op = inverse ? 'C' : 'N';
    test_full wanted = side == TWILL_LEFT ? test_full_times(op, q, 'N', before)
                                          : test_full_times('N', before, op, q);
    compare(p, "product with Q", after, wanted, test_full_norm(before));
    test_full_free(&before);
    test_full_free(&after);
    test_full_free(&wanted);
    twill_array_free(c);
}

/* ---- LAPACK's factors ---------------------------------------------------------------------- */

typedef void lapack_qr(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                       int *info);

/* Columns behind a matrix, which some kernels of OpenBLAS read as well: its zgemv with AVX-512. */
enum { SLACK = 8 };

/* LAPACK's factorization of packed memory. */
static void lapack(twill *tw, const problem *p, void *full, void *tau)
{
    const tw_blas *blas;
    char name[16];
    int m = (int)p->m, n = (int)p->n, ld = m > 1 ? m : 1, info = 0;
    void *work = calloc((size_t)(p->m + p->n + SLACK), 16);
    snprintf(name, sizeof name, "%c%s_", "sdcz"[p->type - test_types], p -> lq ? "gelq2" : "geqr2");
    OK(tw_blas_get(tw, &blas));
    lapack_qr *function;
    *(void **)&function = blas->library.symbol(&blas->library, name);
    assert_non_null(function);
    assert_non_null(work);
    size_t element = blas->kernels[p->type->type].size, size = (size_t)(p->m * p->n) * element;
    size_t column = (size_t)ld * element;
    char *copy = malloc(size + SLACK * (column + 16));
    assert_non_null(copy);
    memcpy(copy, full, size);
    function(&m, &n, copy, &ld, tau, work, &info);
    assert_int_equal(info, 0);
    memcpy(full, copy, size);
    free(copy);
    free(work);
}

/* Entries of two results, or only their sizes: other trees than flat ones may give other signs. */
static void compare_with_lapack(const problem *p, const char *what, test_full mine,
                                test_full theirs, bool sizes, double norm)
{
    for (int64_t i = 0; sizes && i < mine.m * mine.n; i++) {
        mine.x[i] = cabs(mine.x[i]);
        theirs.x[i] = cabs(theirs.x[i]);
    }
    /* R depends on the condition of the leading columns; random matrices are harmless */
    compare(p, what, mine, theirs, norm + 1.0);
}

static void check_tau(twill *tw, const problem *p, twill_reflectors *h, const void *theirs)
{
    int64_t k = least(p->m, p->n);
    test_full mine = test_full_zeros(k, 1), wanted = test_full_zeros(k, 1);
    void *tau = calloc((size_t)k + 1, 16);
    assert_non_null(tau);
    (void)tw;
    OK(twill_reflectors_tau(h, tau));
    for (int64_t i = 0; i < k; i++) {
        mine.x[i] = test_load(tau, p->type->type, i);
        wanted.x[i] = test_load(theirs, p->type->type, i);
    }
    compare_with_lapack(p, "tau", mine, wanted, false, 1.0);
    free(tau);
    test_full_free(&mine);
    test_full_free(&wanted);
}

/* `full` is the matrix before, in packed memory. */
static void check_lapack(twill *tw, const problem *p, void *full, test_full after,
                         twill_reflectors *h)
{
    twill_tree tree;
    int64_t ib;
    void *tau = calloc((size_t)(p->m + p->n + 1), 16);
    assert_non_null(tau);
    lapack(tw, p, full, tau);
    OK(twill_reflectors_info(h, &tree, &ib));
    test_full mine = test_full_zeros(p->m, p->n), theirs = test_full_zeros(p->m, p->n);
    for (int64_t i = 0; i < p->m * p->n; i++) {
        mine.x[i] = after.x[i];
        theirs.x[i] = test_load(full, p->type->type, i);
    }
    int64_t branches;
    OK(twill_reflectors_branches(h, &branches));
    bool flat = tree == TWILL_TREE_FLAT && branches == 1;
    if (!flat) {
        test_full_cut(mine, p->lq ? TWILL_LOWER : TWILL_UPPER);
        test_full_cut(theirs, p->lq ? TWILL_LOWER : TWILL_UPPER);
    }
    compare_with_lapack(p, "LAPACK's factor", mine, theirs, !flat, test_full_norm(theirs));
    if (flat)
        check_tau(tw, p, h, tau);
    test_full_free(&mine);
    test_full_free(&theirs);
    free(tau);
}

/* ---- everything ---------------------------------------------------------------------------- */

static void check(twill *tw, const problem *p)
{
    int64_t order = p->lq ? p->n : p->m;
    twill_array *a = test_matrix(tw, p->type->type, p->m, p->n, p->nb);
    OK(twill_fill_random(a, 3));
    void *packed = test_unpack(a);
    test_full before = test_full_of(a);
    twill_reflectors *h = factor(tw, p, a);
    test_full after = test_full_of(a), q = generate(tw, p, a, h, order);
    check_lapack(tw, p, packed, after, h);
    check_orthogonal(p, q);
    check_part(tw, p, a, h, q, least(p->m, p->n));
    check_part(tw, p, a, h, q, least(order, 3));
    for (int i = 0; i < 4; i++)
        check_product(tw, p, a, h, q, i & 1 ? TWILL_LEFT : TWILL_RIGHT, i & 2);
    check_factors(p, before, after, q);
    test_full_free(&before);
    test_full_free(&after);
    test_full_free(&q);
    free(packed);
    twill_reflectors_free(h);
    twill_array_free(a);
}

static void check_type(int type)
{
    twill *tw = test_start(2, NULL);
    for (int s = 0; s < COUNT(shapes); s++)
        for (int tree = TWILL_TREE_AUTO; tree <= TWILL_TREE_FIBONACCI; tree++)
            for (int lq = 0; lq < 2; lq++) {
                if (test_slow() && (s + tree + lq) % 3)
                    continue;
                problem p = {&test_types[type],
                             lq,
                             shapes[s].m,
                             shapes[s].n,
                             NB,
                             0,
                             (twill_tree)tree,
                             .branches = (s + tree + lq) % 4};
                p.ib = (s + tree) % 3 == 0 ? 0 : (s + tree) % 3 == 1 ? 3 : NB;
                check(tw, &p);
            }
    twill_stop(tw);
}

TEST(factors_are_right_in_single_precision)
{
    check_type(0);
}

TEST(factors_are_right_in_double_precision)
{
    check_type(1);
}

TEST(factors_are_right_in_single_complex)
{
    check_type(2);
}

TEST(factors_are_right_in_double_complex)
{
    check_type(3);
}

/* Sizes, tile sizes, inner blocks and trees at random; TW_CASES of them. */
TEST(any_size_in_any_tiles_is_right)
{
    const char *text = getenv("TW_CASES");
    int cases = text ? atoi(text) : test_slow() ? 10 : 60;
    uint64_t seed = 1;
    twill *tw = NULL;
    for (int i = 0; i < cases; i++) {
        if (i % 20 == 0) {
            twill_stop(tw);
            const test_setup *setup = &test_setups[i / 20 % test_nsetups];
            tw = test_start(setup->workers, setup->sched);
        }
        problem p = {.type = &test_types[test_random(&seed, 4)],
                     .lq = test_random(&seed, 2),
                     .m = (int64_t)test_random(&seed, 120),
                     .n = (int64_t)test_random(&seed, 120),
                     .nb = 1 + (int64_t)test_random(&seed, 40),
                     .ib = (int64_t)test_random(&seed, 20),
                     .tree = (twill_tree)test_random(&seed, 5),
                     .branches = (int64_t)test_random(&seed, 5)};
        if (test_random(&seed, 4) == 0)
            p.n = (int64_t)test_random(&seed, 6);
        check(tw, &p);
    }
    twill_stop(tw);
}

/* ---- what the library promises besides numbers ------------------------------------------------
 */

static uint64_t digest_of(twill *tw, const problem *p, bool inserted)
{
    uint64_t digest = 0;
    twill_array *a = test_matrix(tw, p->type->type, p->m, p->n, p->nb);
    OK(twill_fill_random(a, 11));
    twill_reflectors *h;
    OK(twill_reflectors_create(tw,
                               &(twill_la_options){.size = sizeof(twill_la_options),
                                                   .tree = p->tree,
                                                   .ib = p->ib,
                                                   .branches = p->branches},
                               &h));
    if (inserted) {
        twill_graph *g;
        twill_la_options options = {
            .size = sizeof(twill_la_options), .no_priority = true, .lookahead = 2};
        OK(twill_stf_begin(tw, &g));
        OK(p->lq ? twill_gelqf_insert(g, a, h, &options) : twill_geqrf_insert(g, a, h, &options));
        OK(twill_wait(g));
        twill_graph_free(g);
    } else {
        OK(p->lq ? twill_gelqf(a, h) : twill_geqrf(a, h));
    }
    OK(twill_digest(a, TWILL_GENERAL, &digest));
    twill_reflectors_free(h);
    twill_array_free(a);
    return digest;
}

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    static const int workers[] = {1, 2, 3, 8};
    uint64_t wanted[2][TWILL_TREE_FIBONACCI + 1];
    for (int w = 0; w < COUNT(workers); w++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers[w], tw_schedulers[s]->name);
            for (int tree = 0; tree <= TWILL_TREE_FIBONACCI; tree++)
                for (int lq = 0; lq < 2; lq++) {
                    problem p = {&test_types[(s + tree) % 1 + 1],
                                 lq,
                                 90,
                                 40,
                                 7,
                                 3,
                                 (twill_tree)tree,
                                 tree % 3};
                    uint64_t digest = digest_of(tw, &p, (w + s) % 2);
                    if (w == 0 && s == 0)
                        wanted[lq][tree] = digest;
                    assert_true(digest == wanted[lq][tree]);
                }
            twill_stop(tw);
        }
    assert_true(wanted[0][TWILL_TREE_FLAT] != wanted[0][TWILL_TREE_GREEDY]);
    assert_true(wanted[0][TWILL_TREE_BINARY] != wanted[0][TWILL_TREE_FIBONACCI]);
    assert_true(wanted[0][TWILL_TREE_FLAT] != wanted[1][TWILL_TREE_FLAT]);
}

/* Factor, apply and generate as one program: C is A, so Q^H C is R, and C Q^H is L. */
static void check_program(twill *tw, twill_reflectors *h, bool lq, int64_t m, int64_t n)
{
    int64_t order = lq ? n : m;
    twill_graph *g;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, m, n, 8),
                *c = test_matrix(tw, TWILL_FLOAT64, m, n, 8),
                *q = test_matrix(tw, TWILL_FLOAT64, order, order, 8);
    OK(twill_fill_random(a, 3));
    OK(twill_copy(a, c));
    OK(twill_stf_begin(tw, &g));
    OK(lq ? twill_gelqf_insert(g, a, h, NULL) : twill_geqrf_insert(g, a, h, NULL));
    OK(lq ? twill_unmlq_insert(g, TWILL_RIGHT, TWILL_TRANS, a, h, c, NULL)
          : twill_unmqr_insert(g, TWILL_LEFT, TWILL_TRANS, a, h, c, NULL));
    OK(lq ? twill_unglq_insert(g, a, h, q, NULL) : twill_ungqr_insert(g, a, h, q, NULL));
    OK(twill_wait(g));
    test_full r = test_full_of(a), product = test_full_of(c), whole = test_full_of(q);
    test_full_cut(r, lq ? TWILL_LOWER : TWILL_UPPER);
    assert_true(test_full_distance(r, product) < 1e-12);
    check_orthogonal(&(problem){.type = &test_types[1], .lq = lq, .m = m, .n = n}, whole);
    test_full_free(&r);
    test_full_free(&product);
    test_full_free(&whole);
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(c);
    twill_array_free(q);
}

/* One object serves one shape after the other. */
TEST(an_asynchronous_program_needs_no_waiting)
{
    twill *tw = test_start(3, NULL);
    twill_reflectors *h;
    OK(twill_reflectors_create(tw, NULL, &h));
    for (int round = 0; round < 6; round++)
        check_program(tw, h, round % 2, 50 + 10 * round, 30 + 20 * (round % 3));
    twill_reflectors_free(h);
    twill_stop(tw);
}

/* The program's own memory, in which the tiles of a panel are one block. */
TEST(wrapped_memory_gives_the_same_factors)
{
    enum { M = 53, N = 29, LD = 60 };
    twill *tw = test_start(2, NULL);
    double *memory = calloc((size_t)LD * N, sizeof *memory);
    twill_pattern p = twill_tiled(M, N, 9, 9);
    twill_array *wrapped, *tiled = test_matrix(tw, TWILL_FLOAT64, M, N, 9);
    assert_non_null(memory);
    OK(twill_array_wrap(tw, &p, TWILL_FLOAT64, 0, memory, LD, &wrapped));
    for (int lq = 0; lq < 2; lq++) {
        problem o = {&test_types[1], lq, M, N, 9, 4, TWILL_TREE_BINARY, 0};
        OK(twill_fill_random(wrapped, 3));
        OK(twill_fill_random(tiled, 3));
        twill_reflectors *h = factor(tw, &o, wrapped), *other = factor(tw, &o, tiled);
        test_full x = test_full_of(wrapped), y = test_full_of(tiled);
        assert_true(test_full_distance(x, y) < 1e-12);
        test_full_free(&x);
        test_full_free(&y);
        twill_reflectors_free(h);
        twill_reflectors_free(other);
    }
    twill_array_free(wrapped);
    free(memory);
    twill_stop(tw);
}

/* A matrix of one tile that Twill chose is factored at once; the bits are those of the graph. */
TEST(small_matrices_need_no_graph)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int lq = 0; lq < 2; lq++) {
            twill_array *a, *b = test_matrix(tw, test_types[t].type, 50, 37, 50);
            twill_counters before = {.size = sizeof before}, after = {.size = sizeof after};
            uint64_t x = 0, y = 1;
            OK(twill_matrix_create(tw, test_types[t].type, 50, 37, &a));
            assert_int_equal(twill_array_pattern(a)->block[0], 50);
            OK(twill_fill_random(a, 3));
            OK(twill_fill_random(b, 3));
            problem p = {&test_types[t], lq, 50, 37, 50, 0, TWILL_TREE_AUTO, 0};
            twill_count(tw, &before);
            twill_reflectors *h = factor(tw, &p, a);
            twill_count(tw, &after);
            assert_int_equal(after.executed, before.executed);
            twill_reflectors *other = factor(tw, &p, b);
            OK(twill_digest(a, TWILL_GENERAL, &x));
            OK(twill_digest(b, TWILL_GENERAL, &y));
            assert_true(x == y);
            test_full q = generate(tw, &p, a, h, lq ? 37 : 50);
            check_orthogonal(&p, q);
            test_full_free(&q);
            twill_reflectors_free(h);
            twill_reflectors_free(other);
            twill_array_free(a);
            twill_array_free(b);
        }
    twill_stop(tw);
}

/* Part of a matrix is a matrix; what is around it stays. */
TEST(a_part_of_a_matrix_is_factored_like_a_matrix)
{
    twill *tw = test_start(2, NULL);
    twill_array *whole = test_matrix(tw, TWILL_FLOAT64, 60, 45, 8), *part;
    twill_reflectors *h;
    OK(twill_fill_random(whole, 3));
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(whole), 8, 16, 52, 24), &part));
    test_full before = test_full_of(part), around = test_full_of(whole);
    OK(twill_reflectors_create(tw, NULL, &h));
    OK(twill_geqrf(part, h));
    problem p = {&test_types[1], false, 52, 24, 8, 0, TWILL_TREE_AUTO, 0};
    test_full after = test_full_of(part), q = generate(tw, &p, part, h, 52);
    check_factors(&p, before, after, q);
    test_full now = test_full_of(whole);
    for (int64_t j = 0; j < 45; j++)
        for (int64_t i = 0; i < 60; i++)
            if (i < 8 || j < 16 || j >= 40)
                assert_true(now.x[i + j * 60] == around.x[i + j * 60]);
    REFUSED(twill_unmqr(TWILL_LEFT, TWILL_NO_TRANS, part, h, whole), TWILL_ERR_ARGUMENT, "part");
    test_full_free(&before);
    test_full_free(&around);
    test_full_free(&after);
    test_full_free(&now);
    test_full_free(&q);
    twill_reflectors_free(h);
    twill_array_free(part);
    twill_array_free(whole);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_need_no_graph),
        cmocka_unit_test(a_part_of_a_matrix_is_factored_like_a_matrix),
        cmocka_unit_test(factors_are_right_in_single_precision),
        cmocka_unit_test(factors_are_right_in_double_precision),
        cmocka_unit_test(factors_are_right_in_single_complex),
        cmocka_unit_test(factors_are_right_in_double_complex),
        cmocka_unit_test(any_size_in_any_tiles_is_right),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(an_asynchronous_program_needs_no_waiting),
        cmocka_unit_test(wrapped_memory_gives_the_same_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
