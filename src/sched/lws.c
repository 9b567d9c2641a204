/* lws: locality first, work stealing nearest first.
 *
 * Each worker has a slot for one item that only it can take (the best of what it just enabled,
 * whose data it has in cache) and a queue (queue.h). It takes the slot or something with a higher
 * priority, then from its queue, then from others' in the order of hwloc's distances.
 *
 * The slot is empty after each pop: an item that is not taken goes to the queue, because the task
 * that was taken instead may be long.
 *
 * Newest first is good for caches and memory, but the oldest might wait for ever. So now and then a
 * worker looks around: at the oldest of its own queue, and at queues of others, one after the
 * other, from which nobody has taken anything since it looked there before. Their owner may be in a
 * long task, or nobody may sit there.
 *
 * A bit per queue says whether it may be filled, so that thieves do not read the lines of all other
 * workers. The owner sets it with its first push and clears it when it goes away empty-handed; in
 * between it costs nothing, and whoever is misled reads one queue for nothing. */
#include "base/clock.h"
#include "base/status.h"
#include "sched/queue.h"
#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

enum {
    POPS = 32,   /* until a worker looks at the clock */
    ROUNDS = 32, /* of that many pops, until it looks around in any case */
    BITS = 64,
};

/* After this time it looks around earlier: its tasks are not that short. */
static const double look_around = 1e-3;

/* A thief that is back sooner than this got tasks so small that fetching them costs more than
 * running them: it waits until there is more to take. */
static const double cool_down = 0.5e-6;

typedef struct place {
    _Alignas(TW_LINE) twill_item *slot;
    int pops, rounds;    /* since it looked at the clock; since it looked around */
    bool listed;         /* has set its bit */
    bool own_next;       /* the next look is for its own queue */
    bool mail_next;      /* and there for its mailbox */
    int watched;         /* the queue it looks at next, unless it is its own */
    uint32_t seen_taken; /* what was taken from that by then */
    double looked_at;    /* when it last looked around */
    double stole_at;     /* when it last stole */
    tw_queue queue;
} place;

typedef struct lws {
    const twill_sched_env *env;
    int n;                    /* places */
    _Atomic uint64_t *filled; /* bits of the queues that may have items */
    place places[];           /* of the workers, then of external threads */
} lws;

static int words(const lws *s)
{
    return (s->n + BITS - 1) / BITS;
}

static void lws_close(void *state)
{
    lws *s = state;
    for (int i = 0; i < s->n; i++)
        tw_queue_close(&s->places[i].queue);
    free(s);
}

static twill_status lws_open(const twill_sched_env *env, void **state)
{
    size_t n = (size_t)env->workers + 1;
    size_t head = tw_whole_lines(sizeof(lws) + n * sizeof(place));
    size_t size = head + tw_whole_lines((n + BITS - 1) / BITS * sizeof(uint64_t));
    lws *s = aligned_alloc(TW_LINE, size);
    if (!s)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler lws");
    memset(s, 0, size);
    s->env = env;
    s->n = (int)n;
    s->filled = (_Atomic uint64_t *)(void *)((char *)s + head);
    for (int i = 0; i < s->n; i++) {
        s->places[i].watched = i;
        if (!tw_queue_open(&s->places[i].queue)) {
            lws_close(s);
            return tw_fail(TWILL_ERR_MEMORY, "no memory for scheduler lws");
        }
    }
    *state = s;
    return TWILL_OK;
}

/* ---- which queues may have items ------------------------------------------------------------ */

static uint64_t bit(int i)
{
    return (uint64_t)1 << i % BITS;
}

static bool may_be_filled(const lws *s, int i)
{
    return atomic_load_explicit(&s->filled[i / BITS], memory_order_relaxed) & bit(i);
}

static bool all_empty(const lws *s)
{
    for (int i = 0; i < words(s); i++)
        if (atomic_load_explicit(&s->filled[i], memory_order_relaxed))
            return false;
    return true;
}

/* After a push. Whoever looks for it afterwards must see the bit: the engine has fences for that.
 */
