/* Cholesky as Figure 1 of the DAGuE paper prints it, compiled from the printed text, with the
 * library's kernels as bodies: the bits are those of the factorization by insertion. */
#include "support/limit.h"
#include "support/matrix.h"
#include "support/ranks.h"
#include "support/test.h"

#include "figure1.h"
#include "la/kernel/tiles.h"

#include <stdlib.h>

enum { NB = 16 };

static const int64_t orders[] = {0, 1, NB, NB + 1, 3 * NB, 150};

/* ---- bodies: flows in the order of the text ------------------------------------------------- */

static const tw_kernels *kernels_of(const void *globals)
{
    const struct figure1_globals *g = globals;
    const tw_blas *blas = NULL;
    return tw_blas_get(twill_array_context(g->A), &blas) == TWILL_OK
               ? &blas->kernels[twill_array_type(g->A)]
               : NULL;
}

static twill_outcome dpotrf(twill_task *t, const void *globals, const int64_t *p,
                            const twill_flow *flow)
{
    int info = tw_tile_potrf(kernels_of(globals), TWILL_LOWER, &flow[0]);
    return info ? twill_task_numerical(t, p[0] * NB + info) : TWILL_DONE;
}

static twill_outcome dtrsm(twill_task *t, const void *globals, const int64_t *p,
                           const twill_flow *flow)
{
    (void)t, (void)p;
    tw_tile_trsm(kernels_of(globals), TWILL_LOWER, &flow[0], &flow[1]);
    return TWILL_DONE;
}

static twill_outcome dsyrk(twill_task *t, const void *globals, const int64_t *p,
                           const twill_flow *flow)
{
    (void)p;
    tw_tile_herk(t, kernels_of(globals), TWILL_LOWER, (tw_chol_step){0}, &flow[0], &flow[1]);
    return TWILL_DONE;
}

/* B is of row m and A of row n: C(m, n) -= B A^H. */
static twill_outcome dgemm(twill_task *t, const void *globals, const int64_t *p,
                           const twill_flow *flow)
{
    (void)p;
    tw_tile_gemm(t, kernels_of(globals), TWILL_LOWER, (tw_chol_step){0}, &flow[1], &flow[0],
                 &flow[2]);
    return TWILL_DONE;
}

/* ---- both ways ------------------------------------------------------------------------------ */

static twill_graph *figure1(twill *tw, twill_array *a)
{
    static const twill_datatype tile = {.size = sizeof(twill_datatype),
                                        .region = TWILL_REGION_FULL};
    int64_t size = twill_pattern_blocks(twill_array_pattern(a), 0);
    twill_graph *g;
    OK(twill_figure1_new(tw, size, 2, 3, a, &tile, dpotrf, dtrsm, dsyrk, dgemm, &g));
    return g;
}

static uint64_t digest_of(twill *tw, twill_type type, int64_t n, bool inserted, double *ratio)
{
    twill_array *a = test_matrix(tw, type, n, n, NB), *before = test_matrix(tw, type, n, n, NB);
    twill_graph *g;
    uint64_t digest = 0;
    OK(twill_fill_spd(a, 5));
    OK(twill_copy(a, before));
    if (inserted) {
        OK(twill_stf_begin(tw, &g));
        OK(twill_potrf_insert(g, TWILL_LOWER, a, NULL));
    } else {
        g = figure1(tw, a);
        OK(twill_ptg_run(g));
    }
    OK(twill_wait(g));
    OK(twill_digest(a, TWILL_LOWER, &digest));
    OK(twill_potrf_residual(TWILL_LOWER, before, a, ratio));
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(before);
    return digest;
}

