/* QR, LQ and least squares on several ranks of one process: the bits and the info of one rank that
 * is told to use the same tree. */
#include "support/limit.h"
#include "support/matrix.h"
#include "support/ranks.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { NB = 8 };

typedef enum what { FACTOR, APPLY_LEFT, APPLY_RIGHT, GENERATE, SOLVE } what;

typedef struct problem {
    const test_type *type;
    what what;
    bool lq;      /* of a solution: the shape tells */
    bool inverse; /* Q^H, A^H */
    bool inserts; /* into a graph of its own */
    twill_tree tree;
    int64_t m, n, nb, wide, p, q; /* wide: of what Q is applied to, or right-hand sides */
    int64_t branches;             /* 0: as the grid says */
    int64_t zero;                 /* column that is zero, from 1, or 0 */
    bool shifted;                 /* the other matrix begins elsewhere than A */
    bool part;                    /* A is a part of a matrix, from its tile (1, 1) on */
    double scale;                 /* of the entries */
    void *matrix, *other;         /* given, of all ranks together, column-major */
    void *factor, *x, *tau;       /* the results */
    int64_t *info;                /* of each rank */
} problem;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Is it an LQ factorization? */
static bool mirrored(const problem *x)
{
    return x->what == SOLVE ? x->m < x->n : x->lq;
}

/* Rows and columns of the other matrix. */
static int64_t rows_of(const problem *x)
{
    int64_t order = x->lq ? x->n : x->m;
    if (x->what == SOLVE)
        return most(x->m, x->n);
    if (x->what == GENERATE)
        return x->lq ? least(x->m, x->n) : order;
    return x->what == APPLY_RIGHT ? x->wide : order;
}

static int64_t cols_of(const problem *x)
{
    int64_t order = x->lq ? x->n : x->m;
    if (x->what == GENERATE)
        return x->lq ? order : least(x->m, x->n);
    return x->what == APPLY_RIGHT ? order : x->wide;
}

static size_t bytes(const problem *x, int64_t rows, int64_t cols)
{
    return (size_t)(rows * cols) * twill_type_size(x->type->type) + 1;
}

static void *random_numbers(const problem *x, int64_t rows, int64_t cols, uint64_t seed)
{
    void *numbers = calloc(1, bytes(x, rows, cols));
    for (int64_t i = 0; i < rows * cols; i++) {
        uint64_t r = tw_mix(seed + (uint64_t)i);
        double re = (double)(r >> 40) * 0x1p-24 - 0.5, im = (double)(r & 0xffffff) * 0x1p-24 - 0.5;
        double scale = x->scale != 0.0 ? x->scale : 1.0;
        test_store(numbers, x->type->type, i, scale * test_number(re, im));
    }
    return numbers;
}

/* ---- on a rank ------------------------------------------------------------------------------ */

static twill_trans trans_of(const problem *x)
{
    return x->inverse ? TWILL_CONJ_TRANS : TWILL_NO_TRANS;
}

static twill_array *make_matrix(twill *tw, const problem *x, twill_array **whole)
{
    int64_t more = x->part ? x->nb : 0;
    twill_pattern p = twill_block_cyclic(x->m + more, x->n + more, x->nb, x->nb, x->p, x->q);
    twill_array *a;
    OK(twill_array_create(tw, &p, x->type->type, 0, whole));
    if (x->part)
        OK(twill_matrix_sub(twill_view_sub(twill_view_all(*whole), more, more, x->m, x->n), &a));
    else {
        a = *whole;
        *whole = NULL;
    }
    test_scatter(a, x->matrix);
    return a;
}

/* In tiles that fit those of A where Q or A stands, and others across. */
static twill_array *make_other(twill *tw, const problem *x)
{
    int64_t across = x->what == GENERATE ? x->nb : x->nb - 3;
    int64_t mb = x->what == APPLY_RIGHT ? across : x->nb;
    int64_t nb = x->what == APPLY_RIGHT ? x->nb : across;
    twill_pattern p = twill_block_cyclic(rows_of(x), cols_of(x), mb, nb, x->p, x->q);
    twill_array *c;
    if (x->shifted) {
        p.source[0] = 1 % x->p;
        p.source[1] = 1 % x->q;
    }
    OK(twill_array_create(tw, &p, x->type->type, 0, &c));
    test_scatter(c, x->other);
    return c;
}

