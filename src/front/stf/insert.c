/* Insertion: from a list of arguments to a task in its chains. */
#include "front/stf/ranks.h"

#include "base/chore.h"
#include "base/minmax.h"
#include "engine/hazard.h"

enum { LOOK_EVERY = 64 };

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a task");
}

/* The task has been counted, and is in no chain. It ends like one of a graph that has failed, which
 * the graph is about to do. */
TW_NOINLINE static twill_status give_up(twill_graph *g, twill_task *t, tw_ready *ready)
{
    tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a task");
    atomic_fetch_or_explicit(&t->flags, TW_TASK_POISONED, memory_order_relaxed);
    tw_ready_add(ready, t);
    return no_memory();
}

twill_status tw_stf_link(tw_worker *w, twill_graph *g, const twill_class *cls,
                         const tw_shape *shape, const twill_arg *args, tw_ready *ready)
{
    bool reserved = !shape->array || tw_hazards_reserve(w, (int)shape->slots);
    twill_task *t = tw_likely(reserved) ? tw_task_get(w, shape->lines) : NULL;
    if (tw_unlikely(!t))
        return no_memory();
    int phase = tw_insertion_phase(w, g);
    tw_args_fill(t, g, cls, shape, args);
    if (tw_unlikely(phase))
        atomic_fetch_or_explicit(&t->flags, TW_TASK_PHASE, memory_order_relaxed);
    tw_graph_added(g, w, phase, 1);
    tw_entered entered = tw_hazards_enter(w, t, shape->several ? NULL : shape->array);
    if (entered == TW_ENTERED_WAITS)
        return TWILL_OK;
    if (tw_unlikely(entered == TW_ENTERED_NONE))
        return give_up(g, t, ready);
    if (tw_likely(!(shape->flags & TW_TASK_COMMUTES)) || tw_tokens_take(t))
        tw_ready_add(ready, t);
    return TWILL_OK;
}

/* With an immediate scheduler, tasks run here; so do those that they enable, and those that they
 * insert: one after the other, however deeply they insert each other. */
TW_NOINLINE static void run_now(tw_worker *w)
{
    if (w->index != 0 || tw_self(w->tw))
        return; /* whoever is primary will */
    w->outer = tw_become(w);
    twill_item *item;
    while ((item = w->tw->sched->pop(w->tw->sched_state, w->index)))
        tw_run(w, (twill_task *)item);
    if (w->last) {
        tw_graph_look(w->last, w);
        w->last = NULL;
    }
    tw_become(w->outer);
    w->outer = NULL;
}

void tw_stf_dispatch(tw_worker *w, tw_ready *ready)
{
    if (ready->n == 0)
        return;
    if (tw_is_traced(w))
        tw_emit_ready(w, ready);
    tw_push(w, ready);
    if (tw_unlikely(w->tw->sched->immediate))
        run_now(w);
}

/* Now and then, look whether the window is full. Inside tasks insertion never blocks. */
TW_NOINLINE static bool look(tw_tally *tally, const twill_graph *g)
{
    tally->countdown = tw_min(g->tw->window, LOOK_EVERY);
    return tw_graph_in_flight(g) >= g->tw->window && !tw_in_task(g->tw);
}

bool tw_stf_is_full(tw_worker *w, twill_graph *g)
{
    tw_tally *tally = &g->tally[w->index];
    return tw_unlikely(--tally->countdown <= 0) && look(tally, g);
}

static twill_status check(const twill_graph *g, const twill_class *cls, const twill_arg *args,
                          tw_shape *shape)
{
    if (tw_unlikely(!args))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_insert: the arguments are NULL");
    if (tw_unlikely(!cls || !tw_class_is_plain(cls)) &&
        tw_class_check("twill_insert", cls) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    return tw_args_measure(g, args, shape);
}

/* A graph without one of its tasks is not what the program meant: it fails. */
TW_NOINLINE static twill_status missed(twill_graph *g, twill_status status)
{
    tw_graph_fail(g, status, "%s", twill_message());
    return status;
}

TW_NOINLINE static twill_status insert_elsewhere(twill_graph *g, const twill_class *cls,
                                                 const twill_arg *args)
{
    if (g && g->ops == &tw_stf_ranks_ops)
        return tw_stf_ranks_insert(g, cls, args);
    return tw_fail(TWILL_ERR_ARGUMENT, "twill_insert: the graph is NULL or not one of "
                                       "twill_stf_begin");
}

twill_status twill_insert_args(twill_graph *g, const twill_class *cls, const twill_arg *args)
{
    if (tw_unlikely(!g || g->ops != &tw_stf_ops))
        return insert_elsewhere(g, cls, args);
    if (tw_unlikely(tw_graph_failed(g)))
        return tw_graph_report(g);
    tw_shape shape;
    twill_status status = check(g, cls, args, &shape);
    if (tw_unlikely(status != TWILL_OK))
        return missed(g, status);
    tw_ready ready = {0};
    tw_worker *w = tw_enter(g->tw);
    if (tw_likely(!shape.reduces))
        status = tw_stf_link(w, g, cls, &shape, args, &ready);
    else
        status = tw_reduce_insert(w, g, cls, args, &ready);
    tw_stf_dispatch(w, &ready);
    bool full = tw_stf_is_full(w, g);
    tw_exit(w);
    if (tw_unlikely(full))
        tw_help(g);
    return tw_likely(status == TWILL_OK) ? TWILL_OK : missed(g, status);
}
