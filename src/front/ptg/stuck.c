/* Instances in words: their names, and what they wait for. */
#include "front/ptg/remote.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMED = 3 };

void tw_ptg_write(const twill_ptg_class *cls, const int64_t *p, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s(", cls->name);
    for (int i = 0; i < cls->parameters && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%lld", i ? ", " : "",
                                 cls->parameter[i], (long long)p[i]);
    if (used < size)
        snprintf(text + used, size - used, ")");
}

void tw_ptg_describe(const twill_task *t, char *text, size_t size)
{
    tw_ptg_write(tw_ptg_class_of(t)->cls, tw_ptg_words(t), text, size);
}

TW_NOINLINE void tw_ptg_fail_instance(const tw_ptg_class *c, const int64_t *p, const char *what)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_write(c->cls, p, text, sizeof text);
    tw_graph_fail(c->ptg->graph, TWILL_ERR_TASK, "%s %s", text, what);
}

/* The list of what is stuck, as it is written. */
typedef struct list {
    char text[TW_MESSAGE];
    size_t used;
    int named;
} list;

struct twill_ptg_sources {
    const tw_ptg_class *cls;
    tw_value **values;                                  /* that have arrived; NULL: none has */
    char data[TW_MESSAGE / 2], control[TW_MESSAGE / 2]; /* the first of each kind */
};

static void append(list *l, const char *text)
{
    size_t n = strlen(text), room = sizeof l->text - 1 - l->used;
    n = n < room ? n : room;
    memcpy(l->text + l->used, text, n);
    l->used += n;
    l->text[l->used] = '\0';
}

/* Control inputs are counted, not kept: which of them have arrived is not known. */
void twill_ptg_source(twill_ptg_sources *from, int flow, int cls, int theirs, const int64_t *p)
{
    const tw_ptg_class *c = from->cls;
    bool control = c->cls->flow[flow].mode == TWILL_FLOW_CTL;
    char *text = control ? from->control : from->data;
    if (*text || (!control && from->values && from->values[flow]))
        return;
    const twill_ptg_class *source = c->ptg->definition->cls[cls];
    char instance[TW_MESSAGE / 4];
    tw_ptg_write(source, p, instance, sizeof instance);
    snprintf(text, sizeof from->data, " waits for %s from %s of %s%s", c->cls->flow[flow].name,
             source->flow[theirs].name, instance, control ? " or another" : "");
}

/* A tile of another rank that has not come. */
static void name_origin(const tw_ptg_origin *o, void *arg)
{
    twill_ptg_sources *from = arg;
    const tw_ptg_class *c = from->cls;
    bool there = o->rank < 0 || o->rank == c->ptg->rank || from->values[o->flow];
    if (!there && !*from->data)
        snprintf(from->data, sizeof from->data, " waits for %s from a tile of rank %lld",
                 c->cls->flow[o->flow].name, (long long)o->rank);
}

static void name_instance(twill_task *t, void *arg)
{
    list *l = arg;
    const tw_ptg_class *c = tw_ptg_class_of(t);
    if (l->named++ >= MOST_NAMED)
        return;
    char instance[TW_MESSAGE / 4];
    tw_ptg_describe(t, instance, sizeof instance);
    append(l, l->named == 1 ? "" : "; ");
    append(l, instance);
    twill_ptg_sources from = {.cls = c, .values = tw_ptg_values(t)};
    if (c->cls->sources)
        c->cls->sources(&from, c->ptg->globals, tw_ptg_words(t));
    if (c->ptg->ranks > 1)
        tw_ptg_each_origin(c, tw_ptg_words(t), name_origin, &from);
    append(l, *from.data ? from.data : from.control); /* what is sure, rather than what may be */
}

/* The first instance of a class whose instances all wait for others, if it has any. */
static bool has_instance(tw_ptg *ptg, const twill_ptg_class *cls)
{
    memset(ptg->cursor, 0, ((size_t)cls->parameters + 1) * sizeof *ptg->cursor);
    return cls->instances && cls->instances(ptg->globals, ptg->cursor, true);
}

TW_NOINLINE void tw_ptg_none_starts(tw_ptg *ptg)
{
    for (int i = 0; i < ptg->definition->classes && !tw_graph_failed(ptg->graph); i++) {
        const tw_ptg_class *c = &ptg->classes[i];
        if (!has_instance(ptg, c->cls))
            continue;
        char instance[TW_MESSAGE / 4];
        twill_ptg_sources from = {.cls = c};
        tw_ptg_write(c->cls, ptg->cursor, instance, sizeof instance);
        if (c->cls->sources)
            c->cls->sources(&from, ptg->globals, ptg->cursor);
        tw_graph_fail(ptg->graph, TWILL_ERR_STUCK,
                      "graph %s runs no task, as each waits for another one: %s%s",
                      ptg->definition->name, instance, *from.data ? from.data : from.control);
    }
}

void tw_ptg_stuck(tw_ptg *ptg)
{
    int64_t n = tw_table_count(&ptg->waiting);
    list l = {.used = 0};
    tw_table_each(&ptg->waiting, name_instance, &l);
    tw_graph_fail(ptg->graph, TWILL_ERR_STUCK, "graph %s is stuck with %lld waiting task%s: %s%s",
                  ptg->definition->name, (long long)n, n == 1 ? "" : "s", l.text,
                  n > MOST_NAMED ? "; ..." : "");
}
