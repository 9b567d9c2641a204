/* Instances that wait for inputs: a hash table in shards, a lock each. */
#include "front/ptg/ptg.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 16, SHARDS_PER_WORKER = 16 };

/* Changed under the shard's lock. Prefetching looks at them without it, so smaller ones that were
 * replaced are kept as long as the graph. */
typedef struct tw_buckets {
    struct tw_buckets *smaller;
    uint32_t mask; /* their number - 1 */
    _Atomic(twill_task *) first[];
} buckets;

static buckets *make_buckets(uint32_t n, buckets *smaller)
{
    buckets *b = calloc(1, sizeof *b + n * sizeof b->first[0]);
    if (b) {
        b->mask = n - 1;
        b->smaller = smaller;
    }
    return b;
}

static buckets *buckets_of(const tw_shard *shard)
{
    return atomic_load_explicit(&shard->buckets, memory_order_acquire);
}

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
        atomic_init(&ptg->shards[i].buckets, make_buckets(FIRST_BUCKETS, NULL));
        if (!buckets_of(&ptg->shards[i]))
            return tw_fail(TWILL_ERR_MEMORY, "no memory for a parameterised graph");
    }
    return TWILL_OK;
}

void tw_pending_close(tw_ptg *ptg)
{
    for (size_t i = 0; ptg->shards && i < (size_t)1 << ptg->shard_bits; i++)
        for (buckets *b = buckets_of(&ptg->shards[i]), *smaller; b; b = smaller) {
            smaller = b->smaller;
            free(b);
        }
    free(ptg->shards);
}

uint64_t tw_ptg_hash(const tw_kind *kind, const int64_t *p)
{
    uint64_t h = (uint64_t)kind->number;
    for (int i = 0; i < kind->cls->parameters; i++)
        h = (h ^ (uint64_t)p[i]) * 0x9E3779B97F4A7C15 + (h >> 32);
    return h ^ h >> 29;
}

/* The upper bits choose the shard; see key_of for the others. */
static tw_shard *shard_of(const tw_ptg *ptg, uint64_t hash)
{
    return &ptg->shards[ptg->shard_bits ? hash >> (64 - ptg->shard_bits) : 0];
}

twill_task *tw_ptg_make(tw_worker *w, tw_kind *kind, const int64_t *p)
{
    const twill_ptg_class *cls = kind->cls;
    twill_task *t = tw_task_get(w, kind->lines);
    if (tw_unlikely(!t)) {
        tw_graph_fail(kind->ptg->graph, TWILL_ERR_MEMORY, "no memory for a task");
        return NULL;
    }
    int64_t priority = cls->priority ? cls->priority(kind->ptg->globals, p) : 0;
    t->item = (twill_item){.priority = priority > INT32_MAX   ? INT32_MAX
                                       : priority < INT32_MIN ? INT32_MIN
                                                              : (int32_t)priority,
                           .worker = -1,
                           .devices = 1};
    t->graph = kind->ptg->graph;
    t->cls = &kind->chores;
    t->nslots = 0;
    t->name = NULL;
    t->cost.flops = t->cost.bytes = 0; /* traces ask the class themselves */
    int64_t *words = tw_ptg_words(t);
    for (int i = 0; i < cls->parameters; i++)
        words[i] = p[i];
    for (int i = 0; i < cls->flows; i++)
        words[cls->parameters + i] = 0;
    return t;
}

/* The kind in the lower bits; the others choose the bucket. */
static uint32_t key_of(const tw_kind *kind, uint64_t hash)
{
    return (uint32_t)(hash >> 20) / TW_PTG_CLASSES * TW_PTG_CLASSES + (uint32_t)kind->number;
}

static _Atomic(twill_task *) *bucket_of(buckets *b, uint32_t key)
{
    return &b->first[key / TW_PTG_CLASSES & b->mask];
}

static twill_task *follow(_Atomic(twill_task *) *link)
{
    return atomic_load_explicit(link, memory_order_relaxed);
}

static void relink(_Atomic(twill_task *) *link, twill_task *t)
{
    atomic_store_explicit(link, t, memory_order_relaxed);
}

