/* Instances of a parameterised graph that ask to run again, are completed by another thread before
 * or after their body returns, open nested graphs or fail, while the graph is canceled, described
 * and run again. Without failures each instance runs once per run. */
#include "_common.h"

enum { WIDTH = 3, LENGTH = 3, RUNS = 2, MOST = 8 };
static twill *tw;
static twill_graph *g;
static atomic_int done[WIDTH * LENGTH], nested, opened, stop;
static _Atomic(twill_task *) left[MOST];
static bool fails;

static twill_outcome leaf_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&nested, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class leaf = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf_body)}};

static twill_outcome nest(twill_task *t)
{
    twill_graph *inner;
    if (twill_nest(t, &inner) != TWILL_OK)
        wrong("twill_nest");
    if (twill_insert(inner, &leaf, TWILL_INT(0)) == TWILL_OK)
        atomic_fetch_add(&opened, 1);
    return twill_nest_end(inner);
}

static twill_outcome leave(twill_task *t)
{
    for (int i = 0; i < MOST; i++) {
        twill_task *none = NULL;
        if (atomic_compare_exchange_strong(&left[i], &none, t)) {
            nap_ns((long)draw(2000));
            return TWILL_ASYNC;
        }
    }
    return TWILL_DONE;
}

static twill_outcome body(twill_task *t, const void *globals, const int64_t *p, const twill_flow *f)
{
    (void)globals, (void)f;
    progress();
    if (draw(4) == 0)
        return TWILL_AGAIN;
    atomic_fetch_add(&done[p[0]], 1);
    switch (draw(6)) {
    case 0:
        return nest(t);
    case 1:
        return leave(t);
    case 2:
        return fails ? twill_task_fail(t, "planted") : TWILL_DONE;
    case 3:
        twill_describe(tw, NULL, 0);
        return TWILL_DONE;
    default:
        return TWILL_DONE;
    }
}

static int64_t inputs(const void *globals, const int64_t *p)
{
    (void)globals;
    return p[0] < WIDTH ? 0 : 2;
}

static bool startup(const void *globals, int64_t *p, bool first)
{
    (void)globals;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < WIDTH;
}

/* To two of the next row. */
static void release(twill_ptg_outputs *out, const void *globals, const int64_t *p)
{
    (void)globals;
    int64_t row = p[0] / WIDTH + 1, i = p[0] % WIDTH;
    twill_ptg_output(out, 0);
    for (int64_t k = 0; k < 2 && row < LENGTH; k++)
        twill_ptg_send(out, 0, 0, (const int64_t[]){row * WIDTH + (i + k) % WIDTH});
}

static const twill_ptg_class cls = {
    .size = sizeof(twill_ptg_class),
    .name = "instance",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "c", .mode = TWILL_FLOW_CTL}},
    .inputs = inputs,
    .startup = startup,
    .release = release,
    .chores = {TWILL_CPU(body)}};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "outcomes",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&cls}};

static void *complete(void *arg)
{
    while (!atomic_load(&stop)) {
        for (int i = 0; i < MOST; i++) {
            twill_task *t = atomic_exchange(&left[i], NULL);
            if (t)
                twill_task_done(t, fails && draw(4) == 0 ? TWILL_ERR_TASK : TWILL_OK);
        }
        nap_ns(2000);
    }
    return arg;
}

static void *disturb(void *arg)
{
    while (!atomic_load(&stop)) {
        twill_describe(tw, NULL, 0);
        if (fails && draw(4) == 0)
            twill_cancel(g);
        nap_ns(1000 + (long)draw(9000));
    }
    return arg;
}

int main(void)
{
    int unused = 0;
    tw = start();
    fails = draw(2);
    succeed(twill_ptg_new(tw, &definition, &unused, sizeof unused, &g), "twill_ptg_new");
    pthread_t completer = thread(complete, NULL), other = thread(disturb, NULL);
    for (int r = 0; r < RUNS; r++) {
        twill_status status = twill_ptg_run(g);
        must(status == TWILL_OK || fails, "twill_ptg_run");
        must(twill_wait(g) == TWILL_OK || fails, "twill_wait");
    }
    for (int i = 0; i < WIDTH * LENGTH && !fails; i++)
        must(done[i] == RUNS, "an instance did not run once per run");
    must(fails || nested == opened, "a nested task did not run");
    if (draw(2))
        atomic_store(&stop, 1);
    else
        twill_wait(g);
    atomic_store(&stop, 1);
    pthread_join(other, NULL);
    pthread_join(completer, NULL);
    twill_graph_free(g);
    twill_stop(tw);
    return 0;
}