/* Everything in one graph, without waiting in between. */
static void insert(twill *tw, const problem *x, twill_array *a, twill_reflectors *h, twill_array *c,
                   int64_t *info)
{
    twill_graph *g;
    twill_trans trans = trans_of(x);
    twill_side side = x->what == APPLY_LEFT ? TWILL_LEFT : TWILL_RIGHT;
    OK(twill_stf_begin(tw, &g));
    if (x->what == SOLVE)
        OK(twill_gels_insert(g, trans, a, h, c, NULL));
    else
        OK(x->lq ? twill_gelqf_insert(g, a, h, NULL) : twill_geqrf_insert(g, a, h, NULL));
    if (x->what == GENERATE)
        OK(x->lq ? twill_unglq_insert(g, a, h, c, NULL) : twill_ungqr_insert(g, a, h, c, NULL));
    else if (x->what == APPLY_LEFT || x->what == APPLY_RIGHT)
        OK(x->lq ? twill_unmlq_insert(g, side, trans, a, h, c, NULL)
                 : twill_unmqr_insert(g, side, trans, a, h, c, NULL));
    twill_status status = twill_wait(g);
    assert_true(status == TWILL_OK || status == TWILL_ERR_NUMERICAL);
    *info = twill_graph_info(g);
    twill_graph_free(g);
}

static void call(const problem *x, twill_array *a, twill_reflectors *h, twill_array *c,
                 int64_t *info)
{
    twill_trans trans = trans_of(x);
    twill_side side = x->what == APPLY_LEFT ? TWILL_LEFT : TWILL_RIGHT;
    if (x->what == SOLVE) {
        OK(twill_gels(trans, a, c, info));
        return;
    }
    *info = 0;
    OK(x->lq ? twill_gelqf(a, h) : twill_geqrf(a, h));
    if (x->what == GENERATE)
        OK(x->lq ? twill_unglq(a, h, c) : twill_ungqr(a, h, c));
    else if (x->what != FACTOR)
        OK(x->lq ? twill_unmlq(side, trans, a, h, c) : twill_unmqr(side, trans, a, h, c));
}

/* LAPACK's tau comes to all ranks, from trees that have it. */
static void look_at_tau(twill *tw, problem *x, twill_reflectors *h)
{
    size_t size = bytes(x, least(x->m, x->n), 1);
    int64_t branches = 0, ib;
    twill_tree tree;
    void *tau = calloc(1, size);
    OK(twill_reflectors_branches(h, &branches));
    OK(twill_reflectors_info(h, &tree, &ib));
    if (branches == 1 && tree == TWILL_TREE_FLAT)
        OK(twill_reflectors_tau(h, tau));
    else if (branches > 1)
        REFUSED(twill_reflectors_tau(h, tau), TWILL_ERR_UNSUPPORTED, "one branch");
    if (twill_rank(tw) == twill_ranks(tw) - 1)
        memcpy(x->tau, tau, size);
    free(tau);
}

static void run(twill *tw, void *arg)
{
    problem *x = arg;
    twill_array *whole, *a = make_matrix(tw, x, &whole), *c = make_other(tw, x);
    twill_la_options options = {
        .size = sizeof(twill_la_options), .tree = x->tree, .branches = x->branches};
    twill_reflectors *h;
    int64_t info = -1;
    OK(twill_reflectors_create(tw, &options, &h));
    if (x->inserts)
        insert(tw, x, a, h, c, &info);
    else
        call(x, a, h, c, &info);
    x->info[twill_rank(tw)] = info;
    if (x->what == FACTOR)
        look_at_tau(tw, x, h);
    test_collect(a, x->factor);
    test_collect(c, x->x);
    twill_reflectors_free(h);
    twill_array_free(a);
    twill_array_free(whole);
    twill_array_free(c);
}

