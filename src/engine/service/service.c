/* Services: which there are, what they expect, and polling them. */
#include "engine/service/service.h"

#include "engine/engine.h"

static tw_service *first(const twill *tw)
{
    /* acquire pairs with the release in tw_service_add */
    return atomic_load_explicit(&tw->services.first, memory_order_acquire);
}

/* ---- expectations ------------------------------------------------------------------------ */

/* `expecting` counts the services that expect something: it changes rarely, and workers read it for
 * each task. Under the lock, so that it never lags behind for those who have returned from here. */
static int64_t change(tw_service *s, int64_t n)
{
    atomic_int *expecting = &s->tw->expecting;
    tw_lock_take(&s->lock);
    int64_t before = atomic_load_explicit(&s->expected, memory_order_relaxed);
    assert(before + n >= 0);
    /* release pairs with the acquire in is_expecting and tw_is_expecting */
    atomic_store_explicit(&s->expected, before + n, memory_order_release);
    if (before == 0 && n > 0)
        atomic_fetch_add_explicit(expecting, 1, memory_order_relaxed);
    else if (before > 0 && before + n == 0)
        atomic_fetch_sub_explicit(expecting, 1, memory_order_release);
    tw_unlock(&s->lock);
    return before;
}

static bool is_expecting(const tw_service *s)
{
    return atomic_load_explicit(&s->expected, memory_order_acquire) > 0;
}

void tw_service_expect(tw_service *s, int64_t n)
{
    if (change(s, n) > 0)
        return;
    tw_wake(s->tw, 1); /* an idle worker polls at once; its fence pairs with fall_asleep's */
    tw_helper_call(s->tw);
}

void tw_service_settle(tw_service *s, tw_worker *w, int64_t n)
{
    assert(tw_is_inside(w));
    change(s, -n);
    tw_fence(); /* settle, then look; pairs with the one in tw_graph_end_later */
    if (tw_unlikely(atomic_load_explicit(&s->tw->services.deferred, memory_order_relaxed) != NULL))
        tw_graphs_look_again(w);
}

bool tw_services_reach(const twill_graph *g)
{
    for (tw_service *s = first(g->tw); s; s = s->next)
        if (is_expecting(s) && (!s->reaches || s->reaches(s, g)))
            return true;
    return false;
}

/* ---- polling ----------------------------------------------------------------------------- */

/* A lock of its own for each: one that takes long holds up no other. Nobody waits for it, so tasks
 * may be completed meanwhile whatever that needs. */
static bool poll_one(tw_service *s, tw_worker *w)
{
    assert(tw_is_inside(w));
    if (!tw_trylock(&s->polling))
        return false;
    bool happened = s->poll(s, w);
    atomic_store_explicit(&s->polled_at, tw_ticks(), memory_order_relaxed);
    tw_unlock(&s->polling);
    return happened;
}

static bool is_late(const tw_service *s, uint64_t now, uint64_t ticks)
{
    return (is_expecting(s) || s->attentive) &&
           now - atomic_load_explicit(&s->polled_at, memory_order_relaxed) >= ticks;
}

void tw_poll_due(tw_worker *w)
{
    uint64_t now = tw_ticks();
    for (tw_service *s = first(w->tw); s; s = s->next)
        if (is_late(s, now, atomic_load_explicit(&s->interval_ticks, memory_order_relaxed)))
            poll_one(s, w);
}

bool tw_poll_all(tw_worker *w)
{
    bool happened = false;
    for (tw_service *s = first(w->tw); s; s = s->next)
        happened |= poll_one(s, w);
    return happened;
}

void tw_poll_inside(twill *tw)
{
    tw_worker *w = tw_self(tw);
    tw_return(w);
    tw_poll_all(w);
    tw_leave(w);
    if (tw_is_crowded(tw))
        sched_yield();
    else
        tw_pause();
}

bool tw_poll_late(tw_worker *w, uint64_t ticks)
{
    uint64_t now = tw_ticks();
    bool happened = false;
    for (tw_service *s = first(w->tw); s; s = s->next)
        if (is_late(s, now, ticks))
            happened |= poll_one(s, w);
    return happened;
}

double tw_services_nap(const twill *tw)
{
    uint64_t ns = UINT64_MAX;
    for (const tw_service *s = first(tw); s; s = s->next)
        if (is_expecting(s) && s->nap_ns < ns)
            ns = s->nap_ns;
    return ns == UINT64_MAX ? 0 : (double)ns * 1e-9;
}

/* ---- adding and removing ----------------------------------------------------------------- */

twill_status tw_service_add(twill *tw, tw_service *s)
{
    tw_services *services = &tw->services;
    pthread_mutex_lock(&services->mutex);
    s->tw = tw;
    s->next = first(tw);
    atomic_store_explicit(&s->polled_at, tw_ticks(), memory_order_relaxed);
    if (s->attentive)
        atomic_store_explicit(&services->attend, true, memory_order_relaxed);
    bool helped = s->next || tw_helper_start(tw);
    if (helped)
        atomic_store_explicit(&services->first, s, memory_order_release);
    pthread_mutex_unlock(&services->mutex);
    return helped ? TWILL_OK
                  : tw_fail(TWILL_ERR_SYSTEM, "the system refuses a thread that polls %s", s->name);
}

/* The list is read by threads in the engine, without a lock or a count: nobody is in it while the
 * world is stopped. */
static void unlink_service(twill *tw, tw_service *s)
{
    tw_world_stop(tw);
    tw_service *before = first(tw);
    if (before == s) {
        atomic_store_explicit(&tw->services.first, s->next, memory_order_relaxed);
    } else {
        while (before->next != s)
            before = before->next;
        before->next = s->next;
    }
    tw_world_start(tw);
}

void tw_service_remove(tw_service *s)
{
    twill *tw = s->tw;
    pthread_mutex_lock(&tw->services.mutex);
    unlink_service(tw, s);
    tw_worker *w = tw_enter(tw);
    tw_service_settle(s, w, atomic_load_explicit(&s->expected, memory_order_relaxed));
    tw_exit(w);
    if (!first(tw))
        tw_helper_stop(tw);
    pthread_mutex_unlock(&tw->services.mutex);
}

void tw_services_open(tw_services *services)
{
    pthread_mutex_init(&services->mutex, NULL);
    tw_parker_open(&services->parker);
}

void tw_services_halt(twill *tw)
{
    pthread_mutex_lock(&tw->services.mutex);
    tw_helper_stop(tw);
    pthread_mutex_unlock(&tw->services.mutex);
}

void tw_services_close(tw_services *services)
{
    tw_parker_close(&services->parker);
    pthread_mutex_destroy(&services->mutex);
}
