/* The queue of one worker. */
#include "sched/queue.h"

#include "base/clock.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

/* How long an item that prefers a certain worker is left to that worker, which may have to wake
 * up. */
static const double grace = 500e-6;

typedef enum source { NOWHERE, RING, HEAP, MAILBOX, OVERFLOW } source;

bool tw_queue_open(tw_queue *q)
{
    q->room = FIRST_ROOM;
    q->ring = malloc(FIRST_ROOM * sizeof(twill_item *));
    return q->ring;
}

void tw_queue_close(tw_queue *q)
{
    free(q->ring);
    tw_heap_close(&q->heap);
    tw_heap_close(&q->mailbox);
}

/* ---- adding --------------------------------------------------------------------------------- */

static bool grow(tw_queue *q)
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

bool tw_queue_make_room(tw_queue *q)
{
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    /* acquire pairs with the release of head: the thief's read of the place is over */
    q->seen_head = atomic_load_explicit(&q->head, memory_order_acquire);
    return tail - q->seen_head < q->room || grow(q);
}

/* Tell those who look without the lock. Under the lock. */
static void publish(tw_queue *q)
{
    assert(tw_is_locked(&q->lock));
    int32_t top = q->heap.n ? tw_heap_top(&q->heap) : INT32_MIN;
    if (q->mailbox.n && tw_heap_top(&q->mailbox) > top)
        top = tw_heap_top(&q->mailbox);
    atomic_store_explicit(&q->top, top, memory_order_relaxed);
    atomic_store_explicit(&q->ranked, q->heap.n + q->mailbox.n + q->spilled, memory_order_relaxed);
}

static void spill(tw_queue *q, twill_item *item)
{
    assert(tw_is_locked(&q->lock));
    tw_fifo_push(&q->overflow, item);
    q->spilled++;
}

void tw_queue_rank(tw_queue *q, twill_item *item)
{
    tw_lock_take(&q->lock);
    if (item->priority == 0 || !tw_heap_push(&q->heap, item))
        spill(q, item);
    publish(q);
    tw_unlock(&q->lock);
}

bool tw_queue_deliver(tw_queue *q, twill_item *item)
{
    double now = tw_seconds();
    tw_lock_take(&q->lock);
    bool first = atomic_load_explicit(&q->ranked, memory_order_relaxed) == 0;
    if (q->mailbox.n == 0)
        q->unread = now;
    if (!tw_heap_push(&q->mailbox, item))
        spill(q, item);
    publish(q);
    tw_unlock(&q->lock);
    return first;
}

/* ---- removing: all of it under the lock ------------------------------------------------------ */

/* Where the best item is. Among equals, those in the mailbox come last or, with `mail_first`, not.
 */
static source best(const tw_queue *q, bool mail, bool mail_first)
{
    assert(tw_is_locked(&q->lock));
    source from = q->spilled ? OVERFLOW : NOWHERE;
    int64_t top = INT64_MIN;
    if (atomic_load_explicit(&q->tail, memory_order_relaxed) !=
        atomic_load_explicit(&q->head, memory_order_relaxed)) {
        from = RING;
        top = 0;
    }
    if (q->heap.n && tw_heap_top(&q->heap) > top) {
        from = HEAP;
        top = tw_heap_top(&q->heap);
    }
    if (mail && q->mailbox.n && (int64_t)tw_heap_top(&q->mailbox) + mail_first > top)
        from = MAILBOX;
    return from;
}

static void count_removal(tw_queue *q)
{
    uint32_t taken = atomic_load_explicit(&q->taken, memory_order_relaxed);
    atomic_store_explicit(&q->taken, taken + 1, memory_order_relaxed);
}

static twill_item *newest(tw_queue *q)
{
    assert(tw_is_locked(&q->lock));
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed) - 1;
    atomic_store_explicit(&q->tail, tail, memory_order_relaxed);
    return q->ring[tail & (q->room - 1)];
}

