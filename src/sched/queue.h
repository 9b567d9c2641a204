/* What one worker has queued under lws: a ring of ordinary items, a heap of those with a priority,
 * and a mailbox for items that prefer this worker and were pushed by others.
 *
 * Priorities come out in descending order, wherever the items are. Among equals the owner takes the
 * newest of its ring, thieves the oldest; heap and mailbox are first in, first out.
 *
 * The owner adds to its ring without a lock. Everything that removes items holds the lock:
 * - The owner writes the item, then tail with release. A thief reads tail with acquire, then the
 *   items before it.
 * - A thief reads the items, then writes head with release. The owner reads head with acquire
 * before it writes into a place that was used before. Head only grows, so what the owner remembers
 * of it is never too large, and at worst it looks again.
 * - Tail goes back under the lock only, so a thief that holds the lock never sees it go back, and
 * one that takes the lock later sees the value before or a newer one: a newer one was written with
 *   release. Hence no order is needed when it goes back.
 * - The owner alone replaces the ring, under the lock: it may read `ring` and `room` without. */
#ifndef TW_SCHED_QUEUE_H
#define TW_SCHED_QUEUE_H

#include "base/lock.h"
#include "sched/fifo.h"
#include "sched/heap.h"

enum { TW_QUEUE_BATCH = 32 };

typedef struct tw_queue {
    /* written by the owner */
    _Alignas(TW_LINE) _Atomic uint64_t tail;
    twill_item **ring;
    uint64_t room;      /* a power of two */
    uint64_t seen_head; /* head when the owner last looked */
    /* written under the lock */
    _Alignas(TW_LINE) tw_lock lock;
    atomic_int ranked;      /* items that are not in the ring */
    _Atomic int32_t top;    /* highest priority in heap and mailbox, if there are any; a hint */
    _Atomic uint32_t taken; /* counts removals: does anybody come by? */
    _Atomic uint64_t head;
    int spilled;   /* items in the overflow */
    double unread; /* since when the owner has not looked at what is in its mailbox */
    tw_heap heap, mailbox;
    tw_fifo overflow; /* what there was no memory for: out of order, but not lost */
} tw_queue;

/* Zeroed memory becomes a queue. False: no memory. */
bool tw_queue_open(tw_queue *q);
void tw_queue_close(tw_queue *q);

/* Add an item, as the owner. */
static inline void tw_queue_push(tw_queue *q, twill_item *item);
/* Add an item that prefers the owner, as anybody. True: it is the only one outside the ring. */
TW_NOINLINE bool tw_queue_deliver(tw_queue *q, twill_item *item);

/* The next item for the owner, or NULL. The second one is fair: the oldest of the ring, and what is
 * in the mailbox before other items of equal priority if `mail_first`. */
twill_item *tw_queue_pop(tw_queue *q);
twill_item *tw_queue_pop_oldest(tw_queue *q, bool mail_first);

/* Take the best item, or up to half of the ring, as a thief. What is in the mailbox is left to the
 * owner for a while. Returns how many, or -1 when the lock is held and `wait` is false. */
int tw_queue_steal(tw_queue *q, twill_item *batch[TW_QUEUE_BATCH], bool wait);

/* How many items there are. Without the lock it is a guess, but no item is overlooked that was
 * pushed before and is still there: as long as it is at i in the ring, tail is larger than i and
 * head is not, whichever of their values since its push are read. */
static inline int tw_queue_size(const tw_queue *q)
{
    /* acquire: tail is not read from before, when it may have been less than this head */
    uint64_t head = atomic_load_explicit(&q->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    return atomic_load_explicit(&q->ranked, memory_order_relaxed) + (int)(tail - head);
}

static inline bool tw_queue_empty(const tw_queue *q)
{
    return atomic_load_explicit(&q->ranked, memory_order_relaxed) == 0 &&
           atomic_load_explicit(&q->head, memory_order_relaxed) ==
               atomic_load_explicit(&q->tail, memory_order_relaxed);
}

/* Does something outside the ring have a higher priority? A guess. */
static inline bool tw_queue_beats(const tw_queue *q, int32_t priority)
{
    return atomic_load_explicit(&q->ranked, memory_order_relaxed) != 0 &&
           atomic_load_explicit(&q->top, memory_order_relaxed) > priority;
}

/* ---- the inlined part ----------------------------------------------------------------------- */

/* Called when the ring seems full. False: it is, and cannot grow. */
TW_NOINLINE bool tw_queue_make_room(tw_queue *q);
/* Add an item to the heap, or to the overflow. */
TW_NOINLINE void tw_queue_rank(tw_queue *q, twill_item *item);

static inline void tw_queue_push(tw_queue *q, twill_item *item)
{
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    if (tw_unlikely(item->priority != 0) ||
        (tw_unlikely(tail - q->seen_head == q->room) && !tw_queue_make_room(q))) {
        tw_queue_rank(q, item);
        return;
    }
    q->ring[tail & (q->room - 1)] = item;
    /* release pairs with the acquire of a thief, who reads tail under the lock */
    atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
}

#endif
