/* Buckets of instances that wait. */
#include "front/ptg/id.h"

#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS_PER_WORKER = 32, /* at first */
    PERIOD = 64,             /* instances a worker enters until it counts them all */
    TRIES = 4                /* to count while others come and go */
};

/* Looked at without a lock: see tw_bucket_prefetch. */
typedef struct tw_buckets {
    struct tw_buckets *smaller;
    int bits; /* of their number */
    tw_bucket bucket[];
} buckets;

/* Its own worker writes them. */
typedef struct tw_occupancy {
    _Alignas(TW_LINE) _Atomic int64_t entered;
    _Atomic int64_t left;
} occupancy;

/* ---- who is who -------------------------------------------------------------------------- */

uint64_t tw_instance_hash(const tw_ptg_class *c, const int64_t *p)
{
    uint64_t h = (uint64_t)c->number;
    for (int i = 0; i < c->cls->parameters; i++)
        h = (h ^ (uint64_t)p[i]) * 0x9E3779B97F4A7C15 + (h >> 32);
    return (h ^ h >> 29) | TW_ID_HASH;
}

static bool is_same(const twill_task *t, uint64_t id, const int64_t *p)
{
    if (tw_likely(!(id & TW_ID_HASH)))
        return true;
    for (int i = 0; i < tw_ptg_class_of(t)->cls->parameters; i++)
        if (tw_ptg_words(t)[i] != p[i])
            return false;
    return true;
}

/* ---- links ------------------------------------------------------------------------------- */

static twill_task *follow(const _Atomic(twill_task *) *link)
{
    return atomic_load_explicit(link, memory_order_relaxed);
}

static void relink(_Atomic(twill_task *) *link, twill_task *t)
{
    atomic_store_explicit(link, t, memory_order_relaxed);
}

static _Atomic(twill_task *) *next_of(twill_task *t)
{
    return &tw_ptg_instance(t)->next;
}

/* ---- one bucket -------------------------------------------------------------------------- */

static uint64_t id_at(const tw_bucket *b, int i)
{
    return atomic_load_explicit(&b->id[i], memory_order_relaxed);
}

static void set_slot(tw_bucket *b, int i, uint64_t id, twill_task *t, int32_t left)
{
    atomic_store_explicit(&b->id[i], id, memory_order_relaxed);
    atomic_store_explicit(&b->left[i], left, memory_order_relaxed);
    relink(&b->task[i], t);
}

static tw_bucket_slot find_in_chain(twill_task *last, uint64_t id, const int64_t *p)
{
    _Atomic(twill_task *) *link = next_of(last);
    for (twill_task *t; (t = follow(link)); link = next_of(t))
        if (tw_instance_id(tw_ptg_class_of(t), tw_ptg_words(t)) == id && is_same(t, id, p))
            return (tw_bucket_slot){link, &tw_ptg_instance(t)->left};
    return (tw_bucket_slot){NULL, NULL};
}

inline tw_bucket_slot tw_bucket_find(tw_bucket *b, uint64_t id, const int64_t *p)
{
    for (int i = 0; i < TW_BUCKET_SLOTS; i++)
        if (id_at(b, i) == id && is_same(follow(&b->task[i]), id, p))
            return (tw_bucket_slot){&b->task[i], &b->left[i]};
    twill_task *last = follow(&b->task[TW_BUCKET_SLOTS - 1]);
    return tw_unlikely(last) ? find_in_chain(last, id, p) : (tw_bucket_slot){NULL, NULL};
}

bool tw_bucket_enter(tw_bucket *b, uint64_t id, twill_task *t, int32_t left)
{
    for (int i = 0; i < TW_BUCKET_SLOTS; i++)
        if (!id_at(b, i)) {
            relink(next_of(t), NULL);
            set_slot(b, i, id, t, left);
            return false;
        }
    _Atomic(twill_task *) *link = next_of(follow(&b->task[TW_BUCKET_SLOTS - 1]));
    atomic_store_explicit(&tw_ptg_instance(t)->left, left, memory_order_relaxed);
    relink(next_of(t), follow(link));
    relink(link, t);
    return follow(next_of(t));
}

