/* Pools of equal objects: a small cache per worker in front of a shared depot.
 *
 * Objects move between caches and depot in magazines of pointers, so an object freed by a worker
 * that did not allocate it costs 1/60 of a lock, and the lines of a whole magazine can be fetched
 * at once from the core that used them last. Memory is type-stable: an object's bytes stay an
 * object of this pool until the pool is closed, and a free object keeps its content. That lets the
 * watchdog look at objects that may be recycled under its eyes. */
#ifndef TW_BASE_POOL_H
#define TW_BASE_POOL_H

#include "base/lock.h"

#include <stddef.h>

enum { TW_MAGAZINE = 62 };

typedef struct tw_magazine {
    struct tw_magazine *next; /* in the depot */
    int n;
    void *objects[TW_MAGAZINE];
} tw_magazine;

typedef struct tw_slab tw_slab;

typedef struct tw_pool {
    size_t size; /* of an object, a multiple of 64 */
    tw_lock lock;
    tw_magazine *full, *empty;
    tw_slab *slabs;
    size_t carved; /* objects already cut from the newest slab */
} tw_pool;

/* What one worker keeps: a magazine in use and another, so that alternating get and put never reach
 * the depot; and what is reserved beyond them. */
typedef struct tw_cache {
    tw_magazine *loaded, *reserve;
    tw_magazine *more;
} tw_cache;

void tw_pool_open(tw_pool *pool, size_t size);

/* Give a cache a magazine, so that what is put into it first is not lost when there is no memory
 * then. False when there is none now. */
bool tw_cache_open(tw_cache *cache);

/* Give a cache's magazines back; then close the pool. */
void tw_cache_close(tw_cache *cache);
void tw_pool_close(tw_pool *pool);

/* Load a magazine that is not empty; false when there is no memory. */
bool tw_pool_refill(tw_pool *pool, tw_cache *cache);
/* Load one that is not full; false when there is no memory, and the object is then lost to the pool
 * until it closes. */
bool tw_pool_spill(tw_pool *pool, tw_cache *cache);

/* Are there n objects in the magazine in use? */
static inline bool tw_cache_has(const tw_cache *cache, int n)
{
    return tw_likely(cache->loaded != NULL) && cache->loaded->n >= n;
}

/* After this, n calls of tw_pool_get succeed, as long as at no time more has been put than got.
 * False when there is no memory. To be called when tw_cache_has says no. */
bool tw_pool_reserve(tw_pool *pool, tw_cache *cache, int n);

/* The same ahead of time: magazines with n objects, added to `*list`. They go to a cache later, or
 * back to the pool. */
bool tw_pool_take(tw_pool *pool, int n, tw_magazine **list);
void tw_cache_add(tw_cache *cache, tw_magazine **list);
void tw_pool_return(tw_pool *pool, tw_magazine **list);

/* Call `visit` for every object ever cut, free ones included. */
void tw_pool_each(tw_pool *pool, void (*visit)(void *object, void *arg), void *arg);

/* An object with the content it was freed with (all zero the first time), or NULL. */
static inline void *tw_pool_get(tw_pool *pool, tw_cache *cache)
{
    tw_magazine *m = cache->loaded;
    if (tw_unlikely(!m || m->n == 0)) {
        if (!tw_pool_refill(pool, cache))
            return NULL;
        m = cache->loaded;
    }
    return m->objects[--m->n];
}

static inline void tw_pool_put(tw_pool *pool, tw_cache *cache, void *object)
{
    tw_magazine *m = cache->loaded;
    if (tw_unlikely(!m || m->n == TW_MAGAZINE)) {
        if (!tw_pool_spill(pool, cache))
            return;
        m = cache->loaded;
    }
    m->objects[m->n++] = object;
}

#endif
