/* A worker that runs the last task of a nested graph turns to a long task of another graph. What
 * the end of the nested graph enables is for others meanwhile. */
#include "_common.h"

enum { ROUNDS = 3, LONG_NS = 30000000 };
static twill_tile *tile;
static atomic_int long_ended, next_begun, late;

static twill_outcome leaf_body(twill_task *t)
{
    (void)t;
    nap_ns((long)draw(3000));
    progress();
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    succeed(twill_insert(g, &leaf, TWILL_INT(0)), "twill_insert");
    progress();
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static twill_outcome next_body(twill_task *t)
{
    (void)t;
    if (atomic_load(&long_ended))
        atomic_store(&late, 1);
    atomic_store(&next_begun, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class next = {
    .size = sizeof(twill_class), .name = "next", .chores = {TWILL_CPU(next_body)}};

static twill_outcome long_body(twill_task *t)
{
    (void)t;
    nap_ns(LONG_NS);
    atomic_store(&long_ended, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class lengthy = {
    .size = sizeof(twill_class), .name = "long", .chores = {TWILL_CPU(long_body)}};

int main(void)
{
    twill *tw = start_with((twill_options){.spin_us = 20});
    twill_array *a = integers(tw, 1);
    tile = twill_tile_at(a, 0, 0);
    twill_graph *g = begin(tw), *h = begin(tw);
    bool two_are_free = twill_workers(tw) > 2; /* this thread does not work */
    for (int r = 0; r < ROUNDS; r++) {
        long_ended = next_begun = 0;
        succeed(twill_insert(g, &nest, TWILL_RW(tile)), "twill_insert");
        succeed(twill_insert(g, &next, TWILL_RW(tile)), "twill_insert");
        nap_ns((long)draw(6000));
        succeed(twill_insert(h, &lengthy, TWILL_INT(0)), "twill_insert");
        while (twill_workers(tw) > 1 && !(long_ended && next_begun))
            nap_ns(10000000);
        if (late && two_are_free)
            wrong("the next task began when the long one was over, others asleep");
    }
    succeed(twill_wait(g), "twill_wait");
    succeed(twill_wait(h), "twill_wait");
    must(next_begun && long_ended, "a task did not run");
    twill_stop(tw);
    return 0;
}
