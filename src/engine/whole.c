/* Uses of whole arrays enter the chains of tiles where they have to: where a tile is in use when
 * they come, and where a tile is used while they are there. In a chain, a use is a small task of
 * its own, a proxy, which waits there for the use and lets others wait for it. */
#include "engine/use.h"

#include "data/whole.h"
#include "engine/hazard.h"

#include <stdlib.h>

enum { PROXY_LINES = 2 };

_Static_assert(sizeof(twill_task) + sizeof(tw_slot) <= PROXY_LINES * TW_LINE, "a proxy has a slot");

/* ---- memory ------------------------------------------------------------------------------ */

/* Room for n proxies, and for so many epochs. */
static bool reserve(tw_worker *w, int n, int epochs)
{
    tw_cache *tasks = &w->tasks[PROXY_LINES];
    return (tw_cache_has(tasks, n) || tw_pool_reserve(&w->tw->pools[PROXY_LINES], tasks, n)) &&
           tw_hazards_reserve(w, epochs);
}

/* What was reserved and not needed is for all. */
static void return_rest(tw_worker *w)
{
    tw_pool_return(&w->tw->pools[PROXY_LINES], &w->tasks[PROXY_LINES].more);
    tw_pool_return(&w->tw->data.epochs, &w->epochs.more);
}

/* ---- proxies ------------------------------------------------------------------------------- */

static tw_use *use_of(const tw_whole *u)
{
    return u->owner;
}

static twill_task *next_proxy(const twill_task *proxy)
{
    return (twill_task *)proxy->item.next;
}

/* The mark of a failure reaches the use through one of its proxies. */
static void pass_poison(tw_use *use)
{
    atomic_fetch_or_explicit(&use->task->flags, TW_TASK_POISONED, memory_order_relaxed);
}

/* Enter the chain of a tile. The use waits for a proxy that is counted; the others are in chains
 * that were idle when it entered, behind nobody but uses that it waits for anyway. */
static void add_proxy(tw_worker *w, tw_whole *u, twill_tile *tile, int access, bool counted)
{
    tw_use *use = use_of(u);
    twill_task *t = tw_task_get(w, PROXY_LINES);
    t->item = (twill_item){.next = u->proxies, .worker = -1};
    t->graph = use->task->graph;
    t->use = use;
    t->name = use->what;
    t->nslots = 1;
    tw_slot_set_tile(t, 0, tw_use_kind((twill_access)access), tile);
    u->proxies = t;
    atomic_store_explicit(&t->flags, TW_TASK_USE | TW_TASK_PROXY | (counted ? TW_TASK_COUNTED : 0),
                          memory_order_relaxed);
    atomic_store_explicit(&t->wait, 1, memory_order_relaxed);
    tw_task_set_state(t, TW_TASK_WAITING);
    if (counted)
        atomic_fetch_add_explicit(&use->task->wait, 1, memory_order_relaxed);
    if (tw_hazards_enter_locked(w, t) == 0)
        return;
    tw_task_set_state(t, TW_TASK_RUNNING);
    if (tw_task_flags(t) & TW_TASK_POISONED)
        pass_poison(use);
    if (counted) /* the use is still being entered: its own one keeps it from zero */
        atomic_fetch_sub_explicit(&use->task->wait, 1, memory_order_relaxed);
}

void tw_whole_granted(tw_worker *w, twill_task *proxy)
{
    tw_use *use = proxy->use;
    uint16_t flags = tw_task_flags(proxy);
    tw_task_set_state(proxy, TW_TASK_RUNNING);
    if (flags & TW_TASK_POISONED)
        pass_poison(use);
    /* acq_rel: what came before any of the grants is visible to whoever takes the last */
    if (flags & TW_TASK_COUNTED &&
        atomic_fetch_sub_explicit(&use->task->wait, 1, memory_order_acq_rel) == 1)
        tw_use_granted(w, use->task);
}

/* ---- a use meets tiles ------------------------------------------------------------------- */

static bool holds(void *arg, uint32_t poison)
{
    return tw_poison_holds(arg, poison);
}

static void forget(twill *tw, twill_array *root)
{
    if (root->remainders)
        tw_whole_forget(root, holds, tw);
}

