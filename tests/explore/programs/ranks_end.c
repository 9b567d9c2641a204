/* The end of a run on a rank that is alone: workers find it, and the thread that frees the graph is
 * none of them. It sees the end at once, and takes away what they have just looked at. */
#include "_common.h"

#include "comm/loopback.h"
#include "engine/remote/remote.h"

enum { GRAPHS = 12 };

static atomic_int ran;

static twill_outcome body(twill_task *t, const void *globals, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)globals, (void)p, (void)f;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static int64_t inputs(const void *globals, const int64_t *p)
{
    (void)globals, (void)p;
    return 0;
}

static bool startup(const void *globals, int64_t *p, bool first)
{
    (void)globals, (void)p;
    return first;
}

static const twill_ptg_class cls = {.size = sizeof(twill_ptg_class),
                                    .name = "one",
                                    .parameters = 1,
                                    .parameter = (const char *const[]){"i"},
                                    .inputs = inputs,
                                    .startup = startup,
                                    .chores = {TWILL_CPU(body)}};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "one",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&cls}};

int main(void)
{
    int unused = 0;
    tw_loopback *hub;
    tw_comm *comm;
    succeed(tw_loopback_open(1, &(tw_loopback_options){.seed = draw(1000)}, &hub),
            "tw_loopback_open");
    succeed(tw_loopback_join(hub, 0, &comm), "tw_loopback_join");
    tw_loopback_close(hub);
    twill *tw = start();
    succeed(tw_remote_open(tw, comm), "tw_remote_open");
    for (int i = 0; i < GRAPHS; i++) {
        twill_graph *g;
        succeed(twill_ptg_new(tw, &definition, &unused, sizeof unused, &g), "twill_ptg_new");
        succeed(twill_ptg_run(g), "twill_ptg_run");
        /* not for ever: a scheduler may leave all tasks to the thread that waits */
        for (int turns = 0; turns < 50 && !tw_shared_is_over(g); turns++)
            nap_ns((long)draw(200));
        twill_graph_free(g);
    }
    must(ran == GRAPHS, "a task did not run once per graph");
    twill_stop(tw);
    return 0;
}
