/* lws: locality first, work stealing nearest first.
 *
 * Each worker has a slot for one item that only it can take (the best of what it just enabled,
 * whose data it has in cache), a ring of ordinary items, a heap of items with priority, and an
 * inbox for items that others leave here. The owner takes the slot or something with a higher
 * priority, then the newest of its ring; thieves take the best of a heap or the oldest half of a
 * ring, and look at their neighbours in the order of hwloc's distances.
 *
 * The owner adds to its ring without a lock: it writes the item, then the tail. Everything that
 * removes items holds the queue's lock. */
#include "base/clock.h"
#include "base/lock.h"
#include "base/status.h"
#include "sched/fifo.h"
#include "sched/heap.h"
#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024, MOST_STOLEN = 32 };

/* A thief that is back sooner than this got tasks so small that fetching them costs more than
 * running them: it waits until there is more to take. */
static const double cool_down = 0.5e-6;

/* How long an item that asks for a certain worker is left to that worker, which may have to wake
 * up. */
static const double grace = 500e-6;

typedef struct queue {
    /* the owner's; ring and room change under the lock */
    _Alignas(TW_LINE) twill_item *slot;
    twill_item **ring;
    uint64_t room;      /* a power of two */
    uint64_t seen_head; /* head when the owner last looked: it can only have grown */
    double robbed_at;   /* when the owner last stole */
    /* written by the owner, watched by thieves */
    _Alignas(TW_LINE) _Atomic uint64_t tail;
    /* everybody's */
    _Alignas(TW_LINE) tw_lock lock;
    _Atomic uint64_t head;
    atomic_int urgent;   /* items in the heap */
    atomic_int letters;  /* items in the inbox */
    _Atomic int32_t top; /* highest priority in the heap; a hint */
    tw_heap heap;
    tw_fifo inbox;
    double delivered; /* when the newest letter came */
} queue;

typedef struct lws {
    const twill_sched_env *env;
    queue queues[]; /* of the workers, then of the guest */
} lws;

static twill_status lws_open(const twill_sched_env *env, void **state)
{
    size_t n = (size_t)env->workers + 1;
    size_t size = (sizeof(lws) + n * sizeof(queue) + TW_LINE - 1) / TW_LINE * TW_LINE;
    lws *s = aligned_alloc(TW_LINE, size);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler lws");
    memset(s, 0, size);
    s->env = env;
    for (size_t i = 0; i < n; i++) {
        s->queues[i].room = FIRST_ROOM;
        s->queues[i].ring = malloc(FIRST_ROOM * sizeof(twill_item *));
        if (!s->queues[i].ring) {
            while (i--)
                free(s->queues[i].ring);
            free(s);
            return tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler lws");
        }
    }
    *state = s;
    return TWILL_OK;
}

static void lws_close(void *state)
{
    lws *s = state;
    for (int i = 0; i <= s->env->workers; i++) {
        free(s->queues[i].ring);
        tw_heap_close(&s->queues[i].heap);
    }
    free(s);
}

/* Thieves only advance head, so a full ring seen by the owner may be less full, never more. */
static bool grow(queue *q)
{
    twill_item **ring = malloc(2 * q->room * sizeof *ring);
    if (!ring)
        return false;
    tw_lock_take(&q->lock);
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    for (uint64_t i = head; i != tail; i++)
        ring[i & (2 * q->room - 1)] = q->ring[i & (q->room - 1)];
    free(q->ring);
    q->ring = ring;
    q->room *= 2;
    tw_unlock(&q->lock);
    return true;
}

static void deliver(queue *q, twill_item *item)
{
    tw_lock_take(&q->lock);
    tw_fifo_push(&q->inbox, item);
    q->delivered = tw_seconds();
    atomic_fetch_add_explicit(&q->letters, 1, memory_order_relaxed);
    tw_unlock(&q->lock);
}

