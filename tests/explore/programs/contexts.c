/* Two contexts: bodies of one insert into graphs of the other and wait there, threads use both, and
 * one is described from bodies of the other. */
#include "_common.h"

static twill *one, *two;
static twill_graph *g1, *g2;
static twill_array *a1, *a2;
static atomic_int ran1, ran2;

static twill_outcome leaf1_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran1, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class leaf1 = {
    .size = sizeof(twill_class), .name = "leaf1", .chores = {TWILL_CPU(leaf1_body)}};

static twill_outcome back_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran2, 1);
    if (twill_task_int(t, 1))
        succeed(twill_insert(g1, &leaf1, TWILL_RW(twill_tile_at(a1, 1, 0))), "twill_insert");
    progress();
    return TWILL_DONE;
}

static const twill_class back = {
    .size = sizeof(twill_class), .name = "back", .chores = {TWILL_CPU(back_body)}};

static twill_outcome visit_body(twill_task *t)
{
    twill_graph *own;
    (void)t;
    succeed(twill_stf_begin(two, &own), "twill_stf_begin");
    for (int i = 0; i < 2; i++)
        succeed(twill_insert(own, &back, TWILL_RW(twill_tile_at(a2, i, 0)), TWILL_INT(1)),
                "twill_insert");
    if (draw(2))
        twill_describe(two, NULL, 0);
    if (draw(2))
        twill_describe(one, NULL, 0);
    succeed(twill_wait(own), "twill_wait in the other context");
    twill_graph_free(own);
    atomic_fetch_add(&ran1, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class visit = {
    .size = sizeof(twill_class), .name = "visit", .chores = {TWILL_CPU(visit_body)}};

static void *use_two(void *arg)
{
    for (int i = 0; i < 2; i++)
        succeed(twill_insert(g2, &back, TWILL_RW(twill_tile_at(a2, i, 0)), TWILL_INT(0)),
                "twill_insert");
    succeed(twill_wait(g2), "twill_wait");
    return arg;
}

int main(void)
{
    one = start();
    two = start();
    g1 = begin(one);
    g2 = begin(two);
    a1 = integers(one, 2);
    a2 = integers(two, 2);
    pthread_t user = thread(use_two, NULL);
    for (int i = 0; i < 2; i++)
        succeed(twill_insert(g1, &visit, TWILL_RW(twill_tile_at(a1, 0, 0))), "twill_insert");
    succeed(twill_wait(g1), "twill_wait");
    pthread_join(user, NULL);
    succeed(twill_wait(g1), "twill_wait");
    must(ran1 == 2 + 4, "a task of the first context did not run once");
    must(ran2 == 2 + 4, "a task of the second context did not run once");
    twill_stop(two);
    twill_stop(one);
    return 0;
}
