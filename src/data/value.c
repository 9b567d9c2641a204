/* The life of values: regions of them, and stores that wait for readers. */
#include "base/mix.h"
#include "data/buffers.h"

/* ---- new ones ---------------------------------------------------------------------------- */

static size_t bytes_of(const tw_value *v)
{
    return v->whole ? 0 : (size_t)v->rows * (size_t)v->cols * v->element;
}

/* A new one is held once, and all of it is valid. */
static void fill(tw_value *v, tw_host_bytes host, int64_t rows, int64_t cols, size_t element,
                 tw_value *whole)
{
    v->host = host;
    v->rows = rows;
    v->cols = cols;
    v->element = element;
    v->whole = whole;
    atomic_store_explicit(&v->valid, 1u << TW_SPACE_HOST, memory_order_relaxed);
    v->region = TW_FULL;
    v->buffered = true;
    atomic_store_explicit(&v->refs, 1, memory_order_relaxed);
}

tw_value *tw_value_new(tw_buffer_cache *cache, int64_t rows, int64_t cols, size_t element)
{
    void *data;
    tw_value *v = tw_buffer_get(cache, (size_t)rows * (size_t)cols * element, &data);
    if (v)
        fill(v, (tw_host_bytes){data, rows > 0 ? rows : 1}, rows, cols, element, NULL);
    return v;
}

static void hold(tw_value *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
}

/* The region takes over the area. */
static inline tw_value *make_region(tw_buffer_cache *cache, tw_value *v, tw_area area)
{
    void *none;
    tw_value *sub = tw_buffer_get(cache, 0, &none);
    if (!sub)
        return NULL;
    fill(sub, v->host, v->rows, v->cols, v->element, v->whole ? v->whole : v);
    tw_value_limit(sub, area);
    if (v->whole) {
        hold(v->whole);
        tw_value_drop(cache, v);
    }
    return sub;
}

TW_NOINLINE static tw_value *mask_region(tw_buffer_cache *cache, tw_value *v, tw_area area)
{
    tw_area both;
    if (!tw_area_both(tw_value_area(v), area, v->rows, v->cols, &both))
        return NULL;
    tw_value *sub = make_region(cache, v, both);
    if (!sub)
        tw_area_drop(both);
    return sub;
}

tw_value *tw_value_region(tw_buffer_cache *cache, tw_value *v, tw_area area)
{
    if (tw_likely(tw_area_is_plain(tw_value_area(v), area)))
        return make_region(cache, v, tw_area_of(v->region & area.region));
    return mask_region(cache, v, area);
}

/* ---- who may write ------------------------------------------------------------------------ */

/* Regions in which bytes overlap at most: a mask may be anywhere. */
static tw_region around(tw_region region)
{
    return region & TW_MASKED ? TW_FULL : region;
}

void tw_value_keep(tw_value *v, tw_region region)
{
    tw_value *home = v->whole ? v->whole : v;
    int kept = TW_KEPT * (int)(around(region) & around(v->region));
    if (!home->buffered)
        atomic_fetch_or_explicit(&home->refs, kept, memory_order_relaxed);
}

bool tw_value_writable(tw_value *v, tw_buffer_cache *cache)
{
    if (v->whole && tw_value_shared(v))
        return false;
    tw_value *home = v->whole ? v->whole : v;
    int refs = atomic_load_explicit(&home->refs, memory_order_acquire);
    if (tw_unlikely(refs & TW_PACKED) && tw_packed_claim(&home->refs, refs, 1)) {
        tw_packed_end(&cache->depot->replicas->packed, home, &home->refs);
        refs = atomic_load_explicit(&home->refs, memory_order_acquire);
    }
    return tw_readers(refs) == 1 && !(refs / TW_KEPT & (int)around(v->region));
}

/* ---- stores ------------------------------------------------------------------------------ */

static tw_lock *store_lock(tw_buffer_cache *cache, const tw_value *home)
{
    uint64_t tile = tw_mix((uint64_t)(uintptr_t)home);
    return &cache->depot->stores[tile % TW_STORE_LOCKS].lock;
}

/* What `newer` replaces: nothing when there is none. Under the lock. */
static tw_area replaced_of(const tw_value *home)
{
    return (tw_area){home->replaced, home->mask};
}

