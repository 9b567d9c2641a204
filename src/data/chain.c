/* Epochs: entering, leaving, tokens. */
#include "data/array.h"

/* What `waiting` holds once the epoch has begun. */
static tw_access granted_mark;
#define GRANTED (&granted_mark)

/* In `pending`, beside the number of accesses: the epoch is the tail. */
enum { TAIL = 2 * TW_UNPACKING };

static bool shared(tw_mode mode)
{
    return mode == TW_READ || mode == TW_COMMUTE;
}

static void epoch_init(tw_epoch *e, tw_mode mode, const void *tile)
{
    atomic_store_explicit(&e->pending, TAIL + 1, memory_order_relaxed);
    e->mode = mode;
    e->next = NULL;
    e->token_taken = false;
    e->token_queue = NULL;
    e->token_tail = &e->token_queue;
    e->tile = tile;
}

static tw_entry granted(const tw_epoch *e)
{
    return tw_unlikely(atomic_load_explicit(&e->poison, memory_order_relaxed)) ? TW_ENTRY_POISONED
                                                                               : TW_ENTRY_GRANTED;
}

/* Add an access to the open epoch at the tail, which does not drain. */
static tw_entry join(tw_epoch *e, tw_access *access)
{
    access->epoch = e;
    atomic_fetch_add_explicit(&e->pending, 1, memory_order_relaxed);
    /* acquire pairs with the exchange in begin(): whoever sees GRANTED sees what came before */
    tw_access *head = atomic_load_explicit(&e->waiting, memory_order_acquire);
    while (head != GRANTED) {
        access->next = head;
        if (atomic_compare_exchange_weak_explicit(&e->waiting, &head, access, memory_order_release,
                                                  memory_order_acquire))
            return TW_ENTRY_WAITS;
    }
    return granted(e);
}

/* Nobody is inside a drained tail, so the record can become the next epoch as it is. */
static tw_entry reuse(tw_epoch *e, tw_access *access, tw_mode mode, const void *tile)
{
    epoch_init(e, mode, tile);
    if (mode == TW_WRITE)
        atomic_store_explicit(&e->poison, 0, memory_order_relaxed);
    atomic_store_explicit(&e->waiting, GRANTED, memory_order_relaxed);
    access->epoch = e;
    return granted(e);
}

static void inherit_poison(tw_epoch *next, const tw_epoch *before)
{
    uint32_t poison = atomic_load_explicit(&before->poison, memory_order_relaxed);
    atomic_store_explicit(&next->poison, next->mode == TW_WRITE ? 0 : poison, memory_order_relaxed);
}

/* The epoch before has drained: grant everything that waits here. */
static tw_access *begin(tw_epoch *e)
{
    if (!shared(e->mode)) {
        /* its only access was there before anybody could see the epoch */
        tw_access *only = atomic_load_explicit(&e->waiting, memory_order_relaxed);
        atomic_store_explicit(&e->waiting, GRANTED, memory_order_release);
        return only;
    }
    /* acquire pairs with the pushes in join(), release with its load of GRANTED */
    return atomic_exchange_explicit(&e->waiting, GRANTED, memory_order_acq_rel);
}

tw_entry tw_chain_enter(tw_chain *chain, tw_access *access, tw_mode mode, const void *tile,
                        tw_pool *pool, tw_cache *cache)
{
    tw_epoch *tail = chain->tail;
    if (tail && shared(mode) && tail->mode == mode)
        return join(tail, access);
    /* acquire pairs with the decrement in tw_chain_leave: what they wrote is visible to us */
    if (tail && atomic_load_explicit(&tail->pending, memory_order_acquire) == TAIL)
        return reuse(tail, access, mode, tile);

    tw_epoch *e = tw_pool_get(pool, cache);
    epoch_init(e, mode, tile);
    access->epoch = e;
    access->next = NULL;
    chain->tail = e;
    atomic_store_explicit(&e->poison, 0, memory_order_relaxed);
    atomic_store_explicit(&e->waiting, tail ? access : GRANTED, memory_order_relaxed);
    if (!tail)
        return TW_ENTRY_GRANTED;
    tail->next = e;
    /* release publishes the new epoch to whoever drains the tail; acquire as above */
    if (atomic_fetch_sub_explicit(&tail->pending, TAIL, memory_order_acq_rel) != TAIL)
        return TW_ENTRY_WAITS;
    inherit_poison(e, tail);
    begin(e);
    tw_pool_put(pool, cache, tail);
    return granted(e);
}

