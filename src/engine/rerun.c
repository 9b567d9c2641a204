/* Runs of graphs that are made once and run again and again: explicit and parameterised ones. */
#include "engine/use.h"

twill_status tw_rerun_prepare(twill_graph *g)
{
    if (tw_context_check(g->tw) != TWILL_OK)
        return TWILL_ERR_STATE;
    if (!tw_graph_prepare(g))
        return tw_fail(TWILL_ERR_STATE,
                       "the graph is running already: twill_wait before running it again");
    if (!tw_graph_failed(g) || g->shared) /* other ranks run it: they learn of the failure so */
        return TWILL_OK;
    twill_status status = tw_graph_report(g);
    tw_graph_give_up(g);
    return status;
}

void tw_rerun_end(twill_graph *g, tw_use *use, tw_worker *w)
{
    if (use)
        tw_use_withdraw(use, w, tw_graph_failed(g) ? tw_poison_mark(g) : 0);
    /* release: whoever sees the end can run the graph again */
    atomic_store_explicit(&g->ending, TW_END_IGNORED, memory_order_release);
}
