/* Tiles that many products share: the same bits as without, packed once, forgotten in time. */
#include "la/kernel/packs.h"

#include "engine/prepare.h"
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
    bool shared;
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

static twill_outcome body(twill_task *t)
{
    bool shared = twill_task_int(t, 3);
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    tw_packs_gemm(t, tw_la_kernels(t, 0), TILES, &(tw_pack){&a, 0, 'N', shared},
                  &(tw_pack){&b, 1, 'N', shared}, &c);
    return TWILL_DONE;
}

static const twill_class product = {
    .size = sizeof(twill_class), .name = "product", .chores = {TWILL_CPU(body)}};

static void multiply(const problem *p)
{
    twill_graph *g;
    OK(twill_stf_begin(p->tw, &g));
    for (int64_t j = 0; j < TILES; j++)
        for (int64_t i = 0; i < TILES; i++)
            OK(twill_insert(g, &product, TWILL_R(twill_tile_at(p->a, i, 0)),
                            TWILL_R(twill_tile_at(p->b, 0, j)), TWILL_RW(twill_tile_at(p->c, i, j)),
                            TWILL_INT(p->shared)));
    OK(twill_wait(g));
    twill_graph_free(g);
    assert_int_equal(p->tw->data.replicas.packed.used, 0); /* the last readers ended them */
}

static uint64_t result(const problem *p)
{
    uint64_t digest;
    OK(twill_digest(p->c, TWILL_GENERAL, &digest));
    return digest;
}

TEST(shared_tiles_give_the_same_bits_and_are_forgotten)
{
    static const int workers[] = {1, 2, 4};
    for (int w = 0; w < COUNT(workers); w++) {
        problem p = start(workers[w]);
        for (uint64_t seed = 0; seed < REPEATS; seed++) {
            fill(&p, seed);
            p.shared = false;
            multiply(&p);
            uint64_t wanted = result(&p);
            fill(&p, seed);
            p.shared = true;
            multiply(&p);
            assert_int_equal(result(&p), wanted);
        }
        stop(&p);
    }
}

TEST(factoring_a_part_of_a_matrix_leaves_nothing_packed)
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
    assert_int_equal(p.tw->data.replicas.packed.used, 0);
    OK(twill_fill_spd(part, 3));
    OK(twill_potrf_insert(g, TWILL_LOWER, part, NULL));
    OK(twill_wait(g));
    assert_int_equal(p.tw->data.replicas.packed.used, 0);
    twill_array *before = test_matrix(p.tw, TWILL_FLOAT64, SOME * NB, SOME * NB, NB);
    double ratio = -1;
    OK(twill_fill_spd(before, 3));
    OK(twill_potrf_residual(TWILL_LOWER, before, part, &ratio));
    assert_true(ratio >= 0 && ratio < 30); /* both sides of a product have layouts of their own */
    twill_array_free(before);
    twill_graph_free(g);
    twill_array_free(ipiv);
    twill_array_free(part);
    twill_array_free(whole);
    stop(&p);
}

/* ---- who packs --------------------------------------------------------------------------- */

static atomic_int packed, found, refused;

static twill_outcome count_body(twill_task *t)
{
    tw_packed *p = tw_task_packed(t, 0, 0, 64, 10);
    if (!p) {
        atomic_fetch_add(&refused, 1);
        return TWILL_DONE;
    }
    atomic_fetch_add(tw_packed_is_ready(p) ? &found : &packed, 1);
    tw_packed_tell(p);
    tw_task_packed_put(t, p);
    return TWILL_DONE;
}

static const twill_class count = {
    .size = sizeof(twill_class), .name = "count", .chores = {TWILL_CPU(count_body)}};

static void expect(int packs, int finds, int refusals)
{
    assert_int_equal(atomic_exchange(&packed, 0), packs);
    assert_int_equal(atomic_exchange(&found, 0), finds);
    assert_int_equal(atomic_exchange(&refused, 0), refusals);
}

TEST(a_tile_is_packed_once_for_all_who_wait_to_read_it)
{
    problem p = start(1);
    twill_tile *tile = twill_tile_at(p.a, 0, 0);
    twill_graph *g;
    OK(twill_stf_begin(p.tw, &g));
    for (int i = 0; i < 5; i++)
        OK(twill_insert(g, &count, TWILL_R(tile)));
    OK(twill_wait(g));
    expect(1, 4, 0);
    for (int i = 0; i < 5; i++) /* the fourth writes it */
        OK(twill_insert(g, &count, i == 3 ? TWILL_RW(tile) : TWILL_R(tile)));
    OK(twill_wait(g));
    expect(2, 2, 1);
    twill_graph_free(g);
    stop(&p);
}

TEST(tasks_of_explicit_graphs_pack_for_themselves)
{
    problem p = start(1);
    twill_graph *g;
    OK(twill_dag_begin(p.tw, &g));
    int64_t node;
    OK(twill_dag_add(g, &node, &count, TWILL_R(twill_tile_at(p.a, 0, 0))));
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    expect(0, 0, 1);
    twill_graph_free(g);
    stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_tiles_give_the_same_bits_and_are_forgotten),
        cmocka_unit_test(factoring_a_part_of_a_matrix_leaves_nothing_packed),
        cmocka_unit_test(a_tile_is_packed_once_for_all_who_wait_to_read_it),
        cmocka_unit_test(tasks_of_explicit_graphs_pack_for_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
