/* A parameterised graph of chains over tiles.
 *
 *   STEP(k)  RW x <- k < tiles ? A(k) : x STEP(k - tiles)
 *                 -> k + tiles < all ? x STEP(k + tiles) : A(k % tiles)
 */
#include "support/steps.h"

#include <stddef.h>

static int64_t inputs(const void *globals, const int64_t *p)
{
    return p[0] < ((const steps *)globals)->tiles ? 0 : 1;
}

static bool startup(const void *globals, int64_t *p, bool first)
{
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < ((const steps *)globals)->tiles;
}

static void bind(twill_ptg_inputs *in, const void *globals, const int64_t *p)
{
    const steps *s = globals;
    if (p[0] < s->tiles)
        twill_ptg_memory(in, 0, twill_tile_at(s->a, p[0], 0));
}

static void release(twill_ptg_outputs *out, const void *globals, const int64_t *p)
{
    const steps *s = globals;
    int64_t next = p[0] + s->tiles;
    twill_ptg_output(out, 0);
    if (next < s->tiles * s->length)
        twill_ptg_send(out, 0, 0, &next);
    else
        twill_ptg_store(out, twill_tile_at(s->a, p[0] % s->tiles, 0), NULL);
}

static twill_outcome body(twill_task *t, const void *globals, const int64_t *p, const twill_flow *f)
{
    const steps *s = globals;
    int64_t *data = f[0].data;
    (void)t;
    *data += 1;
    if (s->elsewhere && data != s->memory + p[0] % s->tiles)
        atomic_fetch_add(s->elsewhere, 1);
    return TWILL_DONE;
}

static const twill_ptg_class step = {
    .size = sizeof(twill_ptg_class),
    .name = "STEP",
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
    .name = "A", .offset = offsetof(steps, a), .access = TWILL_READ_WRITE};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "steps",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&step},
                                           .collections = 1,
                                           .collection = &collection};

twill_status steps_new(twill *tw, const steps *s, twill_graph **g)
{
    return twill_ptg_new(tw, &definition, s, sizeof *s, g);
}
