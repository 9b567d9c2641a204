/* Stop: twill_stop is called while graphs are in flight, with nested graphs open, being filled, or
 * ending. It waits for all of them. */
#include "_common.h"

enum { OUTER = 3, LEAVES = 4, PLAIN = 3 };
static atomic_int leaves[OUTER * LEAVES], plain[PLAIN], outers[OUTER];
static unsigned shape;

static twill_outcome leaf_body(twill_task *t)
{
    atomic_fetch_add(&leaves[twill_task_int(t, 0)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome deeper_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    succeed(twill_insert(g, &leaf, TWILL_INT(twill_task_int(t, 0))), "twill_insert");
    return twill_nest_end(g);
}

static const twill_class deeper = {
    .size = sizeof(twill_class), .name = "deeper", .chores = {TWILL_CPU(deeper_body)}};

static twill_outcome outer_body(twill_task *t)
{
    twill_graph *g;
    int64_t number = twill_task_int(t, 0);
    atomic_fetch_add(&outers[number], 1);
    succeed(twill_nest(t, &g), "twill_nest");
    if (shape & 1)
        nap_ns(3000);
    for (int i = 0; i < LEAVES; i++) {
        succeed(twill_insert(g, i % 2 ? &leaf : &deeper, TWILL_INT(number * LEAVES + i)),
                "twill_insert");
        if (shape & 2)
            nap_ns(1000);
    }
    return twill_nest_end(g);
}

static const twill_class outer = {
    .size = sizeof(twill_class), .name = "outer", .chores = {TWILL_CPU(outer_body)}};

static twill_outcome plain_body(twill_task *t)
{
    atomic_fetch_add(&plain[twill_task_int(t, 0)], 1);
    nap_ns(1000);
    progress();
    return TWILL_DONE;
}

static const twill_class ordinary = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(plain_body)}};

int main(void)
{
    twill *tw = start();
    twill_graph *g = begin(tw), *h = begin(tw);
    shape = draw(4);
    for (int i = 0; i < OUTER; i++)
        succeed(twill_insert(g, &outer, TWILL_INT(i)), "twill_insert");
    for (int i = 0; i < PLAIN; i++)
        succeed(twill_insert(h, &ordinary, TWILL_INT(i)), "twill_insert");
    nap_ns((long)draw(6000));
    twill_stop(tw);
    each_once(outers, OUTER);
    each_once(leaves, OUTER * LEAVES);
    each_once(plain, PLAIN);
    return 0;
}