void tw_pending_prefetch_shard(const tw_ptg *ptg, uint64_t hash)
{
    __builtin_prefetch(shard_of(ptg, hash), 1);
}

void tw_pending_prefetch_bucket(const tw_kind *kind, uint64_t hash)
{
    __builtin_prefetch((void *)bucket_of(buckets_of(shard_of(kind->ptg, hash)), key_of(kind, hash)),
                       1);
}

void tw_pending_prefetch_instance(const tw_kind *kind, uint64_t hash)
{
    twill_task *t = follow(bucket_of(buckets_of(shard_of(kind->ptg, hash)), key_of(kind, hash)));
    if (t)
        __builtin_prefetch(tw_ptg_instance(t), 1);
}

static bool is_instance(const twill_task *t, const tw_kind *kind, const int64_t *p, uint32_t key)
{
    const tw_instance *self = tw_ptg_instance(t);
    if (self->key != key)
        return false;
    for (int i = 0; i < kind->cls->parameters; i++)
        if (self->words[i] != p[i])
            return false;
    return true;
}

/* Twice as many buckets. Without memory the chains get longer, no more. */
static void grow(tw_shard *shard)
{
    buckets *b = buckets_of(shard), *larger = make_buckets(2 * (b->mask + 1), b);
    if (!larger)
        return;
    for (uint32_t i = 0; i <= b->mask; i++)
        for (twill_task *t = follow(&b->first[i]), *next; t; t = next) {
            tw_instance *self = tw_ptg_instance(t);
            _Atomic(twill_task *) *bucket = bucket_of(larger, self->key);
            next = follow(&self->next);
            relink(&self->next, follow(bucket));
            relink(bucket, t);
        }
    atomic_store_explicit(&shard->buckets, larger, memory_order_release);
}

/* The value goes to its place; false when there is one already. */
static bool put_value(twill_task *t, const tw_kind *kind, int flow, tw_value *v)
{
    tw_value **place = (tw_value **)(tw_ptg_words(t) + kind->cls->parameters) + flow;
    bool empty = !*place;
    if (empty)
        *place = v;
    return empty;
}

static void fail_instance(const tw_kind *kind, const int64_t *p, const char *what)
{
    char text[TW_MESSAGE / 4];
    tw_ptg_write(kind->cls, p, text, sizeof text);
    tw_graph_fail(kind->ptg->graph, TWILL_ERR_TASK, "%s %s", text, what);
}

bool tw_ptg_check_place(const tw_kind *kind, const int64_t *p)
{
    if (tw_likely(!kind->cls->rank) || kind->cls->rank(kind->ptg->globals, p) == 0)
        return true;
    fail_instance(kind, p, "is placed on a rank that does not exist");
    return false;
}

/* How many inputs the instance waits for; 0 after failing the graph. */
static int64_t inputs_of(const tw_kind *kind, const int64_t *p)
{
    int64_t n = kind->cls->inputs(kind->ptg->globals, p);
    if (tw_unlikely(n <= 0)) {
        fail_instance(kind, p,
                      n < 0 ? "is outside its space, and a task sends to it"
                            : "expects no task, and a task sends to it");
        return 0;
    }
    return tw_ptg_check_place(kind, p) ? n : 0;
}

static twill_task *make_pending(tw_worker *w, tw_kind *kind, const int64_t *p, uint32_t key,
                                int64_t inputs)
{
    twill_task *t = tw_ptg_make(w, kind, p);
    if (!t)
        return NULL;
    if (tw_unlikely(inputs > INT32_MAX)) {
        fail_instance(kind, p, "has more inputs than can be counted");
        inputs = INT32_MAX;
    }
    tw_ptg_instance(t)->key = key;
    tw_ptg_instance(t)->left = (int32_t)inputs;
    tw_task_set_state(t, TW_TASK_WAITING);
    return t;
}

/* The link to the instance in its bucket, or at the end of the bucket. Under the lock. */
static _Atomic(twill_task *) *find(tw_shard *shard, const tw_kind *kind, const int64_t *p,
                                   uint32_t key)
{
    _Atomic(twill_task *) *link = bucket_of(buckets_of(shard), key);
    while (follow(link) && !is_instance(follow(link), kind, p, key))
        link = &tw_ptg_instance(follow(link))->next;
    return link;
}

