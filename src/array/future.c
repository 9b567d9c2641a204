/* Futures: what has been begun, and waiting for it. */
#include "array/future.h"

#include <stdlib.h>

twill_future *tw_future_open(twill *tw)
{
    twill_future *f = calloc(1, sizeof *f);
    if (!f) {
        (void)tw_fail(TWILL_ERR_MEMORY, "no memory for a future");
        return NULL;
    }
    f->tw = tw;
    tw_reach_open(&f->reach, tw);
    return f;
}

twill_status tw_future_graph(twill_future *f, twill_graph **graph)
{
    twill_status status = f->graph ? TWILL_OK : tw_stf_begin_alone(f->tw, &f->graph);
    *graph = f->graph;
    return status;
}

twill_status tw_future_begun(twill_future *f, twill_status status, twill_future **out)
{
    tw_reach_begun(&f->reach);
    if (status == TWILL_OK && out) {
        *out = f;
        return TWILL_OK;
    }
    twill_status waited = twill_future_wait(f);
    return status == TWILL_OK ? waited : status;
}

static bool is_reached(void *arg)
{
    return tw_reach_is_over(&((const twill_future *)arg)->reach);
}

/* Answers mostly come soon: poll for a moment, as the primary worker if nobody else is that, before
 * the thread begins to work as one. */
static void poll_for_answers(twill_future *f)
{
    enum { MOMENT_US = 30 };
    if (tw_is_crowded(f->tw) || tw_in_task(f->tw))
        return;
    tw_worker *w = tw_enter(f->tw);
    uint64_t start = tw_ticks();
    while (w->index == 0 && !is_reached(f) && tw_ticks() - start < MOMENT_US * f->tw->us_ticks)
        tw_poll_all(w);
    tw_exit(w);
}

static twill_status wait_for_answers(twill_future *f)
{
    uint64_t start = tw_ticks();
    if (is_reached(f))
        return TWILL_OK;
    poll_for_answers(f);
    twill_status status = tw_wait(f->tw, &(tw_goal){is_reached, f});
    tw_reaches_waited(f->tw, tw_ticks() - start);
    return status;
}

twill_status twill_future_wait(twill_future *f)
{
    if (!f)
        return TWILL_OK;
    twill_status status = f->graph ? twill_wait(f->graph) : TWILL_OK;
    if (status == TWILL_ERR_STUCK || status == TWILL_ERR_STATE)
        return status; /* it still goes on */
    twill_status waited = wait_for_answers(f);
    if (waited != TWILL_OK)
        return waited;
    if (status == TWILL_OK)
        status = tw_reach_status(&f->reach);
    twill_graph_free(f->graph);
    free(f);
    return status;
}

twill_status twill_future_wait_all(twill_future **futures, int n)
{
    twill_status first = TWILL_OK;
    for (int i = 0; i < n; i++) {
        twill_status status = twill_future_wait(futures[i]);
        first = first == TWILL_OK ? status : first;
    }
    return first;
}

static bool asked_again(void *arg)
{
    return ++*(int *)arg > 1;
}

static bool is_over(const twill_future *f)
{
    return tw_reach_is_over(&f->reach) && (!f->graph || tw_graph_idle(f->graph));
}

bool twill_future_test(twill_future *f)
{
    int asked = 0;
    if (!f || is_over(f))
        return true;
    if (!tw_in_task(f->tw))
        tw_wait(f->tw, &(tw_goal){asked_again, &asked});
    return is_over(f);
}
