/* rand: a random item each time, after a random stall. It finds missing dependencies: whatever
 * order the graph allows, some seed produces it. */
#include "base/lock.h"
#include "base/mix.h"
#include "base/status.h"
#include "sched/fifo.h"
#include "sched/sched.h"

#include <sched.h>
#include <stdlib.h>

typedef struct random_sched {
    tw_lock lock;
    atomic_int queued;
    uint64_t draws; /* how many numbers were drawn; with the seed it gives the next one */
    uint64_t seed;
    twill_item **items;
    int n, room;
    tw_fifo overflow;
} random_sched;

static twill_status rand_open(const twill_sched_env *env, void **state)
{
    random_sched *s = calloc(1, sizeof *s);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler rand");
    s->seed = env->seed;
    *state = s;
    return TWILL_OK;
}

static void rand_close(void *state)
{
    free(((random_sched *)state)->items);
    free(state);
}

static uint64_t draw(random_sched *s)
{
    return tw_mix(s->seed ^ tw_mix(s->draws++));
}

static bool keep(random_sched *s, twill_item *item)
{
    if (s->n == s->room) {
        int room = s->room ? 2 * s->room : 64;
        twill_item **items = realloc(s->items, (size_t)room * sizeof *items);
        if (!items)
            return false;
        s->items = items;
        s->room = room;
    }
    s->items[s->n++] = item;
    return true;
}

static int rand_push(void *state, int w, twill_item *list, int n, bool soon)
{
    (void)w, (void)soon;
    random_sched *s = state;
    tw_lock_take(&s->lock);
    while (list) {
        twill_item *item = list;
        list = item->next;
        if (!keep(s, item))
            tw_fifo_push(&s->overflow, item);
    }
    atomic_fetch_add_explicit(&s->queued, n, memory_order_relaxed);
    tw_unlock(&s->lock);
    return n;
}

/* One time in four, let the others run ahead for up to some microseconds. */
static void stall(uint64_t number)
{
    if (number % 4)
        return;
    for (uint64_t i = 0; i < (number >> 8) % 512; i++)
        tw_pause();
    if (number % 64 == 0)
        sched_yield();
}

static twill_item *rand_pop(void *state, int w)
{
    (void)w;
    random_sched *s = state;
    if (atomic_load_explicit(&s->queued, memory_order_relaxed) == 0)
        return NULL;
    tw_lock_take(&s->lock);
    uint64_t number = draw(s);
    twill_item *item = NULL;
    if (s->n) {
        int i = (int)(number % (uint64_t)s->n);
        item = s->items[i];
        s->items[i] = s->items[--s->n];
    } else {
        item = tw_fifo_pop(&s->overflow);
    }
    if (item)
        atomic_fetch_sub_explicit(&s->queued, 1, memory_order_relaxed);
    tw_unlock(&s->lock);
    stall(number >> 16);
    return item;
}

static int rand_queued(void *state)
{
    return atomic_load_explicit(&((random_sched *)state)->queued, memory_order_relaxed);
}

const twill_sched_ops tw_sched_rand = {
    .size = sizeof(twill_sched_ops),
    .name = "rand",
    .about = "a random ready task after a random stall, for testing (TWILL_SCHED_SEED)",
    .open = rand_open,
    .close = rand_close,
    .push = rand_push,
    .pop = rand_pop,
    .queued = rand_queued,
};
