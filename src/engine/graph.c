/* Graphs: making, running, ending. */
#include "engine/engine.h"

#include <stdlib.h>

/* ---- records ----------------------------------------------------------------------------- */

/* Memory that is zero until it is written: a graph that few workers touch costs little however many
 * there are. */
static tw_tally *new_tallies(twill_graph *g)
{
    size_t n = (size_t)g->tw->workers + 2; /* the external one's, and one to align with */
    g->tally_block = calloc(n, sizeof(tw_tally));
    uintptr_t at = ((uintptr_t)g->tally_block + TW_LINE - 1) / TW_LINE * TW_LINE;
    return g->tally_block ? (tw_tally *)at : NULL;
}

static twill_graph *new_record(twill *tw)
{
    twill_graph *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->tw = tw;
    g->tally = new_tallies(g);
    if (!g->tally) {
        free(g);
        return NULL;
    }
    return g;
}

void tw_graph_free_record(twill_graph *g)
{
    free(g->tally_block);
    free(g);
}

static void enlist(twill *tw, twill_graph *g)
{
    assert(tw_is_locked(&tw->graph_lock));
    g->next = tw->graphs;
    g->prev = NULL;
    if (g->next)
        g->next->prev = g;
    else
        tw->oldest_graph = g;
    tw->graphs = g;
}

static void delist(twill *tw, twill_graph *g)
{
    assert(tw_is_locked(&tw->graph_lock));
    if (g->next)
        g->next->prev = g->prev;
    else
        tw->oldest_graph = g->prev;
    if (g->prev)
        g->prev->next = g->next;
    else
        tw->graphs = g->next;
}

/* ---- ids --------------------------------------------------------------------------------- */

static twill_graph **list_of(twill *tw, int64_t id)
{
    return &tw->graph_by_id[(uint64_t)id % TW_GRAPH_IDS];
}

/* Under the lock. */
static void give_id(twill *tw, twill_graph *g)
{
    g->id = ++tw->graph_ids;
    g->next_by_id = *list_of(tw, g->id);
    *list_of(tw, g->id) = g;
}

/* Before the front end closes the graph: nobody finds it any more. */
static void take_id(twill *tw, twill_graph *g)
{
    if (!g->id)
        return;
    tw_lock_take(&tw->graph_lock);
    twill_graph **link = list_of(tw, g->id);
    while (*link != g)
        link = &(*link)->next_by_id;
    *link = g->next_by_id;
    tw_unlock(&tw->graph_lock);
}

/* Under the lock. */
static twill_graph *find(twill *tw, int64_t id)
{
    twill_graph *g = *list_of(tw, id);
    while (g && g->id != id)
        g = g->next_by_id;
    return g;
}

twill_graph *tw_graph_find(twill *tw, int64_t id)
{
    tw_lock_take(&tw->graph_lock);
    twill_graph *g = find(tw, id);
    tw_unlock(&tw->graph_lock);
    return g;
}

bool tw_graph_was(twill *tw, int64_t id)
{
    tw_lock_take(&tw->graph_lock);
    bool was = id > 0 && id <= tw->graph_ids && !find(tw, id);
    tw_unlock(&tw->graph_lock);
    return was;
}

int64_t tw_graph_skip(twill *tw)
{
    tw_lock_take(&tw->graph_lock);
    int64_t id = ++tw->graph_ids;
    tw_unlock(&tw->graph_lock);
    return id;
}

/* ---- making ------------------------------------------------------------------------------ */

uint32_t tw_new_serial(twill *tw)
{
    uint32_t serial;
    do
        serial = atomic_fetch_add_explicit(&tw->graph_serial, 1, memory_order_relaxed) + 1;
    while (serial == 0);
    return serial;
}

