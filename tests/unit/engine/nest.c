/* Nested graphs: a body opens a finer graph, and its task is done when that graph is. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 3, WIDTH = 4 };

/* Each level multiplies: a task at depth d opens WIDTH tasks at depth d+1; leaves count. */
typedef struct tree {
    atomic_int leaves, unfinished, wrong;
} tree;

static twill_outcome grow_body(twill_task *t);
static const twill_class grow = {
    .size = sizeof(twill_class), .name = "grow", .chores = {TWILL_CPU(grow_body)}};

static twill_outcome grow_body(twill_task *t)
{
    tree *all = *(tree *const *)twill_task_data(t, 0);
    int64_t depth = twill_task_int(t, 1);
    twill_graph *inner;
    if (depth == DEEPEST) {
        atomic_fetch_add(&all->leaves, 1);
        return TWILL_DONE;
    }
    if (twill_nest(t, &inner) != TWILL_OK)
        return twill_task_fail(t, "no nested graph");
    for (int i = 0; i < WIDTH; i++)
        if (twill_insert(inner, &grow, TWILL_VALUE(all), TWILL_INT(depth + 1)) != TWILL_OK)
            atomic_fetch_add(&all->wrong, 1);
    return twill_nest_end(inner);
}

TEST(three_levels_of_graphs_all_end)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        tree all = {0}, *arg = &all;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 10; i++)
            OK(twill_insert(g, &grow, TWILL_VALUE(arg), TWILL_INT(0)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&all.leaves), 10 * WIDTH * WIDTH * WIDTH);
        assert_int_equal(atomic_load(&all.wrong), 0);
        twill_stop(tw);
    }
}

/* ---- order ---------------------------------------------------------------------------------- */

static twill_outcome add_one(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class one = {
    .size = sizeof(twill_class), .name = "one", .chores = {TWILL_CPU(add_one)}};

/* The task holds a tile of four numbers; inside, they are an array of four tiles. */
static twill_outcome refine_body(twill_task *t)
{
    twill_graph *inner;
    twill_array *fine;
    twill_pattern p = twill_tiled(4, 1, 1, 1);
    twill *tw = twill_array_context(twill_task_array(t, 0));
    if (twill_array_wrap(tw, &p, TWILL_BYTES, 8, twill_task_data(t, 0), 4, &fine) != TWILL_OK ||
        twill_nest(t, &inner) != TWILL_OK)
        return twill_task_fail(t, "cannot refine");
    for (int i = 0; i < 40; i++)
        twill_insert(inner, &one, TWILL_RW(twill_tile_at(fine, i % 4, 0)));
    return twill_nest_end(inner);
}

static const twill_class refine = {
    .size = sizeof(twill_class), .name = "refine", .chores = {TWILL_CPU(refine_body)}};

static twill_outcome sum_body(twill_task *t)
{
    const int64_t *x = twill_task_data(t, 0);
    *(int64_t *)twill_task_data(t, 1) += x[0] + x[1] + x[2] + x[3];
    return TWILL_DONE;
}

static const twill_class sum = {
    .size = sizeof(twill_class), .name = "sum", .chores = {TWILL_CPU(sum_body)}};

TEST(what_follows_a_task_waits_for_the_graph_inside_it)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        twill_array *a, *total = test_integers(tw, 1);
        twill_pattern p = twill_tiled(4, 1, 4, 1);
        OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &a));
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 10; i++) {
            OK(twill_insert(g, &refine, TWILL_RW(twill_tile_at(a, 0, 0))));
            OK(twill_insert(g, &sum, TWILL_R(twill_tile_at(a, 0, 0)),
                            TWILL_RW(twill_tile_at(total, 0, 0))));
        }
        OK(twill_wait(g));
        assert_int_equal(test_get(total, 0), 40 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10));
        twill_stop(tw);
    }
}

