/* Contributions that tasks insert into their own graph while it is freed, or while the nested graph
 * they are part of ends: they are combined, and the records of graphs that are gone are left
 * alone. */
#include "_sum.h"

static twill_array *a;
static atomic_int ran;

static twill_outcome contribute_body(twill_task *t)
{
    succeed(twill_insert(twill_task_graph(t), &one, TWILL_REDUCE(twill_tile_at(a, 0, 0), &sum)),
            "twill_insert");
    progress();
    return TWILL_DONE;
}

static const twill_class contribute = {
    .size = sizeof(twill_class), .name = "contribute", .chores = {TWILL_CPU(contribute_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    succeed(twill_insert(g, &contribute, TWILL_INT(0)), "twill_insert");
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

/* A task of an explicit graph has nested ones, too. */
static void run_dag(twill *tw)
{
    twill_graph *g;
    succeed(twill_dag_begin(tw, &g), "twill_dag_begin");
    succeed(twill_dag_add(g, NULL, &nest, TWILL_INT(0)), "twill_dag_add");
    succeed(twill_dag_run(g), "twill_dag_run");
    succeed(twill_wait(g), "twill_wait");
    if (draw(2))
        twill_graph_free(g);
}

static void run_stf(twill *tw, bool nests)
{
    twill_graph *g = begin(tw);
    succeed(twill_insert(g, nests ? &nest : &contribute, TWILL_INT(0)), "twill_insert");
    if (nests)
        succeed(twill_wait(g), "twill_wait");
    else
        twill_graph_free(g);
}

static twill_outcome other_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class other = {
    .size = sizeof(twill_class), .name = "other", .chores = {TWILL_CPU(other_body)}};

int main(void)
{
    twill *tw = start();
    a = integers(tw, 1);
    twill_graph *h = begin(tw);
    if (draw(3) == 0)
        run_dag(tw);
    else
        run_stf(tw, draw(2));
    succeed(twill_insert(h, &other, TWILL_R(twill_tile_at(a, 0, 0))), "twill_insert");
    twill_graph *i = begin(tw);
    succeed(twill_insert(i, &other, TWILL_R(twill_tile_at(a, 0, 0))), "twill_insert");
    succeed(twill_wait(h), "twill_wait");
    succeed(twill_wait(i), "twill_wait");
    must(ran == 2, "a task did not run");
    must(read_integer(a, 0) == 1, "a contribution was lost");
    twill_stop(tw);
    return 0;
}
