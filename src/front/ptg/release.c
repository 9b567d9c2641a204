/* A task is done: its outputs go to other tasks and to memory.
 *
 * What a flow sends is collected first and delivered together, so that the value is counted once
 * for all receivers, none of which can run before the count is right, and the lines they are in
 * are on their way when they are needed. */
#include "front/ptg/id.h"

enum { ROOM = 32 };

struct twill_ptg_outputs {
    tw_worker *w;
    twill_task *task;
    tw_ptg_class *classes;
    tw_ready *ready;
    int flow;            /* the current one, or -1 */
    tw_region kept;      /* of it that memory is to keep, if these are the bytes of a tile */
    tw_region region;    /* of it that goes to the current activations */
    twill_datatype type; /* of that, if it is shaped */
    int n, used;
    tw_activation activations[ROOM];
    int64_t words[ROOM * TW_PTG_PARAMETERS];
};

/* Deliver what is collected; `v` is the value they share, with a hold for each, or NULL. */
static void deliver(twill_ptg_outputs *out, tw_value *v)
{
    const tw_activation *first = out->activations, *end = first + out->n;
    if (out->n > 1) /* a single one would only wait here */
        for (const tw_activation *a = first; a < end; a++)
            if (a->bucket)
                tw_bucket_prefetch(a->bucket, a->id, v);
    for (const tw_activation *a = first; a < end; a++) {
        twill_task *t = tw_pending_arrive(out->w, a, out->words + a->at, v);
        if (t)
            tw_ready_add(out->ready, t);
    }
    out->n = out->used = 0;
}

static bool is_data(const twill_ptg_outputs *out)
{
    return tw_ptg_class_of(out->task)->cls->flow[out->flow].mode != TWILL_FLOW_CTL;
}

/* The value that goes out of the current flow. A data flow without data sends that. */
static tw_value **value_of(twill_ptg_outputs *out)
{
    tw_value **place = &tw_ptg_values(out->task)[out->flow];
    if (!*place) {
        *place = &tw_ptg_class_of(out->task)->ptg->nothing;
        atomic_fetch_add_explicit(&(*place)->refs, 1, memory_order_relaxed);
    }
    return place;
}

static tw_buffer_cache *cache_of(const twill_ptg_outputs *out)
{
    return tw_ptg_cache(tw_ptg_class_of(out->task)->ptg, out->w->index);
}

static void fail_output(const twill_ptg_outputs *out, const char *how, const char *why)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_describe(out->task, text, sizeof text);
    tw_graph_fail(out->task->graph, tw_ptg_status(why, TWILL_ERR_TASK), "flow %s of %s%s %s",
                  tw_ptg_class_of(out->task)->cls->flow[out->flow].name, text, how, why);
}

static tw_value *cut_area(twill_ptg_outputs *out, tw_value *v, tw_area area)
{
    tw_value *sub = tw_value_region(cache_of(out), v, area);
    if (!sub)
        tw_graph_fail(out->task->graph, TWILL_ERR_MEMORY, "no memory for a region of a tile");
    return sub ? sub : v; /* whoever gets the whole will not run any more */
}

/* The same where a mask says what region it is. */
TW_NOINLINE static tw_value *cut_mask(twill_ptg_outputs *out, tw_value *v)
{
    tw_area area = tw_area_of(out->region);
    const char *why = out->region == TW_MASKED ? tw_ptg_shape(&out->type, v, &area) : NULL;
    if (why)
        fail_output(out, ":", why);
    else if (!tw_area_within(tw_value_area(v), area, v->rows, v->cols))
        v = cut_area(out, v, area);
    tw_area_drop(area);
    return v;
}

/* One hold of a value becomes one of its region that goes to the current activations. */
TW_NOINLINE static tw_value *cut(twill_ptg_outputs *out, tw_value *v)
{
    if (!v->host.data)
        return v;
    if (tw_unlikely((v->region | out->region) & TW_MASKED))
        return cut_mask(out, v);
    return v->region & ~out->region ? cut_area(out, v, tw_area_of(out->region)) : v;
}

/* One hold of a value becomes one for each current activation. */
static inline tw_value *divide(twill_ptg_outputs *out, tw_value *v)
{
    if (tw_unlikely(out->region != TW_FULL))
        v = cut(out, v);
    tw_value_pass(v, out->n);
    return v;
}

/* Let others begin with what is ready so far. */
static void push_ready(twill_ptg_outputs *out)
{
    if (!out->ready->n)
        return;
    tw_graph_added(out->task->graph, out->w, 0, out->ready->n);
    tw_push(out->w, out->ready);
    *out->ready = (tw_ready){0};
}

/* There is no more room, or what follows is another region, but the flow goes on: the task keeps
 * its own hold. */
static void deliver_some(twill_ptg_outputs *out)
{
    tw_value *v = is_data(out) ? *value_of(out) : NULL;
    if (v) {
        tw_value_pass(v, 2);
        v = divide(out, v);
    }
    deliver(out, v);
    push_ready(out);
}

/* What receivers write, and others that have the value, is not for memory. */
static void keep(twill_ptg_outputs *out)
{
    tw_value *v = *value_of(out);
    if (out->n || !tw_value_alone(v))
        tw_value_keep(v, out->kept);
}

