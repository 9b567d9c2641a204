/* The life of a task, from ready to gone. */
#include "engine/engine.h"

#include "engine/hazard.h"
#include "engine/nest.h"
#include "engine/use.h"

#include <stdlib.h>

TW_APART static twill_task *get_large(twill *tw, size_t lines)
{
    tw_large *large = aligned_alloc(TW_LINE, sizeof *large + lines * TW_LINE);
    if (!large)
        return NULL;
    twill_task *t = (twill_task *)(large + 1);
    t->nslots = 0; /* reports may look at it before it is filled */
    atomic_init(&t->flags, TW_TASK_LARGE);
    atomic_init(&t->state, TW_TASK_FREE);
    tw_lock_take(&tw->graph_lock);
    large->next = tw->large;
    large->link = &tw->large;
    if (large->next)
        large->next->link = &large->next;
    tw->large = large;
    tw_unlock(&tw->graph_lock);
    return t;
}

TW_APART static void put_large(twill *tw, twill_task *t)
{
    tw_large *large = (tw_large *)t - 1;
    tw_lock_take(&tw->graph_lock);
    *large->link = large->next;
    if (large->next)
        large->next->link = large->link;
    tw_unlock(&tw->graph_lock);
    free(large);
}

twill_task *tw_task_get(tw_worker *w, size_t lines)
{
    if (tw_unlikely(lines > TW_TASK_LINES))
        return get_large(w->tw, lines);
    twill_task *t = tw_pool_get(&w->tw->pools[lines], &w->tasks[lines]);
    if (tw_unlikely(!t))
        return NULL;
    t->lines = (uint8_t)lines;
    atomic_store_explicit(&t->flags, 0, memory_order_relaxed);
    return t;
}

void tw_task_put(tw_worker *w, twill_task *t)
{
    if (tw_unlikely(tw_task_flags(t) & TW_TASK_LARGE))
        put_large(w->tw, t);
    else
        tw_pool_put(&w->tw->pools[t->lines], &w->tasks[t->lines], t);
}

void tw_task_grant(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    if (tw_unlikely(poison) && tw_poison_holds(w->tw, poison))
        atomic_fetch_or_explicit(&t->flags, TW_TASK_POISONED, memory_order_relaxed);
    if (tw_is_heard(w))
        tw_tell_grant(w, t);
    /* The last one needs no read-modify-write: nobody else will touch the count. acq_rel: what came
     * before any of the grants is visible to the task. */
    if (atomic_load_explicit(&t->wait, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&t->wait, 1, memory_order_acq_rel) != 1)
        return;
    uint16_t flags = tw_task_flags(t);
    if (tw_unlikely(flags & TW_TASK_USE))
        tw_use_granted(w, t);
    else if (tw_likely(!(flags & TW_TASK_COMMUTES)) || tw_tokens_take(t))
        tw_ready_add(ready, t);
    __builtin_prefetch(t->slots);
}

/* Does w look for its next task right after this? Not inside a body, which may take long: what is
 * inserted there, or completed from there, is for whoever comes first. */
static bool pops_next(const tw_worker *w)
{
    return w->looping && !atomic_load_explicit(&w->running, memory_order_relaxed);
}

void tw_push(tw_worker *w, tw_ready *ready)
{
    twill *tw = w->tw;
    int wanted = -1;
    for (twill_item *i = ready->head; i; i = i->next) {
        tw_task_set_state((twill_task *)i, TW_TASK_READY);
        wanted = i->worker > wanted ? i->worker : wanted;
    }
    int n = tw->sched->push(tw->sched_state, w->index, ready->head, ready->n, pops_next(w));
    if (n > 0)
        tw_wake(tw, n);
    if (tw_unlikely(wanted >= 0) && wanted < tw->workers && wanted != w->index)
        tw_wake_worker(tw, wanted);
}

static size_t scratch_bytes(const tw_slot *slot)
{
    return ((size_t)slot->access.epoch + TW_LINE - 1) / TW_LINE * TW_LINE;
}

