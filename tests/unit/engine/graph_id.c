/* Ids of graphs: the same in every context that makes the same graphs in the same order. */
#include "support/test.h"

#include "engine/engine.h"

enum { MANY = 3 * TW_GRAPH_IDS };

static twill_outcome fail_body(twill_task *t)
{
    return twill_task_fail(t, "on purpose");
}

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *inner;
    atomic_int *wrong = *(atomic_int *const *)twill_task_data(t, 0);
    if (twill_nest(t, &inner) != TWILL_OK)
        return twill_task_fail(t, "no nested graph");
    if (inner->id != 0)
        ++*wrong;
    return twill_nest_end(inner);
}

static const twill_class failing = {
    .size = sizeof(twill_class), .name = "failing", .chores = {TWILL_CPU(fail_body)}};
static const twill_class nesting = {
    .size = sizeof(twill_class), .name = "nesting", .chores = {TWILL_CPU(nest_body)}};

static twill_graph *inserted(twill *tw)
{
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    return g;
}

static twill_graph *explicit(twill *tw)
{
    twill_graph *g;
    OK(twill_dag_begin(tw, &g));
    return g;
}

/* Neither failures nor nested graphs count. */
TEST(ids_follow_the_order_in_which_graphs_are_made)
{
    twill *tw = test_start(2, "lws");
    atomic_int wrong = 0, *arg = &wrong;
    twill_graph *first = inserted(tw), *second, *third;
    assert_int_equal(first->id, 1);
    OK(twill_insert(first, &failing));
    REFUSED(twill_wait(first), TWILL_ERR_TASK, "on purpose");
    second = explicit(tw);
    assert_int_equal(second->id, 2);
    OK(twill_insert(first, &nesting, TWILL_VALUE(arg)));
    OK(twill_wait(first));
    assert_int_equal(wrong, 0);
    third = inserted(tw);
    assert_int_equal(third->id, 3);
    assert_true(third->serial != 3);
    twill_graph_free(first);
    twill_graph_free(second);
    twill_graph_free(third);
    twill_stop(tw);
}

TEST(a_graph_is_found_by_its_id_as_long_as_it_lives)
{
    twill *tw = test_start(1, "lws");
    twill_graph *g[MANY], *late;
    assert_null(tw_graph_find(tw, 0));
    assert_null(tw_graph_find(tw, 1));
    for (int i = 0; i < MANY; i++)
        g[i] = i % 2 ? explicit(tw) : inserted(tw);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(tw_graph_find(tw, i + 1), g[i]);
    assert_null(tw_graph_find(tw, MANY + 1));
    assert_null(tw_graph_find(tw, -1));
    for (int i = 0; i < MANY; i += 3)
        twill_graph_free(g[i]);
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(tw_graph_find(tw, i + 1), i % 3 ? g[i] : NULL);
        assert_int_equal(tw_graph_was(tw, i + 1), i % 3 == 0);
    }
    late = inserted(tw); /* in the record of a graph that was freed */
    assert_int_equal(late->id, MANY + 1);
    assert_ptr_equal(tw_graph_find(tw, MANY + 1), late);
    assert_null(tw_graph_find(tw, 1));
    twill_graph_free(late);
    for (int i = 0; i < MANY; i++)
        if (i % 3)
            twill_graph_free(g[i]);
    assert_null(tw_graph_find(tw, 2));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_follow_the_order_in_which_graphs_are_made),
        cmocka_unit_test(a_graph_is_found_by_its_id_as_long_as_it_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
