/* Cancel: once twill_cancel has returned, no body begins, neither in the graph nor in graphs nested
 * in its tasks. The wait says that it was canceled, and the graph can be used again. */
#include "_common.h"

enum { OUTER = 4, LEAVES = 5 };
static atomic_int canceled, late, ran, again;

static void note(void)
{
    if (atomic_load(&canceled))
        atomic_fetch_add(&late, 1);
    atomic_fetch_add(&ran, 1);
    progress();
}

/* A body may have been about to begin when the cancel returned: only what its worker begins after
 * that counts, so each task of a chain has its chance to notice. */
static twill_outcome leaf_body(twill_task *t)
{
    (void)t;
    note();
    nap_ns(2000);
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome inner_body(twill_task *t)
{
    twill_graph *g;
    note();
    succeed(twill_nest(t, &g), "twill_nest");
    nap_ns(1000);
    for (int i = 0; i < LEAVES; i++)
        twill_insert(g, &leaf, TWILL_INT(i));
    return twill_nest_end(g);
}

static const twill_class inner = {
    .size = sizeof(twill_class), .name = "inner", .chores = {TWILL_CPU(inner_body)}};

static twill_outcome outer_body(twill_task *t)
{
    twill_graph *g;
    note();
    succeed(twill_nest(t, &g), "twill_nest");
    twill_insert(g, &leaf, TWILL_INT(0));
    twill_insert(g, &inner, TWILL_INT(0));
    return twill_nest_end(g);
}

static const twill_class outer = {
    .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};

static twill_outcome again_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&again, 1);
    return TWILL_DONE;
}

static const twill_class after = {
    .size = sizeof(twill_class), .name = "after", .chores = {TWILL_CPU(again_body)}};

int main(void)
{
    twill *tw = start();
    twill_graph *g = begin(tw);
    for (int i = 0; i < OUTER; i++)
        succeed(twill_insert(g, &outer, TWILL_INT(i)), "twill_insert");
    nap_ns((long)draw(8000));
    twill_cancel(g);
    nap_ns(1000); /* whoever had asked before begins meanwhile */
    atomic_store(&canceled, 1);
    twill_status status = twill_wait(g);
    int all = OUTER * (3 + LEAVES);
    must(status == TWILL_ERR_CANCELED, "the wait does not say that the graph was canceled");
    must(ran <= all, "a task ran twice");
    must(late <= twill_workers(tw), "bodies began after the cancel");
    succeed(twill_insert(g, &after, TWILL_INT(0)), "twill_insert");
    succeed(twill_wait(g), "twill_wait");
    must(again == 1, "the graph cannot be used again");
    twill_stop(tw);
    return 0;
}
