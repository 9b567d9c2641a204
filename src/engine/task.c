/* Memory of tasks: pools by size, and malloc for those that are larger. */
#include "engine/engine.h"

#include <stdlib.h>

TW_NOINLINE static twill_task *get_large(twill *tw, size_t lines)
{
    tw_large *large = aligned_alloc(TW_LINE, sizeof *large + lines * TW_LINE);
    if (!large)
        return NULL;
    twill_task *t = (twill_task *)(large + 1);
    t->nslots = 0; /* reports may look at it before it is filled */
    atomic_init(&t->flags, TW_TASK_LARGE | tw->worker[0].task_flags);
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

TW_NOINLINE static void put_large(twill *tw, twill_task *t)
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
    assert(tw_is_inside(w));
    if (tw_unlikely(lines > TW_TASK_LINES))
        return get_large(w->tw, lines);
    twill_task *t = tw_pool_get(&w->tw->pools[lines], &w->tasks[lines]);
    if (tw_unlikely(!t))
        return NULL;
    t->lines = (uint8_t)lines;
    atomic_store_explicit(&t->flags, w->task_flags, memory_order_relaxed);
    return t;
}

void tw_task_put(tw_worker *w, twill_task *t)
{
    assert(tw_is_inside(w));
    if (tw_unlikely(tw_task_flags(t) & TW_TASK_LARGE))
        put_large(w->tw, t);
    else
        tw_pool_put(&w->tw->pools[t->lines], &w->tasks[t->lines], t);
}
