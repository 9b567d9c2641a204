/* Finding work, going to sleep, and waking up without losing a task.
 *
 * A worker without work searches for a while, one at a time; then it sleeps. Whoever makes work
 * visible wakes a sleeper unless somebody searches. Both sides announce first and look afterwards,
 * with a fence between: the pusher pushes, then looks for sleepers; the sleeper enlists, then looks
 * for work. So at least one of them sees the other. */
#include "engine/engine.h"

/* ---- waking ------------------------------------------------------------------------------ */

/* Take a worker off the list. Under the lock. */
static void unlist(tw_idle *idle, tw_worker *w)
{
    tw_worker **link = &idle->sleepers;
    while (*link != w)
        link = &(*link)->next_sleeper;
    *link = w->next_sleeper;
    w->asleep = false;
    atomic_fetch_sub_explicit(&idle->sleeping, 1, memory_order_relaxed);
}

static tw_worker *take_sleeper(tw_idle *idle)
{
    tw_lock_take(&idle->lock);
    tw_worker *w = idle->sleepers;
    if (w)
        unlist(idle, w);
    tw_unlock(&idle->lock);
    return w;
}

/* The one who is woken is the searcher from the start: nobody else need be woken meanwhile. */
static void wake_searcher(tw_idle *idle)
{
    do {
        int nobody = 0;
        if (!atomic_compare_exchange_strong_explicit(&idle->searching, &nobody, 1,
                                                     memory_order_relaxed, memory_order_relaxed))
            return;
        tw_worker *w = take_sleeper(idle);
        if (w) {
            tw_unpark(&w->parker);
            return;
        }
        atomic_store_explicit(&idle->searching, 0, memory_order_relaxed);
        /* Somebody may have gone to sleep meanwhile, and a pusher have let it sleep because it took
         * us for a searcher: look again. */
        tw_fence();
    } while (atomic_load_explicit(&idle->sleeping, memory_order_relaxed) > 0);
}

void tw_wake_one(twill *tw)
{
    tw_fence_light(tw->membarrier); /* pairs with the heavy one in fall_asleep */
    if (atomic_load_explicit(&tw->idle.sleeping, memory_order_relaxed) > 0 &&
        atomic_load_explicit(&tw->idle.searching, memory_order_relaxed) == 0)
        wake_searcher(&tw->idle);
}

void tw_wake_worker(twill *tw, int index)
{
    tw_idle *idle = &tw->idle;
    tw_worker *wanted = &tw->worker[index];
    tw_fence_light(tw->membarrier);
    if (atomic_load_explicit(&idle->sleeping, memory_order_relaxed) == 0)
        return;
    tw_lock_take(&idle->lock);
    bool asleep = wanted->asleep;
    if (asleep)
        unlist(idle, wanted);
    tw_unlock(&idle->lock);
    if (asleep)
        tw_unpark(&wanted->parker);
}

void tw_wake_many(twill *tw, int n)
{
    tw_fence();
    while (n-- > 0 && atomic_load_explicit(&tw->idle.sleeping, memory_order_relaxed) > 0) {
        tw_worker *w = take_sleeper(&tw->idle);
        if (w)
            tw_unpark(&w->parker);
    }
}

void tw_wake_waiters(twill *tw)
{
    tw_unpark(&tw->worker[0].parker);
    pthread_mutex_lock(&tw->wait_mutex);
    pthread_cond_broadcast(&tw->wait_cond);
    pthread_mutex_unlock(&tw->wait_mutex);
}

/* ---- postponed tasks -------------------------------------------------------------------- */

void tw_postpone(twill *tw, twill_task *t)
{
    tw_lock_take(&tw->again_lock);
    tw_ready_add(&tw->again, t);
    atomic_fetch_add_explicit(&tw->postponed, 1, memory_order_relaxed);
    tw_unlock(&tw->again_lock);
    tw_wake_one(tw);
}

static twill_task *try_again(tw_worker *w)
{
    twill *tw = w->tw;
    if (tw_likely(atomic_load_explicit(&tw->postponed, memory_order_relaxed) == 0))
        return NULL;
    tw_lock_take(&tw->again_lock);
    twill_item *item = tw->again.head;
    if (item) {
        tw->again.head = item->next;
        tw->again.n--;
        atomic_fetch_sub_explicit(&tw->postponed, 1, memory_order_relaxed);
    }
    tw_unlock(&tw->again_lock);
    return (twill_task *)item;
}

/* ---- searching --------------------------------------------------------------------------- */

static void poll_services(tw_worker *w)
{
    twill *tw = w->tw;
    if (tw_likely(!tw->services) || !tw_trylock(&tw->service_lock))
        return;
    for (tw_service *s = tw->services; s; s = s->next)
        s->poll(s, w);
    tw_unlock(&tw->service_lock);
}

