/* What a second run of an explicit graph does not do again. Linked with --wrap=qsort. */
#include "support/test.h"

#include <stdlib.h>

typedef int compare(const void *a, const void *b);
void __real_qsort(void *base, size_t n, size_t size, compare *order);

static int sorted;

void __wrap_qsort(void *base, size_t n, size_t size, compare *order)
{
    sorted++;
    __real_qsort(base, n, size, order);
}

static twill_outcome add_one(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class increment = {
    .size = sizeof(twill_class), .name = "increment", .chores = {TWILL_CPU(add_one)}};

TEST(only_the_first_run_after_a_change_sorts)
{
    enum { TILES = 50, RUNS = 5 };
    twill *tw = test_start(2, "lws");
    twill_array *a = test_integers(tw, TILES);
    twill_graph *g;
    int64_t node;
    OK(twill_dag_begin(tw, &g));
    for (int i = 0; i < TILES; i++)
        OK(twill_dag_add(g, &node, &increment, TWILL_RW(twill_tile_at(a, TILES - 1 - i, 0))));
    for (int r = 0; r < RUNS; r++) {
        int before = sorted;
        OK(twill_dag_run(g));
        OK(twill_wait(g));
        assert_int_equal(sorted - before, r == 0);
    }
    OK(twill_dag_add(g, &node, &increment, TWILL_RW(twill_tile_at(a, 0, 0))));
    OK(twill_dag_edge(g, TILES - 1, node));
    int before = sorted;
    OK(twill_dag_run(g));
    OK(twill_wait(g));
    assert_int_equal(sorted - before, 1);
    assert_int_equal(test_get(a, 0), RUNS + 2);
    assert_int_equal(test_get(a, 1), RUNS + 1);
    twill_stop(tw);
}

static twill_outcome contribute(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 10;
    return TWILL_DONE;
}

static const twill_class ten = {
    .size = sizeof(twill_class), .name = "ten", .chores = {TWILL_CPU(contribute)}};

/* Runs and other users of the same tiles take turns, although runs keep their list of tiles. */
TEST(runs_see_what_others_did_between_them)
{
    twill *tw = test_start(2, "lws");
    twill_array *a = test_integers(tw, 1);
    twill_tile *tile = twill_tile_at(a, 0, 0);
    twill_graph *g, *stf;
    int64_t node;
    OK(twill_dag_begin(tw, &g));
    OK(twill_stf_begin(tw, &stf));
    OK(twill_dag_add(g, &node, &increment, TWILL_RW(tile)));
    for (int r = 0; r < 4; r++) {
        OK(twill_dag_run(g));
        OK(twill_insert(stf, &increment, TWILL_RW(tile)));
        OK(twill_insert(stf, &ten, TWILL_REDUCE(tile, &test_plus)));
        OK(twill_wait(g));
        assert_int_equal(test_get(a, 0), 12 * (r + 1));
    }
    OK(twill_wait(stf));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_first_run_after_a_change_sorts),
        cmocka_unit_test(runs_see_what_others_did_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
