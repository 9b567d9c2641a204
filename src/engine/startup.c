/* Startup tasks: workers ask for them when they have nothing else to do.
 *
 * A worker asks for several at a time, runs the first and queues the others. When they turn out to
 * be very short it keeps the others as its batch, which nobody else can take from and which needs
 * no queue: as long as the graph has more to hand out nobody depends on them. */
#include "engine/remote/remote.h"

enum { SHORT_US = 1 };

_Static_assert(TW_STARTUP_BATCH < 2 * TW_MAGAZINE,
               "what a worker makes and runs comes from its own cache, not from those of others");

void tw_startup_begin(twill_graph *g)
{
    twill *tw = g->tw;
    if (tw_unlikely(g->shared != NULL))
        tw_shared_open(g);
    tw_lock_take(&tw->startup_lock);
    g->next_starting = atomic_load_explicit(&tw->starting, memory_order_relaxed);
    atomic_store_explicit(&tw->starting, g, memory_order_release);
    tw_unlock(&tw->startup_lock);
    tw_wake(tw, 1); /* who finds that there is more wakes others */
}

static void startup_end(twill *tw, twill_graph *g)
{
    assert(tw_is_locked(&tw->startup_lock));
    twill_graph *before = NULL;
    for (twill_graph *x = atomic_load_explicit(&tw->starting, memory_order_relaxed); x != g;
         x = x->next_starting)
        before = x;
    if (before)
        before->next_starting = g->next_starting;
    else
        atomic_store_explicit(&tw->starting, g->next_starting, memory_order_relaxed);
}

static twill_task *take(tw_ready *list)
{
    twill_task *t = (twill_task *)list->head;
    list->head = list->head->next;
    list->n--;
    return t;
}

/* Were the tasks that it got last so short that queues cost more than they do? Schedulers that are
 * no worker's own decide themselves who runs what, and so do priorities. */
static bool may_keep(tw_worker *w, const tw_ready *ready)
{
    uint64_t now = tw_ticks(), since = now - w->startup_at;
    w->startup_at = now;
    if (since > TW_STARTUP_BATCH * SHORT_US * w->tw->us_ticks || !w->looping ||
        !w->tw->sched->has_own)
        return false;
    for (const twill_item *i = ready->head; i; i = i->next)
        if (i->priority > 0)
            return false;
    return true;
}

/* What the first graph in the list hands out, or nothing; *last: it has no more. NULL when somebody
 * else is asking: then there may be something to steal meanwhile. */
static twill_graph *ask(tw_worker *w, tw_startup_batch *out, bool *last)
{
    twill *tw = w->tw;
    out->ready = (tw_ready){0};
    out->to_make = 0;
    *last = false;
    if (!tw_trylock(&tw->startup_lock))
        return NULL;
    twill_graph *g = atomic_load_explicit(&tw->starting, memory_order_relaxed);
    *last = g && !g->ops->startup(g, w, out);
    if (*last)
        startup_end(tw, g);
    tw_unlock(&tw->startup_lock);
    if (out->to_make)
        g->ops->make(g, w, out);
    return g;
}

/* Queue them where others find them. */
static void share(tw_worker *w, tw_ready *ready)
{
    bool looping = w->looping;
    w->looping = false;
    tw_push(w, ready);
    w->looping = looping;
}

twill_task *tw_startup_take(tw_worker *w)
{
    assert(tw_is_inside(w));
    if (w->batch.n) /* the scheduler seemed to have something, and a thief took it */
        return take(&w->batch);
    if (tw_likely(!atomic_load_explicit(&w->tw->starting, memory_order_acquire)))
        return NULL;
    if (tw_unlikely(tw_critical_of(w->tw) != NULL) && tw_critical_calls(w))
        return NULL;
    tw_startup_batch out;
    bool last;
    twill_graph *g = ask(w, &out, &last);
    tw_ready *ready = &out.ready;
    if (!ready->n) {
        if (last || out.to_make)
            tw_graph_look_aside(g, w); /* there may be nothing else left to end it */
        return NULL;
    }
    if (tw_is_traced(w))
        tw_emit_ready(w, ready);
    if (tw_unlikely(tw_critical_of(w->tw) != NULL || w->tw->accelerated)) {
        /* which of them w may run is for the scheduler to say */
        share(w, ready);
        return NULL;
    }
    twill_task *first = take(ready);
    if (!last && may_keep(w, ready))
        w->batch = *ready;
    else if (ready->n)
        share(w, ready); /* the first may be long */
    return first;
}

void tw_startup_give(tw_worker *w)
{
    tw_ready ready = w->batch;
    w->batch = (tw_ready){0};
    if (ready.n)
        tw_push(w, &ready);
}

/* The scheduler keeps one item for the worker alone at most, until its next pop. Without an item of
 * its own the worker would steal one. */
void tw_publish(tw_worker *w)
{
    assert(tw_is_inside(w));
    const twill_sched_ops *sched = w->tw->policy;
    void *state = w->tw->policy_state;
    bool looping = w->looping;
    w->looping = false; /* what it pushes is for others */
    tw_startup_give(w);
    twill_item *item =
        !sched->has_own || sched->has_own(state, w->index) ? sched->pop(state, w->index) : NULL;
    if (item) {
        tw_ready ready = {0};
        tw_ready_add(&ready, (twill_task *)item);
        tw_push(w, &ready);
    }
    w->looping = looping;
}

/* Tasks that w makes itself are in its caches; those of others would have to come from theirs. */
twill_task *tw_startup_first(tw_worker *w)
{
    twill *tw = w->tw;
    if (!atomic_load_explicit(&tw->starting, memory_order_relaxed)) {
        tw_startup_give(w);
        return NULL;
    }
    if (!tw->sched->has_own || tw->sched->has_own(tw->sched_state, w->index))
        return NULL;
    return tw_startup_take(w);
}
