/* Entering and leaving the chains without being a task. */
#include "engine/use.h"

#include "engine/hazard.h"

#include <stdlib.h>

enum { WAITING, READY, ABANDONED };

tw_use *tw_use_make(twill *tw, const char *what, uint32_t n)
{
    size_t head = (sizeof(tw_use) + TW_LINE - 1) / TW_LINE * TW_LINE;
    tw_use *use = calloc(1, head + sizeof(twill_task) + n * sizeof(tw_slot));
    if (!use)
        return NULL;
    twill_task *t = (twill_task *)(void *)((char *)use + head);
    *use = (tw_use){.what = what, .tw = tw, .holder = pthread_self(), .task = t};
    t->use = use;
    t->name = what;
    if (tw->data.replicas.spaces > 1) {
        use->staging = malloc(sizeof *use->staging + n * sizeof *use->staging->datum);
        if (!use->staging) {
            free(use);
            return NULL;
        }
    }
    return use;
}

void tw_use_tile(tw_use *use, twill_tile *tile, twill_access mode)
{
    twill_arg_kind kind = mode == TWILL_READ    ? TWILL_ARG_READ
                          : mode == TWILL_WRITE ? TWILL_ARG_WRITE
                                                : TWILL_ARG_READ_WRITE;
    tw_slot_set_tile(use->task, use->task->nslots++, kind, tile);
}

/* ---- data in other memories --------------------------------------------------------------- */

static void fetched(tw_staging *s, void *poller);

/* Bring what is not valid on the host there; true when there is nothing to wait for. */
TW_NOINLINE static bool fetch(tw_use *use, tw_worker *w)
{
    tw_staging *s = use->staging;
    const twill_task *t = use->task;
    *s = (tw_staging){.owner = use, .ready = fetched};
    for (uint32_t i = 0; i < t->nslots; i++) {
        const tw_slot *slot = &t->slots[i];
        if (tw_value_is_replicated(&slot->u.tile->value))
            s->datum[s->n++] = (tw_staged){.value = &slot->u.tile->value,
                                           .reads = slot->mode != TW_WRITE,
                                           .writes = slot->mode != TW_READ};
    }
    return s->n == 0 || tw_stage(&use->tw->data.replicas, s, w);
}

/* Chains keep others away from here on. */
static void unpin(tw_use *use, tw_worker *w)
{
    if (use->staging->n) {
        tw_unstage(&use->tw->data.replicas, use->staging, true, w);
        use->status = use->staging->status;
    }
}

/* ------------------------------------------------------------------------------------------ */

/* It has all it asked for. Returns whether that was all to do; the use may be gone then. */
static bool take(tw_use *use, tw_worker *w)
{
    twill_task *t = use->task;
    bool told = use->granted;
    use->poisoned = atomic_load_explicit(&t->flags, memory_order_relaxed) & TW_TASK_POISONED;
    tw_task_set_state(t, TW_TASK_RUNNING);
    if (told)
        use->granted(use, w);
    return told;
}

void tw_use_discard(tw_use *use)
{
    if (!use)
        return;
    tw_pool_return(&use->tw->data.epochs, &use->epochs);
    free(use->staging);
    free(use);
}

bool tw_use_reserve(tw_use *use)
{
    return tw_pool_take(&use->tw->data.epochs, (int)use->task->nslots, &use->epochs);
}

static void enlist(tw_use *use)
{
    twill *tw = use->tw;
    tw_lock_take(&tw->use_lock);
    use->next = tw->uses;
    use->link = &tw->uses;
    if (use->next)
        use->next->link = &use->next;
    tw->uses = use;
    tw_unlock(&tw->use_lock);
}

static void delist(tw_use *use)
{
    twill *tw = use->tw;
    tw_lock_take(&tw->use_lock);
    *use->link = use->next;
    if (use->next)
        use->next->link = use->link;
    tw_unlock(&tw->use_lock);
}

/* Contributions that are not combined yet belong to the tiles. */
static void flush_tiles(tw_use *use)
{
    for (uint32_t i = 0; i < use->task->nslots; i++) {
        twill_tile *tile = use->task->slots[i].u.tile;
        if (tw_unlikely(atomic_load_explicit(&tile->reducing, memory_order_acquire) != NULL))
            tw_extensions_flush(use->tw, tile);
    }
}

bool tw_use_enter(tw_use *use)
{
    twill_task *t = use->task;
    flush_tiles(use);
    tw_worker *w = tw_enter(use->tw);
    tw_cache_add(&w->epochs, &use->epochs);
    bool reserved = tw_hazards_reserve(w, (int)t->nslots);
    if (reserved) {
        enlist(use);
        atomic_store_explicit(&t->flags, TW_TASK_USE | TW_TASK_LARGE, memory_order_relaxed);
        tw_task_set_state(t, TW_TASK_WAITING);
        atomic_store_explicit(&t->wait, (int)t->nslots, memory_order_relaxed);
        bool there = tw_hazards_enter(w, t, NULL);
        if (tw_unlikely(use->staging != NULL) && there && (there = fetch(use, w)))
            unpin(use, w);
        if (there && !take(use, w))
            atomic_store_explicit(&use->state, READY, memory_order_relaxed); /* nobody waits yet */
    }
    tw_exit(w);
    return reserved;
}

/* It is the program's, or whoever waits for it. */
static void give(tw_use *use, tw_worker *w)
{
    twill *tw = use->tw;
    if (take(use, w))
        return;
    int waiting = WAITING;
    /* release pairs with the acquire of the waiting thread, who may free the use at once */
    if (atomic_compare_exchange_strong_explicit(&use->state, &waiting, READY, memory_order_acq_rel,
                                                memory_order_relaxed))
        tw_wake_waiters(tw);
    else
        tw_use_leave(use, w, 0);
}