TW_NOINLINE static void set_filled(lws *s, int i)
{
    atomic_fetch_or_explicit(&s->filled[i / BITS], bit(i), memory_order_release);
}

/* The owner has found its queue empty. Others may deliver to it at the same time, and set the bit
 * with the first item: either after this, or this reads what they wrote and hence sees the item. */
static void clear_filled(lws *s, int w)
{
    place *own = &s->places[w];
    own->listed = false;
    if (!may_be_filled(s, w))
        return;
    atomic_fetch_and_explicit(&s->filled[w / BITS], ~bit(w), memory_order_acq_rel);
    if (!tw_queue_empty(&own->queue))
        set_filled(s, w);
}

/* ---- pushing -------------------------------------------------------------------------------- */

static void push_own(lws *s, int w, twill_item *item)
{
    place *own = &s->places[w];
    tw_queue_push(&own->queue, item);
    if (tw_unlikely(!own->listed)) {
        own->listed = true;
        set_filled(s, w);
    }
}

/* An item that prefers a worker. */
TW_NOINLINE static void queue_for(lws *s, int w, twill_item *item)
{
    int to = item->worker;
    if (to >= s->env->workers || to == w)
        push_own(s, w, item);
    else if (tw_queue_deliver(&s->places[to].queue, item))
        set_filled(s, to);
}

static void queue_item(lws *s, int w, twill_item *item)
{
    if (tw_likely(item->worker < 0))
        push_own(s, w, item);
    else
        queue_for(s, w, item);
}

/* Put the item into the slot, if it is better than what is there. Returns what is to be queued: the
 * item, what was in the slot, or NULL. */
static twill_item *try_slot(place *own, int w, twill_item *item)
{
    twill_item *other = own->slot;
    bool stays = item->worker < 0 || item->worker == w;
    if (!stays || (other && other->priority >= item->priority))
        return item;
    own->slot = item;
    return other;
}

static int lws_push(void *state, int w, twill_item *list, int n, bool soon)
{
    lws *s = state;
    while (list) {
        twill_item *item = list;
        list = item->next;
        if (soon)
            item = try_slot(&s->places[w], w, item);
        if (item)
            queue_item(s, w, item);
        else
            n--;
    }
    return n;
}

/* ---- stealing ------------------------------------------------------------------------------- */

/* Take from one queue: the first item is returned, the others are queued. *busy: its lock is held.
 */
static twill_item *steal_from(lws *s, int w, int victim, bool wait, bool *busy)
{
    twill_item *batch[TW_QUEUE_BATCH];
    int n = tw_queue_steal(&s->places[victim].queue, batch, wait);
    *busy |= n < 0;
    if (n <= 0)
        return NULL;
    s->env->stolen(s->env, w, victim, n);
    s->places[w].stole_at = tw_seconds();
    /* keep the order: the oldest runs now, the next oldest is the next to be popped */
    for (int k = n - 1; k > 0; k--)
        push_own(s, w, batch[k]);
    /* Who looked for work here before, and there after they were gone, has missed them. */
    if (n > 1)
        s->env->visible(s->env, n - 1);
    return batch[0];
}

/* One round over the others, nearest first, external threads last. */
static twill_item *steal_round(lws *s, int w, bool wait, bool *busy)
{
    const int *order = s->env->neighbours(s->env, w);
    twill_item *item = NULL;
    if (all_empty(s))
        return NULL;
    for (int i = 0; i < s->env->workers && !item; i++) {
        int victim = i < s->env->workers - 1 ? order[i] : s->env->workers;
        if (may_be_filled(s, victim))
            item = steal_from(s, w, victim, wait, busy);
    }
    return item;
}

/* Whose lock is held is left out first. But what is there must not be missed: the worker may go to
 * sleep. */
TW_NOINLINE static twill_item *steal(lws *s, int w)
{
    bool busy = false;
    while (tw_seconds() - s->places[w].stole_at < cool_down)
        tw_pause();
    twill_item *item = steal_round(s, w, false, &busy);
    if (!item && busy)
        item = steal_round(s, w, true, &busy);
    if (!item)
        clear_filled(s, w);
    return item;
}

/* ---- popping -------------------------------------------------------------------------------- */

