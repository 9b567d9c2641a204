/* The end of a graph that a body opened completes that body's task. */
#include "engine/nest.h"

twill_status tw_nest_begin(twill_task *task, const tw_graph_ops *ops, twill_graph **g)
{
    char title[TW_TITLE];
    uint16_t before = atomic_fetch_or_explicit(&task->flags, TW_TASK_NESTS, memory_order_relaxed);
    if (before & TW_TASK_NESTS)
        return tw_fail(TWILL_ERR_STATE, "task %s has opened a nested graph already",
                       tw_task_title(task, title));
    twill_status status = tw_graph_make(task->graph->tw, ops, NULL, task, g);
    if (status != TWILL_OK)
        atomic_fetch_and_explicit(&task->flags, (uint16_t)~TW_TASK_NESTS, memory_order_relaxed);
    /* What was canceled before the graph was in the list has not reached it. */
    else if (tw_graph_failed(task->graph))
        tw_graph_fail(*g, TWILL_ERR_CANCELED, "the graph around it failed or was canceled");
    return status;
}

twill_graph *tw_nest_ended(twill_graph *g, tw_worker *w)
{
    twill_task *parent = g->parent;
    twill_graph *above = tw_graph_above(g);
    /* Its last tasks owe something, or somebody else who needs it has just inserted that. */
    if (g->ops->flush && (g->ops->flush(g, w) || !tw_graph_idle(g))) {
        tw_graph_expect_end(g);
        return g;
    }
    bool failed = tw_graph_failed(g);
    tw_graph_discard(g, w);
    tw_emit(&w->tw->sink, TW_EVENT_DONE, w->index, parent, -1, 0);
    if (tw_unlikely(tw_task_flags(parent) & TW_TASK_SCRATCH))
        tw_scratch_release(w, parent);
    tw_complete(w, parent, failed);
    return above;
}

static void end(tw_worker *w, twill_graph *g)
{
    atomic_fetch_and_explicit(&g->parent->flags, (uint16_t)~TW_TASK_NESTS, memory_order_relaxed);
    tw_graph_expect_end(g);
    tw_graph_look(g, w);
}

twill_outcome twill_nest_end(twill_graph *g)
{
    tw_worker *w = tw_enter(g->tw);
    end(w, g);
    tw_exit(w);
    return TWILL_ASYNC;
}

static twill_graph *inside(const twill_task *t)
{
    twill *tw = t->graph->tw;
    tw_lock_take(&tw->graph_lock);
    twill_graph *g = tw->graphs;
    while (g && g->parent != t)
        g = g->next;
    tw_unlock(&tw->graph_lock);
    return g;
}

void tw_nest_abandoned(tw_worker *w, twill_task *t)
{
    char title[TW_TITLE];
    twill_graph *g = inside(t);
    tw_graph_fail(g, TWILL_ERR_STATE,
                  "task %s opened a nested graph and did not return "
                  "twill_nest_end of it",
                  tw_task_title(t, title));
    end(w, g);
}

/* Would an argument wait for a task around it, which waits for the nested graph? */
twill_status tw_nest_check(const twill_graph *g, const twill_tile *tile, twill_arg_kind kind)
{
    for (; g->parent; g = g->parent->graph) {
        const twill_task *t = g->parent;
        for (uint32_t i = 0; i < t->nslots; i++) {
            const tw_slot *slot = &t->slots[i];
            if (!tw_slot_is_data(slot) || slot->u.tile != tile)
                continue;
            if (slot->mode != TW_READ || kind != TWILL_ARG_READ)
                return tw_fail(TWILL_ERR_STATE,
                               "a nested task cannot use a tile that task %s around it holds: it "
                               "would wait for it for ever; wrap its bytes as a finer array",
                               twill_task_name(t));
        }
    }
    return TWILL_OK;
}
