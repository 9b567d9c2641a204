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
    assert(tw_is_locked(&idle->lock) && w->asleep);
    tw_worker **link = &idle->sleepers;
    while (*link != w)
        link = &(*link)->next_sleeper;
    *link = w->next_sleeper;
    w->asleep = false;
    atomic_fetch_sub_explicit(&idle->sleeping, 1, memory_order_relaxed);
}

/* Wake n sleepers, or as many as there are, as a tree: this thread wakes one, which wakes two
 * others, so that the last of 256 is woken by a chain of 9. False when nobody sleeps. */
static bool wake_tree(tw_idle *idle, int n, bool searcher)
{
    if (n <= 0)
        return false;
    tw_lock_take(&idle->lock);
    tw_worker *w = idle->sleepers;
    if (w) {
        unlist(idle, w);
        w->searching = searcher;
        w->to_wake = n - 1;
    }
    tw_unlock(&idle->lock);
    if (w)
        tw_unpark(&w->parker);
    return w;
}

/* The first one woken is the searcher from the start: nobody else need be woken meanwhile. */
static void wake_searcher(tw_idle *idle, int n)
{
    do {
        int nobody = 0;
        if (!atomic_compare_exchange_strong_explicit(&idle->searching, &nobody, 1,
                                                     memory_order_relaxed, memory_order_relaxed))
            return;
        if (wake_tree(idle, n, true))
            return;
        atomic_store_explicit(&idle->searching, 0, memory_order_relaxed);
        /* Somebody may have gone to sleep meanwhile, and a pusher have let it sleep because it took
         * us for a searcher: look again. */
        tw_fence();
    } while (atomic_load_explicit(&idle->sleeping, memory_order_relaxed) > 0);
}

/* There are sleepers. The fence pairs with the one in tw_stop_searching: either this thread sees
 * that nobody searches any more, or the searcher that stops sees what was pushed. */
TW_NOINLINE static void wake_sleepers(tw_idle *idle, int n)
{
    tw_fence();
    if (atomic_load_explicit(&idle->searching, memory_order_relaxed) == 0)
        wake_searcher(idle, n);
}

