/* What runs and what is blocked on what, in words. */
#include "engine/engine.h"
#include "engine/use.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TASKS = 20 };

typedef struct report {
    twill *tw;
    char *text;
    size_t size, used;
    int shown, blocked, async;
    const tw_epoch *sought; /* the epoch whose holders are looked for */
} report;

static void TWILL_PRINTF(2, 3) say(report *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t room = r->used < r->size ? r->size - r->used : 0;
    int n = vsnprintf(room ? r->text + r->used : NULL, room, format, args);
    va_end(args);
    r->used += n > 0 ? (size_t)n : 0;
}

static const char *state_name(const twill_task *t)
{
    static const char *const names[] = {[TW_TASK_FREE] = "finished",
                                        [TW_TASK_WAITING] = "waiting itself",
                                        [TW_TASK_READY] = "ready, not started",
                                        [TW_TASK_RUNNING] = "started, not completed"};
    return names[atomic_load_explicit(&t->state, memory_order_relaxed)];
}

/* A task's name is only read while the task lives; pools keep its memory in any case. */
static const char *name_of(const twill_task *t)
{
    bool use = atomic_load_explicit(&t->flags, memory_order_relaxed) & TW_TASK_USE;
    return use ? t->name : twill_task_name(t);
}

static bool live(const twill_task *t)
{
    return atomic_load_explicit(&t->state, memory_order_relaxed) != TW_TASK_FREE;
}

static void name_tile(report *r, const twill_tile *tile)
{
    int64_t block[TWILL_DIMS] = {0};
    if (!tile->array->tiles) {
        say(r, "a partial result");
        return;
    }
    tw_tile_block(tile, block);
    say(r, "tile (%lld", (long long)block[0]);
    for (int d = 1; d < tile->array->pattern.ndim; d++)
        say(r, ", %lld", (long long)block[d]);
    say(r, ")");
}

static void name_holder(void *object, void *arg)
{
    report *r = arg;
    const twill_task *t = object;
    if (!live(t))
        return;
    for (uint32_t i = 0; i < t->nslots; i++) {
        const tw_slot *slot = &t->slots[i];
        if (tw_slot_is_data(slot) && slot->access.epoch && slot->access.epoch->next == r->sought) {
            say(r, ", held by %s (%s)", name_of(t), state_name(t));
            return;
        }
    }
}

static void each_task(report *r, void (*visit)(void *, void *))
{
    for (int i = 0; i <= TW_TASK_LINES; i++)
        tw_pool_each(&r->tw->pools[i], visit, r);
}

static void explain_slot(report *r, const tw_slot *slot)
{
    say(r, "\n    waits for ");
    name_tile(r, slot->u.tile);
    r->sought = slot->access.epoch;
    each_task(r, name_holder);
    for (tw_use *use = r->tw->uses; use; use = use->next)
        name_holder(use->task, r);
}

/* Pools are visited under their locks, so the blocked tasks are listed first and explained after.
 */
typedef struct blocked_list {
    report *r;
    const twill_task *task[MOST_TASKS];
    int n;
} blocked_list;

static void list_task(void *object, void *arg)
{
    blocked_list *list = arg;
    const twill_task *t = object;
    tw_task_state state = (tw_task_state)atomic_load_explicit(&t->state, memory_order_relaxed);
    if (state != TW_TASK_WAITING && state != TW_TASK_RUNNING)
        return;
    if (state == TW_TASK_WAITING)
        list->r->blocked++;
    else
        list->r->async++;
    if (list->n < MOST_TASKS)
        list->task[list->n++] = t;
}

static bool in_a_body(const twill *tw, const twill_task *t)
{
    for (int i = 0; i <= tw->workers; i++)
        if (atomic_load_explicit(&tw->worker[i].running, memory_order_relaxed) == t)
            return true;
    return false;
}

static void explain_task(report *r, const twill_task *t)
{
    if (atomic_load_explicit(&t->state, memory_order_relaxed) == TW_TASK_RUNNING) {
        if (!in_a_body(r->tw, t))
            say(r, "  task %s returned TWILL_ASYNC and nobody has called twill_task_done\n",
                name_of(t));
        return;
    }
    say(r, "  task %s of graph %u", name_of(t), t->graph->serial);
    for (uint32_t i = 0; i < t->nslots; i++) {
        const tw_slot *slot = &t->slots[i];
        if (tw_slot_is_data(slot) && slot->u.tile && tw_access_waits(&slot->access))
            explain_slot(r, slot);
    }
    say(r, "\n");
}

static void describe_workers(report *r)
{
    for (int i = 0; i <= r->tw->workers; i++) {
        const twill_task *t = atomic_load_explicit(&r->tw->worker[i].running, memory_order_relaxed);
        if (t)
            say(r, "  worker %d runs %s\n", i, name_of(t));
    }
}

static void describe_graphs(report *r)
{
    twill *tw = r->tw;
    tw_lock_take(&tw->graph_lock);
    for (twill_graph *g = tw->graphs; g; g = g->next) {
        int64_t added, done;
        twill_graph_progress(g, &added, &done);
        if (added != done)
            say(r, "  graph %u (%s): %lld of %lld tasks are not done\n", g->serial, g->ops->name,
                (long long)(added - done), (long long)added);
    }
    tw_unlock(&tw->graph_lock);
}

static void describe_uses(report *r)
{
    for (tw_use *use = r->tw->uses; use; use = use->next) {
        bool holds =
            atomic_load_explicit(&use->task->state, memory_order_relaxed) == TW_TASK_RUNNING;
        say(r, "  %s %s %u tiles\n", use->what, holds ? "holds" : "waits for", use->task->nslots);
    }
}

size_t twill_describe(twill *tw, char *text, size_t size)
{
    report r = {.tw = tw, .text = text, .size = size};
    if (size)
        text[0] = '\0';
    describe_graphs(&r);
    describe_workers(&r);
    tw_lock_take(&tw->use_lock);
    describe_uses(&r);
    blocked_list list = {.r = &r};
    for (int i = 0; i <= TW_TASK_LINES; i++)
        tw_pool_each(&tw->pools[i], list_task, &list);
    for (int i = 0; i < list.n; i++)
        explain_task(&r, list.task[i]);
    if (r.blocked + r.async > list.n)
        say(&r, "  ... and %d more\n", r.blocked + r.async - list.n);
    tw_unlock(&tw->use_lock);
    return r.used;
}
