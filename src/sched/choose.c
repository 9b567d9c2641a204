/* Who runs a task that several executors can run. */
#include "sched/choose.h"

#include "base/lock.h"
#include "base/status.h"
#include "sched/backlog.h"
#include "sched/sched.h"

#include <math.h>
#include <stdlib.h>

enum { LOOK = 8, MOST = 16 }; /* how many candidates a taker looks at; bits of twill_item.devices */

typedef struct chooser {
    twill_sched_ops ops; /* of a policy that knows no devices: see tw_choose_before */
    const twill_sched_env *env;
    const twill_sched_ops *inner;
    void *inner_state;
    bool sees_data;
    atomic_int for_workers; /* items in the backlog of the cores; */
    _Atomic int32_t top;    /* the highest priority there: read without the lock, as a hint */
    atomic_bool offered;    /* a worker may take something from a device */
    _Alignas(TW_LINE) tw_lock lock; /* of what follows */
    tw_fifo spare;                  /* of tw_waiting */
    tw_backlog of[MOST];            /* 0 is the cores */
    unsigned char turn[]; /* of each worker, which alone uses it: who is next among equals */
} chooser;

/* ---- opening --------------------------------------------------------------------------------- */

static twill_status choose_open(const twill_sched_env *env, const twill_sched_ops *inner,
                                bool sees_data, void **state)
{
    size_t size = tw_whole_lines(sizeof(chooser) + (size_t)env->workers);
    chooser *s = aligned_alloc(TW_LINE, size);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a scheduler of devices");
    *s = (chooser){.env = env, .inner = inner, .sees_data = sees_data};
    for (int w = 0; w < env->workers; w++)
        s->turn[w] = 0;
    for (int d = 0; d < MOST; d++)
        s->of[d].width = d == 0 ? env->workers : 1;
    twill_status status = inner->open(env, &s->inner_state);
    if (status == TWILL_OK)
        *state = s;
    else
        free(s);
    return status;
}

static void choose_close(void *state)
{
    chooser *s = state;
    s->inner->close(s->inner_state);
    for (int d = 0; d < MOST; d++) {
        tw_waiting *waiting = NULL;
        for (; tw_backlog_pop(&s->of[d], &waiting); waiting = NULL)
            free(waiting);
        tw_backlog_close(&s->of[d]);
    }
    for (twill_item *item; (item = tw_fifo_pop(&s->spare));)
        free(item);
    free(s);
}

/* ---- what things cost ------------------------------------------------------------------------ */

/* Seconds on executor d, and before; 0: not known. */
static double cost(const chooser *s, const twill_item *item, int d)
{
    return s->env->cost(s->env, item, d);
}

static double copies(const chooser *s, const twill_item *item, int d)
{
    return s->sees_data ? s->env->transfer(s->env, item, d) : 0;
}

static bool can_run(const chooser *s, const twill_item *item, int d)
{
    return d <= s->env->devices && item->devices >> d & 1;
}

