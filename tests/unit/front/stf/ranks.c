/* Copies of tiles of other ranks, in one process: several graphs, arrays that end, and how much
 * memory there is for them. */
#include "support/limit.h"
#include "support/numbers.h"

#include "front/stf/ranks.h"

#include <stdlib.h>

enum { LIMIT = 120 };

/* ---- two graphs, many arrays ---------------------------------------------------------------- */

/* What one graph writes, another one does not take from an old copy. */
static void two_graphs(twill *tw, void *arg)
{
    twill_array *a = test_numbers(tw, 6);
    twill_graph *g, *h;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    OK(twill_stf_begin(tw, &h));
    for (int64_t round = 1; round <= 20; round++) {
        test_set(g, a, 0, round);
        test_copy(h, a, 0, 1);
        test_copy(g, a, 0, 2);
        test_copy(h, a, 2, 3);
    }
    OK(twill_wait(g));
    OK(twill_wait(h));
    for (int64_t i = 0; i < 4; i++)
        if (twill_owner_at(a, i, 0) == twill_rank(tw))
            assert_int_equal(test_look(a, i), 20);
    twill_graph_free(g);
    twill_graph_free(h);
}

TEST(graphs_side_by_side_see_what_the_other_wrote)
{
    for (int seed = 0; seed < 4; seed++) {
        test_ranks setup = test_some_ranks(2 + seed, seed);
        limit_begin(NULL, LIMIT, "two graphs");
        test_on_ranks(&setup, two_graphs, NULL);
        limit_end();
    }
}

/* An array that is freed before the wait, and another one perhaps in its place. */
static void one_after_another(twill *tw, void *arg)
{
    twill_array *last = test_numbers(tw, 4);
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    for (int64_t k = 0; k < 20; k++) {
        twill_array *a = test_numbers(tw, 4);
        test_set(g, a, 0, k);
        for (int64_t i = 1; i < 4; i++)
            test_copy(g, a, 0, i);
        OK(twill_insert(g, &test_copy_class, TWILL_R(twill_tile_at(a, 3, 0)),
                        TWILL_W(twill_tile_at(last, 0, 0))));
        twill_array_free(a);
    }
    OK(twill_wait(g));
    if (twill_rank(tw) == 0)
        assert_int_equal(test_look(last, 0), 19);
    twill_graph_free(g);
}

TEST(copies_end_with_their_array)
{
    test_ranks setup = test_some_ranks(4, 1);
    limit_begin(NULL, LIMIT, "arrays one after another");
    test_on_ranks(&setup, one_after_another, NULL);
    limit_end();
}

/* ---- memory --------------------------------------------------------------------------------- */

enum { BIG = 3000, MOST = 3 }; /* numbers in a tile, which is lent; copies of tiles of each rank */

typedef struct peak {
    tw_data *data;
    atomic_llong most;
} peak;

/* Adds one tile to another, and looks how much memory there is. */
static twill_outcome sum_body(twill_task *t)
{
    peak *p = *(peak **)twill_task_data(t, 2);
    const int64_t *from = twill_task_data(t, 0);
    int64_t *into = twill_task_data(t, 1);
    long long now = tw_data_bytes(p->data), before = atomic_load(&p->most);
    while (now > before && !atomic_compare_exchange_weak(&p->most, &before, now))
        ;
    for (int64_t i = 0; i < BIG; i++)
        into[i] += from[i] + 1;
    return TWILL_DONE;
}

static const twill_class sum_class = {
    .size = sizeof(twill_class), .name = "sum", .chores = {TWILL_CPU(sum_body)}};

/* Every tile is added to every other one, and some of them by ranks that own neither. */
static void add_all(twill *tw, void *arg)
{
    int64_t ranks = twill_ranks(tw), n = 6 * ranks, share = 6 * BIG * (int64_t)sizeof(int64_t);
    twill_array *a = NULL;
    twill_graph *g;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * BIG}, (int64_t[]){BIG}, (int64_t[]){ranks});
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    peak seen = {&tw->data, 0}, *where = &seen;
    int64_t *model = calloc((size_t)n, sizeof *model);
    OK(twill_stf_begin(tw, &g));
    ((tw_stf_ranks *)g->front)->most = MOST;
    for (int64_t round = 0; round < 2; round++) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                if (i == j)
                    continue;
                OK(twill_insert(g, &sum_class, TWILL_R(twill_tile_at(a, j, 0)),
                                TWILL_RW(twill_tile_at(a, i, 0)), TWILL_VALUE(where)));
                model[i] += model[j] + 1;
            }
        OK(twill_wait(g));
        assert_int_equal(tw_data_bytes(&tw->data), share);
    }
    for (int64_t i = twill_rank(tw); i < n; i += ranks)
        assert_int_equal(test_look(a, i), model[i]);
    assert_in_range(seen.most, share, share + (ranks - 1) * MOST * share / 6);
    twill_graph_free(g);
    free(model);
}

TEST(memory_for_tiles_of_other_ranks_is_bounded)
{
    for (int seed = 0; seed < 4; seed++) {
        test_ranks setup = test_some_ranks(2 + seed % 2, seed);
        limit_begin(NULL, LIMIT, "memory");
        test_on_ranks(&setup, add_all, NULL);
        limit_end();
    }
}

/* A task fails while large tiles are on their way, and the array is freed at once. */
static void fail_lent(twill *tw, void *arg)
{
    int64_t ranks = twill_ranks(tw), n = 4 * ranks;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * BIG}, (int64_t[]){BIG}, (int64_t[]){ranks});
    peak seen = {&tw->data, 0}, *where = &seen;
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    for (int64_t round = 0; round < 6; round++) {
        twill_array *a = NULL;
        OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
        for (int64_t k = 0; k < n * n; k++)
            (void)twill_insert(
                g, k == n * round ? &test_planted : &sum_class, TWILL_R(twill_tile_at(a, k % n, 0)),
                TWILL_RW(twill_tile_at(a, (k / n + 1 + k % n) % n, 0)), TWILL_VALUE(where));
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
        twill_array_free(a);
    }
    twill_graph_free(g);
}

TEST(failures_end_what_is_lent)
{
    for (int seed = 0; seed < 6; seed++) {
        test_ranks setup = test_some_ranks(2 + seed % 3, seed);
        limit_begin(NULL, LIMIT, "lent tiles of a graph that fails");
        test_on_ranks(&setup, fail_lent, NULL);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_side_by_side_see_what_the_other_wrote),
        cmocka_unit_test(copies_end_with_their_array),
        cmocka_unit_test(memory_for_tiles_of_other_ranks_is_bounded),
        cmocka_unit_test(failures_end_what_is_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