/* Nested graphs, and those of one rank, come in no order that another rank would know. */
static twill_status make(twill *tw, const tw_graph_ops *ops, void *front, twill_task *parent,
                         bool known, twill_graph **out)
{
    twill_status status = parent ? TWILL_OK : tw_context_check(tw);
    if (status != TWILL_OK)
        return status;
    tw_lock_take(&tw->graph_lock);
    twill_graph *g = tw->free_graphs;
    if (g)
        tw->free_graphs = g->next;
    tw_unlock(&tw->graph_lock);
    if (!g)
        g = new_record(tw);
    if (!g)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph");
    tw_tallies_clear(g);
    g->ops = ops;
    g->front = front;
    g->parent = parent;
    atomic_store_explicit(&g->above, parent ? parent->graph : NULL, memory_order_relaxed);
    atomic_store_explicit(&g->above_phase, parent ? tw_task_phase(parent) : 0,
                          memory_order_relaxed);
    g->root = parent ? parent->graph->root : g;
    g->info = g->last_info = 0;
    g->id = 0;
    g->serial = tw_new_serial(tw);
    atomic_store_explicit(&g->mark, g->serial, memory_order_relaxed);
    atomic_store_explicit(&g->failed, TWILL_OK, memory_order_relaxed);
    atomic_store_explicit(&g->watchers, 0, memory_order_relaxed);
    atomic_store_explicit(&g->phase_waiters, 0, memory_order_relaxed);
    atomic_store_explicit(&g->held, false, memory_order_relaxed);
    atomic_store_explicit(&g->ending, TW_END_IGNORED, memory_order_relaxed);
    tw_lock_take(&tw->graph_lock);
    enlist(tw, g);
    if (known)
        give_id(tw, g);
    tw_unlock(&tw->graph_lock);
    *out = g;
    return TWILL_OK;
}

twill_status tw_graph_make(twill *tw, const tw_graph_ops *ops, void *front, twill_task *parent,
                           twill_graph **out)
{
    return make(tw, ops, front, parent, !parent, out);
}

twill_status tw_graph_make_alone(twill *tw, const tw_graph_ops *ops, twill_graph **out)
{
    return make(tw, ops, NULL, NULL, false, out);
}

void tw_graph_discard(twill_graph *g, tw_worker *w)
{
    assert(tw_is_inside(w));
    twill *tw = g->tw;
    take_id(tw, g);
    if (g->ops->close)
        g->ops->close(g, w);
    tw_graph_arrays_close(g, w);
    tw_graph_memory_close(g);
    tw_lock_take(&tw->graph_lock);
    delist(tw, g);
    g->next = tw->free_graphs;
    tw->free_graphs = g;
    tw_unlock(&tw->graph_lock);
}

/* ---- runs and ends ----------------------------------------------------------------------- */

bool tw_graph_prepare(twill_graph *g)
{
    int nothing = TW_END_IGNORED;
    /* acquire pairs with the release at the end of the run before */
    return atomic_compare_exchange_strong_explicit(&g->ending, &nothing, TW_END_PREPARED,
                                                   memory_order_acquire, memory_order_relaxed);
}

void tw_graph_give_up(twill_graph *g)
{
    atomic_store_explicit(&g->ending, TW_END_IGNORED, memory_order_release);
    tw_wake_waiters(g->tw);
}

bool tw_graph_is_running(const twill_graph *g)
{
    return atomic_load_explicit(&g->ending, memory_order_acquire) != TW_END_IGNORED;
}

bool tw_graph_has_begun(const twill_graph *g)
{
    /* acquire pairs with the release in tw_graph_expect_end */
    return atomic_load_explicit(&g->ending, memory_order_acquire) >= TW_END_EXPECTED;
}

void tw_graph_expect_end(twill_graph *g)
{
    atomic_fetch_add_explicit(&g->watchers, 1, memory_order_relaxed);
    atomic_store_explicit(&g->ending, TW_END_EXPECTED, memory_order_release);
}

/* Who takes the flag down acts upon the end. The caller found the graph idle, but that may have
 * been an earlier graph in the same record: look once more while holding the flag. */