/* Nobody hangs off the others than the last slot: there, the next one moves up. */
void tw_bucket_leave(tw_bucket *b, tw_bucket_slot at)
{
    assert(tw_is_locked(&b->lock));
    twill_task *next = follow(next_of(follow(at.link)));
    ptrdiff_t i = at.left - b->left;
    if (tw_unlikely(i < 0 || i >= TW_BUCKET_SLOTS))
        relink(at.link, next);
    else if (tw_unlikely(next))
        set_slot(b, (int)i, tw_instance_id(tw_ptg_class_of(next), tw_ptg_words(next)), next,
                 atomic_load_explicit(&tw_ptg_instance(next)->left, memory_order_relaxed));
    else
        set_slot(b, (int)i, 0, NULL, 0);
}

/* ---- all buckets ------------------------------------------------------------------------- */

static buckets *make_buckets(int bits, buckets *smaller)
{
    size_t size = sizeof(buckets) + ((size_t)1 << bits) * sizeof(tw_bucket);
    buckets *all = aligned_alloc(TW_LINE, size);
    if (all) {
        memset(all, 0, size);
        all->smaller = smaller;
        all->bits = bits;
    }
    return all;
}

static buckets *buckets_of(const tw_table *table)
{
    return atomic_load_explicit(&table->buckets, memory_order_acquire);
}

static tw_bucket *bucket_of(buckets *all, uint64_t id)
{
    return &all->bucket[(id ^ id >> 31) * 0x9E3779B97F4A7C15 >> (64 - all->bits)];
}

bool tw_table_open(tw_table *table, int workers)
{
    int bits = 1;
    while (1 << bits < BUCKETS_PER_WORKER * workers)
        bits++;
    size_t size = ((size_t)workers + 1) * sizeof(occupancy);
    *table = (tw_table){.workers = workers, .of = aligned_alloc(TW_LINE, size)};
    atomic_init(&table->buckets, make_buckets(bits, NULL));
    if (table->of)
        memset(table->of, 0, size);
    return table->of && buckets_of(table);
}

void tw_table_close(tw_table *table)
{
    for (buckets *all = buckets_of(table), *smaller; all; all = smaller) {
        smaller = all->smaller;
        free(all);
    }
    free(table->of);
}

tw_bucket *tw_table_bucket(const tw_table *table, uint64_t id)
{
    tw_bucket *b = bucket_of(buckets_of(table), id);
    tw_prefetch_write(b);
    return b;
}

tw_bucket *tw_table_lock(tw_table *table, tw_bucket *b, uint64_t id)
{
    for (;;) {
        tw_lock_take(&b->lock);
        if (tw_likely(!b->moved))
            return b;
        tw_unlock(&b->lock);
        sched_yield(); /* the larger table is being filled */
        b = bucket_of(buckets_of(table), id);
    }
}

void tw_bucket_prefetch(const tw_bucket *b, uint64_t id, bool data)
{
    for (int i = 0; i < TW_BUCKET_SLOTS; i++) {
        if (id_at(b, i) != id)
            continue;
        bool last = atomic_load_explicit(&b->left[i], memory_order_relaxed) == 1;
        const twill_task *t = follow(&b->task[i]);
        if (t && (data || last)) /* it may be leaving */
            tw_prefetch_write(tw_ptg_instance(t));
        if (t && last)
            tw_prefetch_write(t);
        return;
    }
}

/* ---- counting ---------------------------------------------------------------------------- */

/* acquire: one sum after the other */
static int64_t sum(const tw_table *table, bool left)
{
    int64_t n = 0;
    for (int i = 0; i <= table->workers; i++)
        n += atomic_load_explicit(left ? &table->of[i].left : &table->of[i].entered,
                                  memory_order_acquire);
    return n;
}

/* How many wait, while others come and go: not fewer and not more than this. */
typedef struct bounds {
    int64_t least, most;
} bounds;

