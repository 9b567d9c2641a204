/* The shared depot behind the caches. */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_BYTES = 64 * 1024, SLAB_HEAD = TW_LINE };

struct tw_slab {
    tw_slab *next;
};

static size_t slab_objects(const tw_pool *pool)
{
    return (SLAB_BYTES - SLAB_HEAD) / pool->size;
}

static void *slab_object(const tw_pool *pool, tw_slab *slab, size_t i)
{
    return (char *)slab + SLAB_HEAD + i * pool->size;
}

void tw_pool_open(tw_pool *pool, size_t size)
{
    memset(pool, 0, sizeof *pool);
    pool->size = (size + TW_LINE - 1) / TW_LINE * TW_LINE;
}

void tw_pool_close(tw_pool *pool)
{
    while (pool->slabs) {
        tw_slab *slab = pool->slabs;
        pool->slabs = slab->next;
        free(slab);
    }
}

static bool add_slab(tw_pool *pool)
{
    tw_slab *slab = aligned_alloc(TW_LINE, SLAB_BYTES);
    if (!slab)
        return false;
    memset(slab, 0, SLAB_BYTES);
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->carved = 0;
    return true;
}

/* A batch from the depot, else up to a batch of new objects. */
static tw_free *take_batch(tw_pool *pool, int *n)
{
    tw_free *batch = pool->batches;
    if (batch) {
        pool->batches = batch->batch;
        *n = TW_BATCH;
        return batch;
    }
    if ((!pool->slabs || pool->carved == slab_objects(pool)) && !add_slab(pool))
        return NULL;
    for (*n = 0; *n < TW_BATCH && pool->carved < slab_objects(pool); ++*n) {
        tw_free *object = slab_object(pool, pool->slabs, pool->carved++);
        object->next = batch;
        batch = object;
    }
    return batch;
}

bool tw_pool_refill(tw_pool *pool, tw_cache *cache)
{
    if (cache->reserve) {
        cache->head = cache->reserve;
        cache->n = TW_BATCH;
        cache->reserve = NULL;
        return true;
    }
    tw_lock_take(&pool->lock);
    cache->head = take_batch(pool, &cache->n);
    tw_unlock(&pool->lock);
    return cache->head;
}

void tw_pool_spill(tw_pool *pool, tw_cache *cache)
{
    if (cache->reserve) {
        tw_lock_take(&pool->lock);
        cache->reserve->batch = pool->batches;
        pool->batches = cache->reserve;
        tw_unlock(&pool->lock);
    }
    cache->reserve = cache->head;
    cache->head = NULL;
    cache->n = 0;
}

void tw_pool_each(tw_pool *pool, void (*visit)(void *object, void *arg), void *arg)
{
    tw_lock_take(&pool->lock);
    size_t n = pool->carved;
    for (tw_slab *slab = pool->slabs; slab; slab = slab->next) {
        for (size_t i = 0; i < n; i++)
            visit(slab_object(pool, slab, i), arg);
        n = slab_objects(pool);
    }
    tw_unlock(&pool->lock);
}