static bool take_end(twill_graph *g)
{
    for (;;) {
        int expected = TW_END_EXPECTED;
        if (!atomic_compare_exchange_strong_explicit(&g->ending, &expected, TW_END_ACTED_UPON,
                                                     memory_order_acq_rel, memory_order_relaxed))
            return false;
        if (tw_graph_idle(g))
            return true;
        atomic_store_explicit(&g->ending, TW_END_EXPECTED, memory_order_release);
        tw_fence(); /* put back, then look: whoever retires the last task counts, then looks */
        if (!tw_graph_idle(g))
            return false;
    }
}

/* Is there somebody to tell that the graph is idle, or that an earlier phase of it is over? */
static bool has_news(const twill_graph *g)
{
    if (atomic_load_explicit(&g->watchers, memory_order_relaxed) == 0 ||
        atomic_load_explicit(&g->held, memory_order_relaxed))
        return false;
    return tw_graph_idle(g) ||
           (atomic_load_explicit(&g->phase_waiters, memory_order_relaxed) > 0 &&
            tw_graph_drained(g, atomic_load_explicit(&g->phase, memory_order_relaxed) - 1));
}

/* A graph inside a task of another may end that one, and so on: not by recursion, because graphs
 * are nested as deeply as the program likes. */
void tw_graph_look(twill_graph *g, tw_worker *w)
{
    assert(tw_is_inside(w));
    bool news = false;
    while (g) {
        tw_fence(); /* pairs with the one in twill_wait: count, then look for watchers */
        if (!has_news(g))
            break;
        news = true;
        if (!take_end(g))
            break;
        atomic_fetch_sub_explicit(&g->watchers, 1, memory_order_relaxed);
        g = g->ops->ended(g, w);
    }
    if (news)
        tw_wake_waiters(w->tw);
}

/* What a service expects is looked at first: if that is nothing, then what it brought is counted.
 */
bool tw_graph_may_go_on(const twill_graph *g)
{
    return tw_services_reach(g) || !tw_graph_idle(g);
}

/* Was the graph taken from the list? The record may be another graph's by now; then this is about
 * that one. */
static bool was_looked_at(twill_graph *g)
{
    tw_services *services = &g->tw->services;
    tw_lock_take(&services->deferred_lock);
    bool looked = !g->deferred;
    tw_unlock(&services->deferred_lock);
    return looked;
}

/* A record stays in the list when its graph ends otherwise; looking at it does no harm. The
 * services are asked before the end is expected again: after that the graph may be freed. Who took
 * it from the list until then looked in vain, so it is looked at once more. */
twill_graph *tw_graph_end_later(twill_graph *g)
{
    tw_services *services = &g->tw->services;
    tw_lock_take(&services->deferred_lock);
    if (!g->deferred) {
        g->deferred = true;
        g->next_deferred = atomic_load_explicit(&services->deferred, memory_order_relaxed);
        atomic_store_explicit(&services->deferred, g, memory_order_relaxed);
    }
    tw_unlock(&services->deferred_lock);
    tw_fence(); /* enlist, then look; pairs with the one in tw_service_settle */
    bool reached = tw_services_reach(g);
    tw_graph_expect_end(g);
    return !reached || was_looked_at(g) ? g : NULL;
}

void tw_graphs_look_again(tw_worker *w)
{
    tw_services *services = &w->tw->services;
    tw_lock_take(&services->deferred_lock);
    twill_graph *list = atomic_load_explicit(&services->deferred, memory_order_relaxed);
    atomic_store_explicit(&services->deferred, NULL, memory_order_relaxed);
    tw_unlock(&services->deferred_lock);
    while (list) {
        twill_graph *g = list;
        tw_lock_take(&services->deferred_lock);
        list = g->next_deferred;
        g->deferred = false; /* from now on it can be put into the list again */
        tw_unlock(&services->deferred_lock);
        tw_graph_look(g, w);
    }
}

void tw_graph_look_aside(twill_graph *g, tw_worker *w)
{
    bool looping = w->looping;
    w->looping = false;
    tw_graph_look(g, w);
    w->looping = looping;
}

int64_t twill_graph_info(const twill_graph *g)
{
    return g->last_info;
}
