/* Ranks that do not do what others do: one makes another graph, or arrays of other sizes, cannot
 * make a graph, or stops while others run theirs. All others get an error, in bounded time, and
 * what they make afterwards together works. The graph is steps.jdf; nothing travels in shared.jdf.
 */
#include "support/limit.h"
#include "support/ranks.h"

#include <string.h>

#include "shared.h"
#include "steps.h"

enum { LIMIT = 60, RANKS = 3, N = 6 };

twill_outcome take_step(twill_task *t, void *side, int64_t k);
twill_outcome take_step(twill_task *t, void *side, int64_t k)
{
    (void)t, (void)side, (void)k;
    return TWILL_DONE;
}

static twill_array *numbers(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){n}, (int64_t[]){1}, (int64_t[]){RANKS});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static twill_status run(twill_graph *g)
{
    OK(twill_ptg_run(g));
    return twill_wait(g);
}

/* A graph, and then one that is the same everywhere. */
static void play_twice(twill *tw, int odd, bool (*make)(twill *, bool, twill_graph **),
                       const char *says)
{
    twill_graph *g;
    if (make(tw, twill_rank(tw) == odd, &g)) {
        REFUSED(run(g), TWILL_ERR_STATE, says);
        twill_graph_free(g);
    }
    OK(twill_steps_new(tw, N, -1, numbers(tw, N), numbers(tw, N), NULL, &g));
    OK(run(g));
    twill_graph_free(g);
}

static void on_all(void (*body)(twill *, void *), int ranks)
{
    for (int odd = 0; odd < ranks; odd++)
        for (int seed = 0; seed < 4; seed++) {
            test_ranks setup = {
                .ranks = ranks,
                .workers = 1 + seed % 2,
                .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed * 3, .reorder = true}};
            limit_begin(NULL, LIMIT, "rank %d of %d is another, seed %d", odd, ranks, seed);
            test_on_ranks(&setup, body, &odd);
            limit_end();
        }
}

/* ---- one that cannot be made ----------------------------------------------------------------- */

static bool make_nothing(twill *tw, bool odd, twill_graph **g)
{
    twill_array *a = numbers(tw, N);
    twill_status status = twill_steps_new(tw, N, -1, odd ? NULL : a, a, NULL, g);
    assert_int_equal(status, odd ? TWILL_ERR_ARGUMENT : TWILL_OK);
    return !odd;
}

static void refuse_one(twill *tw, void *arg)
{
    play_twice(tw, *(int *)arg, make_nothing, "could not make the graph");
}

TEST(others_learn_that_a_rank_could_not_make_a_graph)
{
    on_all(refuse_one, RANKS);
}

/* ---- others ---------------------------------------------------------------------------------- */

/* B has one tile more, which nobody uses: without a look at it, nobody would notice. */
static bool make_larger(twill *tw, bool odd, twill_graph **g)
{
    OK(twill_steps_new(tw, N, -1, numbers(tw, N), numbers(tw, odd ? N + 1 : N), NULL, g));
    return true;
}

static void size_one(twill *tw, void *arg)
{
    play_twice(tw, *(int *)arg, make_larger, "is not that of rank 0");
}

TEST(all_learn_that_arrays_have_other_sizes)
{
    on_all(size_one, RANKS);
}

/* ---- one that stops -------------------------------------------------------------------------- */

static void stop_one(twill *tw, void *arg)
{
    twill_graph *g;
    if (twill_rank(tw) == *(int *)arg)
        return;
    OK(twill_steps_new(tw, N, -1, numbers(tw, N), numbers(tw, N), NULL, &g));
    REFUSED(run(g), TWILL_ERR_STATE, "has stopped");
    twill_graph_free(g);
    OK(twill_steps_new(tw, N, -1, numbers(tw, N), numbers(tw, N), NULL, &g));
    REFUSED(run(g), TWILL_ERR_STATE, "has stopped"); /* and is still missing */
    twill_graph_free(g);
}

TEST(nobody_waits_for_a_rank_that_has_stopped)
{
    on_all(stop_one, RANKS);
}