/* Scratch arguments share the worker's block; false when there is no memory. */
static bool bind_scratch(tw_worker *w, twill_task *t)
{
    size_t total = TW_LINE; /* so that there is something to point at */
    for (uint32_t i = 0; i < t->nslots; i++)
        if (t->slots[i].kind == TWILL_ARG_SCRATCH)
            total += scratch_bytes(&t->slots[i]);
    if (w->scratch_size < total) {
        free(w->scratch);
        w->scratch = aligned_alloc(TW_LINE, total);
        w->scratch_size = w->scratch ? total : 0;
    }
    char *at = w->scratch;
    for (uint32_t i = 0; i < t->nslots && at; i++) {
        if (t->slots[i].kind != TWILL_ARG_SCRATCH)
            continue;
        t->slots[i].u.data = at;
        at += scratch_bytes(&t->slots[i]);
    }
    return at;
}

TW_APART static twill_outcome run_body(tw_worker *w, twill_task *t)
{
    if (t->cls->team && (w->tw->workers > 1 || !t->cls->cpu))
        return tw_team_lead(w, t);
    return t->cls->cpu(t);
}

static twill_outcome no_scratch(const twill_task *t)
{
    char title[TW_TITLE];
    tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "task %s: no memory for its scratch arguments",
                  tw_task_title(t, title));
    return TWILL_ERROR;
}

TW_APART static twill_outcome run_with_scratch(tw_worker *w, twill_task *t)
{
    return bind_scratch(w, t) ? run_body(w, t) : no_scratch(t);
}

/* The graph was canceled, or the data the task needs is not there. */
TW_APART static void skip(tw_worker *w, twill_task *t)
{
    char title[TW_TITLE];
    if (!tw_graph_failed(t->graph))
        tw_graph_fail(t->graph, TWILL_ERR_CANCELED,
                      "task %s was canceled: it reads data of a task that failed",
                      tw_task_title(t, title));
    tw_count(&w->counters.skipped, 1);
    tw_emit(&w->tw->sink, TW_EVENT_SKIP, w->index, t, -1, 0);
    tw_complete(w, t, true);
}

TW_APART static void finish(tw_worker *w, twill_task *t, twill_outcome outcome)
{
    char title[TW_TITLE];
    if (outcome == TWILL_ASYNC) /* not ours any more */
        return;
    uint16_t flags = tw_task_flags(t);
    if (flags & TW_TASK_NESTS) {
        tw_nest_abandoned(w, t);
        return;
    }
    switch (outcome) {
    case TWILL_DONE:
        tw_complete(w, t, false);
        return;
    case TWILL_ASYNC:
        return;
    case TWILL_AGAIN:
        atomic_store_explicit(&t->flags, flags | TW_TASK_AGAIN, memory_order_relaxed);
        tw_task_set_state(t, TW_TASK_READY);
        if (tw_is_heard(w))
            tw_tell_enable(w, t, t);
        tw_postpone(w->tw, t);
        return;
    case TWILL_ERROR:
        break;
    }
    /* If it has said why, that may have been reported by now. */
    if (!(flags & TW_TASK_FAILED))
        tw_graph_fail(t->graph, TWILL_ERR_TASK, "task %s failed without saying why",
                      tw_task_title(t, title));
    tw_complete(w, t, true);
}

/* The worker turns to another graph, or to another phase of the same one. */
TW_APART static void turn_to(tw_worker *w, twill_graph *g, uint16_t phase)
{
    if (w->last)
        tw_graph_look_aside(w->last, w);
    w->last = g;
    w->last_phase = phase;
}

