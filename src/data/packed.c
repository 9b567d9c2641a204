/* Packed replicas of values, found by the address of the value. */
#include "data/packed.h"

#include "base/mix.h"
#include "data/space.h"

#include <assert.h>
#include <stdlib.h>

/* Free ones that stay when no value has any: the next factorization may be as small. */
enum { KEPT = 8 };

static tw_packed_bucket *bucket_of(tw_packed_table *all, const struct tw_value *v)
{
    return &all->bucket[tw_mix((uint64_t)(uintptr_t)v) % TW_PACKED_BUCKETS];
}

/* ---- memory ------------------------------------------------------------------------------ */

/* One that is large enough; if there is none, another one, which is to be freed instead. Under the
 * lock. */
static tw_packed *take_free(tw_packed_table *all, size_t bytes)
{
    tw_packed **place = &all->free;
    while (*place && (*place)->size < bytes && (*place)->next)
        place = &(*place)->next;
    tw_packed *p = *place;
    if (p)
        *place = p->next;
    return p;
}

static void count_unused(tw_packed_table *all)
{
    tw_lock_take(&all->lock);
    all->used--;
    tw_unlock(&all->lock);
}

static void free_one(tw_packed *p)
{
    if (p)
        tw_host_free(p, sizeof *p + p->size);
}

static tw_packed *allocate(tw_packed_table *all, size_t bytes, int64_t most)
{
    tw_lock_take(&all->lock);
    bool allowed = all->used < most;
    tw_packed *p = allowed ? take_free(all, bytes) : NULL;
    all->used += allowed;
    tw_unlock(&all->lock);
    if (!allowed || (p && p->size >= bytes))
        return p;
    free_one(p);
    size_t size = (bytes + TW_LINE - 1) / TW_LINE * TW_LINE;
    p = tw_host_new(sizeof *p + size);
    if (p)
        p->size = size;
    else
        count_unused(all);
    return p;
}

static void free_list(tw_packed *p)
{
    for (tw_packed *next; p; p = next) {
        next = p->next;
        free_one(p);
    }
}

static void give_back(tw_packed_table *all, tw_packed *p)
{
    tw_packed *rest = NULL;
    tw_lock_take(&all->lock);
    p->next = all->free;
    all->free = p;
    if (--all->used == 0) {
        tw_packed **place = &all->free;
        for (int i = 0; *place && i < KEPT; i++)
            place = &(*place)->next;
        rest = *place;
        *place = NULL;
    }
    tw_unlock(&all->lock);
    free_list(rest);
}

void tw_packed_close(tw_packed_table *all)
{
    free_list(all->free);
    all->free = NULL;
}

/* ---- those of a value -------------------------------------------------------------------- */

void tw_packed_put(tw_packed_table *all, tw_packed *p)
{
    /* release: we have read it; acquire: so have the others, before it becomes another one */
    if (atomic_fetch_sub_explicit(&p->users, 1, memory_order_acq_rel) == 1)
        give_back(all, p);
}

/* Held once more. Under the lock of the bucket. */
static tw_packed *find(const tw_packed_bucket *b, const struct tw_value *v, int layout)
{
    tw_packed *p = b->first;
    while (p && (p->value != v || p->layout != layout))
        p = p->next;
    if (p)
        atomic_fetch_add_explicit(&p->users, 1, memory_order_relaxed);
    return p;
}

/* Count packed replicas among the readers; false while they are being ended. Under the lock of the
 * bucket, as only readers of the same value set the mark. */
static bool count_among(atomic_int *readers)
{
    int now = atomic_load_explicit(readers, memory_order_relaxed);
    if (now & TW_UNPACKING)
        return false;
    if (!(now & TW_PACKED))
        atomic_fetch_add_explicit(readers, TW_PACKED + 1, memory_order_relaxed);
    return true;
}

/* What another one has added meanwhile, or this; NULL: neither. */
static tw_packed *find_or_add(tw_packed_bucket *b, tw_packed *p, atomic_int *readers)
{
    tw_lock_take(&b->lock);
    tw_packed *found = find(b, p->value, p->layout);
    if (!found && count_among(readers)) {
        p->next = b->first;
        b->first = found = p;
    }
    tw_unlock(&b->lock);
    return found;
}

static tw_packed *if_ready(tw_packed_table *all, tw_packed *p)
{
    if (!p || tw_packed_is_ready(p))
        return p;
    tw_packed_put(all, p);
    return NULL;
}

static tw_packed *add(tw_packed_table *all, const struct tw_value *v, atomic_int *readers,
                      int layout, size_t bytes, int64_t most)
{
    tw_packed *p = allocate(all, bytes, most);
    if (!p)
        return NULL;
    p->value = v;
    p->layout = layout;
    atomic_store_explicit(&p->users, 2, memory_order_relaxed);
    atomic_store_explicit(&p->ready, false, memory_order_relaxed);
    tw_packed *found = find_or_add(bucket_of(all, v), p, readers);
    if (found == p)
        return p;
    give_back(all, p);
    return if_ready(all, found);
}

tw_packed *tw_packed_get(tw_packed_table *all, const struct tw_value *v, atomic_int *readers,
                         int layout, size_t bytes, int64_t most)
{
    tw_packed_bucket *b = bucket_of(all, v);
    tw_lock_take(&b->lock);
    tw_packed *p = find(b, v, layout);
    tw_unlock(&b->lock);
    assert(!p || p->size >= bytes);
    return p ? if_ready(all, p) : add(all, v, readers, layout, bytes, most);
}

bool tw_packed_claim(atomic_int *readers, int now, int others)
{
    while (now & TW_PACKED && !(now & TW_UNPACKING) && tw_readers(now) <= 1 + others)
        /* acquire: an epoch may have become another one by now, and we see what it is */
        if (atomic_compare_exchange_weak_explicit(readers, &now, now | TW_UNPACKING,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* Take those of a value out of the bucket. */
static tw_packed *take_out(tw_packed_bucket *b, const struct tw_value *v)
{
    tw_packed *out = NULL;
    tw_lock_take(&b->lock);
    for (tw_packed **place = &b->first; *place;) {
        tw_packed *p = *place;
        if (p->value != v) {
            place = &p->next;
            continue;
        }
        *place = p->next;
        p->next = out;
        out = p;
    }
    tw_unlock(&b->lock);
    return out;
}

int tw_packed_end(tw_packed_table *all, const struct tw_value *v, atomic_int *readers)
{
    for (tw_packed *p = take_out(bucket_of(all, v), v), *next; p; p = next) {
        next = p->next;
        tw_packed_put(all, p);
    }
    /* release and acquire: as whoever else leaves */
    const int ours = TW_PACKED + TW_UNPACKING + 1;
    return atomic_fetch_sub_explicit(readers, ours, memory_order_acq_rel) - ours;
}