static twill_tile *first_made(const twill_array *root)
{
    return __atomic_load_n(&root->made, __ATOMIC_ACQUIRE); /* pairs with the release of its maker */
}

/* No tile is in use or poisoned: whoever uses one next has to say so. */
static void set_untouched(twill_array *root)
{
    root->touched = false;
    root->coarse = true;
}

/* Tiles that a use which enters now finds in use, or poisoned. */
static int count_busy(const tw_whole *u)
{
    int n = 0;
    bool touched = false;
    if (!u->root->touched)
        return 0;
    for (twill_tile *tile = first_made(u->root); tile; tile = tile->made)
        if (!tw_chain_quiet(&tile->chain)) {
            touched = true;
            n += tw_whole_access(u, tile) != 0;
        }
    if (!touched)
        set_untouched(u->root);
    return n;
}

/* Enter their chains. Those of the others have seen it, too: there is nothing to see. */
static void enter_busy(tw_worker *w, tw_whole *u)
{
    if (!u->root->touched)
        return;
    for (twill_tile *tile = first_made(u->root); tile; tile = tile->made) {
        if (tw_chain_quiet(&tile->chain))
            continue;
        int access = tw_whole_access(u, tile);
        if (access)
            add_proxy(w, u, tile, access, true);
        tile->seen = u->number;
    }
}

static void lock_all(const tw_use *use)
{
    for (int i = 0; i < use->nwholes; i++) /* they are in the order of addresses */
        tw_lock_take(&use->wholes[i]->root->lock);
}

static void unlock_all(const tw_use *use)
{
    for (int i = 0; i < use->nwholes; i++)
        tw_unlock(&use->wholes[i]->root->lock);
}

static int count_all_busy(const tw_use *use)
{
    int n = 0;
    for (int i = 0; i < use->nwholes; i++)
        n += count_busy(use->wholes[i]);
    return n;
}

/* A record for each root that its boxes are in, if it is not there from the last time. */
static bool make_wholes(tw_use *use)
{
    int at = 0;
    for (int first = 0, end; first < use->nboxes; first = end, at++) {
        twill_array *root = use->boxes[first].root;
        for (end = first; end < use->nboxes && use->boxes[end].root == root;)
            end++;
        size_t boxes = (size_t)(end - first);
        tw_whole *u =
            use->wholes[at] ? use->wholes[at] : malloc(sizeof *u + boxes * sizeof u->box[0]);
        if (!u)
            return false;
        *u = (tw_whole){.root = root, .owner = use, .boxes = end - first};
        for (int i = first; i < end; i++)
            u->box[i - first] = use->boxes[i].box;
        use->wholes[at] = u;
    }
    use->nwholes = at;
    return true;
}

bool tw_wholes_reserve(tw_use *use)
{
    twill *tw = use->tw;
    if (!make_wholes(use))
        return false;
    lock_all(use);
    int n = count_all_busy(use);
    unlock_all(use);
    return tw_pool_take(&tw->pools[PROXY_LINES], n, &use->proxies) &&
           tw_pool_take(&tw->data.epochs, n, &use->epochs);
}

void tw_wholes_discard(tw_use *use)
{
    tw_pool_return(&use->tw->pools[PROXY_LINES], &use->proxies);
    for (int i = 0; i < use->nboxes; i++)
        free(use->wholes[i]);
}

bool tw_wholes_enter(tw_worker *w, tw_use *use)
{
    if (!use->nwholes && !make_wholes(use))
        return false;
    tw_cache_add(&w->tasks[PROXY_LINES], &use->proxies);
    tw_cache_add(&w->epochs, &use->epochs);
    lock_all(use);
    int n = count_all_busy(use);
    bool reserved = reserve(w, n, n);
    for (int i = 0; i < use->nwholes && reserved; i++) {
        tw_whole *u = use->wholes[i];
        forget(w->tw, u->root);
        int before = tw_whole_enter(u);
        atomic_fetch_add_explicit(&use->task->wait, before, memory_order_relaxed);
        enter_busy(w, u);
    }
    unlock_all(use);
    return_rest(w);
    return reserved;
}