static bool is_for_devices(const chooser *s, const twill_item *item)
{
    return item->devices >> 1 & ((1u << s->env->devices) - 1);
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* When would the item be done? Where that is not known, it is better to know it. */
static double finish(const chooser *s, const twill_item *item, int d, double now, double seconds)
{
    double wait = tw_backlog_wait(&s->of[d], now, item->priority, seconds);
    double data = copies(s, item, d);
    return (wait > data ? wait : data) + seconds;
}

/* Nothing is known of it: by numbers. */
static int shortest(const chooser *s, const twill_item *item)
{
    int best = -1;
    for (int d = 0; d <= s->env->devices; d++)
        if (can_run(s, item, d) &&
            (best < 0 || s->of[d].n * s->of[best].width < s->of[best].n * s->of[d].width))
            best = d;
    return best;
}

/* The executor for an item, and what it is expected to take there. */
static int choose(const chooser *s, const twill_item *item, double *seconds, bool *stays)
{
    double now = s->env->now(s->env), first = INFINITY;
    int best = -1;
    *stays = false;
    *seconds = 0;
    for (int d = 0; d <= s->env->devices && !*stays; d++) {
        if (!can_run(s, item, d))
            continue;
        double there = cost(s, item, d),
               done = there > 0 ? finish(s, item, d, now, there) : INFINITY;
        *stays = s->env->explore(s->env, item, d);
        if (!*stays && done >= first)
            continue;
        best = d;
        first = done;
        *seconds = there;
    }
    return best >= 0 ? best : shortest(s, item);
}

/* ---- taking from another's backlog ----------------------------------------------------------- */

/* What is gained when `taker`, which has nothing to do, runs an item that waits for `owner`:
 * seconds by which it is done earlier, or less than 0. */
static double gain(const chooser *s, const tw_waiting *waiting, int taker, int owner, double now)
{
    if (waiting->stays || !can_run(s, waiting->item, taker))
        return -1;
    double here = cost(s, waiting->item, taker), there = cost(s, waiting->item, owner);
    if (here == 0) /* as long as nothing is known of either, nobody is to be idle */
        return there == 0 && s->of[owner].n > s->of[owner].width ? 0 : -1;
    return tw_backlog_end(&s->of[owner], now, there) - here - copies(s, waiting->item, taker);
}

/* The best of all others to take for `taker`; its owner, or -1. */
static int find_prey(const chooser *s, int taker, int *place)
{
    double now = s->env->now(s->env), most = -1;
    int owner = -1;
    for (int d = 0; d <= s->env->devices; d++)
        for (int i = 0; i < LOOK && d != taker; i++) {
            const tw_waiting *waiting = tw_backlog_last(&s->of[d], i);
            double gained = waiting ? gain(s, waiting, taker, d, now) : -1;
            if (gained >= 0 && gained > most) {
                most = gained;
                owner = d;
                *place = i;
            }
        }
    return owner;
}

/* ---- under the lock -------------------------------------------------------------------------- */

static void publish(chooser *s)
{
    atomic_store_explicit(&s->for_workers, s->of[0].n, memory_order_relaxed);
    atomic_store_explicit(&s->top, tw_heap_top(&s->of[0].heap), memory_order_relaxed);
}

/* Is there something for a worker among what waits for devices? */
static bool offer(chooser *s)
{
    int place;
    bool some = s->of[0].n == 0 && find_prey(s, 0, &place) >= 0;
    atomic_store_explicit(&s->offered, some, memory_order_relaxed);
    return some;
}

static tw_waiting *new_place(chooser *s)
{
    twill_item *spare = tw_fifo_pop(&s->spare);
    return spare ? (tw_waiting *)(void *)spare : malloc(sizeof(tw_waiting));
}

/* True: it is for the cores. */
static bool queue(chooser *s, twill_item *item)
{
    double seconds;
    bool stays;
    int d = choose(s, item, &seconds, &stays);
    tw_waiting *waiting = new_place(s);
    if (!tw_backlog_push(&s->of[d], waiting, item, seconds, stays))
        free(waiting);
    return d == 0;
}

static twill_item *take_from_others(chooser *s, int d, tw_waiting **waiting)
{
    int place = 0, owner = find_prey(s, d, &place);
    if (owner < 0)
        return NULL;
    *waiting = tw_backlog_last(&s->of[owner], place);
    tw_backlog_take(&s->of[owner], place);
    return (*waiting)->item;
}

/* For executor d: its own, or another's. */
static twill_item *take(chooser *s, int d)
{
    tw_waiting *waiting = NULL;
    twill_item *item = tw_backlog_pop(&s->of[d], &waiting);
    if (!item)
        item = take_from_others(s, d, &waiting);
    if (waiting)
        tw_fifo_push(&s->spare, &waiting->link);
    if (item)
        tw_backlog_begin(&s->of[d], s->env->now(s->env), cost(s, item, d));
    publish(s);
    return item;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Items for devices leave the list. */
static twill_item *split(const chooser *s, twill_item **list, int *n)
{
    tw_fifo own = {0}, inner = {0};
    *n = 0;
    while (*list) {
        twill_item *item = *list;
        *list = item->next;
        *n += !is_for_devices(s, item);
        tw_fifo_push(is_for_devices(s, item) ? &own : &inner, item);
    }
    *list = inner.head;
    return own.head;
}

static int push_own(chooser *s, twill_item *own)
{
    int n = 0;
    tw_lock_take(&s->lock);
    while (own) {
        twill_item *item = own;
        own = item->next;
        n += queue(s, item);
    }
    publish(s);
    n += offer(s);
    tw_unlock(&s->lock);
    return n;
}

static int choose_push(void *state, int w, twill_item *list, int n, bool soon)
{
    chooser *s = state;
    if (tw_likely(s->env->devices == 0))
        return s->inner->push(s->inner_state, w, list, n, soon);
    twill_item *own = split(s, &list, &n);
    n = n ? s->inner->push(s->inner_state, w, list, n, soon) : 0;
    return own ? n + push_own(s, own) : n;
}

static int own_queued(const chooser *s)
{
    return atomic_load_explicit(&s->for_workers, memory_order_relaxed) +
           atomic_load_explicit(&s->offered, memory_order_relaxed);
}

static int choose_queued(void *state)
{
    chooser *s = state;
    int n = s->inner->queued ? s->inner->queued(s->inner_state) : 0;
    return n + own_queued(s);
}

/* The inner policy's, unless the backlog of the cores has something better. */
static twill_item *pop_inner(chooser *s, int w)
{
    twill_item *item = s->inner->pop(s->inner_state, w);
    if (!item || atomic_load_explicit(&s->for_workers, memory_order_relaxed) == 0)
        return item;
    int32_t top = atomic_load_explicit(&s->top, memory_order_relaxed);
    bool stays = item->priority > top || (item->priority == top && (s->turn[w] ^= 1));
    if (stays)
        return item;
    item->next = NULL;
    int n = s->inner->push(s->inner_state, w, item, 1, false);
    if (n)
        s->env->visible(s->env, n);
    return NULL;
}

static twill_item *pop_for_worker(chooser *s, int w)
{
    twill_item *item = pop_inner(s, w);
    if (item || own_queued(s) == 0)
        return item;
    tw_lock_take(&s->lock);
    item = take(s, 0);
    bool more = offer(s);
    tw_unlock(&s->lock);
    if (item && more)
        s->env->visible(s->env, 1);
    return item ? item : s->inner->pop(s->inner_state, w);
}

static twill_item *pop_for_device(chooser *s, int d)
{
    tw_lock_take(&s->lock);
    twill_item *item = take(s, d);
    bool more = offer(s);
    tw_unlock(&s->lock);
    if (more)
        s->env->visible(s->env, 1);
    return item;
}

static twill_item *choose_pop(void *state, int w)
{
    chooser *s = state;
    if (w > s->env->workers)
        return pop_for_device(s, w - s->env->workers);
    return tw_likely(s->env->devices == 0) ? s->inner->pop(s->inner_state, w)
                                           : pop_for_worker(s, w);
}

static bool choose_has_own(void *state, int w)
{
    chooser *s = state;
    return s->inner->has_own && s->inner->has_own(s->inner_state, w);
}

/* ---- cw and dmda ----------------------------------------------------------------------------- */

static twill_status cw_open(const twill_sched_env *env, void **state)
{
    return choose_open(env, &tw_sched_lws, false, state);
}

static twill_status dmda_open(const twill_sched_env *env, void **state)
{
    return choose_open(env, &tw_sched_lws, true, state);
}

const twill_sched_ops tw_sched_cw = {
    .size = sizeof(twill_sched_ops),
    .name = "cw",
    .about = "each task to the cores or a device by their capability weights; cores as with lws",
    .open = cw_open,
    .close = choose_close,
    .push = choose_push,
    .pop = choose_pop,
    .queued = choose_queued,
    .has_own = choose_has_own,
    .devices = true,
};

const twill_sched_ops tw_sched_dmda = {
    .size = sizeof(twill_sched_ops),
    .name = "dmda",
    .about = "as cw, and what must be copied counts: each task to where it is done first",
    .open = dmda_open,
    .close = choose_close,
    .push = choose_push,
    .pop = choose_pop,
    .queued = choose_queued,
    .has_own = choose_has_own,
    .devices = true,
};

/* ---- before others --------------------------------------------------------------------------- */

twill_status tw_choose_before(const twill_sched_env *env, const twill_sched_ops *inner,
                              const twill_sched_ops **ops, void **state)
{
    twill_status status = choose_open(env, inner, true, state);
    if (status != TWILL_OK)
        return status;
    chooser *s = *state;
    s->ops = tw_sched_dmda;
    s->ops.name = inner->name;
    s->ops.about = inner->about;
    if (!inner->queued)
        s->ops.queued = NULL;
    if (!inner->has_own)
        s->ops.has_own = NULL;
    *ops = &s->ops;
    return TWILL_OK;
}