/* The tile takes over the area. Under the lock. */
static void set_replaced(tw_value *home, tw_area area)
{
    tw_area_drop(replaced_of(home));
    home->replaced = area.region;
    home->mask = area.mask;
}

/* Bytes of a tile on the host become those of another value. */
static void copy_home(tw_buffer_cache *cache, tw_value *home, const tw_value *from, tw_area area)
{
    tw_value_copy(home, from, area);
    if (tw_unlikely(tw_value_is_replicated(home)))
        tw_replicas_changed(cache->depot->replicas, home);
}

/* The last holder of a tile's bytes has gone: what was to replace them does so now. Under the lock,
 * so that whoever finds nothing newer finds the bytes in place. */
static void settle(tw_buffer_cache *cache, tw_value *home)
{
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_acquire);
    if (!newer)
        return;
    tw_lock *lock = store_lock(cache, home);
    tw_lock_take(lock);
    bool mine = atomic_load_explicit(&home->newer, memory_order_relaxed) == newer;
    if (mine) {
        copy_home(cache, home, newer, replaced_of(home));
        set_replaced(home, tw_area_of(0));
        atomic_store_explicit(&home->newer, NULL, memory_order_release);
    }
    tw_unlock(lock);
    if (mine)
        tw_value_drop(cache, newer);
}

/* Nobody holds the tile's bytes. If somebody has just come again, it is kept a little longer. */
static void leave_tile(tw_buffer_cache *cache, tw_value *home)
{
    int refs = atomic_load_explicit(&home->refs, memory_order_relaxed);
    if (refs && tw_readers(refs) == 0)
        atomic_compare_exchange_strong_explicit(&home->refs, &refs, 0, memory_order_relaxed,
                                                memory_order_relaxed);
    tw_fence(); /* pairs with the one in store_region: let go, then look */
    settle(cache, home);
}

void tw_value_retire(tw_buffer_cache *cache, tw_value *v)
{
    if (!v->buffered) {
        leave_tile(cache, v);
        return;
    }
    tw_value *whole = v->whole;
    if (tw_unlikely(tw_value_is_replicated(v)))
        tw_replicas_drop(cache->depot->replicas, v);
    tw_area_drop(tw_value_area(v));
    tw_buffer_put(cache, v, bytes_of(v));
    if (whole)
        tw_value_drop(cache, whole);
}

TW_NOINLINE void tw_value_unpack(tw_buffer_cache *cache, tw_value *v, int refs)
{
    if (tw_packed_claim(&v->refs, refs, 0) &&
        tw_readers(tw_packed_end(&cache->depot->replicas->packed, v, &v->refs)) == 0)
        tw_value_retire(cache, v);
}

/* An area of which `newer` has some and the tile itself the rest, as a value of its own. Both are
 * held, and let go. */
static tw_value *compose(tw_value *home, tw_area old, tw_value *newer, tw_area new, tw_area area,
                         tw_buffer_cache *cache)
{
    tw_value *v = tw_value_new(cache, home->rows, home->cols, home->element);
    if (v) {
        tw_value_copy(v, home, old);
        tw_value_copy(v, newer, new);
        tw_value_limit(v, tw_area_hold(area));
    }
    tw_value_drop(cache, newer);
    tw_value_drop(cache, home);
    return v;
}

/* The same when something is to replace some of the tile, or just was. */
static tw_value *current(tw_value *home, tw_area area, tw_buffer_cache *cache)
{
    tw_area old = {0}, new = {0};
    tw_lock_take(store_lock(cache, home));
    tw_value *newer = atomic_load_explicit(&home->newer, memory_order_relaxed);
    tw_area replaced = replaced_of(home);
    bool known = tw_area_both(area, replaced, home->rows, home->cols, &new) &&
                 tw_area_without(area, replaced, home->rows, home->cols, &old);
    bool in_newer = new.region, in_home = old.region || !new.region;
    if (known && in_newer)
        hold(newer);
    if (known && in_home)
        hold(home);
    tw_unlock(store_lock(cache, home));
    tw_value *v = !known ? NULL : in_newer ? newer : home;
    if (known && in_newer && in_home)
        v = compose(home, old, newer, new, area, cache);
    tw_area_drop(old);
    tw_area_drop(new);
    return v;
}

