/* Waiting: the first thread to wait works as worker 0, further ones sleep. */
#include "engine/remote/remote.h"
#include "engine/use.h"

#include <time.h>

enum { NAP_NS = 2000000 };

/* The calling thread acts as the worker, which is locked for it, and stops doing so. */
static void begin_acting(tw_worker *w)
{
    w->outer = tw_become(w);
    w->looping = true;
    tw_return(w);
    tw_emit(&w->tw->sink, TW_EVENT_ENTER, w->index, NULL, -1, 0);
}

static void end_acting(tw_worker *w)
{
    if (w->last)
        tw_graph_look(w->last, w);
    w->last = NULL;
    w->looping = false;
    tw_publish(w);
    tw_emit(&w->tw->sink, TW_EVENT_EXIT, w->index, NULL, -1, 0);
    tw_leave(w);
    tw_become(w->outer);
    w->outer = NULL;
}

/* The same, bound to its core meanwhile. */
static void enter_primary(tw_worker *w)
{
    twill *tw = w->tw;
    begin_acting(w);
    if (tw_is_bound(tw))
        tw_topo_bind(&tw->topo, 0, tw->cpuset_before);
    tw_critical_arrive(tw);
}

static void leave_primary(tw_worker *w)
{
    twill *tw = w->tw;
    tw_critical_depart(tw);
    end_acting(w);
    if (tw_is_bound(tw))
        tw_topo_unbind(&tw->topo, tw->cpuset_before);
}

/* When the primary worker looks at its goal while there are tasks to run. A look reads lines of
 * other workers, and even the time costs as much as a small task: so after short tasks it looks
 * less and less often, after long ones each time. And when it is notified: the tasks that
 * come next may be long ones that it does not wait for. */
typedef struct pace {
    int left, step; /* tasks until the next look; from look to look */
    uint64_t looked;
} pace;

static bool time_to_look(tw_worker *w, pace *p)
{
    enum { MOST = 64, LONG_US = 64 };
    bool notified = atomic_load_explicit(&w->notified, memory_order_relaxed);
    if (tw_likely(--p->left > 0 && !notified))
        return false;
    if (notified)
        atomic_store_explicit(&w->notified, false, memory_order_relaxed);
    uint64_t now = tw_ticks();
    bool longer = now - p->looked > LONG_US * w->tw->us_ticks;
    p->step = longer ? 1 : p->step < MOST ? 2 * p->step : MOST;
    p->left = p->step;
    p->looked = now;
    return true;
}

/* Work as primary. The caller has just looked: the next look is after a task. */
static void work_towards(tw_worker *w, const tw_goal *goal)
{
    pace p = {.left = 2, .step = 1, .looked = tw_ticks()};
    atomic_store_explicit(&w->notified, false, memory_order_relaxed);
    enter_primary(w);
    while (!time_to_look(w, &p) || !goal->reached(goal->arg)) {
        twill_task *t = tw_next(w, goal);
        if (!t)
            break;
        tw_run(w, t);
    }
    leave_primary(w);
}

/* Another thread is primary, perhaps only for the time of an insertion: sleep until somebody
 * reports an end, and look again after a short time in any case. */
static void nap(twill *tw, const tw_goal *goal)
{
    struct timespec until;
    pthread_mutex_lock(&tw->wait_mutex);
    if (!goal->reached(goal->arg)) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += NAP_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&tw->wait_cond, &tw->wait_mutex, &until);
    }
    pthread_mutex_unlock(&tw->wait_mutex);
}

twill_status tw_wait(twill *tw, const tw_goal *goal)
{
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE,
                       "a task cannot wait; insert a task that depends on what you "
                       "wait for, or open a nested graph (twill_nest)");
    if (goal->reached(goal->arg))
        return TWILL_OK;
    twill_status status = tw_context_check(tw);
    if (status != TWILL_OK)
        return status;
    tw_worker *primary = &tw->worker[0];
    int cancelable; /* a thread that ended in here would stay primary */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    do {
        if (tw_trylock(&primary->acting)) {
            work_towards(primary, goal);
            tw_unlock(&primary->acting);
            tw_wake_waiters(tw); /* the next one can be primary */
        } else {
            nap(tw, goal);
        }
    } while (!goal->reached(goal->arg));
    pthread_setcancelstate(cancelable, NULL);
    return TWILL_OK;
}

/* ---- graphs ------------------------------------------------------------------------------ */

typedef struct end {
    twill_graph *graph;
    twill_status stuck;
    int64_t phase; /* whose tasks are waited for, once it is known: those so far */
    bool so_far;   /* they are enough */
} end;

/* Are the tasks so far done, while others go on inserting? */
static bool phase_over(end *e)
{
    twill_graph *g = e->graph;
    if (e->phase < 0)
        e->phase = tw_graph_next_phase(g);
    return e->phase >= 0 && tw_graph_phase_over(g, e->phase);
}

static bool graph_over(void *arg)
{
    end *e = arg;
    twill_graph *g = e->graph;
    if (!tw_graph_is_running(g) && (tw_graph_idle(g) || (e->so_far && phase_over(e))) &&
        (tw_likely(!g->shared) || tw_shared_is_over(g)))
        return true;
    e->stuck = tw_use_blocks(g->tw, g, NULL);
    return e->stuck != TWILL_OK;
}