TEST(the_digest_is_that_of_insertion)
{
    uint64_t wanted[COUNT(orders)][4];
    double ratio;
    twill *tw = test_start(1, "serial");
    for (int i = 0; i < COUNT(orders); i++)
        for (int t = 0; t < 4; t++)
            wanted[i][t] = digest_of(tw, test_types[t].type, orders[i], true, &ratio);
    twill_stop(tw);
    assert_true(wanted[4][1] != wanted[5][1]);
    for (int s = 0; s < test_nsetups; s++) {
        tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int i = 0; i < COUNT(orders); i++)
            for (int t = 0; t < 4; t++) {
                uint64_t digest = digest_of(tw, test_types[t].type, orders[i], false, &ratio);
                if (digest != wanted[i][t] || !(ratio < 30.0))
                    fail_msg("%s n=%d %s: digest %llx, by insertion %llx, residual %g",
                             test_types[t].name, (int)orders[i], test_setups[s].sched,
                             (unsigned long long)digest, (unsigned long long)wanted[i][t], ratio);
            }
        twill_stop(tw);
    }
}

TEST(a_matrix_that_is_not_positive_definite_fails_with_its_index)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 100, 100, NB);
    OK(twill_fill_spd(a, 5));
    void *full = test_unpack(a);
    test_store(full, TWILL_FLOAT64, 70 * 101, -1.0);
    test_pack(a, full);
    free(full);
    twill_graph *g = figure1(tw, a);
    OK(twill_ptg_run(g));
    REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "DPOTRF(k=4)");
    assert_int_equal(twill_graph_info(g), 71);
    twill_graph_free(g);
    twill_stop(tw);
}

/* ---- several ranks -------------------------------------------------------------------------- */

enum { MOST = 7 * NB + 3 };

/* What all ranks share: a matrix before and after. */
typedef struct problem {
    int64_t n, p, q;
    double before[MOST * MOST], after[MOST * MOST];
} problem;

static void make_matrix(problem *x, int64_t n)
{
    uint64_t seed = 3;
    x->n = n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            x->before[i + j * n] = x->before[j + i * n] =
                (double)test_random(&seed, 1000) / 1000 + (i == j ? (double)n : 0);
}

/* Tasks are placed by another grid than tiles: much is taken from memory of other ranks, and goes
 * there. */
static void factor(twill *tw, void *arg)
{
    problem *x = arg;
    twill_pattern p = twill_block_cyclic(x->n, x->n, NB, NB, x->p, x->q);
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    twill_graph *g = figure1(tw, a);
    for (int run = 0; run < 3; run++) {
        test_scatter(a, x->before);
        OK(twill_ptg_run(g));
        OK(twill_wait(g));
        if (run == 1) /* a graph that did not wait for what others store would go on with that */
            twill_graph_free(g), g = figure1(tw, a);
    }
    test_collect(a, x->after);
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(any_grid_gives_the_bits_of_one_rank)
{
    static const int64_t sizes[] = {1, NB + 1, 4 * NB, MOST};
    static const int64_t grids[][2] = {{1, 2}, {2, 1}, {2, 2}, {2, 3}, {1, 4}};
    static problem one, many;
    limit_begin(NULL, 250, "Figure 1 on several ranks");
    for (int s = 0; s < COUNT(sizes) - test_slow(); s++) {
        make_matrix(&one, sizes[s]);
        one.p = one.q = 1;
        test_on_ranks(&(test_ranks){.ranks = 1, .workers = 2}, factor, &one);
        for (int g = 0; g < COUNT(grids); g++) {
            make_matrix(&many, sizes[s]);
            many.p = grids[g][0];
            many.q = grids[g][1];
            test_ranks setup = {
                .ranks = (int)(many.p * many.q),
                .workers = 1 + g % 2,
                .network = {.seed = (uint64_t)g, .delay = (unsigned)(s + g) % 4, .reorder = true}};
            test_on_ranks(&setup, factor, &many);
            assert_memory_equal(one.after, many.after, sizeof one.after);
        }
    }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_digest_is_that_of_insertion),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_fails_with_its_index),
        cmocka_unit_test(any_grid_gives_the_bits_of_one_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
