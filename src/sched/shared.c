/* Items for devices, in queues of their own: one for each set of executors that an item names.
 *
 * Devices come first: a worker takes such an item when the policy has nothing for it, and when
 * there are more than the devices may soon want. */
#include "sched/shared.h"

#include "base/lock.h"
#include "base/status.h"
#include "sched/fifo.h"
#include "sched/heap.h"

#include <stdlib.h>

enum { LEFT = 4, CPU = 1 }; /* items that are left to each device; bit 0 of a mask */

typedef struct group {
    uint16_t devices;
    tw_heap heap;
    tw_fifo overflow; /* when the heap cannot grow: out of order, but not lost */
    int n;
} group;

typedef struct shared {
    twill_sched_ops ops;
    const twill_sched_ops *inner;
    void *inner_state;
    int workers, left; /* workers; items that are left to devices */
    atomic_int spare;  /* items that workers may take */
    tw_lock lock;      /* of what follows */
    int n;             /* items that workers could run */
    int groups, room;
    group *group;
    tw_fifo rest; /* of groups for which there was no memory */
} shared;

/* ---- under the lock ------------------------------------------------------------------------ */

static group *find_group(shared *s, uint16_t devices)
{
    for (int i = 0; i < s->groups; i++)
        if (s->group[i].devices == devices)
            return &s->group[i];
    if (s->groups == s->room) {
        int room = 2 * s->room + 4;
        group *more = realloc(s->group, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        s->group = more;
        s->room = room;
    }
    s->group[s->groups] = (group){.devices = devices};
    return &s->group[s->groups++];
}

static void tell_spare(shared *s)
{
    atomic_store_explicit(&s->spare, s->n > s->left ? s->n - s->left : 0, memory_order_relaxed);
}

static void add(shared *s, twill_item *item)
{
    group *g = find_group(s, item->devices);
    if (!g) {
        tw_fifo_push(&s->rest, item);
    } else {
        if (!tw_heap_push(&g->heap, item))
            tw_fifo_push(&g->overflow, item);
        g->n++;
    }
    s->n += item->devices & CPU;
}

/* The best that is for one of these executors. */
static group *best_group(shared *s, uint16_t devices)
{
    group *best = NULL;
    for (int i = 0; i < s->groups; i++) {
        group *g = &s->group[i];
        if (g->n && g->devices & devices &&
            (!best || tw_heap_top(&g->heap) > tw_heap_top(&best->heap)))
            best = g;
    }
    return best;
}

/* Those for which there was no memory: an item of any set may be the first. */
static twill_item *take_rest(shared *s, uint16_t devices)
{
    twill_item *before = NULL, *item = s->rest.head;
    while (item && !(item->devices & devices)) {
        before = item;
        item = item->next;
    }
    if (!item)
        return NULL;
    *(before ? &before->next : &s->rest.head) = item->next;
    if (!item->next)
        s->rest.tail = before;
    return item;
}

static twill_item *take(shared *s, uint16_t devices)
{
    group *g = best_group(s, devices);
    twill_item *item = g ? tw_heap_pop(&g->heap) : take_rest(s, devices);
    if (g && !item)
        item = tw_fifo_pop(&g->overflow);
    if (g)
        g->n--;
    if (item)
        s->n -= item->devices & CPU;
    tell_spare(s);
    return item;
}

/* ---- the policy ---------------------------------------------------------------------------- */

static bool is_shared(const twill_item *item)
{
    return item->devices & ~CPU;
}

/* Take those for devices out of the list. Returns how many stay; *spare: how many more items
 * workers may take than before. */
static int separate(shared *s, twill_item **list, int *spare)
{
    twill_item **link = list;
    int stay = 0;
    tw_lock_take(&s->lock);
    int before = atomic_load_explicit(&s->spare, memory_order_relaxed);
    while (*link) {
        twill_item *item = *link;
        if (is_shared(item)) {
            *link = item->next;
            add(s, item);
        } else {
            link = &item->next;
            stay++;
        }
    }
    tell_spare(s);
    *spare = atomic_load_explicit(&s->spare, memory_order_relaxed) - before;
    tw_unlock(&s->lock);
    return stay;
}

static int shared_push(void *state, int w, twill_item *list, int n, bool soon)
{
    shared *s = state;
    int spare = 0;
    bool any = false;
    for (const twill_item *i = list; i && !any; i = i->next)
        any = is_shared(i);
    if (any)
        n = separate(s, &list, &spare);
    return spare + (n > 0 ? s->inner->push(s->inner_state, w, list, n, soon) : 0);
}

static twill_item *shared_pop(void *state, int w)
{
    shared *s = state;
    bool is_worker = w < s->workers;
    twill_item *item = is_worker ? s->inner->pop(s->inner_state, w) : NULL;
    if (item || (is_worker && atomic_load_explicit(&s->spare, memory_order_relaxed) == 0))
        return item;
    tw_lock_take(&s->lock);
    if (!is_worker)
        item = take(s, (uint16_t)(1u << (w - s->workers)));
    else if (s->n > s->left)
        item = take(s, CPU);
    tw_unlock(&s->lock);
    return item;
}

static int shared_queued(void *state)
{
    shared *s = state;
    int n = atomic_load_explicit(&s->spare, memory_order_relaxed);
    return (n < s->workers ? n : s->workers) + s->inner->queued(s->inner_state);
}

static bool shared_has_own(void *state, int w)
{
    shared *s = state;
    return s->inner->has_own(s->inner_state, w);
}

static void shared_close(void *state)
{
    shared *s = state;
    s->inner->close(s->inner_state);
    for (int i = 0; i < s->groups; i++)
        tw_heap_close(&s->group[i].heap);
    free(s->group);
    free(s);
}

twill_status tw_sched_shared_open(const twill_sched_ops *inner, void *inner_state, int workers,
                                  int devices, const twill_sched_ops **ops, void **state)
{
    shared *s = calloc(1, sizeof *s);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the queues of devices");
    s->ops = *inner;
    s->ops.devices = true;
    s->ops.push = shared_push;
    s->ops.pop = shared_pop;
    s->ops.queued = inner->queued ? shared_queued : NULL;
    s->ops.has_own = inner->has_own ? shared_has_own : NULL;
    s->ops.close = shared_close;
    s->inner = inner;
    s->inner_state = inner_state;
    s->workers = workers;
    s->left = LEFT * devices;
    *ops = &s->ops;
    *state = s;
    return TWILL_OK;
}