void tw_run(tw_worker *w, twill_task *t)
{
    twill_graph *g = t->graph;
    uint16_t flags = tw_task_flags(t);
    if (tw_unlikely(g != w->last || (flags & TW_TASK_PHASE) != w->last_phase))
        turn_to(w, g, flags & TW_TASK_PHASE);
    if (tw_unlikely(tw_graph_failed(g) ||
                    flags & (TW_TASK_POISONED | TW_TASK_AGAIN | TW_TASK_FAILED))) {
        /* what it said before, perhaps in another run; now, because it may be gone after its body
         */
        atomic_store_explicit(&t->flags, flags & (uint16_t) ~(TW_TASK_AGAIN | TW_TASK_FAILED),
                              memory_order_relaxed);
        if (tw_graph_failed(g) || flags & TW_TASK_POISONED) {
            if (flags & TW_TASK_AGAIN)
                atomic_fetch_sub_explicit(&w->tw->retrying, 1, memory_order_relaxed);
            skip(w, t);
            return;
        }
        atomic_store_explicit(&w->retries, flags & TW_TASK_AGAIN, memory_order_relaxed);
    }
    /* What the inserter wrote last is on another core: let it come while the body runs. */
    for (uint32_t i = 0; i < t->nslots; i++)
        __builtin_prefetch(t->slots[i].access.epoch, 1);
    t->runner = (int16_t)w->index;
    w->body_graph = g;
    w->body_flags = flags;
    /* Before the body runs: an ASYNC task may be completed by another thread before it returns. */
    tw_task_set_state(t, TW_TASK_RUNNING);
    /* release: reports that see the task see what it is */
    atomic_store_explicit(&w->running, t, memory_order_release);
    if (tw_is_heard(w))
        tw_tell_begin(w, t);
    tw_leave(w);
    twill_outcome outcome = tw_unlikely(flags & TW_TASK_SCRATCH) ? run_with_scratch(w, t)
                            : tw_likely(!t->cls->team)           ? t->cls->cpu(t)
                                                                 : run_body(w, t);
    if (tw_unlikely(tw_return(w) & TW_REQUEST_EVENTS))
        tw_tell_end(w, t, outcome);
    atomic_store_explicit(&w->running, NULL, memory_order_relaxed);
    if (tw_likely(outcome == TWILL_DONE &&
                  !((flags | tw_task_flags(t)) & (TW_TASK_NESTS | TW_TASK_AGAIN)))) {
        tw_count(&w->counters.executed, 1);
        tw_complete(w, t, false);
    } else {
        tw_count(&w->counters.executed, outcome != TWILL_AGAIN);
        atomic_store_explicit(&w->retries, false, memory_order_relaxed);
        finish(w, t, outcome);
        if (flags & TW_TASK_AGAIN) /* after: it may have been counted once more */
            atomic_fetch_sub_explicit(&w->tw->retrying, 1, memory_order_relaxed);
    }
}

void tw_complete(tw_worker *w, twill_task *t, bool failed)
{
    twill_graph *g = t->graph;
    tw_ready ready = {0};
    int phase = tw_task_phase(t);
    uint32_t poison = tw_unlikely(failed) ? tw_poison_mark(g) : 0;
    w->releasing = t;
    /* Before: when it has left its chains, the arrays that it names may be freed. */
    tw_task_set_state(t, TW_TASK_FREE);
    const tw_graph_ops *ops = g->ops;
    ops->release(w, t, poison, &ready);
    if (ops->recycle)
        ops->recycle(w, t);
    if (ready.n)
        tw_push(w, &ready);
    tw_graph_retired(g, w, phase, 1); /* last */
}

void twill_task_done(twill_task *t, twill_status status)
{
    twill_graph *g = t->graph;
    twill *tw = g->tw;
    char title[TW_TITLE];
    /* The program may see the task's end and stop the context before this returns. */
    atomic_fetch_add_explicit(&tw->completing, 1, memory_order_relaxed);
    if (status != TWILL_OK)
        tw_graph_fail(g, status, "task %s failed: %s", tw_task_title(t, title),
                      twill_status_name(status));
    tw_worker *w = tw_enter(tw);
    tw_emit(&tw->sink, TW_EVENT_DONE, w->index, t, -1, 0);
    tw_complete(w, t, status != TWILL_OK);
    tw_graph_look(g, w);
    tw_exit(w);
    /* release pairs with the acquire in twill_stop */
    atomic_fetch_sub_explicit(&tw->completing, 1, memory_order_release);
}
