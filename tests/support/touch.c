/* Parameterised graphs of one task. */
#include "support/touch.h"

#include <stddef.h>

typedef struct globals {
    touch *self;
    twill_array *array[TOUCH_MOST];
} globals;

static int64_t inputs(const void *g, const int64_t *p)
{
    (void)g;
    return p[0] == 0 ? 0 : -1;
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = 0;
    return first;
}

static twill_outcome cpu(twill_task *t, const void *g, const int64_t *p, const twill_flow *flow)
{
    touch *self = ((const globals *)g)->self;
    (void)p, (void)flow;
    return self->body(t, self->arg);
}

static const char *const names[] = {"i"};
static const twill_ptg_class only = {.size = sizeof(twill_ptg_class),
                                     .name = "TOUCH",
                                     .parameters = 1,
                                     .parameter = names,
                                     .inputs = inputs,
                                     .startup = startup,
                                     .chores = {TWILL_CPU(cpu)}};
static const twill_ptg_class *const classes[] = {&only};

void touch_add(touch *t, twill_array *a, twill_access access)
{
    int i = t->definition.collections++;
    size_t offset = offsetof(globals, array) + (size_t)i * sizeof a;
    t->array[i] = a;
    t->collection[i] = (twill_ptg_collection){.name = "A", .offset = offset, .access = access};
}

twill_status touch_new(twill *tw, touch *t, twill_graph **g)
{
    globals all = {.self = t};
    for (int i = 0; i < TOUCH_MOST; i++)
        all.array[i] = t->array[i];
    t->definition.size = sizeof t->definition;
    t->definition.name = "touch";
    t->definition.classes = 1;
    t->definition.cls = classes;
    t->definition.collection = t->collection;
    return twill_ptg_new(tw, &t->definition, &all, sizeof all, g);
}