/* Others may have the item in the slot. Nobody was told of it when it was pushed. */
static void give_up_slot(lws *s, int w)
{
    twill_item *item = s->places[w].slot;
    s->places[w].slot = NULL;
    if (item) {
        push_own(s, w, item);
        s->env->visible(s->env, 1);
    }
}

/* From a queue of which nobody has taken anything since the last look at it; then watch the next
 * one. */
static twill_item *steal_unattended(lws *s, int w)
{
    place *own = &s->places[w];
    tw_queue *q = &s->places[own->watched].queue;
    twill_item *item = NULL;
    bool busy = false;
    if (own->watched != w &&
        own->seen_taken == atomic_load_explicit(&q->taken, memory_order_relaxed))
        item = steal_from(s, w, own->watched, false, &busy);
    for (int i = 1; i <= s->n; i++) {
        int next = (own->watched + i) % s->n;
        if (i == s->n || (next != w && may_be_filled(s, next))) {
            own->watched = i == s->n ? w : next;
            break;
        }
    }
    q = &s->places[own->watched].queue;
    own->seen_taken = atomic_load_explicit(&q->taken, memory_order_relaxed);
    return item;
}

/* Its own oldest, at least every other time. */
static twill_item *pop_waiting(lws *s, int w)
{
    place *own = &s->places[w];
    twill_item *item = own->own_next ? NULL : steal_unattended(s, w);
    own->own_next = item;
    if (item) {
        give_up_slot(s, w);
    } else if (!tw_queue_empty(&own->queue)) {
        give_up_slot(s, w);
        own->mail_next = !own->mail_next;
        item = tw_queue_pop_oldest(&own->queue, own->mail_next);
    }
    return item;
}

/* Is it time to look around? */
TW_NOINLINE static twill_item *look(lws *s, int w)
{
    place *own = &s->places[w];
    own->pops = 0;
    double now = tw_seconds();
    if (++own->rounds < ROUNDS && now - own->looked_at < look_around)
        return NULL;
    own->rounds = 0;
    own->looked_at = now;
    return pop_waiting(s, w);
}

/* Something in the queue may be better than the item in the slot. */
TW_NOINLINE static twill_item *pop_better(lws *s, int w)
{
    place *own = &s->places[w];
    twill_item *item = own->slot;
    if (tw_queue_empty(&own->queue)) {
        own->slot = NULL;
        return item;
    }
    give_up_slot(s, w);
    item = tw_queue_pop(&own->queue);
    return item ? item : steal(s, w);
}

static twill_item *lws_pop(void *state, int w)
{
    lws *s = state;
    place *own = &s->places[w];
    twill_item *item;
    if (tw_unlikely(++own->pops == POPS) && (item = look(s, w)))
        return item;
    item = own->slot;
    if (!item) {
        item = tw_queue_pop(&own->queue);
        return tw_likely(item != NULL) ? item : steal(s, w);
    }
    /* ordinary items in the queue are better than one with a negative priority */
    if (tw_likely(item->priority >= 0) && tw_likely(!tw_queue_beats(&own->queue, item->priority))) {
        own->slot = NULL;
        return item;
    }
    return pop_better(s, w);
}

static bool lws_has_own(void *state, int w)
{
    place *own = &((lws *)state)->places[w];
    return own->slot || !tw_queue_empty(&own->queue);
}

static int lws_queued(void *state)
{
    lws *s = state;
    int n = 0;
    for (int word = 0; word < words(s); word++) {
        uint64_t bits = atomic_load_explicit(&s->filled[word], memory_order_relaxed);
        for (; bits && n < s->env->workers; bits &= bits - 1)
            n += tw_queue_size(&s->places[word * BITS + __builtin_ctzll(bits)].queue);
    }
    return n;
}

const twill_sched_ops tw_sched_lws = {
    .size = sizeof(twill_sched_ops),
    .name = "lws",
    .about = "own work first, priorities first, then stealing from the nearest worker",
    .open = lws_open,
    .close = lws_close,
    .push = lws_push,
    .pop = lws_pop,
    .queued = lws_queued,
    .has_own = lws_has_own,
};