/* Does memory keep what the flow has, if that is a tile? */
static bool only_reads(const twill_ptg_outputs *out)
{
    return tw_task_flags(out->task) & TW_TASK_READS_TILE &&
           tw_ptg_class_of(out->task)->cls->flow[out->flow].mode == TWILL_FLOW_READ;
}

/* The current flow is complete: its holds go to the receivers. */
static void finish_flow(twill_ptg_outputs *out)
{
    if (out->flow < 0)
        return;
    if (out->kept)
        keep(out);
    if (out->n == 0)
        return;
    tw_value *v = NULL;
    if (is_data(out)) {
        tw_value **place = value_of(out);
        v = divide(out, *place);
        *place = NULL;
    }
    deliver(out, v);
}

void twill_ptg_output(twill_ptg_outputs *out, int flow)
{
    finish_flow(out);
    out->flow = flow;
    out->kept = only_reads(out) ? TW_FULL : 0;
    out->region = TW_FULL;
}

static void set_region(twill_ptg_outputs *out, tw_region region, const twill_datatype *type)
{
    if (out->region == region && (region != TW_MASKED || tw_ptg_same_type(&out->type, type)))
        return;
    if (out->n)
        deliver_some(out);
    out->region = region;
    if (region == TW_MASKED)
        out->type = *type;
}

static inline void add_activation(twill_ptg_outputs *out, int cls, int to, const int64_t *p)
{
    tw_ptg_class *c = &out->classes[cls];
    tw_activation *a = &out->activations[out->n++];
    a->cls = c;
    a->flow = to;
    a->at = out->used;
    tw_ptg_copy(out->words + out->used, p, c->cls->parameters);
    out->used += c->cls->parameters;
    a->bucket = NULL;
    if (!c->cls->single) { /* else it will not wait in the table */
        a->id = tw_instance_id(c, p);
        a->bucket = tw_table_bucket(&c->ptg->waiting, a->id);
    }
}

void twill_ptg_send_region(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                           const twill_datatype *type)
{
    set_region(out, tw_ptg_region(type), type);
    if (out->n == ROOM)
        deliver_some(out);
    add_activation(out, cls, to, p);
}

void twill_ptg_send(twill_ptg_outputs *out, int cls, int to, const int64_t *p)
{
    if (tw_unlikely(out->region != TW_FULL || out->n == ROOM))
        twill_ptg_send_region(out, cls, to, p, NULL);
    else
        add_activation(out, cls, to, p);
}

void twill_ptg_send_typed(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                          const twill_datatype *type, const twill_datatype *remote)
{
    (void)remote; /* there is one rank */
    if (type)
        twill_ptg_send_region(out, cls, to, p, type);
    else
        twill_ptg_send(out, cls, to, p);
}

void twill_ptg_store(twill_ptg_outputs *out, twill_tile *tile, const twill_datatype *type)
{
    const tw_value *v = tw_ptg_values(out->task)[out->flow];
    tw_area area;
    const char *why = !tile                 ? "a tile that the array does not have"
                      : !v || !v->host.data ? "memory, but there is no data"
                                            : NULL;
    if (tw_likely(!why)) {
        const char *wrong = tw_ptg_area(type, &tile->value, &area);
        if (wrong) {
            fail_output(out, ":", wrong);
            return;
        }
        if (!tw_value_store(&tile->value, v, area, cache_of(out)))
            fail_output(out, ":", tw_ptg_no_memory);
        if (v == &tile->value || v->whole == &tile->value)
            out->kept |= area.region;
        tw_area_drop(area);
    }
    if (tw_unlikely(why))
        fail_output(out, " goes to", why);
}

void twill_ptg_store_typed(twill_ptg_outputs *out, twill_tile *tile, const twill_datatype *type,
                           const twill_datatype *remote)
{
    (void)remote;
    twill_ptg_store(out, tile, type);
}

void tw_ptg_drop_values(tw_worker *w, twill_task *t)
{
    tw_value **value = tw_ptg_values(t), **end = value + tw_ptg_class_of(t)->cls->flows;
    tw_buffer_cache *cache = tw_ptg_cache(tw_ptg_class_of(t)->ptg, w->index);
    for (; value < end; value++)
        if (*value)
            tw_value_drop(cache, *value);
}

/* What the task does not send on it lets go before anybody hears of it: a task that waits for this
 * one in order to change what it read finds it free, and needs no copy. */
static void drop_early(tw_worker *w, twill_task *t, uint32_t flows)
{
    tw_value **value = tw_ptg_values(t);
    tw_buffer_cache *cache = tw_ptg_cache(tw_ptg_class_of(t)->ptg, w->index);
    for (; flows; flows &= flows - 1) {
        tw_value **place = &value[__builtin_ctz(flows)];
        if (*place)
            tw_value_drop(cache, *place);
        *place = NULL;
    }
}

void tw_ptg_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    if (c->cls->ends)
        drop_early(w, t, c->cls->ends);
    if (c->cls->release && !poison) {
        twill_ptg_outputs out;
        out.w = w;
        out.task = t;
        out.classes = c->ptg->classes;
        out.ready = ready;
        out.flow = -1;
        out.region = TW_FULL;
        out.n = out.used = 0;
        c->cls->release(&out, c->ptg->globals, tw_ptg_words(t));
        finish_flow(&out);
        if (ready->n)
            tw_graph_added(t->graph, w, 0, ready->n);
    }
    tw_ptg_drop_values(w, t);
}
