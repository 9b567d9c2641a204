/* What workers of the critical set do: wait for orders, or lead. */
#include "engine/critical/critical.h"

/* How long they look for orders before they sleep: nothing else is to be done with their cores. */
enum { SPIN_US = 1000, NAP_US = 500, LOOK_EVERY = 16 };

static bool is_over(const tw_worker *w, const tw_goal *goal)
{
    if (goal)
        return goal->reached(goal->arg);
    return atomic_load_explicit(&w->tw->stopping, memory_order_relaxed);
}

/* Is there something for w to do, other than to wait? */
static bool has_news(const tw_critical *c, const tw_worker *w)
{
    const tw_member *m = &c->member[w->index];
    tw_set s = tw_critical_look(c);
    if (!tw_set_has(s, w->index) || !atomic_load_explicit(&m->present, memory_order_relaxed))
        return true;
    if ((uint32_t)(atomic_load_explicit(&c->order, memory_order_relaxed) >> 32) != m->seen)
        return true;
    return (s.members == 0 || s.leader == w->index) &&
           (atomic_load_explicit(&c->queued, memory_order_relaxed) > 0 ||
            atomic_load_explicit(&c->again, memory_order_relaxed) > 0);
}

/* Nothing has come for a while. Whoever makes news looks for sleepers behind a fence. */
static void rest(tw_critical *c, tw_worker *w, const tw_goal *goal)
{
    atomic_bool *parked = &c->member[w->index].parked;
    atomic_store_explicit(parked, true, memory_order_relaxed);
    tw_fence(); /* pairs with those in tw_critical_wake, call_leader and tw_critical_run */
    if (!has_news(c, w) && !is_over(w, goal)) {
        if (tw_is_expecting(c->tw))
            tw_park_for(&w->parker, NAP_US * 1e-6);
        else
            tw_park(&w->parker);
    }
    atomic_store_explicit(parked, false, memory_order_relaxed);
}

/* Look for news for a while. Where others share the core, not even that: they may be about to make
 * them. */
static bool look_for_news(tw_critical *c, tw_worker *w, const tw_goal *goal)
{
    const twill *tw = c->tw;
    uint64_t until = tw_ticks() + (tw_is_crowded(tw) ? 0 : SPIN_US * tw->us_ticks);
    for (unsigned i = 1; !has_news(c, w); i++) {
        if (i % LOOK_EVERY == 0 || tw_is_crowded(tw)) {
            if (is_over(w, goal) || tw_is_expecting(tw) ||
                atomic_load_explicit(&tw->starting, memory_order_relaxed))
                return true;
            if (tw_ticks() >= until)
                return false;
        }
        tw_pause();
    }
    return true;
}

/* Outside the engine, so that nobody waits for this worker meanwhile. */
static void await_news(tw_critical *c, tw_worker *w, const tw_goal *goal)
{
    tw_leave(w);
    if (!look_for_news(c, w, goal))
        rest(c, w, goal);
    tw_return(w);
}

/* From now on it takes no ordinary tasks: what only it could find is for others. */
static void begin(tw_critical *c, tw_worker *w)
{
    tw_publish(w);
    tw_stop_searching(w);
    tw_critical_appear(c, w->index);
}

twill_task *tw_critical_serve(tw_worker *w, const tw_goal *goal)
{
    assert(tw_is_inside(w));
    twill *tw = w->tw;
    tw_critical *c = tw->critical;
    twill_task *t = NULL;
    while (!t && !is_over(w, goal) && tw_set_has(tw_critical_look(c), w->index)) {
        if (w->searching ||
            !atomic_load_explicit(&c->member[w->index].present, memory_order_relaxed))
            begin(c, w);
        if (tw_critical_obey(c, w))
            continue;
        t = tw_try(w);
        if (t)
            break;
        if (tw_is_expecting(tw))
            tw_poll_all(w);
        await_news(c, w, goal);
    }
    return t;
}
