/* LU on several ranks of one process: the bits, pivots and info of one rank. */
#include "support/limit.h"
#include "support/lu.h"
#include "support/ranks.h"

#include "base/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NB = 8 };

typedef enum what { FACTOR, INSERT, SOLVE, SOLVE_ADJOINT, CARRY, INVERT } what;

typedef struct problem {
    const test_type *type;
    what what;
    twill_method method; /* of INSERT */
    int64_t m, n, nb, nrhs, p, q;
    int64_t zero;           /* column that is zero, from 1, or 0 */
    bool shifted;           /* B and its tiles lie otherwise than A */
    bool part;              /* A is a part of a matrix, from its tile (1, 1) on */
    bool nan;               /* some elements are */
    void *matrix, *rhs;     /* given, of all ranks together, column-major */
    void *factor, *x;       /* the results */
    int64_t *pivots, *info; /* info: of each rank */
} problem;

static size_t bytes(const problem *x, int64_t cols)
{
    return (size_t)(x->m * cols) * twill_type_size(x->type->type) + 1;
}

static void *random_numbers(const problem *x, int64_t cols, uint64_t seed)
{
    void *numbers = calloc(1, bytes(x, cols));
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < x->m; i++) {
            uint64_t r = tw_mix(tw_mix(seed + (uint64_t)j) + (uint64_t)i);
            /* few digits, so that elements tie */
            double complex z =
                test_number((double)(r % 64) / 32 - 1, (double)(r / 64 % 64) / 32 - 1);
            if (x->nan && r % 97 == 0)
                z = NAN;
            bool dominant = x->method == TWILL_METHOD_NO_PIVOTING && i == j;
            test_store(numbers, x->type->type, i + j * x->m, dominant ? z + 100 : z);
        }
    return numbers;
}

/* ---- on a rank ------------------------------------------------------------------------------ */

static twill_status insert(twill *tw, const problem *x, twill_array *a, twill_array *ipiv,
                           twill_array *b, int64_t *info)
{
    twill_graph *g;
    twill_la_options options = {.size = sizeof(twill_la_options), .method = x->method};
    OK(twill_stf_begin(tw, &g));
    if (x->what == CARRY)
        OK(twill_gesv_insert(g, a, ipiv, b, &options));
    else
        OK(twill_getrf_insert(g, a, ipiv, &options));
    OK(twill_wait(g));
    twill_graph_free(g);
    return twill_getrf_info(a, info);
}

