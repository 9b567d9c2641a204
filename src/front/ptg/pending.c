/* Instances that wait for inputs: a hash table in shards, a lock each. */
#include "front/ptg/ptg.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 16, SHARDS_PER_WORKER = 16 };

twill_status tw_pending_open(tw_ptg *ptg, int workers)
{
    while ((1 << ptg->shard_bits) < SHARDS_PER_WORKER * workers)
        ptg->shard_bits++;
    size_t n = (size_t)1 << ptg->shard_bits;
    ptg->shards = aligned_alloc(TW_LINE, n * sizeof *ptg->shards);
    if (!ptg->shards)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a parameterised graph");
    memset(ptg->shards, 0, n * sizeof *ptg->shards);
    for (size_t i = 0; i < n; i++) {
        ptg->shards[i].bucket = calloc(FIRST_BUCKETS, sizeof(twill_task *));
        ptg->shards[i].mask = FIRST_BUCKETS - 1;
        if (!ptg->shards[i].bucket)
            return tw_fail(TWILL_ERR_MEMORY, "no memory for a parameterised graph");
    }
    return TWILL_OK;
}

void tw_pending_close(tw_ptg *ptg)
{
    for (size_t i = 0; ptg->shards && i < (size_t)1 << ptg->shard_bits; i++)
        free(ptg->shards[i].bucket);
    free(ptg->shards);
}

uint64_t tw_ptg_hash(const tw_kind *kind, const int64_t *p)
{
    uint64_t h = (uint64_t)kind->number;
    for (int i = 0; i < kind->cls->parameters; i++)
        h = (h ^ (uint64_t)p[i]) * 0x9E3779B97F4A7C15 + (h >> 32);
    return h ^ h >> 29;
}

/* The upper bits choose the shard, the lower ones the bucket. */
static tw_shard *shard_of(const tw_ptg *ptg, uint64_t hash)
{
    return &ptg->shards[ptg->shard_bits ? hash >> (64 - ptg->shard_bits) : 0];
}

void tw_pending_prefetch(const tw_ptg *ptg, uint64_t hash)
{
    __builtin_prefetch(shard_of(ptg, hash), 1);
}

twill_task *tw_ptg_make(tw_worker *w, tw_kind *kind, const int64_t *p)
{
    const twill_ptg_class *cls = kind->cls;
    const void *globals = kind->ptg->globals;
    twill_task *t = tw_task_get(w, kind->lines);
    if (tw_unlikely(!t)) {
        tw_graph_fail(kind->ptg->graph, TWILL_ERR_MEMORY, "no memory for a task");
        return NULL;
    }
    int64_t priority = cls->priority ? cls->priority(globals, p) : 0;
    t->item = (twill_item){.priority = priority > INT32_MAX   ? INT32_MAX
                                       : priority < INT32_MIN ? INT32_MIN
                                                              : (int32_t)priority,
                           .worker = -1,
                           .devices = 1};
    t->graph = kind->ptg->graph;
    t->cls = &kind->chores;
    t->nslots = 0;
    t->name = NULL;
    t->cost.flops = cls->flops ? (float)cls->flops(globals, p) : 0;
    t->cost.bytes = 0;
    int64_t *words = tw_ptg_words(t);
    for (int i = 0; i < cls->parameters; i++)
        words[i] = p[i];
    for (int i = 0; i < cls->flows; i++)
        words[cls->parameters + i] = 0;
    return t;
}

static bool is_instance(const twill_task *t, const tw_kind *kind, const int64_t *p, uint64_t hash)
{
    if (tw_ptg_instance(t)->hash != hash || t->cls != &kind->chores)
        return false;
    for (int i = 0; i < kind->cls->parameters; i++)
        if (tw_ptg_words(t)[i] != p[i])
            return false;
    return true;
}

/* Twice as many buckets. Without memory the chains get longer, no more. */
static void grow(tw_shard *shard)
{
    size_t n = 2 * (shard->mask + 1);
    twill_task **bucket = calloc(n, sizeof(twill_task *));
    if (!bucket)
        return;
    for (size_t i = 0; i <= shard->mask; i++)
        while (shard->bucket[i]) {
            twill_task *t = shard->bucket[i];
            tw_instance *self = tw_ptg_instance(t);
            shard->bucket[i] = self->next;
            self->next = bucket[self->hash & (n - 1)];
            bucket[self->hash & (n - 1)] = t;
        }
    free(shard->bucket);
    shard->bucket = bucket;
    shard->mask = n - 1;
}

/* The value goes to its place; false when there is one already. */
static bool put_value(twill_task *t, int flow, tw_value *v)
{
    tw_value **place = &tw_ptg_values(t)[flow];
    bool empty = !*place;
    if (empty)
        *place = v;
    return empty;
}

static void fail_arrival(const tw_kind *kind, const int64_t *p, const char *what)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_write(kind->cls, p, text, sizeof text);
    tw_graph_fail(kind->ptg->graph, TWILL_ERR_TASK, "%s %s", text, what);
}

/* How many inputs the instance waits for; 0 after failing the graph. */
static int64_t inputs_of(const tw_kind *kind, const int64_t *p)
{
    const void *globals = kind->ptg->globals;
    int64_t n = kind->cls->inputs(globals, p);
    if (tw_unlikely(n <= 0))
        fail_arrival(kind, p,
                     n < 0 ? "is outside its space, and a task sends to it"
                           : "expects no task, and a task sends to it");
    else if (tw_unlikely(kind->cls->rank != NULL) && kind->cls->rank(globals, p) != 0)
        fail_arrival(kind, p, "is placed on a rank that does not exist");
    else
        return n;
    return 0;
}