static twill_outcome empty_body(twill_task *t)
{
    twill_graph *inner;
    return twill_nest(t, &inner) == TWILL_OK ? twill_nest_end(inner) : TWILL_ERROR;
}

TEST(a_nested_graph_may_be_empty)
{
    static const twill_class empty = {
        .size = sizeof(twill_class), .name = "empty", .chores = {TWILL_CPU(empty_body)}};
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 200; i++)
            OK(twill_insert(g, &empty, TWILL_INT(i)));
        OK(twill_wait(g));
        twill_stop(tw);
    }
}

/* ---- failures ------------------------------------------------------------------------------- */

static twill_outcome outer_body(twill_task *t);
static const twill_class outer = {
    .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};

/* Argument 0 counts down the levels; the innermost graph holds a task that fails. */
static twill_outcome outer_body(twill_task *t)
{
    int64_t levels = twill_task_int(t, 0);
    twill_graph *inner;
    if (twill_nest(t, &inner) != TWILL_OK)
        return TWILL_ERROR;
    if (levels > 1)
        twill_insert(inner, &outer, TWILL_INT(levels - 1), TWILL_NAME("middle"));
    else
        twill_insert(inner, &test_planted, TWILL_NAME("innermost"));
    return twill_nest_end(inner);
}

TEST(a_failure_inside_is_reported_outside_with_all_names)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        atomic_int ran = 0, *count = &ran;
        twill_array *a = test_integers(tw, 1);
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &outer, TWILL_INT(2), TWILL_RW(twill_tile_at(a, 0, 0)),
                        TWILL_NAME("outermost")));
        twill_status late =
            twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_R(twill_tile_at(a, 0, 0)));
        assert_true(late == TWILL_OK || late == TWILL_ERR_TASK);
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "outermost");
        CONTAINS(twill_message(), "middle");
        CONTAINS(twill_message(), "innermost");
        CONTAINS(twill_message(), "planted");
        assert_int_equal(atomic_load(&ran), 0);
        OK(twill_insert(g, &test_count, TWILL_VALUE(count), TWILL_W(twill_tile_at(a, 0, 0))));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), 1);
        twill_stop(tw);
    }
}

static twill_outcome pivot_body(twill_task *t)
{
    return twill_task_numerical(t, 17);
}

static const twill_class pivot = {
    .size = sizeof(twill_class), .name = "pivot", .chores = {TWILL_CPU(pivot_body)}};

static twill_outcome panel_body(twill_task *t)
{
    twill_graph *inner;
    if (twill_nest(t, &inner) != TWILL_OK)
        return TWILL_ERROR;
    twill_insert(inner, &pivot, TWILL_INT(0));
    return twill_nest_end(inner);
}

TEST(numerical_info_comes_out_of_nested_graphs)
{
    static const twill_class panel = {
        .size = sizeof(twill_class), .name = "panel", .chores = {TWILL_CPU(panel_body)}};
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &panel, TWILL_INT(0)));
    REFUSED(twill_wait(g), TWILL_ERR_NUMERICAL, "panel");
    assert_int_equal(twill_graph_info(g), 17);
    twill_stop(tw);
}

/* ---- what is refused ------------------------------------------------------------------------ */

typedef struct attempt {
    twill_tile *tile;
    twill_arg_kind outside, inside;
    twill_status status;
    char message[200];
} attempt;

static twill_outcome attempt_body(twill_task *t)
{
    attempt *a = *(attempt *const *)twill_task_data(t, 1);
    twill_graph *inner;
    if (twill_nest(t, &inner) != TWILL_OK)
        return TWILL_ERROR;
    a->status = twill_insert(inner, &one, twill_arg_tile(a->inside, a->tile));
    snprintf(a->message, sizeof a->message, "%s", twill_message());
    return twill_nest_end(inner);
}

