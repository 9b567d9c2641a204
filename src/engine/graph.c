/* Graphs: making, failing, ending. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static twill_graph *new_record(twill *tw)
{
    twill_graph *g = calloc(1, sizeof *g);
    size_t n = (size_t)tw->workers + 1;
    tw_tally *tally = g ? aligned_alloc(TW_LINE, n * sizeof *tally) : NULL;
    if (!tally) {
        free(g);
        return NULL;
    }
    g->tally = tally;
    g->tw = tw;
    return g;
}

static void enlist(twill *tw, twill_graph *g)
{
    g->serial = ++tw->graph_serial ? tw->graph_serial : ++tw->graph_serial;
    g->next = tw->graphs;
    g->link = &tw->graphs;
    if (g->next)
        g->next->link = &g->next;
    tw->graphs = g;
}

twill_status tw_graph_make(twill *tw, const tw_graph_ops *ops, void *front, twill_graph **out)
{
    tw_lock_take(&tw->graph_lock);
    twill_graph *g = tw->free_graphs;
    if (g)
        tw->free_graphs = g->next;
    tw_unlock(&tw->graph_lock);
    if (!g)
        g = new_record(tw);
    if (!g)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph");
    for (int i = 0; i <= tw->workers; i++) {
        atomic_store_explicit(&g->tally[i].added, 0, memory_order_relaxed);
        atomic_store_explicit(&g->tally[i].retired, 0, memory_order_relaxed);
        g->tally[i].countdown = 0;
    }
    g->ops = ops;
    g->front = front;
    g->parent = NULL;
    g->info = g->last_info = 0;
    g->narrays = 0;
    atomic_store_explicit(&g->failed, TWILL_OK, memory_order_relaxed);
    atomic_store_explicit(&g->watchers, 0, memory_order_relaxed);
    atomic_store_explicit(&g->ending, TW_END_IGNORED, memory_order_relaxed);
    tw_lock_take(&tw->graph_lock);
    enlist(tw, g);
    tw_unlock(&tw->graph_lock);
    g->blame = g->serial;
    *out = g;
    return TWILL_OK;
}

void tw_graph_discard(twill_graph *g, tw_worker *w)
{
    twill *tw = g->tw;
    if (g->ops->close)
        g->ops->close(g, w);
    tw_graph_memory_close(g);
    tw_lock_take(&tw->graph_lock);
    *g->link = g->next;
    if (g->next)
        g->next->link = g->link;
    g->next = tw->free_graphs;
    tw->free_graphs = g;
    tw_unlock(&tw->graph_lock);
}

void tw_graph_fail(twill_graph *g, twill_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw_lock_take(&g->lock);
    if (!tw_graph_failed(g)) {
        vsnprintf(g->message, sizeof g->message, format, args);
        atomic_store_explicit(&g->failed, status, memory_order_relaxed);
    }
    tw_unlock(&g->lock);
    va_end(args);
}

twill_status tw_graph_report(twill_graph *g)
{
    tw_lock_take(&g->lock);
    twill_status status = (twill_status)atomic_load_explicit(&g->failed, memory_order_relaxed);
    if (status != TWILL_OK)
        tw_fail(status, "%s", g->message);
    tw_unlock(&g->lock);
    return status;
}

static void forgive(twill_graph *g)
{
    for (int i = 0; i < g->narrays; i++) {
        twill_array *a = g->arrays[i];
        tw_lock_take(&a->lock);
        for (int64_t k = 0; k < a->ntiles; k++)
            if (a->tiles[k].array)
                tw_chain_forgive(&a->tiles[k].chain, g->blame);
        tw_unlock(&a->lock);
    }
}

twill_status tw_graph_conclude(twill_graph *g)
{
    twill_status status = tw_graph_report(g);
    if (status != TWILL_OK)
        forgive(g);
    tw_lock_take(&g->lock);
    g->last_info = g->info;
    g->info = 0;
    atomic_store_explicit(&g->failed, TWILL_OK, memory_order_relaxed);
    tw_unlock(&g->lock);
    return status;
}

void tw_graph_touches(twill_graph *g, twill_array *a)
{
    a->last_user = g->serial;
    tw_lock_take(&g->lock);
    int known = 0;
    while (known < g->narrays && g->arrays[known] != a)
        known++;
    if (known == g->narrays) {
        if (g->narrays == g->room) {
            int room = g->room ? 2 * g->room : 8;
            twill_array **arrays = realloc(g->arrays, (size_t)room * sizeof *arrays);
            if (!arrays) {
                tw_unlock(&g->lock);
                return; /* then a failure leaves its poison behind in this array */
            }
            g->arrays = arrays;
            g->room = room;
        }
        g->arrays[g->narrays++] = a;
    }
    tw_unlock(&g->lock);
}

