/* Packed replicas: readers of a tile, inserted and of a parameterised graph, find its number packed
 * as it is now, and the next writer comes when they are gone, its replicas too. */
#include "_common.h"

#include "engine/prepare.h"

#include <stddef.h>

enum { LAYOUTS = 2, STEPS = 3, READERS = 2, MOST = 3 };

static void look(const twill_task *t, const int64_t *number)
{
    tw_packed *p = tw_task_packed(t, 0, (int)draw(LAYOUTS), sizeof *number, MOST);
    progress();
    if (!p)
        return;
    int64_t *packed = (int64_t *)(void *)p->bytes;
    if (!tw_packed_is_ready(p)) {
        *packed = *number;
        tw_packed_tell(p);
    }
    must(*packed == *number, "what is packed is old");
    tw_task_packed_put(t, p);
}

/* ---- inserted ---------------------------------------------------------------------------- */

static twill_outcome read_body(twill_task *t)
{
    look(t, twill_task_data(t, 0));
    return TWILL_DONE;
}

static twill_outcome write_body(twill_task *t)
{
    ++*(int64_t *)twill_task_data(t, 0);
    progress();
    return TWILL_DONE;
}

static const twill_class reader = {
    .size = sizeof(twill_class), .name = "read", .chores = {TWILL_CPU(read_body)}};
static const twill_class writer = {
    .size = sizeof(twill_class), .name = "write", .chores = {TWILL_CPU(write_body)}};

static void *insert(void *arg)
{
    twill_array *a = arg;
    twill_graph *g = begin(twill_array_context(a));
    for (int i = 0; i < STEPS; i++) {
        succeed(twill_insert(g, &writer, TWILL_RW(twill_tile_at(a, 0, 0))), "twill_insert");
        for (unsigned n = 1 + draw(READERS); n > 0; n--)
            succeed(twill_insert(g, &reader, TWILL_R(twill_tile_at(a, 0, 0))), "twill_insert");
    }
    succeed(twill_wait(g), "twill_wait");
    twill_graph_free(g);
    return NULL;
}

/* ---- parameterised: write(k) goes to read(k, 0 ...) and to write(k + 1) ------------------- */

typedef struct globals {
    twill_array *a;
} globals;

static twill_tile *tile_of(const void *g)
{
    return twill_tile_at(((const globals *)g)->a, 0, 0);
}

static twill_outcome ptg_write(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)g, (void)p;
    ++*(int64_t *)f[0].data;
    progress();
    return TWILL_DONE;
}

static twill_outcome ptg_read(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)g, (void)p;
    look(t, f[0].data);
    return TWILL_DONE;
}

static int64_t write_inputs(const void *g, const int64_t *p)
{
    (void)g;
    return p[0] > 0;
}

static int64_t read_inputs(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 1;
}

static bool write_startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = 0;
    return first;
}

static void write_bind(twill_ptg_inputs *in, const void *g, const int64_t *p)
{
    if (p[0] == 0)
        twill_ptg_memory(in, 0, tile_of(g));
}

static void write_release(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    twill_ptg_output(out, 0);
    for (int64_t i = 0; i < READERS; i++)
        twill_ptg_send(out, 1, 0, (const int64_t[]){p[0], i});
    if (p[0] + 1 < STEPS)
        twill_ptg_send(out, 0, 0, (const int64_t[]){p[0] + 1});
    else
        twill_ptg_store(out, tile_of(g), NULL);
}

static const twill_ptg_class ptg_writer = {
    .size = sizeof(twill_ptg_class),
    .name = "write",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"k"},
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_READ_WRITE}},
    .inputs = write_inputs,
    .startup = write_startup,
    .bind = write_bind,
    .release = write_release,
    .chores = {TWILL_CPU(ptg_write)}};
static const twill_ptg_class ptg_reader = {
    .size = sizeof(twill_ptg_class),
    .name = "read",
    .parameters = 2,
    .flows = 1,
    .parameter = (const char *const[]){"k", "i"},
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_READ}},
    .inputs = read_inputs,
    .chores = {TWILL_CPU(ptg_read)}};
static const twill_ptg_collection collection = {
    .name = "A", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE};
static const twill_ptg_graph definition = {
    .size = sizeof(twill_ptg_graph),
    .name = "steps",
    .classes = 2,
    .cls = (const twill_ptg_class *const[]){&ptg_writer, &ptg_reader},
    .collections = 1,
    .collection = &collection};

static void run(twill_array *a)
{
    globals all = {a};
    twill_graph *g = NULL;
    succeed(twill_ptg_new(twill_array_context(a), &definition, &all, sizeof all, &g),
            "twill_ptg_new");
    succeed(twill_ptg_run(g), "twill_ptg_run");
    succeed(twill_wait(g), "twill_wait");
    twill_graph_free(g);
}

int main(void)
{
    twill *tw = start();
    twill_array *a = integers(tw, 1);
    pthread_t other = thread(insert, a);
    if (draw(2))
        run(a);
    else
        insert(a);
    pthread_join(other, NULL);
    must(read_integer(a, 0) == 2 * STEPS, "a step was lost");
    must(tw->data.replicas.packed.used == 0, "a packed replica was left behind");
    twill_array_free(a);
    twill_stop(tw);
    return 0;
}
