/* Entering and leaving the chains without being a task. */
#include "engine/use.h"

#include "engine/hazard.h"

#include <stdlib.h>

enum { WAITING, READY, ABANDONED };

tw_use *tw_use_make(twill *tw, const char *what, uint32_t n)
{
    size_t head = tw_whole_lines(sizeof(tw_use));
    tw_use *use = calloc(1, head + sizeof(twill_task) + n * sizeof(tw_slot));
    if (!use)
        return NULL;
    twill_task *t = (twill_task *)(void *)((char *)use + head);
    use->what = what;
    use->tw = tw;
    use->holder = pthread_self();
    use->task = t;
    t->use = use;
    t->name = what;
    if (tw_fetch_open(use))
        return use;
    free(use);
    return NULL;
}

void tw_use_tile(tw_use *use, twill_tile *tile, twill_access mode)
{
    tw_slot_set_tile(use->task, use->task->nslots++, tw_use_kind(mode), tile);
}

tw_use *tw_use_make_arrays(twill *tw, const char *what, int n)
{
    tw_use *use = tw_use_make(tw, what, 0);
    if (!use)
        return NULL;
    use->boxes = calloc((size_t)n, sizeof *use->boxes);
    use->wholes = calloc((size_t)n, sizeof *use->wholes);
    if (use->boxes && use->wholes)
        return use;
    tw_use_discard(use);
    return NULL;
}

void tw_use_array(tw_use *use, const twill_array *a, twill_access access)
{
    int i = use->nboxes++;
    for (; i > 0 && use->boxes[i - 1].root > a->root; i--)
        use->boxes[i] = use->boxes[i - 1];
    use->boxes[i] = (tw_use_box){a->root, tw_box_of(a, access)};
}

/* It has all it asked for. Returns whether that was all to do; the use may be gone then. */
static bool take(tw_use *use, tw_worker *w)
{
    twill_task *t = use->task;
    bool told = use->granted;
    use->poisoned = tw_task_flags(t) & TW_TASK_POISONED || tw_wholes_poisoned(use);
    tw_task_set_state(t, TW_TASK_RUNNING);
    if (told)
        use->granted(use, w);
    return told;
}

/* What a use of a few tiles on the host does not have. */
TW_NOINLINE static void discard_more(tw_use *use)
{
    tw_pool_return(&use->tw->data.epochs, &use->epochs);
    tw_wholes_discard(use);
    free(use->boxes);
    free(use->wholes);
    free(use->fetch);
}

void tw_use_discard(tw_use *use)
{
    if (use && (use->epochs || use->boxes || use->wholes || use->fetch))
        discard_more(use);
    free(use);
}

bool tw_use_reserve(tw_use *use)
{
    if (use->nboxes)
        return tw_wholes_reserve(use);
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

static bool covers(const twill_tile *tile, void *arg)
{
    const tw_use *use = arg;
    int64_t block[TWILL_DIMS];
    tw_tile_block(tile, block);
    for (int i = 0; i < use->nboxes; i++)
        if (use->boxes[i].root == tile->array && tw_box_has(&use->boxes[i].box, block))
            return true;
    return false;
}

/* Contributions that are not combined yet belong to the tiles. */
static void flush_tiles(tw_use *use)
{
    if (use->nboxes)
        tw_extensions_flush_some(use->tw, covers, use);
    for (uint32_t i = 0; i < use->task->nslots; i++) {
        twill_tile *tile = use->task->slots[i].u.tile;
        if (tw_unlikely(atomic_load_explicit(&tile->reducing, memory_order_acquire) != NULL))
            tw_extensions_flush(use->tw, tile);
    }
}

static tw_entered enter_tiles(tw_use *use, tw_worker *w)
{
    tw_cache_add(&w->epochs, &use->epochs);
    bool reserved = tw_hazards_reserve(w, (int)use->task->nslots);
    return reserved ? tw_hazards_enter(w, use->task, NULL) : TW_ENTERED_NONE;
}

static tw_entered enter_arrays(tw_use *use, tw_worker *w)
{
    if (!tw_wholes_enter(w, use))
        return TW_ENTERED_NONE;
    /* acq_rel: see tw_whole_granted, which takes the rest off */
    bool last = atomic_fetch_sub_explicit(&use->task->wait, 1, memory_order_acq_rel) == 1;
    return last ? TW_ENTERED_GRANTED : TW_ENTERED_WAITS;
}

/* True when there is nothing to bring to the host, or nothing left. */
static bool is_here(tw_use *use, tw_worker *w)
{
    return tw_likely(!use->fetch) || tw_fetch_begin(use, w);
}

bool tw_use_enter(tw_use *use)
{
    flush_tiles(use);
    tw_worker *w = tw_enter(use->tw);
    bool entered = tw_use_enter_as(use, w);
    tw_exit(w);
    return entered;
}

bool tw_use_enter_as(tw_use *use, tw_worker *w)
{
    twill_task *t = use->task;
    assert(tw_is_inside(w));
    enlist(use);
    use->entered = true;
    atomic_store_explicit(&t->flags, TW_TASK_USE | TW_TASK_LARGE, memory_order_relaxed);
    tw_task_set_state(t, TW_TASK_WAITING);
    atomic_store_explicit(&t->wait, use->nboxes ? 1 : (int)t->nslots, memory_order_relaxed);
    tw_entered entered = use->nboxes ? enter_arrays(use, w) : enter_tiles(use, w);
    if (entered == TW_ENTERED_NONE) {
        use->entered = false;
        delist(use);
    } else if (entered == TW_ENTERED_GRANTED && is_here(use, w) && !take(use, w)) {
        atomic_store_explicit(&use->state, READY, memory_order_relaxed); /* nobody waits yet */
    }
    return entered != TW_ENTERED_NONE;
}

void tw_use_give(tw_use *use, tw_worker *w)
{
    assert(tw_is_inside(w));
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

void tw_use_granted(tw_worker *w, twill_task *t)
{
    if (tw_task_flags(t) & TW_TASK_PROXY)
        tw_whole_granted(w, t);
    else if (is_here(t->use, w))
        tw_use_give(t->use, w);
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
    if (tw_use_enter(use))
        return;
    /* others have needed what was reserved: nothing runs, and the graph says so at its end */
    tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory to enter the data of the graph");
    tw_startup_begin(g);
}

void tw_use_withdraw(tw_use *use, tw_worker *w, uint32_t poison)
{
    assert(tw_is_inside(w));
    tw_ready ready = {0};
    if (!use->entered)
        return;
    use->entered = false;
    w->releasing = NULL;
    tw_hazards_leave(w, use->task, poison, &ready);
    if (use->nboxes)
        tw_wholes_leave(w, use, poison, &ready);
    if (ready.n)
        tw_push(w, &ready);
    delist(use);
}

void tw_use_leave(tw_use *use, tw_worker *w, uint32_t poison)
{
    tw_use_withdraw(use, w, poison);
    tw_use_discard(use);
}

/* Is this access in the chain behind `held`, and who makes it? Under the array's lock. */
static bool waits_behind(const tw_epoch *held, const twill_graph *g, const tw_use *other)
{
    for (const tw_epoch *e = held->next; e; e = e->next) {
        tw_access *a = atomic_load_explicit(&e->waiting, memory_order_acquire);
        for (; a; a = a->next) {
            const twill_task *t = tw_access_task(a);
            bool uses = tw_task_flags(t) & TW_TASK_USE;
            if (g ? t->graph == g : uses && t->use == other)
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
    /* a local view may have elements anywhere */
    for (int d = 0; d < TWILL_DIMS && !use->view.local; d++)
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
