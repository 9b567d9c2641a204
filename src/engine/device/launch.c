/* Tasks on lanes: bodies are called, and tasks completed when their lane is done. */
#include "base/clock.h"
#include "base/mix.h"
#include "engine/device/executors.h"
#include "engine/device/rates.h"

#include <twill/device.h>

/* ---- the end -------------------------------------------------------------------------------- */

static bool happens(tw_executor_record *e, double share)
{
    return share > 0 && (double)(tw_mix(++e->random) >> 11) < share * 9007199254740992.0;
}

static void fail_lane(tw_executor_record *e, const tw_flight *f)
{
    char title[TW_TITLE];
    tw_graph_fail(f->task->graph, f->status,
                  "task %s: device %s failed while it ran: what it was to write is lost",
                  tw_task_title(f->task, title), e->name);
    atomic_store_explicit(&e->failed, true, memory_order_relaxed);
}

static bool is_good(tw_executor_record *e, const tw_flight *f)
{
    char title[TW_TITLE];
    twill_task *t = f->task;
    if (f->status != TWILL_OK) {
        fail_lane(e, f);
        return false;
    }
    twill_outcome outcome = f->outcome == TWILL_DONE && f->then ? f->then(t) : f->outcome;
    if (outcome == TWILL_DONE)
        return true;
    if (!(tw_task_flags(t) & TW_TASK_FAILED))
        tw_graph_fail(t->graph, TWILL_ERR_TASK,
                      outcome == TWILL_ERROR ? "task %s failed without saying why"
                                             : "task %s: a body for a device returns TWILL_DONE",
                      tw_task_title(t, title));
    return false;
}

/* Lanes share the device: a task has taken the time since the one before it was over. */
static void note(tw_executor_record *e, const tw_flight *f, const tw_worker *w)
{
    double now = tw_seconds(), since = f->begun > e->rested ? f->begun : e->rested;
    e->rested = now;
    if (f->status == TWILL_OK)
        tw_rates_note(w->tw, tw_rates_of(w->tw, f->task), e->number, now - since);
}

/* The lane is done, and the task is over. */
static void finish(tw_flight *f, tw_worker *w)
{
    tw_executor_record *e = f->executor;
    twill_task *t = f->task;
    note(e, f, w);
    twill_graph *g = t->graph;
    tw_space *space = e->device.space;
    bool good = is_good(e, f);
    if (f->scratch)
        space->free(space, f->scratch, f->scratch_size);
    f->next = e->free;
    e->free = f;
    e->flying--;
    t->runner = (int16_t)w->index;
    atomic_fetch_add_explicit(&e->tasks, 1, memory_order_relaxed);
    tw_count(&w->counters.executed, 1);
    tw_emit(&w->tw->sink, TW_EVENT_DONE, w->index, t, -1, 0);
    tw_complete(w, t, !good);
    tw_graph_look(g, w);
    tw_executor_settle(e, w);
}

/* By whoever polls. */
static void done(tw_launch *launch, twill_status status, void *poller)
{
    tw_flight *f = (tw_flight *)(void *)launch;
    tw_executor_record *e = f->executor;
    double now = tw_seconds();
    double seconds = launch->seconds > 0 ? launch->seconds : now - f->begun;
    f->info = launch->info ? launch->info[0] : 0;
    f->status = status == TWILL_OK && happens(e, e->fail) ? TWILL_ERR_SYSTEM : status;
    if (e->slow <= 1) {
        finish(f, poller);
        return;
    }
    f->due = now + (e->slow - 1) * seconds;
    f->next = e->held;
    e->held = f;
}

bool tw_executor_let_go(tw_executor_record *e, tw_worker *w)
{
    tw_flight *due = NULL;
    double now = e->held ? tw_seconds() : 0;
    for (tw_flight **link = &e->held; *link;) {
        tw_flight *f = *link;
        if (f->due > now) {
            link = &f->next;
            continue;
        }
        *link = f->next;
        f->next = due;
        due = f;
    }
    bool some = due;
    for (tw_flight *f = due, *next; f; f = next) {
        next = f->next;
        finish(f, w);
    }
    return some;
}

/* ---- the beginning -------------------------------------------------------------------------- */

static const twill_chore *chore_of(const tw_executor_record *e, const twill_task *t)
{
    const twill_chore *c = t->cls->chores;
    while (c->kind != e->kind)
        c++;
    return c;
}

/* Scratch arguments share a block in the memory of the device. */
static bool bind_scratch(tw_executor_record *e, twill_task *t, tw_flight *f)
{
    tw_space *space = e->device.space;
    size_t total = 0;
    for (uint32_t i = 0; i < t->nslots; i++)
        if (t->slots[i].kind == TWILL_ARG_SCRATCH)
            total += tw_whole_lines(t->slots[i].scratch);
    f->scratch = total ? space->alloc(space, total) : NULL;
    f->scratch_size = total;
    char *at = f->scratch;
    for (uint32_t i = 0; i < t->nslots && at; i++) {
        if (t->slots[i].kind != TWILL_ARG_SCRATCH)
            continue;
        t->slots[i].u.data = at;
        at += tw_whole_lines(t->slots[i].scratch);
    }
    return total == 0 || f->scratch;
}

