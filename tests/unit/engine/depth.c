/* Depth: tasks that insert their successors and graphs nested in one another take heap, not stack.
 */
#include "support/limit.h"
#include "support/test.h"

enum { SECONDS = 100 };

static _Atomic int64_t reached;

static twill_outcome next_body(twill_task *t);
static const twill_class next = {
    .size = sizeof(twill_class), .name = "next", .chores = {TWILL_CPU(next_body)}};

/* Argument 0: how many come after this one. */
static twill_outcome next_body(twill_task *t)
{
    int64_t left = twill_task_int(t, 0);
    atomic_fetch_add(&reached, 1);
    if (left > 0)
        twill_insert(twill_task_graph(t), &next, TWILL_INT(left - 1));
    return TWILL_DONE;
}

static twill_outcome level_body(twill_task *t);
static const twill_class level = {
    .size = sizeof(twill_class), .name = "level", .chores = {TWILL_CPU(level_body)}};

static twill_outcome level_body(twill_task *t)
{
    twill_graph *g;
    int64_t left = twill_task_int(t, 0);
    atomic_fetch_add(&reached, 1);
    if (left == 0)
        return TWILL_DONE;
    if (twill_nest(t, &g) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    twill_insert(g, &level, TWILL_INT(left - 1));
    return twill_nest_end(g);
}

static void descend(const test_setup *s, const twill_class *cls, int64_t depth)
{
    twill *tw = test_start(s->workers, s->sched);
    twill_graph *g;
    limit_begin(tw, SECONDS, "class %s, scheduler %s, %d workers", cls->name, s->sched, s->workers);
    atomic_store(&reached, 0);
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, cls, TWILL_INT(depth)));
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&reached), depth + 1);
    twill_stop(tw);
    limit_end();
}

TEST(a_task_inserts_its_successor_a_million_times)
{
    static const test_setup setups[] = {{"serial", 1}, {"lws", 2}};
    for (int i = 0; i < COUNT(setups); i++)
        descend(&setups[i], &next, test_slow() ? 100000 : 1000000);
}

TEST(graphs_are_nested_a_hundred_thousand_deep)
{
    static const test_setup setups[] = {{"serial", 1}, {"lws", 2}, {"eager", 2}};
    for (int i = 0; i < COUNT(setups); i++)
        descend(&setups[i], &level, test_slow() ? 20000 : 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_task_inserts_its_successor_a_million_times),
        LIMITED_TEST(graphs_are_nested_a_hundred_thousand_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
