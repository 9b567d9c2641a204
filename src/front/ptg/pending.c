/* Instances: made when their first input arrives, and done with waiting when their last one does.
 */
#include "front/ptg/id.h"
#include "front/ptg/remote.h"

#include "base/minmax.h"

#include <string.h>

/* The worker that the owner of its data prefers for an instance; -1: any. */
static int16_t prefer(const tw_ptg_class *c, const int64_t *p)
{
    const twill_ptg_class *cls = c->cls;
    if (!cls->worker)
        return -1;
    int64_t worker = cls->worker(c->ptg->globals, p);
    return (int16_t)(worker < 0 ? -1 : worker % c->ptg->workers);
}

/* What few graphs have to say about an instance. */
TW_NOINLINE static void add_particulars(twill_task *t, const tw_ptg_class *c, const int64_t *p)
{
    const tw_ptg *ptg = c->ptg;
    unsigned flags = tw_task_flags(t);
    int64_t size = c->team_size ? c->team_size(ptg->globals, p) : 0;
    if (ptg->hinted)
        t->item.worker = prefer(c, p);
    if (c->critical && c->critical(ptg->globals, p))
        flags |= TW_TASK_CRITICAL;
    if (size > 0) {
        t->team = (int16_t)tw_min(size, INT16_MAX);
        flags |= TW_TASK_SIZED;
    }
    atomic_store_explicit(&t->flags, (uint16_t)flags, memory_order_relaxed);
}

/* A new task has no values yet. Most instances fit into a line behind the header. */
static inline void clear_values(twill_task *t, size_t lines)
{
    char *line = (char *)t->slots;
    memset(line, 0, TW_LINE);
    if (tw_unlikely(lines > 2))
        memset(line + TW_LINE, 0, (lines - 2) * TW_LINE);
}

twill_task *tw_ptg_make(tw_worker *w, tw_ptg_class *c, const int64_t *p)
{
    const twill_ptg_class *cls = c->cls;
    const tw_ptg *ptg = c->ptg;
    size_t lines = c->lines;
    twill_task *t = tw_task_get(w, lines);
    if (tw_unlikely(!t)) {
        tw_graph_fail(ptg->graph, TWILL_ERR_MEMORY, "no memory for a task");
        return NULL;
    }
    int64_t priority = cls->priority ? cls->priority(ptg->globals, p) : 0;
    t->item = (twill_item){.priority = (int32_t)tw_clamp(priority, INT32_MIN, INT32_MAX),
                           .worker = -1,
                           .devices = UINT16_MAX};
    t->graph = ptg->graph;
    t->cls = &c->chores;
    t->nslots = 0;
    t->name = NULL;
    t->cost.flops = t->cost.bytes = 0; /* traces ask the class themselves */
    clear_values(t, lines);
    if (cls->flows)
        atomic_store_explicit(&t->flags, TW_TASK_PREPARE | tw_task_flags(t), memory_order_relaxed);
    tw_ptg_copy(tw_ptg_words(t), p, cls->parameters);
    if (tw_unlikely(ptg->particular))
        add_particulars(t, c, p);
    return t;
}

/* The value goes to its place; false when there is one already. */
static bool put_value(twill_task *t, const tw_ptg_class *c, int flow, tw_value *v)
{
    tw_value **place = (tw_value **)(tw_ptg_words(t) + c->cls->parameters) + flow;
    bool empty = !*place;
    if (empty)
        *place = v;
    return empty;
}

/* How many inputs the instance waits for; 0 after failing the graph. */
static int64_t inputs_of(const tw_ptg_class *c, const int64_t *p)
{
    int64_t n = c->cls->inputs(c->ptg->globals, p);
    if (tw_unlikely(n <= 0)) {
        tw_ptg_fail_instance(c, p,
                             n < 0 ? "is outside its space, and a task sends to it"
                                   : "expects no task, and a task sends to it");
        return 0;
    }
    return tw_ptg_check_place(c, p) ? n : 0;
}

/* An instance for which something arrives first; it waits for more if `*left` says so. */
static twill_task *make_first(tw_worker *w, tw_ptg_class *c, const int64_t *p, int32_t *left)
{
    int64_t inputs = inputs_of(c, p);
    twill_task *t = inputs ? tw_ptg_make(w, c, p) : NULL;
    if (!t)
        return NULL;
    if (tw_unlikely(inputs > INT32_MAX)) {
        tw_ptg_fail_instance(c, p, "has more inputs than can be counted");
        inputs = INT32_MAX;
    }
    *left = (int32_t)inputs - 1;
    tw_task_set_state(t, TW_TASK_WAITING);
    return t;
}

