/* From waiting to ready: the last input is granted, and the scheduler gets the task. */
#include "engine/device/executors.h"

#include "engine/hazard.h"
#include "engine/use.h"

void tw_task_grant(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    assert(tw_is_inside(w));
    if (tw_unlikely(poison) && tw_poison_holds(w->tw, poison))
        atomic_fetch_or_explicit(&t->flags, TW_TASK_POISONED, memory_order_relaxed);
    if (tw_is_traced(w))
        tw_emit_grant(w, t);
    /* The last one needs no read-modify-write: nobody else will touch the count. acq_rel: what came
     * before any of the grants is visible to the task. */
    if (atomic_load_explicit(&t->wait, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&t->wait, 1, memory_order_acq_rel) != 1)
        return;
    uint16_t flags = tw_task_flags(t);
    if (tw_unlikely(flags & TW_TASK_USE))
        tw_use_granted(w, t);
    else if (tw_likely(!(flags & TW_TASK_COMMUTES)) || tw_tokens_take(t))
        tw_ready_add(ready, t);
    __builtin_prefetch(t->slots);
}

/* Does w look for its next task right after this? Not inside a body, which may take long: what is
 * inserted there, or completed from there, is for whoever comes first. */
static bool pops_next(const tw_worker *w)
{
    return w->looping && !atomic_load_explicit(&w->running, memory_order_relaxed);
}

/* Say who can run the items. True: some are for devices. */
TW_NOINLINE static bool address(twill *tw, const tw_ready *ready)
{
    uint16_t all = 0;
    for (twill_item *i = ready->head; i; i = i->next) {
        i->devices &= tw_executors_of(tw, (twill_task *)i);
        all |= i->devices;
    }
    return all & ~1u;
}

static inline void push(tw_worker *w, const tw_ready *ready)
{
    twill *tw = w->tw;
    int wanted = -1;
    for (twill_item *i = ready->head; i; i = i->next) {
        tw_task_set_state((twill_task *)i, TW_TASK_READY);
        wanted = i->worker > wanted ? i->worker : wanted;
    }
    int n = tw->sched->push(tw->sched_state, w->index, ready->head, ready->n, pops_next(w));
    if (n > 0)
        tw_wake(tw, n);
    if (tw_unlikely(wanted >= 0) && wanted < tw->workers && wanted != w->index)
        tw_wake_worker(tw, wanted);
}

/* Devices are asked when the tasks are there: whoever polled before would look in vain, and be the
 * last to look. */
TW_NOINLINE static void push_addressed(tw_worker *w, const tw_ready *ready)
{
    bool leaves = address(w->tw, ready);
    push(w, ready);
    if (leaves)
        tw_executors_ask(w->tw);
}

void tw_push(tw_worker *w, tw_ready *ready)
{
    assert(tw_is_inside(w));
    if (tw_unlikely(w->tw->accelerated))
        push_addressed(w, ready);
    else
        push(w, ready);
}
