/* A task gets its data before its body is called. */
#include "engine/prepare.h"
#include "front/ptg/outputs.h"

#include <string.h>

static tw_ptg *ptg_of(const twill_task *t)
{
    return tw_ptg_class_of(t)->ptg;
}

/* The worker that runs the task does this too. */
static tw_buffer_cache *cache_of(const twill_task *t)
{
    return tw_ptg_cache(ptg_of(t), t->runner);
}

static void fail_flow(const twill_task *t, int flow, twill_status status, const char *what)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_describe(t, text, sizeof text);
    tw_graph_fail(t->graph, status, "flow %s of %s: %s", tw_ptg_class_of(t)->cls->flow[flow].name,
                  text, what);
}

static const char no_tile[] = "it takes a tile that the array does not have";

static void fail_memory(const twill_ptg_inputs *in, int flow)
{
    fail_flow(in->task, flow, TWILL_ERR_MEMORY, tw_ptg_no_memory);
}

/* The flow keeps no more than the area of what it has. */
static void take(twill_ptg_inputs *in, int flow, tw_area area)
{
    tw_value *v = in->value[flow];
    if (tw_area_within(tw_value_area(v), area, v->rows, v->cols))
        return;
    tw_value *sub = tw_value_region(cache_of(in->task), v, area);
    if (sub)
        in->value[flow] = sub;
    else
        fail_memory(in, flow);
}

void twill_ptg_take_region(twill_ptg_inputs *in, int flow, const twill_datatype *type)
{
    const tw_value *v = in->task ? in->value[flow] : NULL;
    tw_area area;
    if (!v || !v->host.data)
        return;
    const char *why = tw_ptg_area(type, v, &area);
    if (tw_unlikely(why)) {
        fail_flow(in->task, flow, tw_ptg_status(why, TWILL_ERR_ARGUMENT), why);
        return;
    }
    take(in, flow, area);
    tw_area_drop(area);
}

/* The flow takes what the tile holds there. */
static inline void take_tile(twill_ptg_inputs *in, int flow, twill_tile *tile, tw_area area)
{
    in->value[flow] = tw_value_current(&tile->value, area, cache_of(in->task));
    if (tw_unlikely(!in->value[flow]))
        fail_memory(in, flow);
    in->reads_tile |= tw_ptg_class_of(in->task)->cls->flow[flow].mode == TWILL_FLOW_READ;
}

static void take_whole(twill_ptg_inputs *in, int flow, twill_tile *tile)
{
    if (tw_unlikely(!tile)) {
        fail_flow(in->task, flow, TWILL_ERR_ARGUMENT, no_tile);
        return;
    }
    take_tile(in, flow, tile, tw_area_of(TW_FULL));
}

static void take_part(twill_ptg_inputs *in, int flow, twill_tile *tile, const twill_datatype *type)
{
    tw_area area;
    const char *why = tile ? tw_ptg_area(type, &tile->value, &area) : no_tile;
    if (tw_unlikely(why)) {
        fail_flow(in->task, flow, tw_ptg_status(why, TWILL_ERR_ARGUMENT), why);
        return;
    }
    take_tile(in, flow, tile, area);
    if (in->value[flow])
        take(in, flow, area);
    tw_area_drop(area);
}

TW_NOINLINE static void visit_origin(twill_ptg_inputs *in, int flow, twill_tile *tile,
                                     const twill_datatype *type, const twill_datatype *remote)
{
    in->visit(in, &(tw_ptg_origin){.flow = flow,
                                   .tile = tile,
                                   .rank = tw_ptg_owner(tile),
                                   .type = type,
                                   .remote = remote ? remote : type});
}

void twill_ptg_memory_typed(twill_ptg_inputs *in, int flow, twill_tile *tile,
                            const twill_datatype *type, const twill_datatype *remote)
{
    if (tw_unlikely(in->visit))
        visit_origin(in, flow, tile, type, remote);
    else if (type)
        take_part(in, flow, tile, type);
    else
        take_whole(in, flow, tile);
}

void twill_ptg_memory_region(twill_ptg_inputs *in, int flow, twill_tile *tile,
                             const twill_datatype *type)
{
    twill_ptg_memory_typed(in, flow, tile, type, NULL);
}

void twill_ptg_memory(twill_ptg_inputs *in, int flow, twill_tile *tile)
{
    twill_ptg_memory_typed(in, flow, tile, NULL, NULL);
}

/* What belongs to another rank has arrived, unless something else has been counted instead. */
static void take_fetched(twill_ptg_inputs *in, const tw_ptg_origin *o)
{
    if (tw_unlikely(!in->value[o->flow]))
        fail_flow(in->task, o->flow, TWILL_ERR_STATE,
                  "its tile of another rank has not come, but more of something else: is the graph "
                  "the same on all ranks?");
    else if (o->type)
        twill_ptg_take_region(in, o->flow, o->type);
}

