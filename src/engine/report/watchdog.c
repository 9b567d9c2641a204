/* The watchdog: when nothing has moved for a while, say what is blocked on what. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t moves(const twill *tw)
{
    twill_counters c = {.size = sizeof c};
    twill_count(tw, &c);
    return c.inserted + c.executed + c.skipped;
}

static bool work_left(twill *tw)
{
    bool left = tw_is_expecting(tw);
    tw_lock_take(&tw->graph_lock);
    for (twill_graph *g = tw->graphs; g && !left; g = g->next)
        left = tw_graph_in_flight(g) > 0;
    tw_unlock(&tw->graph_lock);
    return left;
}

void tw_report(twill *tw, const char *text)
{
    if (tw->report)
        tw->report(tw->report_arg, text);
    else
        fputs(text, stderr);
}

static void bark(twill *tw, double seconds)
{
    size_t size = twill_describe(tw, NULL, 0) + 4096;
    char *text = malloc(size);
    if (!text)
        return;
    int n = snprintf(text, size, "twill: no task has ended for %.1f s\n", seconds);
    twill_describe(tw, text + n, size - (size_t)n);
    tw_report(tw, text);
    free(text);
}

static void *watch(void *arg)
{
    twill *tw = arg;
    double limit = tw->options.number[TW_OPT_WATCHDOG];
    int64_t seen = moves(tw);
    double since = tw_seconds();
    bool told = false;
    while (!atomic_load_explicit(&tw->watchdog_stop, memory_order_relaxed)) {
        tw_park_for(&tw->watchdog_parker, limit / 4);
        int64_t now = moves(tw);
        if (now != seen || !work_left(tw)) {
            seen = now;
            since = tw_seconds();
            told = false;
        } else if (!told && tw_seconds() - since >= limit) {
            bark(tw, tw_seconds() - since); /* once per stall */
            told = true;
        }
    }
    return NULL;
}

twill_status tw_watchdog_open(twill *tw)
{
    if (tw->options.number[TW_OPT_WATCHDOG] <= 0)
        return TWILL_OK;
    tw_parker_open(&tw->watchdog_parker);
    if (pthread_create(&tw->watchdog, NULL, watch, tw)) {
        tw_parker_close(&tw->watchdog_parker);
        return tw_fail(TWILL_ERR_SYSTEM, "the system refuses a thread for the watchdog");
    }
    tw->watching = true;
    return TWILL_OK;
}

void tw_watchdog_close(twill *tw)
{
    if (!tw->watching)
        return;
    atomic_store_explicit(&tw->watchdog_stop, true, memory_order_relaxed);
    tw_unpark(&tw->watchdog_parker);
    pthread_join(tw->watchdog, NULL);
    tw_parker_close(&tw->watchdog_parker);
}
