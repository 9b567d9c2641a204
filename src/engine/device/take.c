/* Devices take tasks, and have their data staged. */
#include "base/chore.h"
#include "engine/device/executors.h"

#include <stdio.h>

uint16_t tw_executors_of(const twill *tw, const twill_task *t)
{
    const tw_executors *all = tw->executors;
    uint16_t mask = 0;
    for (const twill_chore *c = t->cls->chores; c < t->cls->chores + TWILL_CHORES && c->kind; c++)
        if (c->kind >= TWILL_CHORE_CUDA && c->kind <= TWILL_CHORE_HOST && c->body.host)
            mask |= all->kinds[c->kind];
    mask &= t->item.devices;
    /* one that is staged has its data on the host, pinned: a worker has parked it; and what a
     * worker has begun, workers try again */
    if (tw_task_flags(t) & (TW_TASK_CRITICAL | TW_TASK_STAGED | TW_TASK_AGAIN))
        mask = 0;
    if ((all->cpu || !mask) && tw_chore_of(t->cls, tw->workers))
        mask |= 1;
    return mask;
}

void tw_executors_ask(twill *tw)
{
    tw_executors *all = tw->executors;
    /* release: who polls finds what was pushed */
    if (!atomic_exchange_explicit(&all->asked, true, memory_order_acq_rel))
        tw_service_expect(&all->service, 1);
}

void tw_executor_settle(tw_executor_record *e, tw_worker *w)
{
    e->taken--;
    tw_service_settle(&w->tw->executors->service, w, 1);
}

void tw_executor_skip(tw_worker *w, twill_task *t)
{
    twill_graph *g = t->graph;
    tw_skip(w, t);
    tw_graph_look(g, w);
}

void tw_executor_return(tw_executor_record *e, tw_worker *w, twill_task *t, twill_status status,
                        const char *why)
{
    char title[TW_TITLE];
    t->item.devices &= (uint16_t) ~(1u << e->number);
    if (tw_executors_of(w->tw, t) & (uint16_t)(t->item.devices | 1)) {
        tw_ready ready = {0};
        tw_ready_add(&ready, t);
        tw_push(w, &ready);
        return;
    }
    tw_graph_fail(t->graph, status, "task %s: it cannot run on %s: %s", tw_task_title(t, title),
                  e->name, why);
    tw_executor_skip(w, t);
}

/* ---- staging -------------------------------------------------------------------------------- */

/* The data of a task is there, or will not be. By any thread in the engine. */
static void arrived(tw_staging *s, void *poller)
{
    (void)poller;
    twill_task *t = s->owner;
    tw_device *device = t->graph->tw->device[s->space];
    tw_executor_record *e = (tw_executor_record *)(void *)device;
    tw_lock_take(&e->lock);
    tw_ready_add(&e->staged, t);
    tw_unlock(&e->lock);
}

static void refuse_room(tw_executor_record *e, tw_worker *w, twill_task *t, size_t bytes)
{
    char why[128] = "it works on parts of tiles";
    size_t room = e->device.space->room;
    if (bytes > room)
        snprintf(why, sizeof why, "its data takes %zu bytes at once, and there is room for %zu",
                 bytes, room);
    tw_executor_return(e, w, t, TWILL_ERR_MEMORY, why);
    tw_executor_settle(e, w);
}

/* Its data is to come to the device. */
static void stage(tw_executor_record *e, tw_worker *w, twill_task *t)
{
    size_t bytes;
    switch (tw_prepare_there(w, t, e->number, arrived, &bytes)) {
    case TW_PREPARED:
        tw_lock_take(&e->lock);
        tw_ready_add(&e->staged, t);
        tw_unlock(&e->lock);
        break;
    case TW_PREPARE_PARKED:
        break;
    case TW_PREPARE_FAILED:
        tw_executor_skip(w, t);
        tw_executor_settle(e, w);
        break;
    case TW_PREPARE_REFUSED:
        refuse_room(e, w, t, bytes);
        break;
    }
}

/* ---- taking --------------------------------------------------------------------------------- */

static void take(tw_executor_record *e, tw_worker *w, twill_task *t)
{
    uint16_t flags = tw_task_flags(t);
    tw_service_expect(&w->tw->executors->service, 1);
    e->taken++;
    t->runner = (int16_t)w->index;
    if (flags & TW_TASK_FAILED) /* what it said before, in another run */
        atomic_fetch_and_explicit(&t->flags, (uint16_t)~TW_TASK_FAILED, memory_order_relaxed);
    if (tw_graph_failed(t->graph) || flags & TW_TASK_POISONED) {
        tw_executor_skip(w, t);
        tw_executor_settle(e, w);
    } else if (atomic_load_explicit(&e->failed, memory_order_relaxed)) {
        tw_executor_return(e, w, t, TWILL_ERR_SYSTEM, "the device has failed");
        tw_executor_settle(e, w);
    } else {
        stage(e, w, t);
    }
}

bool tw_executor_take(tw_executor_record *e, tw_worker *w)
{
    twill *tw = w->tw;
    bool some = false;
    while (e->taken < e->most) {
        twill_item *item = tw->policy->pop(tw->policy_state, tw->workers + e->number);
        if (!item)
            break;
        take(e, w, (twill_task *)item);
        some = true;
    }
    return some;
}
