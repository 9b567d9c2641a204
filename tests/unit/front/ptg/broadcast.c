/* One value to many ranks, down all trees: each rank gets it once, the first sender sends what its
 * tree says, nothing is packed twice, and a failure leaves nothing behind. The graph is
 * broadcast.jdf. */
#include "support/limit.h"
#include "support/ranks.h"

#include "data/pack.h"
#include "engine/remote/remote.h"
#include "engine/remote/tree.h"

#include "broadcast.h"

#include <stdlib.h>

enum { LIMIT = 100, MOST = 8, SMALL = 6, LARGE = 64, ROUNDS = 6 };

/* Counted: see WRAP_unit.front.ptg.broadcast. */
static atomic_int packs;

void __real_tw_pack(const tw_value *v, tw_area area, void *to);
void __wrap_tw_pack(const tw_value *v, tw_area area, void *to);
void __wrap_tw_pack(const tw_value *v, tw_area area, void *to)
{
    atomic_fetch_add(&packs, 1);
    __real_tw_pack(v, area, to);
}

/* What all ranks share. */
typedef struct plan {
    int ranks;
    int64_t rounds, size;
    int64_t fails; /* round in which the last rank fails; -1: none */
    atomic_int ran;
    int64_t sent[MOST];
} plan;

static int64_t element(int64_t k, int64_t i, int64_t j)
{
    return 10000 * k + 100 * i + j;
}

void fill_square(const twill_flow *x, int64_t k);
void fill_square(const twill_flow *x, int64_t k)
{
    for (int64_t j = 0; j < x->cols; j++)
        for (int64_t i = 0; i < x->rows; i++)
            ((int64_t *)x->data)[i + j * x->ld] = element(k, i, j);
}

/* Is it what was filled in, from this row on in each column? */
static bool is_filled(const twill_flow *y, int64_t k, bool lower)
{
    for (int64_t j = 0; j < y->cols; j++)
        for (int64_t i = lower ? j : 0; i < y->rows; i++)
            if (((int64_t *)y->data)[i + j * y->ld] != element(k, i, j))
                return false;
    return true;
}

twill_outcome check_square(twill_task *t, void *side, const twill_flow *y, int64_t k, int64_t r);
twill_outcome check_square(twill_task *t, void *side, const twill_flow *y, int64_t k, int64_t r)
{
    plan *p = side;
    if (k == p->fails && r == p->ranks - 1)
        return twill_task_fail(t, "as asked");
    if (!is_filled(y, k, false))
        return twill_task_fail(t, "the square is wrong");
    fill_square(y, -1 - k);
    atomic_fetch_add(&p->ran, 1);
    return TWILL_DONE;
}

twill_outcome check_lower(twill_task *t, void *side, const twill_flow *y, int64_t k);
twill_outcome check_lower(twill_task *t, void *side, const twill_flow *y, int64_t k)
{
    plan *p = side;
    if (!is_filled(y, k, true))
        return twill_task_fail(t, "the triangle is wrong");
    atomic_fetch_add(&p->ran, 1);
    return TWILL_DONE;
}

static void play(twill *tw, void *arg)
{
    plan *p = arg;
    const twill_datatype square = {
        .size = sizeof square, .rows = p->size, .cols = p->size, .element = sizeof(int64_t)};
    const twill_datatype lower = {.size = sizeof lower, .region = TWILL_REGION_LOWER};
    twill_pattern pattern =
        twill_pattern_nd(1, (int64_t[]){p->ranks}, (int64_t[]){1}, (int64_t[]){p->ranks});
    twill_array *a;
    twill_graph *g;
    int64_t bytes;
    OK(twill_array_create(tw, &pattern, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_broadcast_new(tw, p->ranks, p->rounds, a, &square, &lower, p, &g));
    OK(twill_ptg_run(g));
    if (p->fails >= 0)
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "as asked");
    else
        OK(twill_wait(g));
    tw_remote_count(tw, &p->sent[twill_rank(tw)], &bytes);
    twill_graph_free(g);
    twill_array_free(a);
}

static const char *const trees[] = {"star", "chain", "binomial", "auto"};
static const tw_loopback_options networks[] = {{0}, {.seed = 1, .delay = 9, .reorder = true}};

static void act(plan *p, int tree, int network, int workers)
{
    packs = 0;
    setenv("TWILL_BROADCAST", trees[tree], 1);
    setenv("TWILL_TOPOLOGY", "core:2 pu:1", 1); /* many contexts: do not look at each core */
    test_on_ranks(
        &(test_ranks){.ranks = p->ranks, .workers = workers, .network = networks[network]}, play,
        p);
    unsetenv("TWILL_BROADCAST");
    unsetenv("TWILL_TOPOLOGY");
}

static int64_t sum(const plan *p)
{
    int64_t n = 0;
    for (int r = 0; r < p->ranks; r++)
        n += p->sent[r];
    return n;
}

TEST(all_ranks_get_it_once)
{
    limit_begin(NULL, LIMIT, "broadcasts");
    for (int tree = 0; tree < COUNT(trees); tree++)
        for (int ranks = 1; ranks <= MOST; ranks += 1 + test_slow())
            for (int i = 0; i < 4; i++) {
                plan p = {.ranks = ranks, .rounds = ROUNDS, .fails = -1};
                p.size = i % 2 ? LARGE : SMALL;
                act(&p, tree, i / 2, 1 + i % 2);
                assert_int_equal(p.ran, ROUNDS * (ranks + (ranks + 1) / 2));
                /* a message, and the value by itself if it is large */
                assert_int_equal(sum(&p), ROUNDS * (ranks - 1) * (1 + i % 2));
            }
    limit_end();
}

/* Ranks 1, 3, 5 and 7 are one group, 2, 4 and 6 another. */
TEST(the_first_sender_sends_what_its_tree_says)
{
    static const int64_t expected[][2] = {{7, 14}, {2, 4}, {5, 10}, {7, 10}};
    limit_begin(NULL, LIMIT, "first senders");
    for (int tree = 0; tree < COUNT(trees); tree++)
        for (int large = 0; large < 2; large++) {
            plan p = {.ranks = 8, .rounds = 1, .size = large ? LARGE : SMALL, .fails = -1};
            act(&p, tree, 0, 1);
            assert_int_equal(p.sent[0], expected[tree][large]);
        }
    limit_end();
}

/* Once for each group: the whole and the triangle if the value is small, else the triangle. */
TEST(nothing_is_packed_by_those_who_send_it_on)
{
    limit_begin(NULL, LIMIT, "packing");
    for (int tree = 0; tree < COUNT(trees); tree++)
        for (int large = 0; large < 2; large++) {
            plan p = {.ranks = 8, .rounds = 1, .size = large ? LARGE : SMALL, .fails = -1};
            act(&p, tree, 1, 1);
            assert_int_equal(packs, large ? 1 : 3);
        }
    limit_end();
}

TEST(a_failure_ends_it_everywhere)
{
    limit_begin(NULL, LIMIT, "failing broadcasts");
    for (int tree = 0; tree < COUNT(trees); tree++)
        for (int64_t k = 0; k < ROUNDS; k += 2)
            for (int i = 0; i < 4; i++) {
                plan p = {.ranks = 5, .rounds = ROUNDS, .fails = k};
                p.size = i % 2 ? LARGE : SMALL;
                act(&p, tree, i / 2, 1 + i % 2);
            }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_get_it_once),
        cmocka_unit_test(the_first_sender_sends_what_its_tree_says),
        cmocka_unit_test(nothing_is_packed_by_those_who_send_it_on),
        cmocka_unit_test(a_failure_ends_it_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