tw_value *tw_value_current(tw_value *home, tw_area area, tw_buffer_cache *cache)
{
    if (tw_unlikely(atomic_load_explicit(&home->newer, memory_order_acquire)))
        return current(home, area, cache);
    hold(home);
    return home;
}

/* Others still use the bytes, perhaps to change another area: keep what they become aside. Under
 * the lock. *over is what that replaces. */
static bool postpone(tw_value *home, tw_value *aside, const tw_value *from, tw_area area,
                     tw_value **over)
{
    tw_value *before = atomic_load_explicit(&home->newer, memory_order_relaxed);
    tw_area kept, all;
    if (!tw_area_without(replaced_of(home), area, home->rows, home->cols, &kept))
        return false;
    bool known = tw_area_either(kept, area, home->rows, home->cols, &all);
    if (known) {
        if (kept.region)
            tw_value_copy(aside, before, kept);
        tw_value_copy(aside, from, area);
        tw_value_limit(aside, tw_area_hold(all));
        set_replaced(home, all);
        atomic_store_explicit(&home->newer, aside, memory_order_release);
        *over = before;
    }
    tw_area_drop(kept);
    return known;
}

/* Something is to replace the bytes of the tile, or just did: not in that area, where they are
 * newer.
 */
TW_NOINLINE static bool outdate(tw_value *home, tw_area area, tw_buffer_cache *cache)
{
    tw_area rest;
    tw_lock_take(store_lock(cache, home));
    tw_value *over = atomic_load_explicit(&home->newer, memory_order_relaxed);
    bool known = tw_area_without(replaced_of(home), area, home->rows, home->cols, &rest);
    if (known) {
        set_replaced(home, rest);
        if (over && !rest.region)
            atomic_store_explicit(&home->newer, NULL, memory_order_release);
    }
    tw_unlock(store_lock(cache, home));
    if (known && over && !rest.region)
        tw_value_drop(cache, over);
    return known;
}

/* The bytes of the tile are what is stored. */
static inline bool keep(tw_value *home, tw_area area, tw_buffer_cache *cache)
{
    bool outdated = tw_unlikely(atomic_load_explicit(&home->newer, memory_order_acquire));
    return !outdated || outdate(home, area, cache);
}

static bool in_use(const tw_value *home)
{
    return tw_readers(atomic_load_explicit(&home->refs, memory_order_acquire)) > 0 ||
           atomic_load_explicit(&home->newer, memory_order_acquire);
}

/* Several tasks may store different areas of a tile at the same time: one after the other. */
static bool store_region(tw_value *home, const tw_value *from, tw_area area, tw_buffer_cache *cache)
{
    tw_value *aside = tw_value_new(cache, home->rows, home->cols, home->element);
    tw_value *over = aside;
    bool done = true;
    if (!aside)
        return false;
    tw_lock_take(store_lock(cache, home));
    if (in_use(home))
        done = postpone(home, aside, from, area, &over);
    else
        copy_home(cache, home, from, area);
    tw_unlock(store_lock(cache, home));
    if (over)
        tw_value_drop(cache, over);
    tw_fence();
    /* acquire pairs with tw_value_drop: the readers are done */
    if (tw_readers(atomic_load_explicit(&home->refs, memory_order_acquire)) == 0)
        settle(cache, home);
    return done;
}

/* An area that `from` has. */
static inline bool store(tw_value *home, const tw_value *from, tw_area area, tw_buffer_cache *cache)
{
    if (from == home || from->whole == home)
        return keep(home, area, cache);
    if (area.region == TW_FULL && !in_use(home)) {
        copy_home(cache, home, from, area);
        return true;
    }
    return !area.region || store_region(home, from, area, cache);
}

TW_NOINLINE static bool store_mask(tw_value *home, const tw_value *from, tw_area area,
                                   tw_buffer_cache *cache)
{
    tw_area both;
    if (!tw_area_both(tw_value_area(from), area, home->rows, home->cols, &both))
        return false;
    bool done = store(home, from, both, cache);
    tw_area_drop(both);
    return done;
}

bool tw_value_store(tw_value *home, const tw_value *from, tw_area area, tw_buffer_cache *cache)
{
    if (tw_likely(tw_area_is_plain(tw_value_area(from), area)))
        return store(home, from, tw_area_of(from->region & area.region), cache);
    return store_mask(home, from, area, cache);
}
