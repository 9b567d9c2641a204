/* Tasks that store into tiles of other ranks: the rest of their release waits for that.
 *
 * The task itself goes its way. What it has moves to another one of the same name, which does not
 * count as a task and does not run; messages are under way as long as it waits, so the run does not
 * end before. */
#include "front/ptg/remote.h"

#include <string.h>

static int ranks_in(const tw_ptg_parts *parts)
{
    int n = 0;
    for (int i = 0; i < parts->n; i++)
        n += i == 0 || parts->part[i].rank != parts->part[i - 1].rank;
    return n;
}

static void enlist(tw_ptg *ptg, twill_task *t)
{
    tw_lock_take(&ptg->storing_lock);
    atomic_store_explicit(&tw_ptg_instance(t)->next, ptg->storing, memory_order_relaxed);
    ptg->storing = t;
    tw_unlock(&ptg->storing_lock);
}

/* The task, if this was the last answer that it waits for. `*known`: there is such a one. */
static twill_task *take(tw_ptg *ptg, const twill_task *wanted, bool *known)
{
    twill_task *t, *before = NULL;
    tw_lock_take(&ptg->storing_lock);
    for (t = ptg->storing; t && t != wanted; t = tw_ptg_instance(t)->next)
        before = t;
    *known = t;
    if (t && atomic_fetch_sub_explicit(&tw_ptg_instance(t)->left, 1, memory_order_relaxed) > 1)
        t = NULL;
    if (t && before)
        tw_ptg_instance(before)->next = tw_ptg_instance(t)->next;
    else if (t)
        ptg->storing = tw_ptg_instance(t)->next;
    tw_unlock(&ptg->storing_lock);
    return t;
}

static bool has_tiles(const tw_ptg_parts *parts)
{
    int i = 0;
    while (i < parts->n && !parts->part[i].tiles)
        i++;
    return i < parts->n;
}

static twill_task *move(tw_worker *w, twill_task *t)
{
    tw_ptg_class *c = tw_ptg_class_of(t);
    twill_task *later = tw_ptg_make(w, c, tw_ptg_words(t));
    size_t size = (size_t)c->cls->flows * sizeof(tw_value *);
    if (!later)
        return NULL;
    atomic_store_explicit(&later->flags, tw_task_flags(t), memory_order_relaxed);
    memcpy(tw_ptg_values(later), tw_ptg_values(t), size);
    memset(tw_ptg_values(t), 0, size);
    return later;
}

bool tw_ptg_store_first(tw_worker *w, twill_task *t, const tw_ptg_parts *all)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    tw_ptg *ptg = c->ptg;
    tw_ptg_parts parts = {.only = TW_PTG_TILES};
    if (!has_tiles(all))
        return false;
    twill_task *later = NULL;
    if (!tw_ptg_destinations(c, tw_ptg_words(t), TW_PTG_OTHERS, &parts))
        tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory to send to other ranks");
    else
        later = move(w, t);
    if (later) {
        atomic_store_explicit(&tw_ptg_instance(later)->left, ranks_in(&parts),
                              memory_order_relaxed);
        ptg->transport->pack(later, &parts);
        enlist(ptg, later);
        ptg->transport->send(later, &parts);
    }
    tw_ptg_parts_free(&parts);
    return true;
}

static void discard(tw_worker *w, twill_task *t)
{
    tw_ptg_drop_values(w, t);
    tw_task_put(w, t);
}

bool tw_ptg_stored(tw_worker *w, tw_ptg *ptg, const twill_task *wanted, tw_ready *ready)
{
    bool known;
    twill_task *t = take(ptg, wanted, &known);
    if (t) {
        tw_ptg_release_rest(w, t, ready);
        discard(w, t);
    }
    return known;
}

void tw_ptg_stores_clear(tw_ptg *ptg, tw_worker *w)
{
    while (ptg->storing) {
        twill_task *t = ptg->storing;
        ptg->storing = tw_ptg_instance(t)->next;
        discard(w, t);
    }
}
