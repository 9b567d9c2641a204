/* The shared depot behind the caches. */
#include "base/pool.h"

#include <assert.h>
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

static void free_magazines(tw_magazine *list)
{
    while (list) {
        tw_magazine *m = list;
        list = m->next;
        free(m);
    }
}

bool tw_cache_open(tw_cache *cache)
{
    cache->loaded = calloc(1, sizeof *cache->loaded);
    return cache->loaded;
}

void tw_cache_close(tw_cache *cache)
{
    free(cache->loaded);
    free(cache->reserve);
    free_magazines(cache->more);
    *cache = (tw_cache){0};
}

void tw_pool_close(tw_pool *pool)
{
    free_magazines(pool->full);
    free_magazines(pool->empty);
    while (pool->slabs) {
        tw_slab *slab = pool->slabs;
        pool->slabs = slab->next;
        free(slab);
    }
}

static void swap(tw_cache *cache)
{
    tw_magazine *m = cache->loaded;
    cache->loaded = cache->reserve;
    cache->reserve = m;
}

/* ---- the depot, under its lock ----------------------------------------------------------- */

static void push(tw_magazine **list, tw_magazine *m)
{
    if (!m)
        return;
    m->next = *list;
    *list = m;
}

static tw_magazine *pop(tw_magazine **list)
{
    tw_magazine *m = *list;
    if (m)
        *list = m->next;
    return m;
}

static tw_magazine *empty_magazine(tw_pool *pool)
{
    assert(tw_is_locked(&pool->lock));
    tw_magazine *m = pop(&pool->empty);
    return m ? m : calloc(1, sizeof *m);
}

static bool add_slab(tw_pool *pool)
{
    assert(tw_is_locked(&pool->lock));
    tw_slab *slab = aligned_alloc(TW_LINE, SLAB_BYTES);
    if (!slab)
        return false;
    memset(slab, 0, SLAB_BYTES);
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->carved = 0;
    return true;
}

/* New objects, as many as fit into the magazine and the slab. */
static bool carve(tw_pool *pool, tw_magazine *m)
{
    assert(tw_is_locked(&pool->lock));
    if ((!pool->slabs || pool->carved == slab_objects(pool)) && !add_slab(pool))
        return false;
    while (m->n < TW_MAGAZINE && pool->carved < slab_objects(pool))
        m->objects[m->n++] = slab_object(pool, pool->slabs, pool->carved++);
    return true;
}

/* ---- caches ------------------------------------------------------------------------------ */

static void fetch_lines(const tw_magazine *m)
{
    for (int i = 0; i < m->n; i++)
        __builtin_prefetch(m->objects[i], 1);
}

bool tw_pool_refill(tw_pool *pool, tw_cache *cache)
{
    if (cache->reserve && cache->reserve->n > 0) {
        swap(cache);
        return true;
    }
    tw_lock_take(&pool->lock);
    bool done = true;
    tw_magazine *m = pop(cache->more ? &cache->more : &pool->full);
    if (m) {
        push(&pool->empty, cache->loaded);
        cache->loaded = m;
    } else {
        if (!cache->loaded)
            cache->loaded = empty_magazine(pool);
        done = cache->loaded && carve(pool, cache->loaded);
    }
    tw_unlock(&pool->lock);
    if (m)
        fetch_lines(m);
    return done;
}

bool tw_pool_spill(tw_pool *pool, tw_cache *cache)
{
    if (cache->reserve && cache->reserve->n < TW_MAGAZINE) {
        swap(cache);
        return true;
    }
    tw_lock_take(&pool->lock);
    tw_magazine *m = empty_magazine(pool);
    if (m) {
        push(&pool->full, cache->reserve);
        cache->reserve = cache->loaded;
        cache->loaded = m;
    }
    tw_unlock(&pool->lock);
    return m;
}

/* ---- reserving --------------------------------------------------------------------------- */

/* A magazine that is not empty. Under the lock. */
static tw_magazine *filled_magazine(tw_pool *pool)
{
    assert(tw_is_locked(&pool->lock));
    tw_magazine *m = pop(&pool->full);
    if (m || !(m = empty_magazine(pool)) || carve(pool, m))
        return m;
    push(&pool->empty, m);
    return NULL;
}

bool tw_pool_take(tw_pool *pool, int n, tw_magazine **list)
{
    tw_magazine *taken = NULL, *m = NULL;
    tw_lock_take(&pool->lock);
    for (; n > 0 && (m = filled_magazine(pool)); n -= m->n)
        push(&taken, m);
    tw_unlock(&pool->lock);
    if (n > 0)
        tw_pool_return(pool, &taken);
    while (taken)
        push(list, pop(&taken));
    return n <= 0;
}

void tw_pool_return(tw_pool *pool, tw_magazine **list)
{
    tw_lock_take(&pool->lock);
    while (*list)
        push(&pool->full, pop(list));
    tw_unlock(&pool->lock);
}

void tw_cache_add(tw_cache *cache, tw_magazine **list)
{
    while (*list)
        push(&cache->more, pop(list));
}

static int count(const tw_cache *cache)
{
    int n = cache->loaded ? cache->loaded->n : 0;
    n += cache->reserve ? cache->reserve->n : 0;
    for (const tw_magazine *m = cache->more; m; m = m->next)
        n += m->n;
    return n;
}

static void pour(tw_magazine *from, tw_magazine *to)
{
    while (from->n > 0 && to->n < TW_MAGAZINE)
        to->objects[to->n++] = from->objects[--from->n];
}

/* Load a magazine of n objects, keeping what is left in the others; false when that does not do. */
static bool load(tw_pool *pool, tw_cache *cache, int n)
{
    if (n > TW_MAGAZINE)
        return false;
    if (cache->reserve && cache->reserve->n >= n) {
        swap(cache);
        return true;
    }
    if (cache->reserve && cache->loaded)
        pour(cache->reserve, cache->loaded);
    if (cache->more || tw_cache_has(cache, n) || (cache->reserve && cache->reserve->n > 0))
        return tw_cache_has(cache, n);
    tw_lock_take(&pool->lock);
    tw_magazine *m = filled_magazine(pool);
    if (m) {
        push(&pool->empty, cache->reserve);
        cache->reserve = cache->loaded;
        cache->loaded = m;
    }
    tw_unlock(&pool->lock);
    if (m)
        fetch_lines(m);
    return m && m->n >= n;
}

bool tw_pool_reserve(tw_pool *pool, tw_cache *cache, int n)
{
    if (n == 0 || load(pool, cache, n))
        return true;
    int missing = n - count(cache);
    if (missing > 0 && !tw_pool_take(pool, missing, &cache->more))
        return false;
    /* into the magazine in use, so that the next one who asks finds them there */
    if (!cache->loaded)
        cache->loaded = pop(&cache->more);
    if (cache->reserve && cache->loaded->n < n)
        pour(cache->reserve, cache->loaded);
    while (cache->more && cache->loaded->n < n && cache->loaded->n < TW_MAGAZINE) {
        pour(cache->more, cache->loaded);
        if (cache->more->n == 0)
            free(pop(&cache->more));
    }
    return true;
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
