/* Pools of equal objects: a small cache per worker in front of a shared depot.
 *
 * Objects move between caches and depot in batches, so an object freed by a worker that did not
 * allocate it costs 1/32 of a lock. Memory is type-stable: an object's bytes stay an object of this
 * pool until the pool is closed, which lets the watchdog look at objects that may be recycled under
 * its eyes. A free object keeps its bytes beyond the first two pointers. */
#ifndef TW_BASE_POOL_H
#define TW_BASE_POOL_H

#include "base/lock.h"

#include <stddef.h>

typedef struct tw_free {
    struct tw_free *next;  /* next free object of the batch */
    struct tw_free *batch; /* in the depot: first object of the next batch */
} tw_free;

typedef struct tw_slab tw_slab;

typedef struct tw_pool {
    size_t size; /* of an object, a multiple of 64 */
    tw_lock lock;
    tw_free *batches;
    tw_slab *slabs;
    size_t carved; /* objects already cut from the newest slab */
} tw_pool;

enum { TW_BATCH = 32 };

/* What one worker keeps: a list in use and a full one in reserve, so that alternating get and put
 * never reach the depot. */
typedef struct tw_cache {
    tw_free *head;
    int n;
    tw_free *reserve;
} tw_cache;

void tw_pool_open(tw_pool *pool, size_t size);
void tw_pool_close(tw_pool *pool);

/* Refill an empty cache; false when there is no memory. */
bool tw_pool_refill(tw_pool *pool, tw_cache *cache);
/* Make room in a full one. */
void tw_pool_spill(tw_pool *pool, tw_cache *cache);

/* Call `visit` for every object ever cut, free ones included. */
void tw_pool_each(tw_pool *pool, void (*visit)(void *object, void *arg), void *arg);

/* An object with unspecified content (all zero the first time), or NULL. */
static inline void *tw_pool_get(tw_pool *pool, tw_cache *cache)
{
    if (tw_unlikely(!cache->head) && !tw_pool_refill(pool, cache))
        return NULL;
    tw_free *object = cache->head;
    cache->head = object->next;
    __builtin_prefetch(cache->head, 1); /* another worker may have used it last */
    cache->n--;
    return object;
}

static inline void tw_pool_put(tw_pool *pool, tw_cache *cache, void *object)
{
    if (tw_unlikely(cache->n == TW_BATCH))
        tw_pool_spill(pool, cache);
    tw_free *f = object;
    f->next = cache->head;
    cache->head = f;
    cache->n++;
}

#endif