/* A new instance at the end of its bucket; one that waits for a single input need not be there, for
 * that is the one that arrives. Under the lock. */
static twill_task *add(tw_worker *w, tw_shard *shard, _Atomic(twill_task *) *link, tw_kind *kind,
                       const int64_t *p, uint32_t key)
{
    int64_t inputs = inputs_of(kind, p);
    twill_task *t = inputs ? make_pending(w, kind, p, key, inputs) : NULL;
    if (!t)
        return NULL;
    relink(&tw_ptg_instance(t)->next, NULL);
    if (inputs == 1)
        return t;
    relink(link, t);
    if (++shard->n > shard->most)
        shard->most = shard->n;
    if (tw_unlikely(shard->n > buckets_of(shard)->mask / 2))
        grow(shard);
    return t;
}

/* One input less to come: true when that was the last one, and the instance has left its bucket.
 * Under the lock. */
static bool count_down(tw_shard *shard, _Atomic(twill_task *) *link, twill_task *t)
{
    tw_instance *self = tw_ptg_instance(t);
    if (--self->left > 0)
        return false;
    if (link) {
        relink(link, follow(&self->next));
        shard->n--;
    }
    return true;
}

static void refuse_value(tw_worker *w, tw_kind *kind, const int64_t *p, tw_value *v, bool twice)
{
    if (twice)
        fail_instance(kind, p, "gets two values for one flow");
    if (v)
        tw_value_drop(tw_ptg_shelf(kind->ptg, w->index), v);
}

static twill_task *arrive_in_table(tw_worker *w, tw_kind *kind, const int64_t *p, uint64_t hash,
                                   int flow, tw_value *v)
{
    tw_shard *shard = shard_of(kind->ptg, hash);
    uint32_t key = key_of(kind, hash);
    tw_lock_take(&shard->lock);
    _Atomic(twill_task *) *link = find(shard, kind, p, key);
    twill_task *t = follow(link);
    bool known = t;
    if (!known)
        t = add(w, shard, link, kind, p, key);
    bool accepted = t && (!v || put_value(t, kind, flow, v));
    if (tw_is_heard(w) && t)
        tw_tell_grant(w, t);
    bool complete = t && count_down(shard, known ? link : NULL, t);
    tw_unlock(&shard->lock);
    if (tw_unlikely(!accepted))
        refuse_value(w, kind, p, v, t);
    return complete ? t : NULL;
}

/* Nobody else will ask for it: it need not wait in the table. */
static twill_task *arrive_alone(tw_worker *w, tw_kind *kind, const int64_t *p, int flow,
                                tw_value *v)
{
    twill_task *t = inputs_of(kind, p) ? tw_ptg_make(w, kind, p) : NULL;
    if (tw_unlikely(!t))
        refuse_value(w, kind, p, v, false);
    else if (v)
        put_value(t, kind, flow, v);
    if (tw_is_heard(w) && t)
        tw_tell_grant(w, t);
    return t;
}

twill_task *tw_pending_arrive(tw_worker *w, tw_kind *kind, const int64_t *p, uint64_t hash,
                              int flow, tw_value *v)
{
    return kind->cls->single ? arrive_alone(w, kind, p, flow, v)
                             : arrive_in_table(w, kind, p, hash, flow, v);
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
        buckets *b = buckets_of(&ptg->shards[i]);
        for (uint32_t k = 0; k <= b->mask; k++)
            for (twill_task *t = follow(&b->first[k]), *next; t; t = next) {
                next = follow(&tw_ptg_instance(t)->next);
                visit(t, arg);
            }
    }
}

static void discard(twill_task *t, void *arg)
{
    tw_ptg_drop_values(arg, t);
    tw_task_put(arg, t);
}

void tw_pending_clear(tw_ptg *ptg, tw_worker *w)
{
    tw_pending_each(ptg, discard, w);
    for (size_t i = 0; i < (size_t)1 << ptg->shard_bits; i++) {
        buckets *b = buckets_of(&ptg->shards[i]);
        for (uint32_t k = 0; k <= b->mask; k++)
            relink(&b->first[k], NULL);
        ptg->shards[i].n = 0;
    }
}
