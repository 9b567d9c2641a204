/* Two ranks over the loopback transport: a chain that goes from one to the other and back, run
 * twice; a step may fail and a rank may cancel, at any time, also when the run is about to end, and
 * the graph is freed at once. Without failures each step runs once per run. */
#include "_common.h"

#include "comm/loopback.h"
#include "engine/remote/remote.h"

enum { RANKS = 2, STEPS = 3, RUNS = 2 };

static atomic_int done[STEPS];
static bool fails;

static twill_outcome body(twill_task *t, const void *globals, const int64_t *p, const twill_flow *f)
{
    (void)globals, (void)f;
    progress();
    atomic_fetch_add(&done[p[0]], 1);
    return fails && draw(4) == 0 ? twill_task_fail(t, "planted") : TWILL_DONE;
}

static int64_t inputs(const void *globals, const int64_t *p)
{
    (void)globals;
    return p[0] > 0;
}

static bool startup(const void *globals, int64_t *p, bool first)
{
    (void)globals, (void)p;
    return first;
}

static void release(twill_ptg_outputs *out, const void *globals, const int64_t *p)
{
    (void)globals;
    twill_ptg_output(out, 0);
    if (p[0] + 1 < STEPS)
        twill_ptg_send(out, 0, 0, (const int64_t[]){p[0] + 1});
}

static int64_t rank(const void *globals, const int64_t *p)
{
    (void)globals;
    return p[0] % RANKS;
}

static const twill_ptg_class cls = {
    .size = sizeof(twill_ptg_class),
    .name = "step",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "c", .mode = TWILL_FLOW_CTL}},
    .inputs = inputs,
    .startup = startup,
    .release = release,
    .rank = rank,
    .chores = {TWILL_CPU(body)}};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "steps",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&cls}};

static void *act(void *comm)
{
    int unused = 0;
    twill_graph *g;
    twill *tw = start_with((twill_options){.workers = 1});
    succeed(tw_remote_open(tw, comm), "tw_remote_open");
    succeed(twill_ptg_new(tw, &definition, &unused, sizeof unused, &g), "twill_ptg_new");
    for (int i = 0; i < RUNS; i++) {
        succeed(twill_ptg_run(g), "twill_ptg_run");
        if (fails && draw(3) == 0)
            twill_cancel(g);
        must(twill_wait(g) == TWILL_OK || fails, "twill_wait");
    }
    twill_graph_free(g);
    twill_stop(tw);
    return NULL;
}

int main(void)
{
    tw_loopback *hub;
    tw_comm *comm[RANKS];
    fails = draw(2);
    succeed(
        tw_loopback_open(RANKS, &(tw_loopback_options){.seed = draw(1000), .delay = draw(2)}, &hub),
        "tw_loopback_open");
    for (int i = 0; i < RANKS; i++)
        succeed(tw_loopback_join(hub, i, &comm[i]), "tw_loopback_join");
    tw_loopback_close(hub);
    pthread_t other = thread(act, comm[1]);
    act(comm[0]);
    pthread_join(other, NULL);
    for (int i = 0; i < STEPS && !fails; i++)
        must(done[i] == RUNS, "a step did not run once per run");
    return 0;
}
