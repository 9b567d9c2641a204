/* Canceling a graph whose tasks have graphs of their own. */
#include "support/limit.h"
#include "support/test.h"

enum { SECONDS = 30, WORKERS = 3, LEAVES = 200 };

static atomic_int begun, opened, canceled;

static void await_cancel(void)
{
    while (!atomic_load(&canceled))
        test_sleep_ms(1);
}

/* No worker begins a second one before the graph is canceled. */
static twill_outcome leaf_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&begun, 1);
    await_cancel();
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome nest_body(twill_task *t);
static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

/* Argument 0: levels below this one. Argument 1: the graph is opened after the cancel. */
static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    int64_t levels = twill_task_int(t, 0), late = twill_task_int(t, 1);
    atomic_fetch_add(&opened, 1);
    if (late && levels == 0)
        await_cancel();
    if (twill_nest(t, &g) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    if (levels > 0)
        twill_insert(g, &nest, TWILL_INT(levels - 1), TWILL_INT(late));
    for (int i = 0; levels == 0 && i < LEAVES; i++)
        twill_insert(g, &leaf, TWILL_INT(i)); /* refused, or not run */
    return twill_nest_end(g);
}

static void cancel_nested(int64_t levels, bool late)
{
    twill *tw = test_start(WORKERS, "lws");
    twill_graph *g;
    limit_begin(tw, SECONDS, "%d levels%s", (int)levels, late ? ", opened late" : "");
    atomic_store(&begun, 0);
    atomic_store(&opened, 0);
    atomic_store(&canceled, 0);
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &nest, TWILL_INT(levels), TWILL_INT(late)));
    REACHES(&opened, (int)levels + 1);
    while (!late && atomic_load(&begun) == 0)
        test_sleep_ms(1);
    twill_cancel(g);
    atomic_store(&canceled, 1);
    REFUSED(twill_wait(g), TWILL_ERR_CANCELED, "canceled");
    assert_true(atomic_load(&begun) <= (late ? 0 : WORKERS));
    OK(twill_insert(g, &leaf, TWILL_INT(0)));
    OK(twill_wait(g)); /* the graph can be used again */
    limit_end();
    twill_stop(tw);
}

TEST(bodies_of_nested_graphs_do_not_run)
{
    for (int64_t levels = 0; levels < 4; levels++)
        cancel_nested(levels, false);
}

TEST(nor_do_those_of_graphs_that_are_opened_later)
{
    for (int64_t levels = 0; levels < 4; levels++)
        cancel_nested(levels, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(bodies_of_nested_graphs_do_not_run),
        LIMITED_TEST(nor_do_those_of_graphs_that_are_opened_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