TEST(a_nested_task_cannot_wait_for_the_task_around_it)
{
    static const twill_class tries = {
        .size = sizeof(twill_class), .name = "tries", .chores = {TWILL_CPU(attempt_body)}};
    attempt cases[] = {
        {.outside = TWILL_ARG_READ_WRITE, .inside = TWILL_ARG_READ, .status = TWILL_ERR_STATE},
        {.outside = TWILL_ARG_READ_WRITE, .inside = TWILL_ARG_WRITE, .status = TWILL_ERR_STATE},
        {.outside = TWILL_ARG_WRITE, .inside = TWILL_ARG_READ_WRITE, .status = TWILL_ERR_STATE},
        {.outside = TWILL_ARG_READ, .inside = TWILL_ARG_READ_WRITE, .status = TWILL_ERR_STATE},
        {.outside = TWILL_ARG_COMMUTE, .inside = TWILL_ARG_COMMUTE, .status = TWILL_ERR_STATE},
        {.outside = TWILL_ARG_READ, .inside = TWILL_ARG_READ, .status = TWILL_OK},
    };
    twill *tw = test_start(2, NULL);
    twill_graph *g;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < COUNT(cases); i++) {
        attempt made = cases[i], *arg = &made;
        made.tile = twill_tile_at(a, 0, 0);
        OK(twill_insert(g, &tries, twill_arg_tile(made.outside, made.tile), TWILL_VALUE(arg)));
        assert_int_equal(twill_wait(g), cases[i].status);
        assert_int_equal(made.status, cases[i].status);
        if (made.status != TWILL_OK)
            CONTAINS(made.message, "tries");
    }
    twill_stop(tw);
}

/* ---- graphs that are not ended -------------------------------------------------------------- */

static atomic_int abandoned;

static twill_outcome leave_behind(twill_task *t)
{
    twill_graph *inner;
    atomic_int *count = &abandoned;
    if (twill_nest(t, &inner) == TWILL_OK)
        for (int i = 0; i < 10; i++)
            twill_insert(inner, &test_count, TWILL_VALUE(count));
    return (twill_outcome)twill_task_int(t, 0);
}

static const twill_class forgetful = {
    .size = sizeof(twill_class), .name = "forgetful", .chores = {TWILL_CPU(leave_behind)}};

TEST(a_body_that_does_not_end_its_graph_fails)
{
    const twill_outcome outcomes[] = {TWILL_DONE, TWILL_AGAIN, TWILL_ERROR};
    for (int i = 0; i < COUNT(outcomes); i++) {
        twill *tw = test_start(3, "lws");
        twill_graph *g;
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &forgetful, TWILL_INT(outcomes[i])));
        REFUSED(twill_wait(g), TWILL_ERR_STATE,
                "task forgetful opened a nested graph and did not "
                "return twill_nest_end of it");
        OK(twill_wait(g)); /* reported once, and all of it is over */
        twill_stop(tw);
    }
}

static atomic_int second_status;

static twill_outcome open_twice(twill_task *t)
{
    twill_graph *inner, *other;
    if (twill_nest(t, &inner) != TWILL_OK)
        return TWILL_ERROR;
    atomic_store(&second_status, (int)twill_nest(t, &other));
    return twill_nest_end(inner);
}

static const twill_class twice = {
    .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_CPU(open_twice)}};

TEST(a_task_has_one_nested_graph)
{
    twill *tw = test_start(2, "lws");
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &twice, TWILL_INT(0)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&second_status), TWILL_ERR_STATE);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_levels_of_graphs_all_end),
        cmocka_unit_test(what_follows_a_task_waits_for_the_graph_inside_it),
        cmocka_unit_test(a_nested_graph_may_be_empty),
        cmocka_unit_test(a_failure_inside_is_reported_outside_with_all_names),
        cmocka_unit_test(numerical_info_comes_out_of_nested_graphs),
        cmocka_unit_test(a_nested_task_cannot_wait_for_the_task_around_it),
        cmocka_unit_test(a_body_that_does_not_end_its_graph_fails),
        cmocka_unit_test(a_task_has_one_nested_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