/* The n oldest of the ring. */
static void oldest(tw_queue *q, twill_item **batch, uint64_t n)
{
    assert(tw_is_locked(&q->lock));
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    for (uint64_t i = 0; i < n; i++)
        batch[i] = q->ring[(head + i) & (q->room - 1)];
    /* release pairs with the acquire of the owner, who may write there again */
    atomic_store_explicit(&q->head, head + n, memory_order_release);
}

/* An item that is not in the ring. */
static twill_item *remove_ranked(tw_queue *q, source from)
{
    assert(tw_is_locked(&q->lock));
    twill_item *item = NULL;
    if (from == HEAP) {
        item = tw_heap_pop(&q->heap);
    } else if (from == MAILBOX) {
        item = tw_heap_pop(&q->mailbox);
    } else if (from == OVERFLOW) {
        item = tw_fifo_pop(&q->overflow);
        q->spilled--;
    }
    publish(q);
    return item;
}

static twill_item *remove_mail(tw_queue *q)
{
    q->unread = tw_seconds();
    return remove_ranked(q, MAILBOX);
}

/* Something is not in the ring. Under the lock. */
TW_NOINLINE static twill_item *pop_best(tw_queue *q)
{
    assert(tw_is_locked(&q->lock));
    source from = best(q, true, false);
    if (from == RING)
        return newest(q);
    return from == MAILBOX ? remove_mail(q) : remove_ranked(q, from);
}

twill_item *tw_queue_pop(tw_queue *q)
{
    if (tw_queue_empty(q))
        return NULL;
    tw_lock_take(&q->lock);
    bool ranked = atomic_load_explicit(&q->ranked, memory_order_relaxed);
    bool ring = atomic_load_explicit(&q->tail, memory_order_relaxed) !=
                atomic_load_explicit(&q->head, memory_order_relaxed);
    twill_item *item = tw_unlikely(ranked) ? pop_best(q) : ring ? newest(q) : NULL;
    count_removal(q);
    tw_unlock(&q->lock);
    return item;
}

twill_item *tw_queue_pop_oldest(tw_queue *q, bool mail_first)
{
    if (tw_queue_empty(q))
        return NULL;
    tw_lock_take(&q->lock);
    source from = q->spilled ? OVERFLOW : best(q, true, mail_first);
    twill_item *item = NULL;
    if (from == RING)
        oldest(q, &item, 1);
    else if (from != NOWHERE)
        item = from == MAILBOX ? remove_mail(q) : remove_ranked(q, from);
    count_removal(q);
    tw_unlock(&q->lock);
    return item;
}

/* Half of the ring, rounded up. */
static uint64_t half(const tw_queue *q)
{
    /* acquire pairs with the owner's release: the items before tail are there */
    uint64_t size = atomic_load_explicit(&q->tail, memory_order_acquire) -
                    atomic_load_explicit(&q->head, memory_order_relaxed);
    uint64_t n = (size + 1) / 2;
    return n < TW_QUEUE_BATCH ? n : TW_QUEUE_BATCH;
}

int tw_queue_steal(tw_queue *q, twill_item *batch[TW_QUEUE_BATCH], bool wait)
{
    if (tw_queue_empty(q))
        return 0;
    if (wait)
        tw_lock_take(&q->lock);
    else if (!tw_trylock(&q->lock))
        return -1;
    bool mail = q->mailbox.n && tw_seconds() - q->unread >= grace;
    source from = best(q, mail, false);
    int n = from == RING ? (int)half(q) : from != NOWHERE;
    if (from == RING)
        oldest(q, batch, (uint64_t)n);
    else if (from != NOWHERE)
        batch[0] = remove_ranked(q, from);
    if (n > 0)
        count_removal(q);
    tw_unlock(&q->lock);
    /* all on their way at once, not one by one as they run: what a task is, and its data */
    for (int i = 0; from == RING && i < n; i++) {
        tw_prefetch_write(batch[i]);
        tw_prefetch_write((const char *)batch[i] + TW_LINE);
    }
    return n;
}
