/* Contributions of a graph that ends, nested or freed, while another thread reads the tile: that
 * thread inserts the combining tasks, and the graph does not end without them. */
#include "_sum.h"

static twill_array *a;
static twill_graph *readers;
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
    succeed(twill_insert(g, &one, TWILL_REDUCE(twill_tile_at(a, 0, 0), &sum)), "twill_insert");
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static twill_outcome read_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class reads = {
    .size = sizeof(twill_class), .name = "read", .chores = {TWILL_CPU(read_body)}};

static void *read_tile(void *arg)
{
    nap_ns((long)draw(5000));
    succeed(twill_insert(readers, &reads, TWILL_R(twill_tile_at(a, 0, 0))), "twill_insert");
    return arg;
}

int main(void)
{
    twill *tw = start();
    a = integers(tw, 1);
    readers = begin(tw);
    bool nests = draw(2);
    twill_graph *g = begin(tw);
    pthread_t reader = thread(read_tile, NULL);
    succeed(twill_insert(g, nests ? &nest : &contribute, TWILL_INT(0)), "twill_insert");
    if (nests)
        succeed(twill_wait(g), "twill_wait");
    else
        twill_graph_free(g);
    must(combined == 1, "a graph ended before its contributions were combined");
    for (int i = 0; i < 2; i++) { /* in the records of graphs that are gone */
        g = begin(tw);
        succeed(twill_insert(g, &reads, TWILL_R(twill_tile_at(a, 0, 0))), "twill_insert");
        succeed(twill_wait(g), "twill_wait");
        must(ran > i, "a task did not run");
    }
    pthread_join(reader, NULL);
    succeed(twill_wait(readers), "twill_wait");
    must(ran == 3, "a task did not run");
    must(read_integer(a, 0) == 1, "a contribution was lost");
    twill_stop(tw);
    return 0;
}