static twill_outcome rest(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static const twill_class rest_class = {
    .size = sizeof(twill_class), .name = "rest", .chores = {TWILL_CPU(rest)}};

/* Inserted graphs end in the same way. */
static void stop_inserting(twill *tw, void *arg)
{
    twill_graph *g;
    if (twill_rank(tw) == *(int *)arg)
        return;
    twill_array *a = numbers(tw, N);
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < N; i++)
        twill_insert(g, &rest_class, TWILL_W(twill_tile_at(a, i, 0))); /* it may have failed */
    REFUSED(twill_wait(g), TWILL_ERR_STATE, "has stopped");
    twill_graph_free(g);
}

TEST(nor_do_inserted_graphs)
{
    on_all(stop_inserting, RANKS);
}

/* Tiles travel from rank to rank that have another size there. */
static void insert_larger(twill *tw, void *arg)
{
    twill_graph *g;
    int64_t block = twill_rank(tw) == *(int *)arg ? 3 : 2;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){RANKS * block}, (int64_t[]){block}, (int64_t[]){RANKS});
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < RANKS; i++) /* it may have failed */
        twill_insert(g, &rest_class, TWILL_R(twill_tile_at(a, i, 0)),
                     TWILL_RW(twill_tile_at(a, (i + 1) % RANKS, 0)));
    assert_int_equal(twill_wait(g), TWILL_ERR_STATE); /* whichever is noticed first */
    assert_true(strstr(twill_message(), "for a tile of another size") ||
                strstr(twill_message(), "insert different tasks"));
    twill_graph_free(g);
}

TEST(inserted_tasks_notice_tiles_of_other_sizes)
{
    on_all(insert_larger, RANKS);
}

/* ---- another sort of graph ------------------------------------------------------------------- */

/* Which ranks insert, and whether anything travels: else nobody hears of the others but by
 * questions about the end. */
typedef struct sorts {
    int odd;
    bool odd_inserts, travels;
} sorts;

static twill_status insert_and_wait(twill *tw, bool travels)
{
    twill_array *a = numbers(tw, N);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < N; i++) /* it may have failed */
        twill_insert(g, &rest_class, TWILL_R(twill_tile_at(a, travels ? (i + 1) % N : i, 0)),
                     TWILL_RW(twill_tile_at(a, i, 0)));
    twill_status status = twill_wait(g);
    twill_graph_free(g);
    return status;
}

static twill_status run_shared(twill *tw, bool travels)
{
    twill_graph *g;
    twill_array *a = numbers(tw, N), *b = numbers(tw, N);
    OK(travels ? twill_steps_new(tw, N, -1, a, b, NULL, &g) : twill_shared_new(tw, N, a, b, &g));
    twill_status status = run(g);
    twill_graph_free(g);
    return status;
}

static void mix_sorts(twill *tw, void *arg)
{
    const sorts *s = arg;
    bool inserts = (twill_rank(tw) == s->odd) == s->odd_inserts;
    REFUSED(inserts ? insert_and_wait(tw, s->travels) : run_shared(tw, s->travels), TWILL_ERR_STATE,
            "all ranks make the same graphs in the same order");
    OK(insert_and_wait(tw, true));
    OK(run_shared(tw, true));
}

TEST(a_graph_of_another_sort_is_an_error_on_all_ranks)
{
    for (int k = 0; k < 4 * RANKS; k++) {
        sorts s = {k / 4, k & 1, k & 2};
        test_ranks setup = {.ranks = RANKS,
                            .workers = 1 + k % 2,
                            .network = {.seed = (uint64_t)k, .delay = (unsigned)k % 5}};
        limit_begin(NULL, LIMIT, "rank %d %s", s.odd,
                    s.odd_inserts ? "inserts" : "does not insert");
        test_on_ranks(&setup, mix_sorts, &s);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_learn_that_a_rank_could_not_make_a_graph),
        cmocka_unit_test(all_learn_that_arrays_have_other_sizes),
        cmocka_unit_test(nobody_waits_for_a_rank_that_has_stopped),
        cmocka_unit_test(nor_do_inserted_graphs),
        cmocka_unit_test(inserted_tasks_notice_tiles_of_other_sizes),
        cmocka_unit_test(a_graph_of_another_sort_is_an_error_on_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