static twill_task *make_pending(tw_worker *w, tw_kind *kind, const int64_t *p, uint64_t hash,
                                int64_t inputs)
{
    twill_task *t = tw_ptg_make(w, kind, p);
    if (!t)
        return NULL;
    if (tw_unlikely(inputs > INT32_MAX)) {
        fail_arrival(kind, p, "has more inputs than can be counted");
        inputs = INT32_MAX;
    }
    tw_ptg_instance(t)->hash = hash;
    atomic_store_explicit(&t->wait, (int)inputs, memory_order_relaxed);
    tw_task_set_state(t, TW_TASK_WAITING);
    return t;
}

/* One input less to wait for, under the lock; true when it was the last. */
static bool count_down(twill_task *t)
{
    int left = atomic_load_explicit(&t->wait, memory_order_relaxed) - 1;
    atomic_store_explicit(&t->wait, left, memory_order_relaxed);
    return left == 0;
}

/* Where the instance is in its bucket, or the end of the bucket. Under the lock. */
static twill_task **find(tw_shard *shard, const tw_kind *kind, const int64_t *p, uint64_t hash)
{
    twill_task **link = &shard->bucket[hash & shard->mask];
    while (*link && !is_instance(*link, kind, p, hash))
        link = &tw_ptg_instance(*link)->next;
    return link;
}

/* Put a new instance at the end of its bucket. Under the lock. */
static twill_task *add(tw_worker *w, tw_shard *shard, twill_task **link, tw_kind *kind,
                       const int64_t *p, uint64_t hash, int64_t inputs)
{
    /* an instance that has several in any case is asked for their number when the first arrives */
    if (inputs == 0)
        inputs = inputs_of(kind, p);
    twill_task *t = inputs ? make_pending(w, kind, p, hash, inputs) : NULL;
    if (!t)
        return NULL;
    tw_ptg_instance(t)->next = NULL;
    *link = t;
    if (++shard->n > shard->most)
        shard->most = shard->n;
    return t;
}

static twill_task *arrive_in_table(tw_worker *w, tw_kind *kind, const int64_t *p, uint64_t hash,
                                   int flow, tw_value *v, int64_t inputs)
{
    tw_shard *shard = shard_of(kind->ptg, hash);
    tw_lock_take(&shard->lock);
    twill_task **link = find(shard, kind, p, hash);
    twill_task *t = *link ? *link : add(w, shard, link, kind, p, hash, inputs);
    bool accepted = t && (!v || put_value(t, flow, v));
    bool complete = t && count_down(t);
    if (complete) {
        *link = tw_ptg_instance(t)->next;
        shard->n--;
    } else if (tw_unlikely(shard->n > 2 * shard->mask)) {
        grow(shard);
    }
    tw_unlock(&shard->lock);
    if (tw_unlikely(!accepted)) {
        fail_arrival(kind, p, "gets two values for one flow");
        if (v)
            tw_value_drop(v);
    }
    return complete ? t : NULL;
}

twill_task *tw_pending_arrive(tw_worker *w, tw_kind *kind, const int64_t *p, uint64_t hash,
                              int flow, tw_value *v)
{
    int64_t inputs = 0;
    if (kind->cls->always < 2) {
        inputs = inputs_of(kind, p);
        if (inputs == 0) {
            if (v)
                tw_value_drop(v);
            return NULL;
        }
    }
    if (inputs != 1)
        return arrive_in_table(w, kind, p, hash, flow, v, inputs);
    /* nobody else will ask for it: it need not wait in the table */
    twill_task *t = tw_ptg_make(w, kind, p);
    if (t && v)
        put_value(t, flow, v);
    return t;
}

int64_t tw_pending_count(const tw_ptg *ptg)
{
    size_t n = 0;
    for (size_t i = 0; i < (size_t)1 << ptg->shard_bits; i++)
        n += ptg->shards[i].n;
    return (int64_t)n;
}

int64_t tw_pending_most(const tw_ptg *ptg)
{
    size_t n = 0;
    for (size_t i = 0; i < (size_t)1 << ptg->shard_bits; i++)
        n += ptg->shards[i].most;
    return (int64_t)n;
}

void tw_pending_each(const tw_ptg *ptg, void (*visit)(twill_task *t, void *arg), void *arg)
{
    for (size_t i = 0; i < (size_t)1 << ptg->shard_bits; i++) {
        tw_shard *shard = &ptg->shards[i];
        for (size_t b = 0; b <= shard->mask; b++)
            for (twill_task *t = shard->bucket[b], *next; t; t = next) {
                next = tw_ptg_instance(t)->next;
                visit(t, arg);
            }
    }
}

static void discard(twill_task *t, void *arg)
{
    for (int i = 0; i < tw_ptg_kind(t)->cls->flows; i++)
        if (tw_ptg_values(t)[i])
            tw_value_drop(tw_ptg_values(t)[i]);
    tw_task_put(arg, t);
}

void tw_pending_clear(tw_ptg *ptg, tw_worker *w)
{
    tw_pending_each(ptg, discard, w);
    for (size_t i = 0; i < (size_t)1 << ptg->shard_bits; i++) {
        tw_shard *shard = &ptg->shards[i];
        memset(shard->bucket, 0, (shard->mask + 1) * sizeof *shard->bucket);
        shard->n = 0;
    }
}