/* ---- all ranks ------------------------------------------------------------------------------ */

static void prepare(problem *x)
{
    size_t size = twill_type_size(x->type->type);
    x->matrix = random_numbers(x, x->m, x->n, 1);
    x->other = random_numbers(x, rows_of(x), cols_of(x), 1000000);
    if (x->zero)
        memset((char *)x->matrix + (size_t)((x->zero - 1) * x->m) * size, 0, (size_t)x->m * size);
    x->factor = calloc(1, bytes(x, x->m, x->n));
    x->x = calloc(1, bytes(x, rows_of(x), cols_of(x)));
    x->tau = calloc(1, bytes(x, least(x->m, x->n), 1));
    x->info = calloc((size_t)(x->p * x->q), sizeof *x->info);
}

static void discard(problem *x)
{
    void *all[] = {x->matrix, x->other, x->factor, x->x, x->tau, x->info};
    for (int i = 0; i < COUNT(all); i++)
        free(all[i]);
}

/* One rank replays the tree of a grid. */
static problem alone(problem x)
{
    twill *tw = test_start(2, NULL);
    if (!x.branches)
        x.branches = mirrored(&x) ? x.q : x.p;
    x.p = x.q = 1;
    x.inserts = true;
    prepare(&x);
    run(tw, &x);
    twill_stop(tw);
    return x;
}

static void compare(problem x, const test_ranks *setup)
{
    problem one = alone(x);
    int64_t info = one.info[0];
    prepare(&x);
    test_on_ranks(setup, run, &x);
    for (int64_t r = 0; r < x.p * x.q; r++)
        assert_int_equal(x.info[r], info);
    if (memcmp(one.factor, x.factor, bytes(&x, x.m, x.n)) != 0 ||
        memcmp(one.tau, x.tau, bytes(&x, least(x.m, x.n), 1)) != 0 ||
        (info == 0 && memcmp(one.x, x.x, bytes(&x, rows_of(&x), cols_of(&x))) != 0))
        fail_msg("%s %s %d by %d, nb %d, case %d, tree %d, on %d by %d ranks: not what one rank "
                 "gets",
                 x.type->name, mirrored(&x) ? "LQ" : "QR", (int)x.m, (int)x.n, (int)x.nb, x.what,
                 x.tree, (int)x.p, (int)x.q);
    assert_int_equal(info, x.zero);
    discard(&one);
    discard(&x);
}

static const struct {
    int64_t p, q;
} grids[] = {{1, 1}, {1, 2}, {2, 1}, {3, 1}, {2, 2}, {4, 1}, {2, 3}, {3, 2}, {1, 3}, {3, 3}};

/* On one or two grids, each time others; doubles on more of them. */
static void on_grids(problem x)
{
    static uint64_t seed;
    uint64_t every = x.type->type == TWILL_FLOAT64 && !test_slow() ? 4 : 9;
    limit_begin(NULL, 120, "QR on several ranks");
    for (int g = 0; g < COUNT(grids); g++) {
        if (++seed % every)
            continue;
        x.p = grids[g].p;
        x.q = grids[g].q;
        x.inserts = seed / every % 2;
        compare(x, &(test_ranks){.ranks = (int)(x.p * x.q),
                                 .workers = 1 + (int)seed % 3 / 2,
                                 .network = {.seed = seed,
                                             .delay = (unsigned)(seed / every) % 4,
                                             .reorder = true}});
    }
    seed++;
    limit_end();
}

static const int64_t shapes[][2] = {{5 * NB + 3, 5 * NB + 3},
                                    {9 * NB + 5, 3 * NB + 2},
                                    {3 * NB + 1, 9 * NB + 3},
                                    {NB + 1, NB + 1},
                                    {5, 4 * NB},
                                    {4 * NB, 5},
                                    {0, 3},
                                    {3, 0},
                                    {4 * NB, 4 * NB},
                                    {40 * NB + 1, NB}};