/* If nobody but packed replicas is left in the epoch, which may be the tail, they leave, too. It
 * may be another epoch by now, as records are used again: whoever claims its replicas may end them.
 */
TW_NOINLINE static tw_epoch *leave_packed(tw_epoch *e, int pending)
{
    if (!tw_packed_claim(&e->pending, pending, 0))
        return NULL;
    const twill_tile *tile = e->tile;
    tw_packed_table *all = &tile->array->shared->replicas.packed;
    return tw_packed_end(all, &tile->value, &e->pending) == 0 ? e : NULL;
}

tw_epoch *tw_chain_leave(tw_access *access, uint32_t poison)
{
    tw_epoch *e = access->epoch;
    if (tw_unlikely(poison))
        tw_access_set_poison(access, poison);
    /* release: our work is visible to the next epoch; acquire: so is that of our neighbours */
    int before = atomic_fetch_sub_explicit(&e->pending, 1, memory_order_acq_rel);
    if (tw_unlikely(before & TW_PACKED))
        return leave_packed(e, before - 1);
    return before == 1 ? e : NULL;
}

tw_grants tw_chain_advance(tw_epoch *drained, tw_pool *pool, tw_cache *cache)
{
    tw_epoch *next = drained->next;
    inherit_poison(next, drained);
    uint32_t poison = atomic_load_explicit(&next->poison, memory_order_relaxed);
    tw_grants grants = {begin(next), poison};
    tw_pool_put(pool, cache, drained);
    return grants;
}

bool tw_token_take(tw_access *access)
{
    tw_epoch *e = access->epoch;
    tw_lock_take(&e->token_lock);
    bool taken = !e->token_taken;
    if (taken) {
        e->token_taken = true;
    } else {
        access->next = NULL;
        *e->token_tail = access;
        e->token_tail = &access->next;
    }
    tw_unlock(&e->token_lock);
    return taken;
}

tw_access *tw_token_give(tw_access *access)
{
    tw_epoch *e = access->epoch;
    tw_lock_take(&e->token_lock);
    tw_access *heir = e->token_queue;
    if (heir) {
        e->token_queue = heir->next;
        if (!e->token_queue)
            e->token_tail = &e->token_queue;
    } else {
        e->token_taken = false;
    }
    tw_unlock(&e->token_lock);
    return heir;
}

bool tw_chain_idle(const tw_chain *chain)
{
    /* acquire pairs with the decrement in tw_chain_leave */
    return !chain->tail ||
           atomic_load_explicit(&chain->tail->pending, memory_order_acquire) == TAIL;
}

void tw_chain_set_poison(tw_chain *chain, uint32_t poison, const void *tile, tw_pool *pool,
                         tw_cache *cache)
{
    tw_epoch *e = chain->tail;
    if (!e) {
        e = tw_pool_get(pool, cache);
        epoch_init(e, TW_UPDATE, tile);
        atomic_store_explicit(&e->pending, TAIL, memory_order_relaxed); /* and over */
        atomic_store_explicit(&e->waiting, GRANTED, memory_order_relaxed);
        chain->tail = e;
    }
    atomic_store_explicit(&e->poison, poison, memory_order_relaxed);
}

bool tw_chain_quiet(const tw_chain *chain)
{
    return tw_chain_idle(chain) &&
           (!chain->tail || !atomic_load_explicit(&chain->tail->poison, memory_order_relaxed));
}

bool tw_access_waits(const tw_access *access)
{
    const tw_epoch *e = access->epoch;
    return e && atomic_load_explicit(&e->waiting, memory_order_acquire) != GRANTED;
}

void tw_access_set_poison(tw_access *access, uint32_t poison)
{
    atomic_store_explicit(&access->epoch->poison, poison, memory_order_relaxed);
}

uint32_t tw_access_poison(const tw_access *access)
{
    return atomic_load_explicit(&access->epoch->poison, memory_order_relaxed);
}

void tw_access_cure(tw_access *access, uint32_t poison)
{
    /* unless somebody who leaves has put another mark there */
    atomic_compare_exchange_strong_explicit(&access->epoch->poison, &poison, 0,
                                            memory_order_relaxed, memory_order_relaxed);
}

void tw_chain_close(tw_chain *chain, tw_pool *pool, tw_cache *cache)
{
    if (chain->tail)
        tw_pool_put(pool, cache, chain->tail);
    chain->tail = NULL;
}
