/* The end of a graph that a body opened completes that body's task. */
#include "engine/nest.h"

void tw_nest_ended(twill_graph *g, tw_worker *w)
{
    twill_task *parent = g->parent;
    twill_graph *above = parent->graph;
    twill_status status = (twill_status)atomic_load_explicit(&g->failed, memory_order_relaxed);
    if (status != TWILL_OK)
        tw_graph_fail(above, status, "in task %s: %s", twill_task_name(parent), g->message);
    if (status == TWILL_ERR_NUMERICAL) {
        tw_lock_take(&above->lock);
        if (above->info == 0 || g->info < above->info)
            above->info = g->info;
        tw_unlock(&above->lock);
    }
    tw_graph_hand_over(g, above);
    tw_graph_discard(g, w);
    tw_emit(&w->tw->sink, TW_EVENT_DONE, w->index, parent, -1, 0);
    tw_complete(w, parent, status != TWILL_OK);
    tw_graph_look(above, w);
}

twill_outcome twill_nest_end(twill_graph *g)
{
    twill *tw = g->tw;
    if (g->ops->flush)
        g->ops->flush(g);
    tw_worker *w = tw_enter(tw);
    tw_graph_expect_end(g);
    tw_graph_look(g, w);
    tw_exit(w);
    return TWILL_ASYNC;
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
