/* A parameterised graph on a second memory with room for one of two tiles: what an instance writes
 * comes home before those behind it run; some ask to run again, some are completed by another
 * thread. */
#include "_common.h"

#include <stddef.h>

enum { TILES = 2, LENGTH = 3, MOST = 8 };
typedef struct globals {
    twill_array *a;
} globals;
static _Atomic(twill_task *) left[MOST];
static atomic_int stop;

static twill_outcome body(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)g, (void)p;
    progress();
    if (draw(4) == 0)
        return TWILL_AGAIN;
    *(int64_t *)f[0].data += 1;
    for (int i = 0; i < MOST && draw(2); i++) {
        twill_task *none = NULL;
        if (atomic_compare_exchange_strong(&left[i], &none, t))
            return TWILL_ASYNC;
    }
    return TWILL_DONE;
}

static void *complete(void *arg)
{
    while (!atomic_load(&stop)) {
        for (int i = 0; i < MOST; i++) {
            twill_task *t = atomic_exchange(&left[i], NULL);
            if (t) {
                twill_task_done(t, TWILL_OK);
                progress();
            }
        }
        nap_ns(1000);
    }
    return arg;
}

static int64_t inputs(const void *g, const int64_t *p)
{
    (void)g;
    return p[0] < TILES ? 0 : 1;
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < TILES;
}

static void bind(twill_ptg_inputs *in, const void *g, const int64_t *p)
{
    if (p[0] < TILES)
        twill_ptg_memory(in, 0, twill_tile_at(((const globals *)g)->a, p[0], 0));
}

static void release(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    int64_t next = p[0] + TILES;
    twill_ptg_output(out, 0);
    if (next < TILES * LENGTH)
        twill_ptg_send(out, 0, 0, &next);
    else
        twill_ptg_store(out, twill_tile_at(((const globals *)g)->a, p[0] % TILES, 0), NULL);
}

static const twill_ptg_class cls = {
    .size = sizeof(twill_ptg_class),
    .name = "step",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"k"},
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_READ_WRITE}},
    .inputs = inputs,
    .startup = startup,
    .bind = bind,
    .release = release,
    .chores = {TWILL_CPU(body)}};
static const twill_ptg_collection collection = {
    .name = "A", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "steps",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&cls},
                                           .collections = 1,
                                           .collection = &collection};

int main(void)
{
    char shadow[60];
    snprintf(shadow, sizeof shadow, "%s,room=%d,delay=%u,seed=%u", draw(2) ? "1" : "0.6",
             draw(2) ? 8 : 16, draw(4), draw(1000));
    twill *tw = start_with((twill_options){.shadow = shadow});
    globals all = {integers(tw, TILES)};
    twill_graph *g = NULL;
    pthread_t helper = thread(complete, NULL);
    succeed(twill_ptg_new(tw, &definition, &all, sizeof all, &g), "twill_ptg_new");
    for (int run = 1; run <= 2; run++) {
        succeed(twill_ptg_run(g), "twill_ptg_run");
        succeed(twill_wait(g), "twill_wait");
        for (int i = 0; i < TILES; i++)
            must(read_integer(all.a, i) == run * LENGTH, "every step ran once");
    }
    atomic_store(&stop, 1);
    pthread_join(helper, NULL);
    twill_stop(tw);
    return 0;
}