void tw_wake(twill *tw, int n)
{
    tw_fence_light(tw->membarrier); /* pairs with the heavy one in fall_asleep */
    if (tw_unlikely(atomic_load_explicit(&tw->idle.sleeping, memory_order_relaxed) > 0))
        wake_sleepers(&tw->idle, n);
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

void tw_wake_team(twill *tw, int n)
{
    tw_fence();
    if (atomic_load_explicit(&tw->idle.sleeping, memory_order_relaxed) > 0)
        wake_tree(&tw->idle, n, false);
}

void tw_wake_waiters(twill *tw)
{
    atomic_store_explicit(&tw->worker[0].notified, true, memory_order_relaxed);
    tw_unpark(&tw->worker[0].parker);
    pthread_mutex_lock(&tw->wait_mutex);
    pthread_cond_broadcast(&tw->wait_cond);
    pthread_mutex_unlock(&tw->wait_mutex);
}

/* Let others get ahead, who may share the core. */
static void relax(const twill *tw)
{
    if (tw_is_crowded(tw))
        sched_yield();
    else
        tw_pause();
}

/* ---- postponed tasks -------------------------------------------------------------------- */

void tw_postpone(twill *tw, twill_task *t)
{
    tw_lock_take(&tw->again_lock);
    tw_ready_add(&tw->again, t);
    atomic_fetch_add_explicit(&tw->postponed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&tw->retrying, 1, memory_order_relaxed);
    if (tw->critical)
        tw_critical_postponed(tw, t);
    tw_unlock(&tw->again_lock);
    if (tw->critical)
        tw_critical_call(tw);
    tw_wake(tw, 1);
}

/* Under the lock. */
static void take_back(twill *tw, twill_item *item)
{
    twill_item *before = NULL;
    for (twill_item *i = tw->again.head; i != item; i = i->next)
        before = i;
    if (before)
        before->next = item->next;
    else
        tw->again.head = item->next;
    if (!item->next)
        tw->again.tail = before;
    tw->again.n--;
    atomic_fetch_sub_explicit(&tw->postponed, 1, memory_order_relaxed);
}

static twill_task *try_again(tw_worker *w)
{
    twill *tw = w->tw;
    if (tw_likely(atomic_load_explicit(&tw->postponed, memory_order_relaxed) == 0))
        return NULL;
    tw_lock_take(&tw->again_lock);
    twill_item *item = tw_unlikely(tw->critical != NULL) ? tw_critical_again(w) : tw->again.head;
    if (item)
        take_back(tw, item);
    tw_unlock(&tw->again_lock);
    if (item) /* somebody else has to do what it waits for */
        relax(tw);
    return (twill_task *)item;
}

/* ---- searching --------------------------------------------------------------------------- */

/* A task that is not for a team. */
static inline twill_task *find(tw_worker *w)
{
    twill *tw = w->tw;
    twill_task *t = NULL;
    if (tw_unlikely(atomic_load_explicit(&tw->starting, memory_order_relaxed) != NULL ||
                    w->batch.n))
        t = tw_startup_first(w);
    if (t)
        return t;
    t = (twill_task *)tw->sched->pop(tw->sched_state, w->index);
    if (tw_likely(t != NULL))
        return t;
    t = tw_startup_take(w);
    return t ? t : try_again(w);
}

/* Between two tasks: a team gathers, or services expect something. */
TW_NOINLINE static void turn_aside(tw_worker *w)
{
    if (atomic_load_explicit(&w->tw->team, memory_order_relaxed))
        tw_team_join(w);
    if (atomic_load_explicit(&w->tw->expecting, memory_order_relaxed))
        tw_poll_due(w);
}

/* Both are rare and on one line: one test for the two. */
twill_task *tw_try(tw_worker *w)
{
    assert(tw_self(w->tw) == w && tw_is_inside(w));
    uintptr_t team = (uintptr_t)atomic_load_explicit(&w->tw->team, memory_order_relaxed);
    int expecting = atomic_load_explicit(&w->tw->expecting, memory_order_relaxed);
    if (tw_unlikely((team | (uintptr_t)expecting) != 0))
        turn_aside(w);
    return find(w);
}

static void become_searcher(tw_worker *w)
{
    int nobody = 0;
    if (!w->searching)
        w->searching = atomic_compare_exchange_strong_explicit(
            &w->tw->idle.searching, &nobody, 1, memory_order_relaxed, memory_order_relaxed);
}

/* Does a graph have startup tasks left? */
static bool has_startup(const twill *tw)
{
    return atomic_load_explicit(&tw->starting, memory_order_relaxed) != NULL;
}

/* Is there something to do that a look may have missed: startup tasks under a lock that another
 * worker held, a team that gathers, an item that the scheduler leaves to the worker it prefers for
 * a while? Then nobody sleeps. */
static bool in_sight(const twill *tw)
{
    return has_startup(tw) || atomic_load_explicit(&tw->team, memory_order_relaxed) ||
           (tw->sched->queued && tw->sched->queued(tw->sched_state) > 0);
}

/* Is a service to be polled that no idle worker looks after, but for the one that searches? */
static bool wants_poll(const twill *tw)
{
    return tw_is_expecting(tw) && !atomic_load_explicit(&tw->idle.napping, memory_order_relaxed);
}

/* How many more workers may find something to do. */
static int work_left(twill *tw)
{
    if (has_startup(tw))
        return tw->workers;
    int again = atomic_load_explicit(&tw->postponed, memory_order_relaxed) + wants_poll(tw);
    return again + (tw->sched->queued ? tw->sched->queued(tw->sched_state) : 1);
}

static void wake_for_rest(twill *tw)
{
    int n = work_left(tw);
    if (n > 0)
        wake_searcher(&tw->idle, n);
}

void tw_stop_searching(tw_worker *w)
{
    assert(tw_is_inside(w));
    tw_idle *idle = &w->tw->idle;
    if (w->searching) {
        w->searching = false;
        atomic_store_explicit(&idle->searching, 0, memory_order_relaxed);
    }
    /* Pushers that took somebody for a searcher, perhaps this worker in its last look before it
     * would have slept, have woken nobody. Pairs with the fence in wake_sleepers. */
    tw_fence();
    if (atomic_load_explicit(&idle->sleeping, memory_order_relaxed) > 0 &&
        atomic_load_explicit(&idle->searching, memory_order_relaxed) == 0)
        wake_for_rest(w->tw);
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
        if (!tw_poll_all(w)) /* else perhaps by a task that is to run */
            relax(tw);
    } while (tw_ticks() < until);
    return NULL;
}

