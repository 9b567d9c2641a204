/* eager: one central queue, first in, first out. */
#include "base/lock.h"
#include "base/status.h"
#include "sched/fifo.h"
#include "sched/sched.h"

#include <stdlib.h>

typedef struct eager {
    tw_lock lock;
    atomic_int queued; /* read without the lock to leave an empty queue alone */
    tw_fifo fifo;
} eager;

static twill_status eager_open(const twill_sched_env *env, void **state)
{
    (void)env;
    *state = calloc(1, sizeof(eager));
    return *state ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler eager");
}

static int eager_push(void *state, int w, twill_item *list, int n, bool soon)
{
    (void)w, (void)soon;
    eager *s = state;
    tw_lock_take(&s->lock);
    while (list) {
        twill_item *item = list;
        list = item->next;
        tw_fifo_push(&s->fifo, item);
    }
    atomic_fetch_add_explicit(&s->queued, n, memory_order_relaxed);
    tw_unlock(&s->lock);
    return n;
}

static twill_item *eager_pop(void *state, int w)
{
    (void)w;
    eager *s = state;
    if (atomic_load_explicit(&s->queued, memory_order_relaxed) == 0)
        return NULL;
    tw_lock_take(&s->lock);
    twill_item *item = tw_fifo_pop(&s->fifo);
    if (item)
        atomic_fetch_sub_explicit(&s->queued, 1, memory_order_relaxed);
    tw_unlock(&s->lock);
    return item;
}

static int eager_queued(void *state)
{
    return atomic_load_explicit(&((eager *)state)->queued, memory_order_relaxed);
}

const twill_sched_ops tw_sched_eager = {
    .size = sizeof(twill_sched_ops),
    .name = "eager",
    .about = "one central queue, first in first out",
    .open = eager_open,
    .close = free,
    .push = eager_push,
    .pop = eager_pop,
    .queued = eager_queued,
};

/* serial: a task runs inside its insertion, in program order. What becomes ready at another moment
 * (after host access, say) waits in the same queue. */
const twill_sched_ops tw_sched_serial = {
    .size = sizeof(twill_sched_ops),
    .name = "serial",
    .about = "each task runs inside its insertion, in program order, on one worker",
    .open = eager_open,
    .close = free,
    .push = eager_push,
    .pop = eager_pop,
    .queued = eager_queued,
    .immediate = true,
};
