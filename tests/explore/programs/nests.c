/* Nests: graphs inside tasks, and graphs inside those. A task that reads what an outer task writes
 * runs after all that is nested in it; a failure deep inside is reported by the wait, once. */
#include "_common.h"

enum { OUTER = 4, INNER = 3, LEAVES = 3, MOST = OUTER * INNER * LEAVES };
static atomic_int ran[MOST], done[OUTER];
static int failing; /* number of the leaf that fails; -1: none */

static twill_outcome leaf_body(twill_task *t)
{
    int64_t number = twill_task_int(t, 0);
    atomic_fetch_add(&ran[number], 1);
    atomic_fetch_add(&done[number / (INNER * LEAVES)], 1);
    progress();
    return number == failing ? twill_task_fail(t, "planted") : TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

/* Insertion says so when the graph has failed already. */
static void insert_into(twill_graph *g, const twill_class *cls, int64_t number)
{
    twill_status status = twill_insert(g, cls, TWILL_INT(number));
    must(status == TWILL_OK || failing >= 0, "twill_insert");
}

static twill_outcome inner_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    for (int i = 0; i < LEAVES; i++)
        insert_into(g, &leaf, twill_task_int(t, 0) * LEAVES + i);
    return twill_nest_end(g);
}

static const twill_class inner = {
    .size = sizeof(twill_class), .name = "inner", .chores = {TWILL_CPU(inner_body)}};

static twill_outcome outer_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    for (int i = 0; i < INNER; i++)
        insert_into(g, &inner, twill_task_int(t, 0) * INNER + i);
    return twill_nest_end(g);
}

static const twill_class outer = {
    .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};

static twill_outcome reader_body(twill_task *t)
{
    must(done[twill_task_int(t, 0)] == INNER * LEAVES, "a task ended before what is nested in it");
    progress();
    return TWILL_DONE;
}

static const twill_class reader = {
    .size = sizeof(twill_class), .name = "reader", .chores = {TWILL_CPU(reader_body)}};

int main(void)
{
    twill *tw = start();
    twill_array *a = integers(tw, OUTER);
    twill_graph *g = begin(tw);
    failing = draw(3) ? -1 : (int)draw(MOST);
    for (int i = 0; i < OUTER; i++) {
        twill_insert(g, &outer, TWILL_INT(i), TWILL_RW(twill_tile_at(a, i, 0)));
        twill_insert(g, &reader, TWILL_INT(i), TWILL_R(twill_tile_at(a, i, 0)));
    }
    twill_status status = twill_wait(g);
    must((status == TWILL_OK) == (failing < 0), "a failure was lost or invented");
    succeed(twill_wait(g), "a failure is reported once");
    if (failing < 0)
        each_once(ran, MOST);
    else
        must(ran[failing] == 1, "the task that fails did not run");
    for (int i = 0; i < MOST; i++)
        must(ran[i] <= 1, "a task ran twice");
    twill_stop(tw);
    return 0;
}
