/* The end of a task: whoever ran it, or completed it from outside, releases its successors. */
#include "engine/prepare.h"

void tw_complete(tw_worker *w, twill_task *t, bool failed)
{
    assert(tw_is_inside(w));
    twill_graph *g = t->graph;
    tw_ready ready = {0};
    uint16_t flags = tw_task_flags(t);
    if (tw_unlikely(flags & TW_TASK_STAGED) && !tw_task_unstage(w, t, failed))
        return;
    int phase = (flags & TW_TASK_PHASE) != 0;
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

void tw_task_done(tw_worker *w, twill_task *t, bool failed)
{
    twill_graph *g = t->graph;
    tw_emit(&w->tw->sink, TW_EVENT_DONE, w->index, t, -1, 0);
    if (tw_unlikely(tw_task_flags(t) & TW_TASK_SCRATCH))
        tw_scratch_release(w, t);
    tw_complete(w, t, failed);
    tw_graph_look(g, w);
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
    tw_task_done(w, t, status != TWILL_OK);
    tw_exit(w);
    /* release pairs with the acquire in twill_stop */
    atomic_fetch_sub_explicit(&tw->completing, 1, memory_order_release);
}