/* One input less to come: how many there still are. */
static int32_t count_down(tw_bucket_slot at)
{
    int32_t left = atomic_load_explicit(at.left, memory_order_relaxed) - 1;
    atomic_store_explicit(at.left, left, memory_order_relaxed);
    return left;
}

static void refuse_value(tw_worker *w, tw_ptg_class *c, const int64_t *p, tw_value *v, bool twice)
{
    if (twice)
        tw_ptg_fail_instance(c, p, "gets two values for one flow");
    if (v)
        tw_value_drop(tw_ptg_cache(c->ptg, w->index), v);
}

/* What an arrival did to the table. */
typedef struct change {
    bool entered, left, crowded;
} change;

/* Under the bucket's lock. The instance, and in `*left` how many inputs it still waits for. */
static twill_task *take_input(tw_worker *w, tw_bucket *b, tw_ptg_class *c, const int64_t *p,
                              uint64_t id, int32_t *left, change *done)
{
    assert(tw_is_locked(&b->lock));
    tw_bucket_slot at = tw_bucket_find(b, id, p);
    twill_task *t;
    if (at.link) {
        t = atomic_load_explicit(at.link, memory_order_relaxed);
        *left = count_down(at);
        if ((done->left = *left == 0))
            tw_bucket_leave(b, at);
    } else if ((t = make_first(w, c, p, left)) && *left > 0) {
        done->entered = true;
        done->crowded = tw_bucket_enter(b, id, t, *left);
    }
    return t;
}

static twill_task *arrive_in_table(tw_worker *w, const tw_activation *a, const int64_t *p,
                                   tw_value *v)
{
    tw_table *table = &a->cls->ptg->waiting;
    change done = {false, false, false};
    int32_t left = 0;
    tw_bucket *b = tw_table_lock(table, a->bucket, a->id);
    twill_task *t = take_input(w, b, a->cls, p, a->id, &left, &done);
    bool accepted = t && (!v || put_value(t, a->cls, a->flow, v));
    if (tw_is_traced(w) && t)
        tw_emit_grant(w, t);
    tw_unlock(&b->lock);
    if (done.left)
        tw_table_left(table, w->index);
    else if (done.entered)
        tw_table_entered(table, w->index, done.crowded);
    if (tw_unlikely(!accepted))
        refuse_value(w, a->cls, p, v, t);
    return left == 0 ? t : NULL;
}

/* Nobody else will ask for it: it need not wait in the table. */
static twill_task *arrive_alone(tw_worker *w, const tw_activation *a, const int64_t *p, tw_value *v)
{
    twill_task *t = inputs_of(a->cls, p) ? tw_ptg_make(w, a->cls, p) : NULL;
    if (tw_unlikely(!t))
        refuse_value(w, a->cls, p, v, false);
    else if (v)
        put_value(t, a->cls, a->flow, v);
    if (tw_is_traced(w) && t)
        tw_emit_grant(w, t);
    return t;
}

twill_task *tw_pending_arrive(tw_worker *w, const tw_activation *a, const int64_t *p, tw_value *v)
{
    twill_task *t = a->bucket ? arrive_in_table(w, a, p, v) : arrive_alone(w, a, p, v);
    return t && tw_unlikely(a->cls->ptg->ranks > 1) ? tw_pending_fetch(w, t, p) : t;
}

/* The instance waits in the table since tw_pending_fetch, unless the graph has failed. */
twill_task *tw_pending_tile(tw_worker *w, tw_ptg_class *c, const int64_t *p, int flow, tw_value *v)
{
    tw_table *table = &c->ptg->waiting;
    uint64_t id = tw_instance_id(c, p);
    tw_bucket *b = tw_table_lock(table, tw_table_bucket(table, id), id);
    tw_bucket_slot at = tw_bucket_find(b, id, p);
    twill_task *t = at.link ? atomic_load_explicit(at.link, memory_order_relaxed) : NULL;
    bool accepted = t && put_value(t, c, flow, v);
    bool last = accepted && count_down(at) == 0;
    if (last)
        tw_bucket_leave(b, at);
    if (tw_is_traced(w) && t)
        tw_emit_grant(w, t);
    tw_unlock(&b->lock);
    if (!accepted)
        refuse_value(w, c, p, v, t);
    if (last)
        tw_table_left(table, w->index);
    return last ? t : NULL;
}

static void discard(twill_task *t, void *arg)
{
    tw_ptg_drop_values(arg, t);
    tw_task_put(arg, t);
}

void tw_pending_clear(tw_ptg *ptg, tw_worker *w)
{
    tw_table_each(&ptg->waiting, discard, w);
    tw_table_clear(&ptg->waiting);
}