/* ---- sleeping ---------------------------------------------------------------------------- */

static void enlist(tw_worker *w)
{
    assert(tw_is_inside(w) && !w->asleep);
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

/* Leave the list. A waker that took the worker off it has said how many others it is to wake. */
static void delist(tw_worker *w)
{
    tw_idle *idle = &w->tw->idle;
    tw_lock_take(&idle->lock);
    if (w->asleep)
        unlist(idle, w);
    int n = w->to_wake;
    w->to_wake = 0;
    tw_unlock(&idle->lock);
    wake_tree(idle, (n + 1) / 2, false);
    wake_tree(idle, n / 2, false);
}

/* While services expect something one idle worker polls: the one that searches goes on, unless it
 * may sleep a little in between. */
static bool keeps_polling(const tw_worker *w)
{
    return w->searching && tw_is_expecting(w->tw) && tw_services_nap(w->tw) == 0;
}

/* It may go on for long: let reports stop it. */
static void step_outside(tw_worker *w)
{
    tw_leave(w);
    tw_return(w);
}

/* On the list. If services expect something and nobody else looks after them, not for long. Another
 * worker that searches or naps looks for sleepers when it stops: its fence in tw_stop_searching
 * pairs with the one in fall_asleep. */
static void sleep_on_list(tw_worker *w)
{
    tw_idle *idle = &w->tw->idle;
    bool polls = wants_poll(w->tw) &&
                 atomic_load_explicit(&idle->searching, memory_order_relaxed) == 0 &&
                 !atomic_exchange_explicit(&idle->napping, true, memory_order_relaxed);
    double nap = polls ? tw_services_nap(w->tw) : 0;
    tw_leave(w);
    if (!polls)
        tw_park(&w->parker);
    else if (nap > 0)
        tw_park_for(&w->parker, nap);
    if (polls)
        atomic_store_explicit(&idle->napping, false, memory_order_relaxed);
    tw_return(w);
}

/* Sleep unless there is a task after all. On the list, a worker joins no team: wakers would take it
 * for a sleeper for as long as the body runs. */
static twill_task *fall_asleep(tw_worker *w, const tw_goal *goal)
{
    enlist(w);
    tw_fence_heavy(w->tw->membarrier); /* pairs with the light one in tw_wake */
    twill_task *t = find(w);
    if (!t && !over(w, goal) && !in_sight(w->tw) && !tw_is_reserved(w)) {
        tw_count(&w->counters.sleeps, 1);
        tw_emit(&w->tw->sink, TW_EVENT_SLEEP, w->index, NULL, -1, 0);
        sleep_on_list(w);
        tw_emit(&w->tw->sink, TW_EVENT_WAKE, w->index, NULL, -1, 0);
    }
    delist(w);
    return t;
}

/* There is no task at once. */
TW_NOINLINE static twill_task *await_task(tw_worker *w, const tw_goal *goal)
{
    twill_task *t = NULL;
    tw_emit(&w->tw->sink, TW_EVENT_IDLE, w->index, NULL, -1, 0);
    if (w->last) {
        tw_graph_look(w->last, w);
        w->last = NULL;
    }
    while (!t && !over(w, goal)) {
        t = tw_is_reserved(w) ? tw_critical_serve(w, goal) : search(w, goal);
        if (t || over(w, goal) || in_sight(w->tw) || tw_is_reserved(w))
            continue;
        if (keeps_polling(w))
            step_outside(w);
        else
            t = fall_asleep(w, goal);
    }
    tw_emit(&w->tw->sink, TW_EVENT_FOUND, w->index, NULL, -1, 0);
    tw_stop_searching(w);
    return t;
}

twill_task *tw_next(tw_worker *w, const tw_goal *goal)
{
    twill_task *t = tw_try(w);
    return tw_likely(t != NULL) ? t : await_task(w, goal);
}