static void push_ring(queue *q, twill_item *item)
{
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    if (tw_unlikely(tail - q->seen_head == q->room)) {
        /* acquire pairs with the thief's release of head: its read of the slot is over */
        q->seen_head = atomic_load_explicit(&q->head, memory_order_acquire);
        if (tail - q->seen_head == q->room && !grow(q)) {
            deliver(q, item);
            return;
        }
    }
    q->ring[tail & (q->room - 1)] = item;
    /* release pairs with the acquire of whoever reads tail under the lock */
    atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
}

static void push_heap(queue *q, twill_item *item)
{
    tw_lock_take(&q->lock);
    bool done = tw_heap_push(&q->heap, item);
    if (done) {
        atomic_store_explicit(&q->top, tw_heap_top(&q->heap), memory_order_relaxed);
        atomic_store_explicit(&q->urgent, q->heap.n, memory_order_relaxed);
    }
    tw_unlock(&q->lock);
    if (!done)
        deliver(q, item);
}

static void queue_item(lws *s, int w, twill_item *item)
{
    if (tw_unlikely(item->worker >= 0) && item->worker < s->env->workers && item->worker != w)
        deliver(&s->queues[item->worker], item);
    else if (item->priority > 0)
        push_heap(&s->queues[w], item);
    else
        push_ring(&s->queues[w], item);
}

static int lws_push(void *state, int w, twill_item *list, int n, bool soon)
{
    lws *s = state;
    queue *q = &s->queues[w];
    while (list) {
        twill_item *item = list;
        list = item->next;
        bool stays = item->worker < 0 || item->worker == w;
        if (soon && stays && (!q->slot || q->slot->priority < item->priority)) {
            twill_item *displaced = q->slot;
            q->slot = item;
            if (!displaced) {
                n--;
                continue;
            }
            item = displaced;
        }
        queue_item(s, w, item);
    }
    return n;
}

static twill_item *pop_heap(queue *q)
{
    twill_item *item = tw_heap_pop(&q->heap);
    atomic_store_explicit(&q->top, tw_heap_top(&q->heap), memory_order_relaxed);
    atomic_store_explicit(&q->urgent, q->heap.n, memory_order_relaxed);
    return item;
}

static bool empty(queue *q)
{
    return atomic_load_explicit(&q->urgent, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&q->letters, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&q->tail, memory_order_acquire) ==
               atomic_load_explicit(&q->head, memory_order_relaxed);
}

static twill_item *pop_inbox(queue *q)
{
    twill_item *item = tw_fifo_pop(&q->inbox);
    if (item)
        atomic_fetch_sub_explicit(&q->letters, 1, memory_order_relaxed);
    return item;
}

/* The owner: best of the heap, newest of the ring, oldest of the inbox. */
static twill_item *pop_own(queue *q)
{
    if (empty(q))
        return NULL;
    tw_lock_take(&q->lock);
    twill_item *item = q->heap.n ? pop_heap(q) : NULL;
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    if (!item && tail != atomic_load_explicit(&q->head, memory_order_relaxed)) {
        item = q->ring[(tail - 1) & (q->room - 1)];
        atomic_store_explicit(&q->tail, tail - 1, memory_order_relaxed);
    }
    if (!item)
        item = pop_inbox(q);
    tw_unlock(&q->lock);
    return item;
}

/* Take the oldest half of a ring, at most MOST_STOLEN. Under the lock. */
static int take_half(queue *q, twill_item **loot)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    uint64_t size = atomic_load_explicit(&q->tail, memory_order_acquire) - head;
    uint64_t n = (size + 1) / 2 < MOST_STOLEN ? (size + 1) / 2 : MOST_STOLEN;
    for (uint64_t i = 0; i < n; i++) {
        loot[i] = q->ring[(head + i) & (q->room - 1)];
        /* all on their way at once, not one by one as they run: what a task is, and its data */
        tw_claim(loot[i]);
        tw_claim((const char *)loot[i] + TW_LINE);
    }
    atomic_store_explicit(&q->head, head + n, memory_order_release);
    return (int)n;
}

