/* Tiles that many products share: the same bits as without, packed once, forgotten in time. */
#include "la/kernel/packs.h"

#include "engine/engine.h"
#include "la/la.h"
#include "support/matrix.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { NB = 104, TILES = 5, LAST = 37, N = (TILES - 1) * NB + LAST, REPEATS = 20 };

/* C(i, j) -= A(i, 0) B(0, j), for all i and j, in a graph: products of NB by NB and of edges. */
typedef struct problem {
    twill *tw;
    twill_array *a, *b, *c;
    tw_packs *packs;
} problem;

static problem start(int workers)
{
    const tw_blas *blas;
    problem p = {.tw = test_start(workers, NULL)};
    OK(tw_blas_get(p.tw, &blas)); /* what routines do before they insert */
    p.a = test_matrix(p.tw, TWILL_FLOAT64, N, NB, NB);
    p.b = test_matrix(p.tw, TWILL_FLOAT64, NB, N, NB);
    p.c = test_matrix(p.tw, TWILL_FLOAT64, N, N, NB);
    return p;
}

static void fill(const problem *p, uint64_t seed)
{
    OK(twill_fill_random(p->a, seed));
    OK(twill_fill_random(p->b, seed + 1));
    OK(twill_fill_random(p->c, seed + 2));
}

static void stop(const problem *p)
{
    twill_array_free(p->a);
    twill_array_free(p->b);
    twill_array_free(p->c);
    twill_stop(p->tw);
}

typedef struct order {
    tw_packs *packs;
    int64_t i, j, uses;
} order;

static twill_outcome body(twill_task *t)
{
    const order *o = twill_task_data(t, 3);
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    tw_packs_gemm(o->packs, tw_la_kernels(t, 0), &(tw_pack){&a, 'N', 0, o->i, 0, o->uses},
                  &(tw_pack){&b, 'N', 1, 0, o->j, o->uses}, &c);
    return TWILL_DONE;
}

static const twill_class product = {
    .size = sizeof(twill_class), .name = "product", .chores = {TWILL_CPU(body)}};

static void insert(twill_graph *g, const problem *p, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < TILES; i++) {
            order o = {p->packs, i, j, TILES};
            tw_packs_expect(p->packs);
            OK(twill_insert(g, &product, TWILL_R(twill_tile_at(p->a, i, 0)),
                            TWILL_R(twill_tile_at(p->b, 0, j)), TWILL_RW(twill_tile_at(p->c, i, j)),
                            TWILL_VALUE(o)));
        }
}

static uint64_t result(const problem *p)
{
    uint64_t digest;
    OK(twill_digest(p->c, TWILL_GENERAL, &digest));
    return digest;
}

static uint64_t expected(problem p, uint64_t seed)
{
    twill_graph *g;
    fill(&p, seed);
    p.packs = NULL;
    OK(twill_stf_begin(p.tw, &g));
    insert(g, &p, TILES);
    OK(twill_wait(g));
    twill_graph_free(g);
    return result(&p);
}

TEST(shared_tiles_give_the_same_bits_and_are_forgotten)
{
    static const int workers[] = {1, 2, 4};
    for (int w = 0; w < COUNT(workers); w++) {
        problem p = start(workers[w]);
        for (uint64_t seed = 0; seed < REPEATS; seed++) {
            twill_graph *g;
            uint64_t wanted = expected(p, seed);
            fill(&p, seed);
            OK(twill_stf_begin(p.tw, &g));
            p.packs = tw_packs_new(p.c, 2);
            tw_packs_belong(p.packs, g);
            insert(g, &p, TILES);
            tw_packs_end(p.packs);
            OK(twill_wait(g));
            assert_null(g->memory); /* the last product has given back all of it */
            twill_graph_free(g);
            assert_int_equal(result(&p), wanted);
        }
        stop(&p);
    }
}

/* A run that ends half-way leaves packed tiles. */
TEST(a_graph_that_runs_again_starts_afresh)
{
    problem p = start(2);
    twill_graph *g;
    uint64_t wanted = expected(p, 7);
    OK(twill_stf_begin(p.tw, &g));
    p.packs = tw_packs_new(p.c, 2);
    tw_packs_belong(p.packs, g);
    fill(&p, 1);
    insert(g, &p, 2);
    OK(twill_wait(g));
    for (int again = 0; again < 3; again++) {
        tw_packs_reset(p.packs);
        fill(&p, 7);
        insert(g, &p, TILES);
        OK(twill_wait(g));
        assert_int_equal(result(&p), wanted);
    }
    twill_graph_free(g);
    stop(&p);
}

/* Whoever counts with the tiles of the whole matrix waits for products that never come. */
TEST(factoring_a_part_of_a_matrix_gives_everything_back)
{
    enum { ALL = 6, SOME = 4 };
    problem p = start(2);
    twill_array *whole = test_matrix(p.tw, TWILL_FLOAT64, ALL * NB, ALL * NB, NB), *part, *ipiv;
    twill_graph *g;
    OK(twill_fill_random(whole, 3));
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(whole), NB, 0, SOME * NB, SOME * NB), &part));
    OK(twill_pivots_create(part, &ipiv));
    OK(twill_stf_begin(p.tw, &g));
    OK(twill_getrf_insert(g, part, ipiv, NULL));
    OK(twill_wait(g));
    assert_null(g->memory);
    OK(twill_fill_spd(part, 3));
    OK(twill_potrf_insert(g, TWILL_LOWER, part, NULL));
    OK(twill_wait(g));
    assert_null(g->memory);
    twill_graph_free(g);
    twill_array_free(ipiv);
    twill_array_free(part);
    twill_array_free(whole);
    stop(&p);
}

TEST(what_is_small_or_has_no_graph_does_without)
{
    problem p = start(1);
    twill_array *small = test_matrix(p.tw, TWILL_FLOAT64, 64, 64, 16);
    twill_array *single = test_matrix(p.tw, TWILL_FLOAT64, NB, NB, NB);
    assert_null(tw_packs_new(small, 1));
    assert_null(tw_packs_new(single, 1));
    tw_packs_belong(NULL, NULL);
    tw_packs_reset(NULL);
    tw_packs_expect(NULL);
    tw_packs_end(NULL);
    tw_packs_belong(tw_packs_new(p.c, 1), NULL); /* freed */
    twill_array_free(small);
    twill_array_free(single);
    stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_tiles_give_the_same_bits_and_are_forgotten),
        cmocka_unit_test(a_graph_that_runs_again_starts_afresh),
        cmocka_unit_test(factoring_a_part_of_a_matrix_gives_everything_back),
        cmocka_unit_test(what_is_small_or_has_no_graph_does_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