static void fetched(tw_staging *s, void *poller)
{
    tw_use *use = s->owner;
    unpin(use, poller);
    give(use, poller);
}

void tw_use_granted(tw_worker *w, twill_task *t)
{
    tw_use *use = t->use;
    if (tw_unlikely(use->staging != NULL)) {
        if (!fetch(use, w))
            return;
        unpin(use, w);
    }
    give(use, w);
}

static void begin_startup(tw_use *use, tw_worker *w)
{
    (void)w;
    twill_graph *g = use->task->graph;
    if (use->poisoned)
        tw_graph_fail(g, TWILL_ERR_CANCELED, "the graph reads data of a graph that failed");
    if (use->status != TWILL_OK)
        tw_graph_fail(g, use->status, "the graph reads data that could not be copied to the host");
    tw_startup_begin(g);
}

void tw_use_start(tw_use *use, twill_graph *g)
{
    if (!use) {
        tw_startup_begin(g);
        return;
    }
    use->granted = begin_startup;
    use->task->graph = g;
    tw_use_enter(use);
}

void tw_use_withdraw(tw_use *use, tw_worker *w, uint32_t poison)
{
    tw_ready ready = {0};
    w->releasing = NULL;
    tw_hazards_leave(w, use->task, poison, &ready);
    if (ready.n)
        tw_push(w, &ready);
    delist(use);
}

void tw_use_leave(tw_use *use, tw_worker *w, uint32_t poison)
{
    tw_use_withdraw(use, w, poison);
    free(use->staging);
    free(use);
}

/* Is this access in the chain behind `held`, and who makes it? Under the array's lock. */
static bool waits_behind(const tw_epoch *held, const twill_graph *g, const tw_use *other)
{
    for (const tw_epoch *e = held->next; e; e = e->next) {
        tw_access *a = atomic_load_explicit(&e->waiting, memory_order_acquire);
        for (; a; a = a->next) {
            const twill_task *t = tw_access_task(a);
            if (g ? t->graph == g : t == other->task)
                return true;
        }
    }
    return false;
}

static bool holds_back(const tw_use *use, const twill_graph *g, const tw_use *other)
{
    bool behind = false;
    for (uint32_t i = 0; i < use->task->nslots && !behind; i++) {
        const tw_slot *slot = &use->task->slots[i];
        tw_lock_take(&slot->u.tile->array->lock);
        behind = slot->access.epoch && waits_behind(slot->access.epoch, g, other);
        tw_unlock(&slot->u.tile->array->lock);
    }
    return behind;
}

twill_status tw_use_blocks(twill *tw, const twill_graph *g, const tw_use *other)
{
    twill_status status = TWILL_OK;
    if (atomic_load_explicit(&tw->mapped, memory_order_relaxed) == 0)
        return TWILL_OK;
    tw_lock_take(&tw->use_lock);
    for (tw_use *use = tw->uses; use && status == TWILL_OK; use = use->next)
        if (use->held && pthread_equal(use->holder, pthread_self()) && holds_back(use, g, other))
            status =
                tw_fail(TWILL_ERR_STUCK, "this thread would wait for itself: it has mapped data "
                                         "that what it waits for needs; call twill_unmap first");
    tw_unlock(&tw->use_lock);
    return status;
}

/* Does the program hold something of the array? */
static bool holds(const tw_use *use, twill_array *a)
{
    twill_view all = tw_view_in_root(twill_view_all(a));
    bool common = use->held && use->view.array == all.array;
    for (int d = 0; d < TWILL_DIMS; d++)
        common = common && use->view.start[d] < all.start[d] + all.extent[d] &&
                 all.start[d] < use->view.start[d] + use->view.extent[d];
    return common;
}

bool tw_use_maps(twill_array *a)
{
    twill *tw = a->context;
    if (atomic_load_explicit(&tw->mapped, memory_order_relaxed) == 0)
        return false;
    tw_lock_take(&tw->use_lock);
    tw_use *use = tw->uses;
    while (use && !(pthread_equal(use->holder, pthread_self()) && holds(use, a)))
        use = use->next;
    tw_unlock(&tw->use_lock);
    return use;
}

static tw_use *any_held(twill *tw)
{
    tw_lock_take(&tw->use_lock);
    tw_use *use = tw->uses;
    while (use && !use->held)
        use = use->next;
    tw_unlock(&tw->use_lock);
    return use;
}

void tw_use_end_all(twill *tw)
{
    tw_worker *w = tw_enter(tw);
    for (tw_use *use; (use = any_held(tw));) {
        if (use->copied)
            tw_host.free(&tw_host, use->data, use->size);
        tw_use_leave(use, w, 0);
    }
    tw_exit(w);
}

typedef struct wish {
    tw_use *use;
    twill_status stuck;
} wish;

static bool fulfilled(void *arg)
{
    wish *w = arg;
    if (atomic_load_explicit(&w->use->state, memory_order_acquire) == READY)
        return true;
    w->stuck = tw_use_blocks(w->use->tw, NULL, w->use);
    return w->stuck != TWILL_OK;
}

twill_status tw_use_wait(tw_use *use)
{
    wish w = {use, TWILL_OK};
    twill_status status = tw_wait(use->tw, &(tw_goal){fulfilled, &w});
    if (status == TWILL_OK)
        status = w.stuck;
    int waiting = WAITING;
    if (status != TWILL_OK && !atomic_compare_exchange_strong(&use->state, &waiting, ABANDONED))
        status = TWILL_OK; /* granted at the last moment */
    return status;
}
