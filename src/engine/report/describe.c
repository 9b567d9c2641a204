/* What runs and what is blocked on what, in words. The world is stopped meanwhile, so nothing that
 * is looked at changes or goes away; bodies go on running. */
#include "engine/engine.h"
#include "engine/use.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TASKS = 20 };

typedef struct report {
    twill *tw;
    char *text;
    size_t size, used;
    const tw_epoch *sought;              /* the epoch whose holders are looked for */
    bool token;                          /* its token is what they hold, not the epoch before it */
    const twill_task *named[MOST_TASKS]; /* as what a worker runs */
    int nnamed;
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

static tw_task_state state_of(const twill_task *t)
{
    return (tw_task_state)atomic_load_explicit(&t->state, memory_order_acquire);
}

static const char *state_name(const twill_task *t)
{
    static const char *const names[] = {[TW_TASK_FREE] = "finished",
                                        [TW_TASK_WAITING] = "waiting itself",
                                        [TW_TASK_READY] = "ready, not started",
                                        [TW_TASK_STAGING] = "its data is on its way",
                                        [TW_TASK_RUNNING] = "started, not completed"};
    return names[state_of(t)];
}

static const char *name_of(const twill_task *t)
{
    return tw_task_flags(t) & TW_TASK_USE ? t->name : twill_task_name(t);
}

static bool live(const twill_task *t)
{
    return state_of(t) != TW_TASK_FREE;
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

/* ---- all tasks there are --------------------------------------------------------------- */

typedef void tw_visit(void *task, void *arg);

/* Tasks in pools, those too large for them, and those that graphs keep themselves. */
static void each_task(twill *tw, tw_visit *visit, void *arg)
{
    for (int i = 0; i <= TW_TASK_LINES; i++)
        tw_pool_each(&tw->pools[i], visit, arg);
    tw_lock_take(&tw->graph_lock);
    for (tw_large *l = tw->large; l; l = l->next)
        visit(l + 1, arg);
    for (twill_graph *g = tw->graphs; g; g = g->next)
        if (g->ops->each)
            g->ops->each(g, visit, arg);
    tw_unlock(&tw->graph_lock);
}

/* ---- one task ---------------------------------------------------------------------------- */

/* Does the slot hold back the epoch that is looked for: is it in the one before it, or does it have
 * the token of that one? */
static bool holds(const report *r, const tw_slot *slot)
{
    if (!tw_slot_is_data(slot) || !slot->u.tile)
        return false;
    const tw_epoch *e = slot->access.epoch;
    return e && (r->token ? e == r->sought && slot->token : e->next == r->sought);
}

/* What the slot waits for: its epoch, or that epoch's token; NULL when it waits for nothing. */
static const tw_epoch *waits_for(const tw_slot *slot, bool *token)
{
    if (!tw_slot_is_data(slot) || !slot->u.tile)
        return NULL;
    const tw_epoch *e = slot->access.epoch;
    *token = e && !tw_access_waits(&slot->access);
    return e && (!*token || slot->token) ? e : NULL;
}

static void name_holder(void *object, void *arg)
{
    report *r = arg;
    const twill_task *t = object;
    if (!live(t) || (r->token && state_of(t) == TW_TASK_WAITING))
        return;
    for (uint32_t i = 0; i < t->nslots; i++)
        if (holds(r, &t->slots[i])) {
            say(r, ", held by %s (%s)", name_of(t), state_name(t));
            return;
        }
}

static void explain_slot(report *r, const tw_slot *slot)
{
    say(r, "\n    waits for %s", r->token ? "its turn at " : "");
    name_tile(r, slot->u.tile);
    each_task(r->tw, name_holder, r);
    for (tw_use *use = r->tw->uses; use; use = use->next)
        name_holder(use->task, r);
}

static bool in_a_body(const twill *tw, const twill_task *t)
{
    for (int i = 0; i <= tw->workers; i++)
        if (atomic_load_explicit(&tw->worker[i].running, memory_order_relaxed) == t)
            return true;
    return false;
}

static void explain_waiting(report *r, const twill_task *t)
{
    say(r, "  task %s of graph %u", name_of(t), t->graph->serial);
    for (uint32_t i = 0; i < t->nslots; i++) {
        r->sought = waits_for(&t->slots[i], &r->token);
        if (r->sought)
            explain_slot(r, &t->slots[i]);
    }
    say(r, "\n");
}

static bool is_named(const report *r, const twill_task *t)
{
    for (int i = 0; i < r->nnamed; i++)
        if (r->named[i] == t)
            return true;
    return false;
}

/* A task that asks for another try changes its state all the time: it is looked at once, and said
 * to run if it did not when the workers were looked at. */
static void explain_task(report *r, const twill_task *t)
{
    tw_task_state state = state_of(t);
    if (state == TW_TASK_WAITING)
        explain_waiting(r, t);
    else if (state == TW_TASK_READY)
        say(r, "  task %s of graph %u is ready to run, perhaps again (TWILL_AGAIN)\n", name_of(t),
            t->graph->serial);
    else if (state == TW_TASK_RUNNING && in_a_body(r->tw, t) && !is_named(r, t))
        say(r, "  task %s of graph %u runs\n", name_of(t), t->graph->serial);
    else if (state == TW_TASK_RUNNING && !in_a_body(r->tw, t))
        say(r, "  task %s returned TWILL_ASYNC and nobody has called twill_task_done\n",
            name_of(t));
}

/* Tasks are visited under locks, so those that are not done are listed first and explained after.
 */
typedef struct task_list {
    const twill_task *task[MOST_TASKS];
    int n, all;
} task_list;

static void list_task(void *object, void *arg)
{
    task_list *list = arg;
    const twill_task *t = object;
    /* the tasks of an explicit graph wait for its edges: its graph is named already */
    if (!live(t) || tw_task_flags(t) & TW_TASK_USE ||
        (state_of(t) == TW_TASK_WAITING && t->graph->ops->each))
        return;
    if (list->n < MOST_TASKS)
        list->task[list->n++] = t;
    list->all++;
}

/* ---- everything -------------------------------------------------------------------------- */

/* A body may be on its way out of a task that is over and gone: only live tasks are named. */
static void name_runners(void *object, void *arg)
{
    report *r = arg;
    const twill_task *t = object;
    if (state_of(t) != TW_TASK_RUNNING)
        return;
    for (int i = 0; i <= r->tw->workers; i++) {
        if (atomic_load_explicit(&r->tw->worker[i].running, memory_order_relaxed) != t)
            continue;
        say(r, "  worker %d runs %s\n", i, name_of(t));
        if (r->nnamed < MOST_TASKS)
            r->named[r->nnamed++] = t;
    }
}

static void describe_workers(report *r)
{
    each_task(r->tw, name_runners, r);
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

static void describe_services(report *r)
{
    const tw_service *s = atomic_load_explicit(&r->tw->services.first, memory_order_acquire);
    for (; s; s = s->next) {
        int64_t n = atomic_load_explicit(&s->expected, memory_order_relaxed);
        if (n > 0)
            say(r, "  service %s: %lld %s expected\n", s->name, (long long)n, s->things);
    }
}

static void describe_uses(report *r)
{
    for (tw_use *use = r->tw->uses; use; use = use->next) {
        bool holds =
            atomic_load_explicit(&use->task->state, memory_order_relaxed) == TW_TASK_RUNNING;
        say(r, "  %s %s ", use->what, holds ? "holds" : "waits for");
        if (use->nboxes)
            say(r, "all tiles of %d array%s\n", use->nboxes, use->nboxes == 1 ? "" : "s");
        else
            say(r, "%u tiles\n", use->task->nslots);
    }
}

static void describe_tasks(report *r)
{
    task_list list = {.n = 0};
    each_task(r->tw, list_task, &list);
    for (int i = 0; i < list.n; i++)
        explain_task(r, list.task[i]);
    if (list.all > list.n)
        say(r, "  ... and %d more tasks\n", list.all - list.n);
}

size_t twill_describe(twill *tw, char *text, size_t size)
{
    report r = {.tw = tw, .text = text, .size = size};
    if (size)
        text[0] = '\0';
    if (tw_context_check(tw) != TWILL_OK)
        return 0; /* who was inside at the fork would never leave */
    tw_world_stop(tw);
    describe_graphs(&r);
    describe_workers(&r);
    describe_services(&r);
    tw_lock_take(&tw->use_lock);
    describe_uses(&r);
    describe_tasks(&r);
    tw_unlock(&tw->use_lock);
    tw_world_start(tw);
    return r.used;
}
