/* What came from other ranks goes to those who wait for it on this one. */
#include "front/ptg/outputs.h"

typedef struct arrival {
    tw_ptg_collector c;
    tw_ptg *ptg;
    const tw_ptg_class *cls; /* and parameters of the instance that sent it */
    const int64_t *p;
    const tw_ptg_part *part;
    tw_value *const *value;
    int parts;
    int current; /* part whose activations are collected */
} arrival;

/* NULL for control. */
static tw_value *value_of(const arrival *a, int i)
{
    if (a->part[i].control)
        return NULL;
    return a->value[i] ? a->value[i] : &a->ptg->nothing;
}

/* The current part goes to its activations. As long as others may follow, a hold of its value stays
 * here: the last of them may find themselves alone with it. */
static void flush(arrival *a, bool last)
{
    tw_value *v = value_of(a, a->current);
    if (v)
        tw_value_pass(v, a->c.out.n + !last);
    tw_collected_deliver(&a->c, v);
    if (!last)
        tw_collected_push(&a->c);
}

static int find_part(const arrival *a, const tw_ptg_edge *e)
{
    int i = a->parts;
    while (i-- > 0 && !tw_ptg_part_carries(&a->part[i], e))
        ;
    return i;
}

static void fail_store(const arrival *a, int flow, const char *why)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_write(a->cls->cls, a->p, text, sizeof text);
    tw_graph_fail(a->ptg->graph, tw_ptg_status(why, TWILL_ERR_TASK),
                  "flow %s of %s, which ran on another rank, to memory: %s",
                  a->cls->cls->flow[flow].name, text, why);
}

static void store(arrival *a, const tw_ptg_edge *e, const tw_value *v)
{
    tw_region kept = 0; /* none: what has come is nobody's tile */
    const char *why =
        !v->host.data ? "there is no data" : tw_ptg_store_value(&a->c, e->tile, v, e->type, &kept);
    if (why)
        fail_store(a, e->flow, why);
}

static void arrival_output(twill_ptg_outputs *out, int flow)
{
    out->flow = flow;
}

static void arrival_edge(twill_ptg_outputs *out, const tw_ptg_edge *e)
{
    arrival *a = (arrival *)out;
    int i = e->rank == out->ptg->rank ? find_part(a, e) : -1;
    if (i < 0 || !(e->cls ? a->part[i].tasks : a->part[i].tiles))
        return;
    if (out->n && (i != a->current || out->n == TW_COLLECTOR_ROOM))
        flush(a, false);
    a->current = i;
    if (e->cls)
        tw_collect(&a->c, e->cls, e->to, e->p);
    else
        store(a, e, value_of(a, i));
}

/* A flow without data sends that, which all its receivers hold. */
static void hold_nothing(const arrival *a)
{
    for (int i = 0; i < a->parts; i++)
        if (!a->part[i].control && !a->value[i])
            atomic_fetch_add_explicit(&a->ptg->nothing.refs, 1, memory_order_relaxed);
}

static void finish(arrival *a)
{
    int given = a->c.out.n ? a->current : -1;
    if (given >= 0)
        flush(a, true);
    for (int i = 0; i < a->parts; i++)
        if (i != given && !a->part[i].control)
            tw_value_drop(tw_ptg_cache(a->ptg, a->c.w->index), value_of(a, i));
}

void tw_ptg_arrive(tw_worker *w, const tw_ptg_class *c, const int64_t *p, const tw_ptg_part *part,
                   tw_value *const *value, int n, tw_ready *ready)
{
    static const tw_ptg_visitor arriving = {.output = arrival_output, .edge = arrival_edge};
    arrival a;
    a.c.out = (twill_ptg_outputs){.visit = &arriving, .ptg = c->ptg, .flow = TW_VISITED_FLOW};
    a.c.w = w;
    a.c.ready = ready;
    a.c.used = 0;
    a.ptg = c->ptg;
    a.cls = c;
    a.p = p;
    a.part = part;
    a.value = value;
    a.parts = n;
    a.current = 0;
    hold_nothing(&a);
    if (c->cls->release)
        c->cls->release(&a.c.out, c->ptg->globals, p);
    finish(&a);
    if (ready->n)
        tw_graph_added(c->ptg->graph, w, 0, ready->n);
}

void tw_ptg_fetched(tw_worker *w, tw_ptg_class *c, const int64_t *p, int flow, tw_value *v,
                    tw_ready *ready)
{
    twill_task *t = tw_pending_tile(w, c, p, flow, v);
    if (!t)
        return;
    tw_ready_add(ready, t);
    tw_graph_added(c->ptg->graph, w, 0, 1);
}