/* Who loses its core between the sums is far off, and counts again. */
static bounds count(const tw_table *table)
{
    bounds n;
    int64_t before, entered, left = sum(table, true);
    int tries = 0;
    do {
        before = left;
        entered = sum(table, false);
        left = sum(table, true);
        n = (bounds){entered - left, entered - before};
    } while (left - before > PERIOD * (table->workers + 1) && ++tries < TRIES);
    return n;
}

/* ---- growing ----------------------------------------------------------------------------- */

static void move_bucket(tw_bucket *from, buckets *to)
{
    tw_lock_take(&from->lock);
    for (int i = TW_BUCKET_SLOTS - 1; i >= 0; i--) {
        while (id_at(from, i)) {
            tw_bucket_slot at = {&from->task[i], &from->left[i]};
            uint64_t id = id_at(from, i);
            twill_task *t = follow(at.link);
            int32_t left = atomic_load_explicit(at.left, memory_order_relaxed);
            tw_bucket_leave(from, at);
            tw_bucket_enter(bucket_of(to, id), id, t, left);
        }
    }
    from->moved = true;
    tw_unlock(&from->lock);
}

/* Without memory the chains get longer, no more. */
static void grow(tw_table *table)
{
    buckets *all = buckets_of(table), *larger = make_buckets(all->bits + 1, all);
    if (!larger)
        return;
    for (size_t i = 0; i < (size_t)1 << all->bits; i++)
        move_bucket(&all->bucket[i], larger);
    atomic_store_explicit(&table->buckets, larger, memory_order_release);
}

static void review(tw_table *table)
{
    tw_lock_take(&table->growing);
    bounds n = count(table);
    if (n.most > table->most)
        table->most = n.most;
    if (n.least >> buckets_of(table)->bits > 0)
        grow(table);
    tw_unlock(&table->growing);
}

static int64_t increase(_Atomic int64_t *count)
{
    int64_t n = atomic_load_explicit(count, memory_order_relaxed) + 1;
    atomic_store_explicit(count, n, memory_order_relaxed);
    return n;
}

inline void tw_table_entered(tw_table *table, int w, bool crowded)
{
    if (tw_unlikely(increase(&table->of[w].entered) % PERIOD == 0 || crowded))
        review(table);
}

void tw_table_left(tw_table *table, int w)
{
    increase(&table->of[w].left);
}

/* ---- reports ------------------------------------------------------------------------------ */

int64_t tw_table_count(const tw_table *table)
{
    return sum(table, false) - sum(table, true);
}

void tw_table_recount(tw_table *table)
{
    for (int i = 0; i <= table->workers; i++) {
        atomic_store_explicit(&table->of[i].entered, 0, memory_order_relaxed);
        atomic_store_explicit(&table->of[i].left, 0, memory_order_relaxed);
    }
    table->most = 0;
}

/* Since the last count, each worker may have entered some. */
int64_t tw_table_most(const tw_table *table)
{
    int64_t entered = sum(table, false), most = table->most + PERIOD * (table->workers + 1);
    return tw_min(most, entered);
}

void tw_table_each(const tw_table *table, void (*visit)(twill_task *t, void *arg), void *arg)
{
    buckets *all = buckets_of(table);
    for (size_t k = 0; k < (size_t)1 << all->bits; k++)
        for (int i = 0; i < TW_BUCKET_SLOTS; i++)
            for (twill_task *t = follow(&all->bucket[k].task[i]), *next; t; t = next) {
                next = follow(next_of(t));
                visit(t, arg);
            }
}

void tw_table_clear(tw_table *table)
{
    buckets *all = buckets_of(table);
    atomic_fetch_add_explicit(&table->of[table->workers].left, tw_table_count(table),
                              memory_order_relaxed);
    for (size_t k = 0; k < (size_t)1 << all->bits; k++)
        for (int i = 0; i < TW_BUCKET_SLOTS; i++)
            set_slot(&all->bucket[k], i, 0, NULL, 0);
}