void tw_graph_hand_over(twill_graph *g, twill_graph *to)
{
    for (int i = 0; i < g->narrays; i++) {
        tw_lock_take(&g->arrays[i]->lock);
        tw_graph_touches(to, g->arrays[i]);
        tw_unlock(&g->arrays[i]->lock);
    }
}

void tw_graphs_forget(twill *tw, const twill_array *a)
{
    tw_lock_take(&tw->graph_lock);
    for (twill_graph *g = tw->graphs; g; g = g->next) {
        tw_lock_take(&g->lock);
        int kept = 0;
        for (int i = 0; i < g->narrays; i++)
            if (g->arrays[i] != a)
                g->arrays[kept++] = g->arrays[i];
        g->narrays = kept;
        tw_unlock(&g->lock);
    }
    tw_unlock(&tw->graph_lock);
}

/* All retirements are read before any addition. Both only grow, so if the sums are equal, then at
 * the moment between the two passes everything added had been retired. */
bool tw_graph_idle(const twill_graph *g)
{
    int64_t added = 0, retired = 0;
    int n = g->tw->workers + 1;
    for (int i = 0; i < n; i++)
        retired += atomic_load_explicit(&g->tally[i].retired, memory_order_acquire);
    tw_fence();
    for (int i = 0; i < n; i++)
        added += atomic_load_explicit(&g->tally[i].added, memory_order_relaxed);
    return added == retired;
}

void tw_graph_expect_end(twill_graph *g)
{
    atomic_fetch_add_explicit(&g->watchers, 1, memory_order_relaxed);
    atomic_store_explicit(&g->ending, TW_END_EXPECTED, memory_order_seq_cst);
}

/* Who takes the flag down acts upon the end. The caller found the graph idle, but that may have
 * been an earlier graph in the same record: look once more with the flag in hand. */
static bool take_end(twill_graph *g)
{
    int expected = TW_END_EXPECTED;
    while (atomic_load_explicit(&g->ending, memory_order_relaxed) == TW_END_EXPECTED &&
           atomic_compare_exchange_strong(&g->ending, &expected, TW_END_ACTED_UPON)) {
        if (tw_graph_idle(g))
            return true;
        atomic_store_explicit(&g->ending, TW_END_EXPECTED, memory_order_seq_cst);
        if (!tw_graph_idle(g))
            return false; /* whoever retires the last task finds the flag */
    }
    return false;
}

void tw_graph_look(twill_graph *g, tw_worker *w)
{
    tw_fence(); /* pairs with the one in twill_wait: count, then look for watchers */
    if (atomic_load_explicit(&g->watchers, memory_order_relaxed) == 0 || !tw_graph_idle(g))
        return;
    if (take_end(g)) {
        atomic_fetch_sub_explicit(&g->watchers, 1, memory_order_relaxed);
        g->ops->ended(g, w);
    }
    tw_wake_waiters(w->tw);
}

void twill_cancel(twill_graph *g)
{
    if (g)
        tw_graph_fail(g, TWILL_ERR_CANCELED, "the program canceled the graph");
}

int64_t twill_graph_info(const twill_graph *g)
{
    return g->last_info;
}

void twill_graph_progress(const twill_graph *g, int64_t *added, int64_t *done)
{
    int n = g->tw->workers + 1;
    *added = *done = 0;
    for (int i = 0; i < n; i++)
        *done += atomic_load_explicit(&g->tally[i].retired, memory_order_acquire);
    for (int i = 0; i < n; i++)
        *added += atomic_load_explicit(&g->tally[i].added, memory_order_relaxed);
}
