/* prio: one central list, highest priority first. */
#include "base/lock.h"
#include "base/status.h"
#include "sched/fifo.h"
#include "sched/heap.h"
#include "sched/sched.h"

#include <stdlib.h>

typedef struct prio {
    tw_lock lock;
    atomic_int queued;
    tw_heap heap;
    tw_fifo overflow; /* when the heap cannot grow: out of order, but not lost */
} prio;

static twill_status prio_open(const twill_sched_env *env, void **state)
{
    (void)env;
    *state = calloc(1, sizeof(prio));
    return *state ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler prio");
}

static void prio_close(void *state)
{
    tw_heap_close(&((prio *)state)->heap);
    free(state);
}

static int prio_push(void *state, int w, twill_item *list, int n, bool soon)
{
    (void)w, (void)soon;
    prio *s = state;
    tw_lock_take(&s->lock);
    while (list) {
        twill_item *item = list;
        list = item->next;
        if (!tw_heap_push(&s->heap, item))
            tw_fifo_push(&s->overflow, item);
    }
    atomic_fetch_add_explicit(&s->queued, n, memory_order_relaxed);
    tw_unlock(&s->lock);
    return n;
}

static twill_item *prio_pop(void *state, int w)
{
    (void)w;
    prio *s = state;
    if (atomic_load_explicit(&s->queued, memory_order_relaxed) == 0)
        return NULL;
    tw_lock_take(&s->lock);
    twill_item *item = tw_heap_pop(&s->heap);
    if (!item)
        item = tw_fifo_pop(&s->overflow);
    if (item)
        atomic_fetch_sub_explicit(&s->queued, 1, memory_order_relaxed);
    tw_unlock(&s->lock);
    return item;
}

static int prio_queued(void *state)
{
    return atomic_load_explicit(&((prio *)state)->queued, memory_order_relaxed);
}

const twill_sched_ops tw_sched_prio = {
    .size = sizeof(twill_sched_ops),
    .name = "prio",
    .about = "one central list, highest priority first",
    .open = prio_open,
    .close = prio_close,
    .push = prio_push,
    .pop = prio_pop,
    .queued = prio_queued,
};
