/* The watchdog against ends: it reports stalls while graphs with large tasks, nested graphs and
 * mapped arrays come to their ends. */
#include "_common.h"

enum { ROUNDS = 3, LARGE = 2000 };
static atomic_int ran, reports;

static twill_outcome slow_body(twill_task *t)
{
    (void)t;
    nap_ns(3000);
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class slow = {
    .size = sizeof(twill_class), .name = "slow", .chores = {TWILL_CPU(slow_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    succeed(twill_nest(t, &g), "twill_nest");
    succeed(twill_insert(g, &slow, TWILL_INT(0)), "twill_insert");
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static void report(void *arg, const char *text)
{
    (void)arg;
    must(strstr(text, "twill: no task has ended") != NULL, "a report says something else");
    atomic_fetch_add(&reports, 1);
}

int main(void)
{
    static char large[LARGE];
    twill *tw = start_with((twill_options){.watchdog = 1e-6, .report = report});
    for (int r = 0; r < ROUNDS; r++) {
        twill_graph *g = begin(tw);
        twill_array *a = integers(tw, 2);
        twill_tile *tile = twill_tile_at(a, 0, 0);
        succeed(twill_insert(g, &slow, TWILL_RW(tile), TWILL_VALUE(large)), "twill_insert");
        succeed(twill_insert(g, &nest, TWILL_R(tile)), "twill_insert");
        must(read_integer(a, 0) == 0, "the content has changed");
        twill_graph_free(g);
        twill_array_free(a);
    }
    twill_stop(tw);
    must(ran == 2 * ROUNDS, "a task did not run once");
    return 0;
}
