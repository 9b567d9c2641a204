/* Failures: the first one of a graph counts, cancels what is inside the graph, and is reported
 * once.
 *
 * What failed tasks should have written is poisoned with a mark that stands for the failure (see
 * data/chain.h). A mark holds as long as it is that of a graph whose failure nobody has been told:
 * a report gives the graph a new one, and all data with the old one is free again, wherever it is
 * and whoever waits for it at that moment. */
#include "engine/engine.h"

#include <stdio.h>

/* False when the graph has failed already. */
static bool fail_one(twill_graph *g, twill_status status, const char *message)
{
    tw_lock_take(&g->lock);
    bool first = !tw_graph_failed(g);
    if (first) {
        snprintf(g->message, sizeof g->message, "%s", message);
        atomic_store_explicit(&g->failed, status, memory_order_relaxed);
    }
    tw_unlock(&g->lock);
    return first;
}

/* Graphs inside tasks of failed ones fail. The oldest come first: a graph is younger than the one
 * around it. */
static void cancel_nested(twill *tw)
{
    tw_lock_take(&tw->graph_lock);
    for (twill_graph *g = tw->oldest_graph; g; g = g->prev)
        if (tw_graph_above(g) && tw_graph_failed(tw_graph_above(g)))
            fail_one(g, TWILL_ERR_CANCELED, "the graph around it failed or was canceled");
    tw_unlock(&tw->graph_lock);
}

static void fail_all(twill_graph *g, twill_status status, const char *message)
{
    char text[TW_MESSAGE], before[TW_MESSAGE];
    if (!fail_one(g, status, message))
        return;
    snprintf(text, sizeof text, "%s", message);
    for (twill_graph *inner = g; tw_graph_above(inner); inner = tw_graph_above(inner)) {
        snprintf(before, sizeof before, "%s", text);
        snprintf(text, sizeof text, "in task %.100s: %.380s", twill_task_name(inner->parent),
                 before);
        fail_one(tw_graph_above(inner), status, text);
    }
    cancel_nested(g->tw);
}

void tw_graph_fail(twill_graph *g, twill_status status, const char *format, ...)
{
    char message[TW_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    fail_all(g, status, message);
}

void tw_graph_numerical(twill_graph *g, int64_t info)
{
    for (twill_graph *at = g; at; at = tw_graph_above(at)) {
        tw_lock_take(&at->lock);
        if (at->info == 0 || info < at->info)
            at->info = info;
        tw_unlock(&at->lock);
    }
}

void twill_cancel(twill_graph *g)
{
    if (g)
        fail_all(g, TWILL_ERR_CANCELED, "the program canceled the graph");
}

/* ---- reports ----------------------------------------------------------------------------- */

static twill_status report_locked(twill_graph *g)
{
    assert(tw_is_locked(&g->lock));
    twill_status status = (twill_status)atomic_load_explicit(&g->failed, memory_order_relaxed);
    if (status != TWILL_OK)
        tw_fail(status, "%s", g->message);
    return status;
}

twill_status tw_graph_report(twill_graph *g)
{
    tw_lock_take(&g->lock);
    twill_status status = report_locked(g);
    tw_unlock(&g->lock);
    return status;
}

/* In one step: a failure that comes at the same time is reported by this or by the next one. */
twill_status tw_graph_conclude(twill_graph *g)
{
    tw_lock_take(&g->lock);
    twill_status status = report_locked(g);
    g->last_info = g->info;
    g->info = 0;
    if (status != TWILL_OK) {
        atomic_store_explicit(&g->failed, TWILL_OK, memory_order_relaxed);
        atomic_store_explicit(&g->mark, tw_new_serial(g->tw), memory_order_relaxed);
    }
    tw_unlock(&g->lock);
    return status;
}

/* ---- poison ------------------------------------------------------------------------------ */

uint32_t tw_poison_mark(twill_graph *g)
{
    twill_graph *root = g->root;
    tw_lock_take(&root->lock);
    bool open = tw_graph_failed(root);
    uint32_t mark = atomic_load_explicit(&root->mark, memory_order_relaxed);
    tw_unlock(&root->lock);
    return open ? mark : tw_new_serial(g->tw);
}

bool tw_poison_holds(twill *tw, uint32_t mark)
{
    tw_lock_take(&tw->graph_lock);
    twill_graph *g = tw->graphs;
    while (g && (tw_graph_above(g) || atomic_load_explicit(&g->mark, memory_order_relaxed) != mark))
        g = g->next;
    tw_unlock(&tw->graph_lock);
    return g;
}