/* With several ranks. */
static void bind_among(twill_ptg_inputs *in, const tw_ptg_origin *o)
{
    if (o->rank >= 0 && o->rank != ptg_of(in->task)->rank) {
        take_fetched(in, o);
    } else if (o->type) {
        take_part(in, o->flow, o->tile, o->type);
    } else {
        take_whole(in, o->flow, o->tile);
    }
}

void twill_ptg_fresh(twill_ptg_inputs *in, int flow, const twill_datatype *type, twill_array *like)
{
    if (!in->task)
        return;
    if (type && tw_unlikely(!tw_ptg_is_sized(type))) {
        fail_flow(in->task, flow, TWILL_ERR_ARGUMENT, tw_ptg_no_size);
        return;
    }
    int64_t rows = type && type->rows ? type->rows : like ? tw_pattern_tile_ld(&like->pattern) : 0;
    int64_t cols = type && type->cols ? type->cols : 0;
    size_t element = type && type->element ? type->element : like ? like->element : 0;
    if (!cols && like) {
        cols = 1;
        for (int d = 0; d < like->pattern.ndim; d++)
            cols *= tw_pattern_room(&like->pattern, d);
        cols /= tw_pattern_tile_ld(&like->pattern);
    }
    if (rows <= 0 || cols <= 0 || element == 0) {
        fail_flow(in->task, flow, TWILL_ERR_ARGUMENT,
                  "the size of its NEW buffer is not known; give the dependency a type with rows, "
                  "cols and element");
        return;
    }
    in->value[flow] = tw_value_new(cache_of(in->task), rows, cols, element);
    if (!in->value[flow])
        fail_flow(in->task, flow, TWILL_ERR_MEMORY, "no memory for its NEW buffer");
}

/* The task must not write the bytes that it was given: it gets its own. */
TW_NOINLINE static void make_private(twill_task *t, int flow)
{
    tw_value **place = &tw_ptg_values(t)[flow], *shared = *place;
    tw_value *own = tw_value_new(cache_of(t), shared->rows, shared->cols, shared->element);
    if (!own) {
        fail_flow(t, flow, TWILL_ERR_MEMORY, "no memory for its copy");
        return;
    }
    if (tw_ptg_class_of(t)->cls->flow[flow].mode == TWILL_FLOW_READ_WRITE)
        tw_value_copy(own, shared, tw_value_area(shared));
    tw_value_limit(own, tw_area_hold(tw_value_area(shared)));
    *place = own;
    tw_value_drop(cache_of(t), shared);
}

/* Are these the bytes of an array that the graph only reads? A task that got them from another task
 * may write what it got, but not there. */
static bool is_guarded(const tw_ptg *ptg, const tw_value *v)
{
    const tw_value *whole = v->whole ? v->whole : v;
    if (tw_likely(!ptg->guards) || whole->buffered)
        return false;
    const char *tile = (const char *)whole - offsetof(twill_tile, value);
    return !(tw_ptg_access(ptg, (const twill_tile *)(const void *)tile) & TWILL_WRITE);
}

static bool may_write(const twill_task *t, tw_value *v)
{
    return (tw_value_alone(v) || tw_value_writable(v, cache_of(t))) && !is_guarded(ptg_of(t), v);
}

/* They are read now, and counted down when the task is done. */
static inline void expect_values(const twill_task *t)
{
    tw_value *const *value = tw_ptg_values(t), *const *end = value + tw_ptg_class_of(t)->cls->flows;
    for (; value < end; value++) {
        if (!*value)
            continue;
        tw_prefetch_write(*value);
        if (ptg_of(t)->buffers)
            tw_buffer_expect(*value);
    }
}

/* Once per task: a body that said TWILL_AGAIN finds what it had. */
bool tw_ptg_bind(twill_task *t)
{
    const twill_ptg_class *cls = tw_ptg_class_of(t)->cls;
    uint16_t flags = tw_task_flags(t);
    if (tw_unlikely(flags & TW_TASK_BOUND))
        return !tw_graph_failed(t->graph);
    const tw_ptg *ptg = ptg_of(t);
    twill_ptg_inputs in = {ptg->ranks > 1 ? bind_among : NULL, t, tw_ptg_values(t), false};
    expect_values(t);
    if (cls->bind)
        cls->bind(&in, ptg->globals, tw_ptg_words(t));
    flags |= in.reads_tile ? TW_TASK_BOUND | TW_TASK_READS_TILE : TW_TASK_BOUND;
    atomic_store_explicit(&t->flags, flags, memory_order_relaxed);
    for (uint32_t left = tw_ptg_class_of(t)->written; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (in.value[i] && in.value[i]->host.data && !may_write(t, in.value[i]))
            make_private(t, i);
    }
    return !tw_graph_failed(t->graph);
}

int tw_ptg_list_values(twill_task *t, tw_staged *list)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    tw_value *const *value = tw_ptg_values(t);
    int n = 0;
    for (int i = 0; i < c->cls->flows; i++) {
        if (!value[i] || !value[i]->host.data)
            continue;
        if (list)
            list[n] = (tw_staged){.value = value[i],
                                  .reads = c->cls->flow[i].mode != TWILL_FLOW_WRITE,
                                  .writes = c->written >> i & 1};
        n++;
    }
    return n;
}