static void solve(twill *tw, const problem *x, twill_array *a, twill_array *ipiv, twill_array *b,
                  int64_t *info)
{
    switch (x->what) {
    case INSERT:
    case CARRY:
        OK(insert(tw, x, a, ipiv, b, info));
        return;
    case SOLVE:
        OK(twill_gesv(a, ipiv, b, info));
        return;
    case FACTOR:
    case SOLVE_ADJOINT:
    case INVERT:
        OK(twill_getrf(a, ipiv, info));
    }
    if (x->what == SOLVE_ADJOINT)
        OK(twill_getrs(TWILL_CONJ_TRANS, a, ipiv, b));
    if (x->what == INVERT)
        OK(twill_getri(a, ipiv, info));
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

static void run(twill *tw, void *arg)
{
    problem *x = arg;
    twill_pattern pb = twill_block_cyclic(x->m, x->nrhs, x->nb, x->nb - 1, x->p, x->q);
    twill_array *whole, *a = make_matrix(tw, x, &whole), *b, *ipiv;
    if (x->shifted) {
        pb.source[0] = 1 % x->p;
        pb.source[1] = 1 % x->q;
    }
    OK(twill_array_create(tw, &pb, x->type->type, 0, &b));
    OK(twill_pivots_create(a, &ipiv));
    test_scatter(b, x->rhs);
    int64_t info = -1;
    solve(tw, x, a, ipiv, b, &info);
    x->info[twill_rank(tw)] = info;
    test_collect(a, x->factor);
    test_collect(b, x->x);
    test_collect(ipiv, x->pivots);
    twill_array_free(a);
    twill_array_free(whole);
    twill_array_free(b);
    twill_array_free(ipiv);
}

/* ---- all ranks ------------------------------------------------------------------------------ */

static void prepare(problem *x)
{
    int64_t least = x->m < x->n ? x->m : x->n;
    size_t size = twill_type_size(x->type->type);
    x->matrix = random_numbers(x, x->n, 1);
    x->rhs = random_numbers(x, x->nrhs, 1000);
    if (x->zero)
        memset((char *)x->matrix + (size_t)((x->zero - 1) * x->m) * size, 0, (size_t)x->m * size);
    x->factor = calloc(1, bytes(x, x->n));
    x->x = calloc(1, bytes(x, x->nrhs));
    x->pivots = calloc((size_t)least + 1, sizeof *x->pivots);
    x->info = calloc((size_t)(x->p * x->q), sizeof *x->info);
}

static void discard(problem *x)
{
    void *all[] = {x->matrix, x->rhs, x->factor, x->x, x->pivots, x->info};
    for (int i = 0; i < COUNT(all); i++)
        free(all[i]);
}

static problem alone(problem x)
{
    twill *tw = test_start(2, NULL);
    x.p = x.q = 1;
    prepare(&x);
    run(tw, &x);
    twill_stop(tw);
    return x;
}

static void compare(const problem *one, problem x, const test_ranks *setup)
{
    int64_t least = x.m < x.n ? x.m : x.n;
    prepare(&x);
    test_on_ranks(setup, run, &x);
    for (int64_t r = 0; r < x.p * x.q; r++)
        assert_int_equal(x.info[r], one->info[0]);
    if (memcmp(one->factor, x.factor, bytes(&x, x.n)) != 0 ||
        memcmp(one->x, x.x, bytes(&x, x.nrhs)) != 0 ||
        memcmp(one->pivots, x.pivots, (size_t)least * sizeof *x.pivots) != 0)
        fail_msg("%s %d by %d, nb %d, case %d, on %d by %d ranks: not what one rank gets",
                 x.type->name, (int)x.m, (int)x.n, (int)x.nb, x.what, (int)x.p, (int)x.q);
    discard(&x);
}

static const struct {
    int64_t p, q;
} grids[] = {{1, 1}, {1, 2}, {2, 1}, {3, 1}, {2, 2}, {1, 4}, {2, 3}, {3, 2}, {3, 3}};

/* One rank, and then grids: all of them for doubles, else each time others. Returns info. */
static int64_t on_grids(problem x)
{
    static uint64_t seed;
    uint64_t every = x.type->type == TWILL_FLOAT64 && !test_slow() ? 1 : 4;
    limit_begin(NULL, 120, "LU on several ranks");
    problem one = alone(x);
    int64_t info = one.info[0];
    if (x.what == FACTOR && info == 0 && !x.nan)
        assert_true(test_lu_residual(x.type, one.matrix, one.factor, one.pivots, x.m, x.n) < 30);
    for (int g = 0; g < COUNT(grids); g++) {
        if (++seed % every)
            continue;
        x.p = grids[g].p;
        x.q = grids[g].q;
        test_ranks setup = {
            .ranks = (int)(x.p * x.q),
            .workers = 1 + (int)seed % 3,
            .network = {.seed = seed, .delay = (unsigned)(seed / every) % 4, .reorder = true}};
        compare(&one, x, &setup);
    }
    seed += every > 1;
    discard(&one);
    limit_end();
    return info;
}

TEST(any_grid_gives_the_bits_of_one_rank)
{
    const int64_t shapes[][2] = {{5 * NB + 3, 5 * NB + 3},
                                 {6 * NB + 5, 3 * NB + 2},
                                 {3 * NB + 1, 6 * NB + 3},
                                 {NB + 1, NB + 1},
                                 {5, 4 * NB},
                                 {4 * NB, 5},
                                 {0, 3},
                                 {4 * NB, 4 * NB}};
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++) {
            problem x = {.type = &test_types[t],
                         .what = s % 2 ? INSERT : FACTOR,
                         .m = shapes[s][0],
                         .n = shapes[s][1],
                         .nb = NB,
                         .nrhs = 1};
            if (!test_slow() || (t + s) % 4 == 0)
                assert_int_equal(on_grids(x), 0);
        }
}

/* Several leaves, pieces and products in a panel. */
TEST(large_tiles_give_the_bits_of_one_rank)
{
    for (int t = 0; t < COUNT(test_types); t += test_slow() ? 3 : 1) {
        problem x = {
            .type = &test_types[t], .what = FACTOR, .m = 410, .n = 330, .nb = 140, .nrhs = 1};
        assert_int_equal(on_grids(x), 0);
    }
}