twill_task *tw_try(tw_worker *w)
{
    twill *tw = w->tw;
    if (tw_unlikely(atomic_load_explicit(&tw->team, memory_order_relaxed) != NULL))
        tw_team_join(w);
    twill_task *t = NULL;
    if (tw_unlikely(atomic_load_explicit(&tw->feeding, memory_order_relaxed) != NULL || w->hand.n))
        t = tw_feed_first(w);
    if (t)
        return t;
    t = (twill_task *)tw->sched->pop(tw->sched_state, w->index);
    if (tw_likely(t != NULL))
        return t;
    t = tw_feed(w);
    return t ? t : try_again(w);
}

static void become_searcher(tw_worker *w)
{
    int nobody = 0;
    if (!w->searching)
        w->searching = atomic_compare_exchange_strong_explicit(
            &w->tw->idle.searching, &nobody, 1, memory_order_relaxed, memory_order_relaxed);
}

/* Leave the search to somebody else, if there may be something left to find. */
static void stop_searching(tw_worker *w)
{
    twill *tw = w->tw;
    if (!w->searching)
        return;
    w->searching = false;
    atomic_store_explicit(&tw->idle.searching, 0, memory_order_relaxed);
    /* A pusher that saw a searcher did not wake anybody: look for what it pushed. What is missed
     * here for want of a heavier fence is found when this worker looks for its next task. */
    tw_fence();
    if (atomic_load_explicit(&tw->idle.sleeping, memory_order_relaxed) > 0 &&
        (!tw->sched->queued || tw->sched->queued(tw->sched_state) > 0))
        wake_searcher(&tw->idle);
}

static bool over(tw_worker *w, const tw_goal *goal)
{
    if (goal)
        return goal->reached(goal->arg);
    return atomic_load_explicit(&w->tw->stopping, memory_order_relaxed);
}

/* Look around until there is a task, the goal is reached or the time is up. */
static twill_task *search(tw_worker *w, const tw_goal *goal)
{
    twill *tw = w->tw;
    become_searcher(w);
    uint64_t until = tw_ticks() + (w->searching ? tw->spin_ticks : 0);
    do {
        twill_task *t = tw_try(w);
        if (t || over(w, goal))
            return t;
        poll_services(w);
        if (tw->oversubscribed)
            sched_yield();
        else
            tw_pause();
    } while (tw_ticks() < until);
    return NULL;
}

/* ---- sleeping ---------------------------------------------------------------------------- */

static void enlist(tw_worker *w)
{
    tw_idle *idle = &w->tw->idle;
    if (w->searching) {
        w->searching = false;
        atomic_store_explicit(&idle->searching, 0, memory_order_relaxed);
    }
    tw_lock_take(&idle->lock);
    w->asleep = true;
    w->next_sleeper = idle->sleepers;
    idle->sleepers = w;
    atomic_fetch_add_explicit(&idle->sleeping, 1, memory_order_relaxed);
    tw_unlock(&idle->lock);
}

/* Leave the list. Whoever was taken off it by a waker may have been made the searcher: it behaves
 * as one, which at worst wakes somebody for nothing. */
static void delist(tw_worker *w)
{
    tw_idle *idle = &w->tw->idle;
    tw_lock_take(&idle->lock);
    if (w->asleep)
        unlist(idle, w);
    else
        w->searching = true;
    tw_unlock(&idle->lock);
}

/* Sleep unless there is a task after all. */
static twill_task *fall_asleep(tw_worker *w, const tw_goal *goal)
{
    enlist(w);
    tw_fence_heavy(w->tw->membarrier); /* pairs with the light one in tw_wake_one */
    twill_task *t = tw_try(w);
    if (!t && !over(w, goal)) {
        tw_count(&w->counters.sleeps, 1);
        tw_emit(&w->tw->sink, TW_EVENT_SLEEP, w->index, NULL, -1, 0);
        tw_park(&w->parker);
        tw_emit(&w->tw->sink, TW_EVENT_WAKE, w->index, NULL, -1, 0);
    }
    delist(w);
    return t;
}

twill_task *tw_next(tw_worker *w, const tw_goal *goal)
{
    twill_task *t = tw_try(w);
    if (tw_likely(t != NULL))
        return t;
    tw_emit(&w->tw->sink, TW_EVENT_IDLE, w->index, NULL, -1, 0);
    if (w->last) {
        tw_graph_look(w->last, w);
        w->last = NULL;
    }
    while (!t && !over(w, goal)) {
        t = search(w, goal);
        if (!t && !over(w, goal))
            t = fall_asleep(w, goal);
    }
    tw_emit(&w->tw->sink, TW_EVENT_FOUND, w->index, NULL, -1, 0);
    stop_searching(w);
    return t;
}