static bool flush(twill_graph *g)
{
    if (!g->ops->flush || !tw_extensions_may_owe(g->tw) || tw_context_check(g->tw) != TWILL_OK)
        return false;
    tw_worker *w = tw_enter(g->tw);
    bool owed = g->ops->flush(g, w);
    tw_exit(w);
    return owed;
}

/* All ranks wait for what is inserted, even if it is nothing: only so do they find out if one of
 * them has inserted something. */
TW_NOINLINE static void close_run(twill_graph *g, bool so_far)
{
    if (tw_in_task(g->tw) || tw_context_check(g->tw) != TWILL_OK)
        return; /* nor does it wait */
    if (so_far && g->ops->begin)
        g->ops->begin(g);
    tw_shared_close(g);
}

/* With `so_far`, others may go on inserting. */
static twill_status wait_graph(twill_graph *g, bool so_far)
{
    end e = {g, TWILL_OK, -1, so_far && !g->ops->startup};
    int phases = e.so_far;
    flush(g);
    if (tw_unlikely(g->shared != NULL))
        close_run(g, so_far);
    tw_emit(&g->tw->sink, TW_EVENT_WAIT, 0, g, -1, 0);
    atomic_fetch_add_explicit(&g->phase_waiters, phases, memory_order_relaxed);
    atomic_fetch_add_explicit(&g->watchers, 1, memory_order_relaxed);
    tw_fence(); /* pairs with the one in tw_graph_look: watch, then look at the counts */
    twill_status status = tw_wait(g->tw, &(tw_goal){graph_over, &e});
    atomic_fetch_sub_explicit(&g->watchers, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&g->phase_waiters, phases, memory_order_relaxed);
    tw_emit(&g->tw->sink, TW_EVENT_GO, 0, g, -1, 0);
    return status == TWILL_OK ? e.stuck : status;
}

twill_status twill_wait(twill_graph *g)
{
    if (!g)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_wait: the graph is NULL");
    twill_status status = wait_graph(g, true);
    if (tw_unlikely(g->ops->waited != NULL) && status == TWILL_OK)
        g->ops->waited(g);
    return status == TWILL_OK ? tw_graph_conclude(g) : status;
}

void twill_graph_free(twill_graph *g)
{
    if (!g)
        return;
    do {
        if (wait_graph(g, false) != TWILL_OK)
            return;
        /* its last tasks may owe something, or another thread have just inserted that */
    } while (flush(g) || !tw_graph_idle(g));
    tw_graph_conclude(g);
    tw_worker *w = tw_enter(g->tw);
    tw_graph_discard(g, w);
    tw_exit(w);
}

/* ---- the window -------------------------------------------------------------------------- */

/* Are some tasks tried again, and no others run? They may want something that is still to be
 * inserted, and keep workers awake meanwhile. */
static bool only_retries(twill *tw)
{
    /* before anything that running workers write */
    if (atomic_load_explicit(&tw->retrying, memory_order_relaxed) == 0)
        return false;
    for (int i = 0; i < tw->workers; i++) {
        const tw_worker *w = &tw->worker[i];
        if (atomic_load_explicit(&w->running, memory_order_relaxed) &&
            !atomic_load_explicit(&w->retries, memory_order_relaxed))
            return false;
    }
    return true;
}

/* Nobody can make progress: then the rest of the program must, beginning with its next insertion. A
 * worker that is awake may have a task. */
static bool all_quiet(twill *tw, int others)
{
    if (tw_is_expecting(tw)) /* before the others: what a service brought is there by then */
        return false;
    int asleep_there = atomic_load_explicit(&tw->idle.sleeping, memory_order_relaxed);
    bool asleep = asleep_there + tw_critical_sleepers(tw) >= others;
    return (asleep || only_retries(tw)) &&
           (!tw->policy->queued || tw->policy->queued(tw->policy_state) == 0);
}

static int64_t ended_by(const tw_worker *w)
{
    return atomic_load_explicit(&w->counters.executed, memory_order_relaxed) +
           atomic_load_explicit(&w->counters.skipped, memory_order_relaxed);
}

/* As primary: run what there is, until there is room again. False when no task came to its end.
 */
static bool make_room(tw_worker *w, const twill_graph *g, int64_t enough)
{
    enum { TURNS = 16 }; /* until it looks whether there is room */
    int64_t before = ended_by(w), last;
    begin_acting(w);
    do {
        last = ended_by(w);
        for (int i = 0; i < TURNS; i++) {
            twill_task *t = tw_try(w);
            if (!t)
                break;
            tw_run(w, t);
        }
    } while (ended_by(w) > last && tw_graph_in_flight(g) > enough);
    tw_poll_all(w);
    end_acting(w);
    return ended_by(w) > before;
}

void tw_help(twill_graph *g)
{
    twill *tw = g->tw;
    tw_worker *primary = &tw->worker[0];
    int64_t enough = tw->window - tw->window / 4;
    int quiet = 0, cancelable; /* bodies run here: see tw_wait */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    while (quiet < 3 && tw_graph_in_flight(g) > enough) {
        bool acquired = tw_trylock(&primary->acting), busy = false;
        if (acquired) {
            busy = make_room(primary, g, enough);
            tw_unlock(&primary->acting);
        }
        quiet = !busy && all_quiet(tw, tw->workers - acquired) ? quiet + 1 : 0;
        if (!busy && tw_context_check(tw) != TWILL_OK)
            break; /* in a forked child nobody will ever make room */
        if (!busy)
            sched_yield();
    }
    pthread_setcancelstate(cancelable, NULL);
}