TEST(solutions_have_the_bits_of_one_rank)
{
    const int64_t sides[] = {1, NB - 1, 3 * NB + 2};
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = t % 2; s < COUNT(sides); s += 2)
            for (what w = SOLVE; w <= INVERT; w++) {
                problem x = {.type = &test_types[t],
                             .what = w,
                             .m = 4 * NB + 3,
                             .n = 4 * NB + 3,
                             .nb = NB,
                             .nrhs = sides[s],
                             .shifted = s % 2};
                if (!test_slow() || (t + s + (int)w) % 6 == 0)
                    assert_int_equal(on_grids(x), 0);
            }
}

TEST(a_singular_matrix_is_known_to_all_ranks)
{
    for (int t = 0; t < COUNT(test_types); t++)
        for (what w = FACTOR; w <= INVERT; w++) {
            problem x = {.type = &test_types[t],
                         .what = w,
                         .m = 4 * NB + 3,
                         .n = 4 * NB + 3,
                         .nb = NB,
                         .nrhs = 3,
                         .zero = 2 * NB + 4};
            if (w != CARRY && w != SOLVE_ADJOINT && (!test_slow() || (t + (int)w) % 4 == 0))
                assert_int_equal(on_grids(x), x.zero);
        }
}

TEST(parts_of_matrices_and_what_is_not_a_number)
{
    for (int c = 0; c < 4; c++) {
        problem x = {.type = &test_types[1 + c % 2],
                     .what = c < 2 ? FACTOR : CARRY,
                     .m = 4 * NB + 3,
                     .n = 4 * NB + 3,
                     .nb = NB,
                     .nrhs = NB + 1,
                     .part = c % 2,
                     .nan = c % 2 == 0};
        assert_int_equal(on_grids(x), 0);
    }
}

TEST(other_pivots_are_those_of_one_rank)
{
    for (twill_method method = TWILL_METHOD_TOURNAMENT; method <= TWILL_METHOD_NO_PIVOTING;
         method++) {
        problem x = {.type = &test_types[1 + method % 2],
                     .what = INSERT,
                     .method = method,
                     .m = 5 * NB + 3,
                     .n = 4 * NB,
                     .nb = NB,
                     .nrhs = 1};
        assert_int_equal(on_grids(x), 0);
    }
}

/* ---- failures ------------------------------------------------------------------------------ */

static twill_outcome fail_body(twill_task *t)
{
    usleep(20000); /* others have begun the panel by then, and wait for this rank */
    return twill_task_fail(t, "on purpose");
}

static const twill_class fail_class = {
    .size = sizeof(twill_class), .name = "fail", .chores = {TWILL_CPU(fail_body)}};

static void factor_and_fail(twill *tw, void *arg)
{
    int64_t failing = *(const int64_t *)arg, info = -1;
    twill_pattern p = twill_block_cyclic(5 * NB, 5 * NB, NB, NB, 3, 1);
    twill_array *a, *ipiv;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_pivots_create(a, &ipiv));
    OK(twill_fill_random(a, 7));
    OK(twill_stf_begin(tw, &g));
    twill_insert(g, &fail_class, TWILL_RW(twill_tile_at(a, failing, failing / 2)));
    (void)twill_getrf_insert(g, a, ipiv, NULL);
    assert_int_equal(twill_wait(g), TWILL_ERR_TASK);
    OK(twill_fill_random(a, 7));
    OK(twill_getrf_insert(g, a, ipiv, NULL));
    OK(twill_wait(g));
    OK(twill_getrf_info(a, &info));
    assert_int_equal(info, 0);
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(ipiv);
}

/* Its tile is of the first panel, or of one that is under way then; also the uppermost. */
TEST(panels_that_wait_for_a_failed_rank_end)
{
    for (int64_t failing = 0; failing < 4; failing++)
        for (int workers = 1; workers <= 2; workers++) {
            test_ranks setup = {.ranks = 3, .workers = workers, .network = {.delay = 2}};
            limit_begin(NULL, 60, "a failure at tile %d", (int)failing);
            test_on_ranks(&setup, factor_and_fail, &failing);
            limit_end();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_grid_gives_the_bits_of_one_rank),
        cmocka_unit_test(large_tiles_give_the_bits_of_one_rank),
        cmocka_unit_test(solutions_have_the_bits_of_one_rank),
        cmocka_unit_test(a_singular_matrix_is_known_to_all_ranks),
        cmocka_unit_test(parts_of_matrices_and_what_is_not_a_number),
        cmocka_unit_test(other_pivots_are_those_of_one_rank),
        cmocka_unit_test(panels_that_wait_for_a_failed_rank_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
