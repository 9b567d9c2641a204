/* A task is done: its outputs go to other tasks and to memory. */
#include "front/ptg/outputs.h"

static tw_ptg_collector *collector(twill_ptg_outputs *out)
{
    return (tw_ptg_collector *)out;
}

static bool is_data(const tw_ptg_collector *out)
{
    return tw_ptg_class_of(out->task)->cls->flow[out->out.flow].mode != TWILL_FLOW_CTL;
}

/* The value that goes out of the current flow. A data flow without data sends that. */
static tw_value **value_of(tw_ptg_collector *out)
{
    tw_value **place = &tw_ptg_values(out->task)[out->out.flow];
    if (!*place) {
        *place = &tw_ptg_class_of(out->task)->ptg->nothing;
        atomic_fetch_add_explicit(&(*place)->refs, 1, memory_order_relaxed);
    }
    return place;
}

static tw_buffer_cache *cache_of(const tw_ptg_collector *out)
{
    return tw_ptg_cache(out->out.ptg, out->w->index);
}

static void fail_output(const tw_ptg_collector *out, const char *how, const char *why)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_describe(out->task, text, sizeof text);
    tw_graph_fail(out->task->graph, tw_ptg_status(why, TWILL_ERR_TASK), "flow %s of %s%s %s",
                  tw_ptg_class_of(out->task)->cls->flow[out->out.flow].name, text, how, why);
}

static tw_value *cut_area(tw_ptg_collector *out, tw_value *v, tw_area area)
{
    tw_value *sub = tw_value_region(cache_of(out), v, area);
    if (!sub)
        tw_graph_fail(out->task->graph, TWILL_ERR_MEMORY, "no memory for a region of a tile");
    return sub ? sub : v; /* whoever gets the whole will not run any more */
}

/* The same where a mask says what region it is. */
TW_NOINLINE static tw_value *cut_mask(tw_ptg_collector *out, tw_value *v)
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
TW_NOINLINE static tw_value *cut(tw_ptg_collector *out, tw_value *v)
{
    if (!v->host.data)
        return v;
    if (tw_unlikely((v->region | out->region) & TW_MASKED))
        return cut_mask(out, v);
    return v->region & ~out->region ? cut_area(out, v, tw_area_of(out->region)) : v;
}

/* One hold of a value becomes one for each current activation. */
static inline tw_value *divide(tw_ptg_collector *out, tw_value *v)
{
    if (tw_unlikely(out->region != TW_FULL))
        v = cut(out, v);
    tw_value_pass(v, out->out.n);
    return v;
}

/* There is no more room, or what follows is another region, but the flow goes on: the task keeps
 * its own hold. */
static void deliver_some(tw_ptg_collector *out)
{
    tw_value *v = is_data(out) ? *value_of(out) : NULL;
    if (v) {
        tw_value_pass(v, 2);
        v = divide(out, v);
    }
    tw_collected_deliver(out, v);
    tw_collected_push(out);
}

/* What receivers write, and others that have the value, is not for memory. */
static void keep(tw_ptg_collector *out)
{
    tw_value *v = *value_of(out);
    if (out->out.n || !tw_value_alone(v))
        tw_value_keep(v, out->kept);
}

/* Does memory keep what the flow has, if that is a tile? */
static bool only_reads(const tw_ptg_collector *out)
{
    return tw_task_flags(out->task) & TW_TASK_READS_TILE &&
           tw_ptg_class_of(out->task)->cls->flow[out->out.flow].mode == TWILL_FLOW_READ;
}

/* The current flow is complete: its holds go to the receivers. */
static inline void finish_flow(tw_ptg_collector *out)
{
    if (out->out.flow < 0)
        return;
    if (out->kept)
        keep(out);
    if (out->out.n == 0)
        return;
    tw_value *v = NULL;
    if (is_data(out)) {
        tw_value **place = value_of(out);
        v = divide(out, *place);
        *place = NULL;
    }
    tw_collected_deliver(out, v);
}

static inline void begin_flow(tw_ptg_collector *out, int flow, int limit)
{
    out->out.flow = flow;
    out->out.limit = limit;
    out->kept = only_reads(out) ? TW_FULL : 0;
    out->region = TW_FULL;
}

TW_NOINLINE static void next_flow(tw_ptg_collector *out, int flow, int limit)
{
    finish_flow(out);
    begin_flow(out, flow, limit);
}

static void set_region(tw_ptg_collector *out, const twill_datatype *type)
{
    tw_region region = tw_ptg_region(type);
    if (out->region == region && (region != TW_MASKED || tw_ptg_same_type(&out->type, type)))
        return;
    if (out->out.n)
        deliver_some(out);
    out->region = region;
    out->out.limit = region == TW_FULL && !out->out.visit ? TW_COLLECTOR_ROOM : 0;
    if (region == TW_MASKED)
        tw_ptg_copy_type(&out->type, type);
}

static void send(tw_ptg_collector *out, tw_ptg_class *cls, int to, const int64_t *p,
                 const twill_datatype *type)
{
    set_region(out, type);
    if (out->out.n == TW_COLLECTOR_ROOM)
        deliver_some(out);
    tw_collect(out, cls, to, p);
}

static void store(tw_ptg_collector *out, twill_tile *tile, const twill_datatype *type)
{
    const tw_value *v = tw_ptg_values(out->task)[out->out.flow];
    const char *why = !tile                 ? "a tile that the array does not have"
                      : !v || !v->host.data ? "memory, but there is no data"
                                            : NULL;
    if (tw_unlikely(why)) {
        fail_output(out, " goes to", why);
        return;
    }
    why = tw_ptg_store_value(out, tile, v, type, &out->kept);
    if (tw_unlikely(why))
        fail_output(out, ":", why);
}