tw_value *tw_ptg_reads(const twill_task *t, int flow, atomic_int **readers)
{
    const twill_ptg_class *cls = tw_ptg_class_of(t)->cls;
    tw_value *v = flow < cls->flows ? tw_ptg_values(t)[flow] : NULL;
    if (!v || cls->flow[flow].mode != TWILL_FLOW_READ || v->whole || v->region != TW_FULL)
        return NULL;
    *readers = &v->refs;
    return v;
}

/* Where the values are that the task works on in another memory. */
TW_NOINLINE static void show_staged(const twill_task *t, twill_flow *flow)
{
    tw_value *const *value = tw_ptg_values(t);
    for (int i = 0; i < tw_ptg_class_of(t)->cls->flows; i++) {
        const tw_replica *r = value[i] ? tw_task_replica(t, value[i]) : NULL;
        if (!r)
            continue;
        flow[i].data = r->data;
        flow[i].ld = r->ld;
    }
}

/* What the body sees: a value begins with it. */
static void show(const twill_task *t, twill_flow *first)
{
    _Static_assert(offsetof(tw_value, host.ld) == offsetof(twill_flow, ld) &&
                       offsetof(tw_value, rows) == offsetof(twill_flow, rows) &&
                       offsetof(tw_value, cols) == offsetof(twill_flow, cols),
                   "the same, in the same order");
    tw_value *const *value = tw_ptg_values(t), *const *end = value + tw_ptg_class_of(t)->cls->flows;
    for (twill_flow *flow = first; value < end; value++, flow++)
        if (*value)
            memcpy(flow, *value, sizeof *flow);
        else
            *flow = (twill_flow){0};
    if (tw_unlikely(tw_task_flags(t) & TW_TASK_STAGED))
        show_staged(t, first);
}

static twill_outcome run_cpu(twill_task *t)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    if (c->cls->flows == 0)
        return c->cpu.body.cpu(t, ptg_of(t)->globals, tw_ptg_words(t), NULL);
    twill_flow flow[TW_PTG_FLOWS];
    show(t, flow);
    return c->cpu.body.cpu(t, ptg_of(t)->globals, tw_ptg_words(t), flow);
}

static twill_outcome run_team(twill_task *t, twill_team *team)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    twill_flow flow[TW_PTG_FLOWS];
    show(t, flow);
    return c->team.body.team(t, team, ptg_of(t)->globals, tw_ptg_words(t), flow);
}

/* Of all kinds of devices: they differ in what the lane is. */
static twill_outcome run_lane(twill_task *t, void *lane, const twill_ptg_chore *chore)
{
    twill_flow flow[TW_PTG_FLOWS];
    show(t, flow);
    return chore->body.host(t, lane, ptg_of(t)->globals, tw_ptg_words(t), flow);
}

static twill_outcome run_cuda(twill_task *t, void *lane)
{
    return run_lane(t, lane, &tw_ptg_class_of(t)->lane[0]);
}

static twill_outcome run_opencl(twill_task *t, void *lane)
{
    return run_lane(t, lane, &tw_ptg_class_of(t)->lane[1]);
}

static twill_outcome run_host(twill_task *t, void *lane)
{
    return run_lane(t, lane, &tw_ptg_class_of(t)->lane[2]);
}

/* What a device runs; NULL when the class has a body for its kind already. */
static twill_chore *take_lane(tw_ptg_class *c, const twill_ptg_chore *from, twill_chore *to)
{
    static twill_outcome (*const run[])(twill_task * t, void *lane) = {run_cuda, run_opencl,
                                                                       run_host};
    twill_ptg_chore *kept = &c->lane[from->kind - TWILL_CHORE_CUDA];
    if (kept->kind || !from->body.host)
        return to;
    *kept = *from;
    *to = (twill_chore){.kind = from->kind, .body.host = run[from->kind - TWILL_CHORE_CUDA]};
    return to + 1;
}

void tw_ptg_take_chores(tw_ptg_class *c)
{
    twill_chore *to = c->chores.chores;
    for (int i = 0; i < TWILL_CHORES && c->cls->chores[i].kind != TWILL_CHORE_END; i++) {
        const twill_ptg_chore *from = &c->cls->chores[i];
        if (from->kind == TWILL_CHORE_CPU && !c->cpu.kind) {
            c->cpu = *from;
            *to++ = (twill_chore)TWILL_CPU(from->body.cpu ? run_cpu : NULL);
        } else if (from->kind == TWILL_CHORE_TEAM && !c->team.kind) {
            c->team = *from;
            *to++ = (twill_chore)TWILL_TEAM(from->body.team ? run_team : NULL, from->team_size);
        } else if (from->kind >= TWILL_CHORE_CUDA && from->kind <= TWILL_CHORE_HOST) {
            to = take_lane(c, from, to);
        }
    }
}

const int64_t *twill_ptg_parameters(const twill_task *t)
{
    return t->graph->ops == &tw_ptg_ops ? tw_ptg_words(t) : NULL;
}