static twill_outcome run_body(tw_executor_record *e, tw_worker *w, twill_task *t, tw_flight *f)
{
    char title[TW_TITLE];
    if (tw_task_flags(t) & TW_TASK_SCRATCH && !bind_scratch(e, t, f)) {
        tw_graph_fail(t->graph, TWILL_ERR_MEMORY,
                      "task %s: no memory for its scratch arguments on %s", tw_task_title(t, title),
                      e->name);
        atomic_fetch_or_explicit(&t->flags, TW_TASK_FAILED, memory_order_relaxed);
        return TWILL_ERROR;
    }
    tw_leave(w);
    twill_outcome outcome = chore_of(e, t)->body.host(t, f->launch.lane);
    tw_return(w);
    return outcome;
}

static void launch(tw_executor_record *e, tw_worker *w, twill_task *t, tw_flight *f)
{
    e->free = f->next;
    e->flying++;
    f->task = t;
    f->begun = tw_seconds();
    tw_task_staging(t)->flight = f;
    tw_task_set_state(t, TW_TASK_RUNNING);
    if (tw_is_traced(w))
        tw_emit_begin(w, t);
    f->outcome = run_body(e, w, t, f);
    if (tw_is_traced(w))
        tw_emit_end(w, t, TWILL_ASYNC);
    e->executor->end(e->executor, &f->launch);
}

/* It was parked, and could not be had. */
static void give_up(tw_executor_record *e, tw_worker *w, twill_task *t)
{
    twill_status status = tw_task_staging(t)->status;
    tw_prepare_undo(w, t);
    tw_executor_return(e, w, t, status,
                       status == TWILL_ERR_MEMORY ? "there is no memory for its data"
                                                  : "its data could not be copied there");
    tw_executor_settle(e, w);
}

static twill_task *next_staged(tw_executor_record *e)
{
    tw_lock_take(&e->lock);
    twill_item *item = e->staged.head;
    if (item) {
        e->staged.head = item->next;
        e->staged.n--;
    }
    tw_unlock(&e->lock);
    return (twill_task *)item;
}

/* No lane is free after all: it remains the next. */
static void put_back(tw_executor_record *e, twill_task *t)
{
    tw_lock_take(&e->lock);
    t->item.next = e->staged.head;
    if (!e->staged.head)
        e->staged.tail = &t->item;
    e->staged.head = &t->item;
    e->staged.n++;
    tw_unlock(&e->lock);
}

/* False when there is no lane for it. */
static bool try_launch(tw_executor_record *e, tw_worker *w, twill_task *t)
{
    tw_flight *f = e->free;
    if (tw_graph_failed(t->graph)) {
        tw_executor_skip(w, t);
        tw_executor_settle(e, w);
        return true;
    }
    if (tw_task_staging(t)->status != TWILL_OK) {
        give_up(e, w, t);
        return true;
    }
    *f = (tw_flight){.launch = {.owner = f, .done = done}, .next = f->next, .executor = e};
    if (!e->executor->begin(e->executor, &f->launch))
        return false;
    launch(e, w, t, f);
    return true;
}

bool tw_executor_launch(tw_executor_record *e, tw_worker *w)
{
    bool some = false;
    twill_task *t;
    while (e->free && (t = next_staged(e))) {
        if (!try_launch(e, w, t)) {
            put_back(e, t);
            break;
        }
        some = true;
    }
    return some;
}

/* ---- questions of bodies -------------------------------------------------------------------- */

tw_flight *tw_task_flight(const twill_task *t)
{
    const tw_staging *s = tw_task_flags(t) & TW_TASK_STAGED ? tw_task_staging(t) : NULL;
    return s ? s->flight : NULL;
}

void *twill_task_queue(const twill_task *t)
{
    const tw_flight *f = tw_task_flight(t);
    return f ? f->launch.lane : NULL;
}

int twill_task_device(const twill_task *t)
{
    const tw_flight *f = tw_task_flight(t);
    return f ? f->executor->number : 0;
}

void twill_task_then(twill_task *t, twill_outcome (*then)(twill_task *task))
{
    tw_flight *f = tw_task_flight(t);
    if (f)
        f->then = then;
}

void *twill_task_memory(const twill_task *t, int arg, size_t *offset)
{
    const tw_flight *f = tw_task_flight(t);
    const void *address = twill_task_data(t, arg);
    *offset = 0;
    return f && address ? f->executor->executor->locate(f->executor->executor, address, offset)
                        : NULL;
}