/* ---- what `release` of a class calls ----------------------------------------------------- */

static void next_output(twill_ptg_outputs *out, int flow)
{
    if (tw_unlikely(out->visit))
        out->visit->output(out, flow);
    else
        next_flow(collector(out), flow, TW_COLLECTOR_ROOM);
}

/* Most classes have outputs of one flow. */
void twill_ptg_output(twill_ptg_outputs *out, int flow)
{
    if (tw_likely(out->flow == TW_NO_FLOW))
        begin_flow(collector(out), flow, TW_COLLECTOR_ROOM);
    else
        next_output(out, flow);
}

void twill_ptg_send_typed(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                          const twill_datatype *type, const twill_datatype *remote)
{
    if (tw_likely(out->n < out->limit && !type))
        tw_collect(collector(out), &out->ptg->classes[cls], to, p);
    else if (out->visit)
        tw_ptg_visit_task(out, cls, to, p, type, remote);
    else
        send(collector(out), &out->ptg->classes[cls], to, p, type);
}

void twill_ptg_send_region(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                           const twill_datatype *type)
{
    twill_ptg_send_typed(out, cls, to, p, type, NULL);
}

void twill_ptg_send(twill_ptg_outputs *out, int cls, int to, const int64_t *p)
{
    if (tw_unlikely(out->n >= out->limit))
        twill_ptg_send_typed(out, cls, to, p, NULL, NULL);
    else
        tw_collect(collector(out), &out->ptg->classes[cls], to, p);
}

void twill_ptg_store_typed(twill_ptg_outputs *out, twill_tile *tile, const twill_datatype *type,
                           const twill_datatype *remote)
{
    if (tw_unlikely(out->visit))
        tw_ptg_visit_tile(out, tile, type, remote);
    else
        store(collector(out), tile, type);
}

void twill_ptg_store(twill_ptg_outputs *out, twill_tile *tile, const twill_datatype *type)
{
    twill_ptg_store_typed(out, tile, type, NULL);
}

/* ---- the end of a task ------------------------------------------------------------------- */

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

/* To successors and tiles of this rank; those of others are left out by the visitor. */
static TW_ALWAYS_INLINE void release_here(tw_worker *w, twill_task *t, const tw_ptg_visitor *visit,
                                          tw_ready *ready)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    tw_ptg_collector out;
    out.out = (twill_ptg_outputs){
        .visit = visit, .ptg = c->ptg, .flow = visit ? TW_VISITED_FLOW : TW_NO_FLOW};
    out.w = w;
    out.task = t;
    out.ready = ready;
    out.used = 0;
    c->cls->release(&out.out, c->ptg->globals, tw_ptg_words(t));
    finish_flow(&out);
    if (ready->n)
        tw_graph_added(t->graph, w, 0, ready->n);
}

/* ---- several ranks ----------------------------------------------------------------------- */

static void release_output(twill_ptg_outputs *out, int flow)
{
    next_flow(collector(out), flow, 0);
}

/* A tile that does not exist is refused like one of this rank. */
static void release_edge(twill_ptg_outputs *out, const tw_ptg_edge *e)
{
    bool here = e->rank == out->ptg->rank;
    if (!e->cls && (here || e->rank < 0))
        store(collector(out), e->tile, e->type);
    else if (here)
        send(collector(out), e->cls, e->to, e->p, e->type);
    else if (e->rank < 0)
        tw_ptg_refuse_place(e->cls, e->p);
}

/* What others need is packed before anybody here can change it, and sent when what this task
 * stores is there: who hears of its end may ask for that. */
TW_NOINLINE static void release_parts(tw_worker *w, twill_task *t, tw_ptg_parts *parts,
                                      tw_ready *ready)
{
    static const tw_ptg_visitor releasing = {.output = release_output, .edge = release_edge};
    const tw_ptg_transport *transport = tw_ptg_class_of(t)->ptg->transport;
    if (parts->n)
        transport->pack(t, parts);
    release_here(w, t, &releasing, ready);
    if (parts->n)
        transport->send(t, parts);
}

static void release_outputs(tw_worker *w, twill_task *t, int only, tw_ready *ready)
{
    tw_ptg_parts parts = {.only = only};
    if (!tw_ptg_destinations(tw_ptg_class_of(t), tw_ptg_words(t), TW_PTG_OTHERS, &parts))
        tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory to send to other ranks");
    else if (!parts.n && !only && !parts.nowhere)
        release_here(w, t, NULL, ready); /* as if there were one rank */
    else if (only || !tw_ptg_store_first(w, t, &parts))
        release_parts(w, t, &parts, ready);
    tw_ptg_parts_free(&parts);
}

TW_NOINLINE static void release_among(tw_worker *w, twill_task *t, tw_ready *ready)
{
    release_outputs(w, t, 0, ready);
}

void tw_ptg_release_rest(tw_worker *w, twill_task *t, tw_ready *ready)
{
    release_outputs(w, t, TW_PTG_TASKS, ready);
}

/* ---- all --------------------------------------------------------------------------------- */

void tw_ptg_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    if (c->cls->ends)
        drop_early(w, t, c->cls->ends);
    if (c->cls->release && !poison) {
        if (tw_unlikely(c->ptg->ranks > 1))
            release_among(w, t, ready);
        else
            release_here(w, t, NULL, ready);
    }
    tw_ptg_drop_values(w, t);
}