bool tw_wholes_poisoned(tw_use *use)
{
    bool poisoned = false;
    for (int i = 0; i < use->nwholes && !poisoned; i++) {
        twill_array *root = use->wholes[i]->root;
        tw_lock_take(&root->lock);
        forget(use->tw, root);
        poisoned = root->remainders && tw_whole_is_poisoned(use->wholes[i]);
        tw_unlock(&root->lock);
    }
    return poisoned;
}

/* ---- leaving ----------------------------------------------------------------------------- */

/* Uses that waited for this one and for no other any more. Under the lock. */
static tw_whole *release(const tw_whole *u)
{
    tw_whole *granted = NULL;
    for (tw_whole *v = u->root->wholes; v; v = v->next) {
        /* acq_rel: as in tw_whole_granted */
        if (v->number > u->number && v->number <= u->last && !v->over && tw_whole_conflicts(u, v) &&
            atomic_fetch_sub_explicit(&use_of(v)->task->wait, 1, memory_order_acq_rel) == 1) {
            v->granted = granted;
            granted = v;
        }
    }
    return granted;
}

/* Chains first: who waits for this use finds its own proxies in them granted. Between the two steps
 * nobody can add a proxy, and whoever enters does not wait for this use. */
static void leave(tw_worker *w, tw_whole **place, uint32_t poison, tw_ready *ready)
{
    tw_whole *u = *place;
    twill_array *root = u->root;
    tw_lock_take(&root->lock);
    bool stays = tw_whole_leave(u, poison);
    twill_task *proxy = u->proxies;
    u->proxies = NULL;
    tw_unlock(&root->lock);
    if (stays)
        *place = NULL;
    for (twill_task *next; proxy; proxy = next) {
        next = next_proxy(proxy);
        tw_hazards_leave(w, proxy, poison, ready);
        tw_task_set_state(proxy, TW_TASK_FREE);
        tw_task_put(w, proxy);
    }
    tw_lock_take(&root->lock);
    tw_whole *granted = release(u);
    tw_whole_released(u);
    tw_unlock(&root->lock);
    while (granted) {
        tw_use *use = use_of(granted);
        granted = granted->granted; /* before: the use may be over and gone */
        tw_use_granted(w, use->task);
    }
}

void tw_wholes_leave(tw_worker *w, tw_use *use, uint32_t poison, tw_ready *ready)
{
    for (int i = 0; i < use->nwholes; i++)
        leave(w, &use->wholes[i], poison, ready);
    use->nwholes = 0;
}

/* ---- tiles meet uses --------------------------------------------------------------------- */

/* Uses of the whole array that the chain of a tile has not seen. */
static int count_unseen(const twill_tile *tile)
{
    int n = 0;
    for (const tw_whole *u = tile->array->wholes; u; u = u->next)
        n += u->number > tile->seen && tw_whole_access(u, tile);
    return n;
}

static void meet_tile(tw_worker *w, twill_tile *tile)
{
    twill_array *root = tile->array;
    for (tw_whole *u = root->wholes; u; u = u->next) {
        int access = u->number > tile->seen ? tw_whole_access(u, tile) : 0;
        if (access && !u->over)
            add_proxy(w, u, tile, access, false);
        else if (access == TWILL_WRITE || (access && access != TWILL_READ && u->poison))
            tw_chain_set_poison(&tile->chain, u->poison, tile, &w->tw->data.epochs, &w->epochs);
    }
    tile->seen = root->entered;
    root->touched = true;
    root->coarse = root->wholes;
}

static bool is_coarse(const tw_slot *slot)
{
    return tw_slot_is_data(slot) && slot->u.tile && slot->u.tile->array->coarse;
}

bool tw_wholes_meet(tw_worker *w, twill_task *t)
{
    int n = 0;
    for (uint32_t i = 0; i < t->nslots; i++)
        if (is_coarse(&t->slots[i])) {
            forget(w->tw, t->slots[i].u.tile->array);
            n += count_unseen(t->slots[i].u.tile);
        }
    bool reserved = n == 0 || reserve(w, n, n + (int)t->nslots);
    for (uint32_t i = 0; i < t->nslots && reserved; i++)
        if (is_coarse(&t->slots[i]))
            meet_tile(w, t->slots[i].u.tile);
    if (n)
        tw_pool_return(&w->tw->pools[PROXY_LINES], &w->tasks[PROXY_LINES].more);
    return reserved;
}
