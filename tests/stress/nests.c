/* Nested graphs that begin and end all the time: a task is over when its nested graph is, not
 * before, at any depth, and records of graphs that are gone are used again at once.
 *
 * TW_ROUNDS is the number of tasks that open graphs. */
#include "support/limit.h"
#include "support/test.h"

#include <sched.h>

enum { SECONDS = 60, LANES = 6 };

typedef struct nest {
    atomic_int done, wrong;
} nest;

static twill_outcome leaf_body(twill_task *t)
{
    nest *n = *(nest **)twill_task_data(t, 0);
    if (twill_task_int(t, 1))
        sched_yield();
    atomic_fetch_add(&n->done, 1);
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome nest_body(twill_task *t);
static const twill_class nest_class = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

/* Two leaves, and the same again one level deeper. */
static twill_outcome nest_body(twill_task *t)
{
    nest *n = *(nest **)twill_task_data(t, 0);
    int64_t depth = twill_task_int(t, 1);
    twill_graph *g;
    if (twill_nest(t, &g) != TWILL_OK)
        return TWILL_ERROR;
    twill_status status = TWILL_OK;
    for (int i = 0; i < 2 && status == TWILL_OK; i++)
        status = twill_insert(g, &leaf, TWILL_VALUE(n), TWILL_INT(i));
    if (depth > 0 && status == TWILL_OK)
        status = twill_insert(g, &nest_class, TWILL_VALUE(n), TWILL_INT(depth - 1));
    if (status != TWILL_OK)
        atomic_store(&n->wrong, 1);
    return twill_nest_end(g);
}

/* Comes after the task with the nested graph. */
static twill_outcome check_body(twill_task *t)
{
    nest *n = *(nest **)twill_task_data(t, 0);
    if (atomic_exchange(&n->done, 0) != twill_task_int(t, 1))
        atomic_store(&n->wrong, 2);
    return TWILL_DONE;
}

static const twill_class check = {
    .size = sizeof(twill_class), .name = "check", .chores = {TWILL_CPU(check_body)}};

TEST(nested_graphs_end_when_they_end)
{
    int rounds = (int)limit_number("TW_ROUNDS", test_slow() ? 100 : 2000);
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, LANES);
        nest lane[LANES] = {0};
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < rounds; i++) {
            nest *n = &lane[i % LANES];
            twill_tile *tile = twill_tile_at(a, i % LANES, 0);
            int64_t depth = i / LANES % 3;
            OK(twill_insert(g, &nest_class, TWILL_VALUE(n), TWILL_INT(depth), TWILL_RW(tile)));
            OK(twill_insert(g, &check, TWILL_VALUE(n), TWILL_INT(2 * (depth + 1)), TWILL_RW(tile)));
        }
        OK(twill_wait(g));
        for (int i = 0; i < LANES; i++)
            assert_int_equal(atomic_load(&lane[i].wrong), 0);
        twill_stop(tw);
    }
    limit_end();
}

/* A nested graph without tasks is over at once, before the body returns. */
static twill_outcome empty_body(twill_task *t)
{
    twill_graph *g;
    return twill_nest(t, &g) == TWILL_OK ? twill_nest_end(g) : TWILL_ERROR;
}

static const twill_class empty = {
    .size = sizeof(twill_class), .name = "empty", .chores = {TWILL_CPU(empty_body)}};

TEST(nested_graphs_may_be_empty)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g = NULL;
        twill_array *a = test_integers(tw, 3);
        limit_begin(tw, SECONDS, "scheduler %s, %d workers", test_setups[s].sched,
                    test_setups[s].workers);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 3000; i++)
            OK(twill_insert(g, &empty, TWILL_SCRATCH(100), TWILL_RW(twill_tile_at(a, i % 3, 0))));
        OK(twill_wait(g));
        twill_stop(tw);
    }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(nested_graphs_end_when_they_end),
        LIMITED_TEST(nested_graphs_may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
