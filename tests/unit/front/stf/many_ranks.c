/* Insertion on more ranks than a word has bits. */
#include "support/limit.h"
#include "support/ranks.h"

enum { RANKS = 66, FROM = 65 };

static twill_outcome set_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = 7;
    return TWILL_DONE;
}

static twill_outcome copy_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) = *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
static const twill_class copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(copy_body)}};

/* A tile of the last rank goes to a tile of each. */
static void spread(twill *tw, void *arg)
{
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){2 * RANKS}, (int64_t[]){1}, (int64_t[]){RANKS});
    twill_array *a;
    twill_graph *g;
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &set_class, TWILL_W(twill_tile_at(a, FROM, 0))));
    for (int64_t i = 0; i < RANKS; i++)
        OK(twill_insert(g, &copy_class, TWILL_R(twill_tile_at(a, FROM, 0)),
                        TWILL_W(twill_tile_at(a, RANKS + i, 0))));
    OK(twill_wait(g));
    assert_int_equal(test_get(a, RANKS + twill_rank(tw)), 7);
    twill_graph_free(g);
}

TEST(there_may_be_more_than_64_ranks)
{
    limit_begin(NULL, 120, "%d ranks", RANKS);
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, spread, NULL);
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_may_be_more_than_64_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