TEST(any_grid_gives_the_bits_of_one_rank)
{
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int lq = 0; lq < 2; lq++)
                if ((t + s + lq) % (test_slow() ? 8 : 2) == 0)
                    on_grids((problem){.type = &test_types[t],
                                       .lq = lq,
                                       .m = shapes[s][lq],
                                       .n = shapes[s][!lq],
                                       .nb = NB,
                                       .wide = 1,
                                       .part = (t + s) % 3 == 0});
}

TEST(any_tree_gives_the_bits_of_one_rank)
{
    for (int tree = TWILL_TREE_FLAT; tree <= TWILL_TREE_FIBONACCI; tree++)
        for (int lq = 0; lq < 2; lq++) {
            problem x = {.type = &test_types[(tree + lq) % 4],
                         .what = (what)(FACTOR + tree % 3),
                         .lq = lq,
                         .tree = (twill_tree)tree,
                         .m = 8 * NB + 3,
                         .n = 6 * NB + 1,
                         .nb = NB,
                         .wide = NB + 1};
            on_grids(x);
            x.branches = 1 + tree % 3; /* whatever the grid */
            on_grids(x);
        }
}

/* Where LAPACK and the recursion of panels come in, with tiles that begin anywhere. */
TEST(large_tiles_give_the_bits_of_one_rank)
{
    for (int t = 0; t < COUNT(test_types); t += test_slow() ? 3 : 1)
        for (int lq = 0; lq < 2; lq++)
            on_grids((problem){.type = &test_types[t],
                               .lq = lq,
                               .m = lq ? 250 : 420,
                               .n = lq ? 420 : 250,
                               .nb = 101,
                               .wide = 1});
}

TEST(products_with_q_have_the_bits_of_one_rank)
{
    for (int t = 0; t < COUNT(test_types); t++)
        for (what w = APPLY_LEFT; w <= GENERATE; w++)
            for (int c = 0; c < 8; c++)
                if ((t + (int)w + c) % (test_slow() ? 12 : 4) == 0)
                    on_grids((problem){.type = &test_types[t],
                                       .what = w,
                                       .lq = c & 1,
                                       .inverse = c & 2,
                                       .shifted = c & 2,
                                       .m = c & 4 ? 5 * NB + 3 : 2 * NB + 1,
                                       .n = c & 4 ? 3 * NB : 4 * NB + 5,
                                       .nb = NB,
                                       .wide = 2 * NB + 3});
}

/* The shapes, right-hand sides, and entries that are scaled. */
TEST(solutions_have_the_bits_of_one_rank)
{
    static const double scales[][2] = {{1, 1}, {1e-37, 1e-300}, {1e37, 1e300}};
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int c = 0; c < 6; c++)
                if ((t + s + c) % (test_slow() ? 16 : 5) == 0)
                    on_grids((problem){.type = &test_types[t],
                                       .what = SOLVE,
                                       .inverse = c & 1,
                                       .m = shapes[s][0],
                                       .n = shapes[s][1],
                                       .nb = NB,
                                       .wide = (t + s) % 2 ? 1 : NB + 3,
                                       .shifted = c & 1,
                                       .scale = scales[c / 2][t % 2]});
}

TEST(a_singular_matrix_is_known_to_all_ranks)
{
    for (int t = 0; t < COUNT(test_types); t++)
        for (int c = 0; c < 2; c++)
            on_grids((problem){.type = &test_types[t],
                               .what = SOLVE,
                               .inverse = c,
                               .m = 5 * NB + 3,
                               .n = 4 * NB + 3,
                               .nb = NB,
                               .wide = 2,
                               .zero = 2 * NB + 4});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_grid_gives_the_bits_of_one_rank),
        cmocka_unit_test(any_tree_gives_the_bits_of_one_rank),
        cmocka_unit_test(large_tiles_give_the_bits_of_one_rank),
        cmocka_unit_test(products_with_q_have_the_bits_of_one_rank),
        cmocka_unit_test(solutions_have_the_bits_of_one_rank),
        cmocka_unit_test(a_singular_matrix_is_known_to_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