/* Take the best of a heap, else of a ring, else a letter that its receiver has left lying. With
 * letters it leaves, `*later` is set. */
static int rob(queue *victim, twill_item **loot, bool *later)
{
    if (empty(victim))
        return 0;
    tw_lock_take(&victim->lock);
    int n = 0;
    if (victim->heap.n) {
        loot[0] = pop_heap(victim);
        n = 1;
    } else {
        n = take_half(victim, loot);
    }
    if (n == 0 && victim->inbox.head) {
        *later = tw_seconds() - victim->delivered < grace;
        if (!*later) {
            loot[0] = pop_inbox(victim);
            n = 1;
        }
    }
    tw_unlock(&victim->lock);
    return n;
}

static void wait_for_more(queue *own)
{
    while (tw_seconds() - own->robbed_at < cool_down)
        tw_pause();
}

/* One round over the others, nearest first, the guest last. */
static twill_item *steal_once(lws *s, int w, bool *later)
{
    twill_item *loot[MOST_STOLEN];
    queue *own = &s->queues[w];
    const int *order = s->env->neighbours(s->env, w);
    for (int i = 0; i < s->env->workers; i++) {
        int victim = i < s->env->workers - 1 ? order[i] : s->env->workers;
        int n = rob(&s->queues[victim], loot, later);
        if (n == 0)
            continue;
        s->env->stolen(s->env, w, victim, n);
        own->robbed_at = tw_seconds();
        /* keep the order: the oldest runs now, the next oldest is the next to be popped */
        for (int k = n - 1; k > 0; k--)
            push_ring(own, loot[k]);
        return loot[0];
    }
    return NULL;
}

/* As long as there are letters for others, stay: if they do not take them, nobody else will. */
TW_APART static twill_item *steal(lws *s, int w)
{
    twill_item *item;
    bool later;
    wait_for_more(&s->queues[w]);
    for (;;) {
        later = false;
        item = steal_once(s, w, &later);
        if (item || !later || !empty(&s->queues[w]))
            return item ? item : pop_own(&s->queues[w]);
        sched_yield(); /* the receiver may need this very core */
    }
}

static twill_item *lws_pop(void *state, int w)
{
    lws *s = state;
    queue *q = &s->queues[w];
    twill_item *item = q->slot;
    if (item && tw_likely(atomic_load_explicit(&q->urgent, memory_order_relaxed) == 0 ||
                          atomic_load_explicit(&q->top, memory_order_relaxed) <= item->priority)) {
        q->slot = NULL;
        return item;
    }
    item = pop_own(q);
    if (!item && q->slot) { /* a thief took what was better than the slot */
        item = q->slot;
        q->slot = NULL;
    }
    return item ? item : steal(s, w);
}

static bool lws_has_own(void *state, int w)
{
    queue *q = &((lws *)state)->queues[w];
    return q->slot || !empty(q);
}

static int lws_queued(void *state)
{
    lws *s = state;
    int n = 0;
    for (int i = 0; i <= s->env->workers; i++) {
        queue *q = &s->queues[i];
        n += atomic_load_explicit(&q->urgent, memory_order_relaxed) +
             atomic_load_explicit(&q->letters, memory_order_relaxed) +
             (int)(atomic_load_explicit(&q->tail, memory_order_relaxed) -
                   atomic_load_explicit(&q->head, memory_order_relaxed));
    }
    return n;
}

const twill_sched_ops tw_sched_lws = {
    .name = "lws",
    .about = "own work first, priorities first, then stealing from the nearest worker",
    .open = lws_open,
    .close = lws_close,
    .push = lws_push,
    .pop = lws_pop,
    .queued = lws_queued,
    .has_own = lws_has_own,
};
