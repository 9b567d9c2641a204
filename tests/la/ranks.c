/* Cholesky and products on several ranks of one process: the bits of one rank. */
#include "support/ranks.h"
#include "support/limit.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { NB = 8 };

typedef struct problem {
    int64_t n, p, q;
    twill_uplo uplo;
    bool insert;             /* the tasks, instead of running the graph */
    double *matrix, *result; /* of all ranks together, column-major */
    int64_t bad;             /* order of a minor that is not positive definite, or 0 */
    int64_t info;
} problem;

static double element(const problem *x, int64_t i, int64_t j)
{
    int64_t low = i < j ? i : j, high = i < j ? j : i;
    double r = (double)(tw_mix((uint64_t)(low * 1000 + high)) >> 11) * 0x1p-53 - 0.5;
    if (i != j)
        return r;
    return x->bad == i + 1 ? -1.0 : r + (double)x->n;
}

static void insert(twill *tw, const problem *x, twill_array *a, int64_t *info)
{
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    twill_potrf_insert(g, x->uplo, a, NULL); /* on some ranks it may have failed already */
    twill_status status = twill_wait(g);
    assert_int_equal(status, x->bad ? TWILL_ERR_NUMERICAL : TWILL_OK);
    *info = twill_graph_info(g);
    twill_graph_free(g);
}

static void factor(twill *tw, void *arg)
{
    problem *x = arg;
    twill_pattern p = twill_block_cyclic(x->n, x->n, NB, NB, x->p, x->q);
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    for (int run = 0; run < 2; run++) {
        int64_t info = -1;
        test_scatter(a, x->matrix);
        if (x->insert)
            insert(tw, x, a, &info);
        else
            OK(twill_potrf(x->uplo, a, &info));
        if (twill_rank(tw) == 0)
            x->info = info;
        else if (x->bad)
            assert_int_equal(info, x->bad);
    }
    test_collect(a, x->result);
    twill_array_free(a);
}

/* C = A B^T - C/2, one tile of C per task. */
static void multiply(twill *tw, void *arg)
{
    problem *x = arg;
    twill_pattern p = twill_block_cyclic(x->n, x->n, NB, NB, x->p, x->q);
    twill_array *m[3];
    for (int i = 0; i < 3; i++) {
        p.source[0] = i % x->p; /* no two of them alike */
        p.source[1] = i % x->q;
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &m[i]));
        test_scatter(m[i], x->matrix);
    }
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_TRANS, twill_real(1), m[0], m[1], twill_real(-0.5), m[2]));
    test_collect(m[2], x->result);
    for (int i = 0; i < 3; i++)
        twill_array_free(m[i]);
}

static double *run(problem x, void (*body)(twill *tw, void *arg), const test_ranks *setup,
                   int64_t *info)
{
    x.matrix = calloc((size_t)(x.n * x.n) + 1, sizeof *x.matrix);
    x.result = calloc((size_t)(x.n * x.n) + 1, sizeof *x.result);
    for (int64_t j = 0; j < x.n; j++)
        for (int64_t i = 0; i < x.n; i++)
            x.matrix[i + j * x.n] = element(&x, i, j);
    test_on_ranks(setup, body, &x);
    free(x.matrix);
    *info = x.info;
    return x.result;
}

static const struct {
    int64_t p, q;
} grids[] = {{1, 1}, {1, 2}, {2, 1}, {3, 1}, {2, 2}, {1, 4}, {2, 3}, {3, 2}};

TEST(any_grid_gives_the_bits_of_one_rank)
{
    const int64_t sizes[] = {5 * NB + 3, NB + 1};
    limit_begin(NULL, 250, "Cholesky on several ranks");
    for (int u = 0; u < 2; u++)
        for (int s = 0; s < (test_slow() ? 1 : COUNT(sizes)); s++) {
            problem x = {.n = sizes[s], .p = 1, .q = 1, .uplo = u ? TWILL_UPPER : TWILL_LOWER};
            int64_t info;
            double *one = run(x, factor, &(test_ranks){.ranks = 1, .workers = 2}, &info);
            for (int g = 0; g < 2 * COUNT(grids); g++) {
                x.p = grids[g / 2].p;
                x.q = grids[g / 2].q;
                x.insert = g % 2;
                test_ranks setup = {
                    .ranks = (int)(x.p * x.q),
                    .workers = 1 + g % 3,
                    .network = {.seed = (uint64_t)g, .delay = (unsigned)g % 4, .reorder = true}};
                double *many = run(x, factor, &setup, &info);
                assert_int_equal(info, 0);
                assert_memory_equal(one, many, (size_t)(x.n * x.n) * sizeof *one);
                free(many);
            }
            free(one);
        }
    limit_end();
}

TEST(a_failure_reaches_all_ranks)
{
    limit_begin(NULL, 250, "a failure on several ranks");
    for (int g = 1; g < 2 * COUNT(grids); g++) {
        int k = g % COUNT(grids);
        problem x = {.n = 6 * NB,
                     .p = grids[k].p,
                     .q = grids[k].q,
                     .uplo = TWILL_LOWER,
                     .bad = 3 * NB + 2,
                     .insert = g >= COUNT(grids)};
        int64_t info;
        free(run(x, factor, &(test_ranks){.ranks = (int)(x.p * x.q), .workers = 2}, &info));
        assert_int_equal(info, x.bad);
    }
    limit_end();
}

TEST(a_product_gives_the_bits_of_one_rank)
{
    int64_t info;
    problem x = {.n = 4 * NB + 3, .p = 1, .q = 1};
    limit_begin(NULL, 250, "a product on several ranks");
    double *one = run(x, multiply, &(test_ranks){.ranks = 1, .workers = 2}, &info);
    for (int g = 1; g < COUNT(grids); g++) {
        x.p = grids[g].p;
        x.q = grids[g].q;
        test_ranks setup = {
            .ranks = (int)(x.p * x.q), .workers = 2, .network = {.seed = (uint64_t)g, .delay = 3}};
        double *many = run(x, multiply, &setup, &info);
        assert_memory_equal(one, many, (size_t)(x.n * x.n) * sizeof *one);
        free(many);
    }
    free(one);
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_grid_gives_the_bits_of_one_rank),
        cmocka_unit_test(a_product_gives_the_bits_of_one_rank),
        cmocka_unit_test(a_failure_reaches_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
