/* Several ranks: each copies and works on what it owns, while graphs of all ranks go on. */
#include "support/ranks.h"

enum { N = 24, B = 4, RANKS = 3 };

static twill_outcome add_one(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
        x[i] += 1;
    return TWILL_DONE;
}

static const twill_class adder = {
    .size = sizeof(twill_class), .name = "add_one", .chores = {TWILL_CPU(add_one)}};

static void numbers(const twill_line *line, void *arg)
{
    (void)arg;
    for (int64_t i = 0; i < line->n; i++)
        ((double *)line->data)[i] = (double)(line->index[0] + i);
}

static void on_rank(twill *tw, void *arg)
{
    (void)arg;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){B}, (int64_t[]){RANKS});
    twill_array *a;
    twill_graph *g;
    double mine[N], sum, ones = 1;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    twill_view all = twill_view_all(a), local = twill_view_local(all);
    assert_int_equal(twill_view_size(local), N / RANKS);
    OK(twill_for_each(all, TWILL_WRITE, numbers, NULL));
    /* ranks need not copy as often: graphs of all ranks are known by their order */
    for (int i = 0; i <= twill_rank(tw); i++)
        OK(twill_get(local, mine));
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < N / B; i++)
        OK(twill_insert(g, &adder, TWILL_RW(twill_tile_at(a, i, 0))));
    OK(twill_wait(g));
    twill_graph_free(g);
    OK(twill_get(local, mine));
    for (int64_t i = 0; i < N / RANKS; i++) {
        int64_t index;
        twill_view_index(local, &i, &index);
        assert_true(mine[i] == (double)index + 1);
    }
    OK(twill_accumulate(&ones, twill_view_range(local, 0, 2, 3)));
    OK(twill_view_sum(local, &sum)); /* of its own elements */
    OK(twill_sum(tw, &sum, 1));
    assert_true(sum == N * (N + 1) / 2 + RANKS);
    twill_array_free(a);
}

TEST(a_rank_works_on_what_it_owns)
{
    test_ranks r = {.ranks = RANKS, .workers = 2};
    test_on_ranks(&r, on_rank, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rank_works_on_what_it_owns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
