/* Ready critical tasks: taken out where tasks are pushed, and given to the leader. */
#include "engine/critical/critical.h"

static bool is_critical(const twill_item *item)
{
    return tw_task_flags((const twill_task *)item) & TW_TASK_CRITICAL;
}

static int queued(const tw_critical *c)
{
    return atomic_load_explicit(&c->queued, memory_order_relaxed);
}

/* Under the lock. */
static void enqueue(tw_critical *c, twill_item *item)
{
    item->next = NULL;
    if (!tw_heap_push(&c->heap, item))
        tw_fifo_push(&c->overflow, item);
    atomic_fetch_add_explicit(&c->queued, 1, memory_order_relaxed);
}

static twill_item *dequeue(tw_critical *c)
{
    twill_item *item = tw_heap_pop(&c->heap);
    if (!item)
        item = tw_fifo_pop(&c->overflow);
    if (item)
        atomic_fetch_sub_explicit(&c->queued, 1, memory_order_relaxed);
    return item;
}

/* ---- pushing ----------------------------------------------------------------------------- */

/* Split the list: critical tasks are queued here, the others stay in it. Returns how many stay. */
static int separate(tw_critical *c, twill_item **list)
{
    twill_item **link = list;
    int rest = 0;
    tw_lock_take(&c->lock);
    while (*link) {
        twill_item *item = *link;
        if (is_critical(item)) {
            *link = item->next;
            enqueue(c, item);
        } else {
            link = &item->next;
            rest++;
        }
    }
    tw_unlock(&c->lock);
    return rest;
}

/* Critical tasks have come: their leader may sleep. Returns how many any worker may take. */
static int call_leader(tw_critical *c, int w, int taken)
{
    tw_fence(); /* queue, then look for sleepers; pairs with the one in rest of serve.c */
    tw_set s = tw_critical_look(c);
    int first = s.members ? s.leader : s.first;
    if (s.members + s.size > 0 && first != w &&
        atomic_load_explicit(&c->member[first].parked, memory_order_relaxed))
        tw_unpark(&c->tw->worker[first].parker);
    return s.members ? 0 : taken;
}

static int critical_push(void *state, int w, twill_item *list, int n, bool soon)
{
    tw_critical *c = state;
    twill *tw = c->tw;
    int taken = 0;
    bool any = false;
    for (const twill_item *i = list; i && !any; i = i->next)
        any = is_critical(i);
    if (any && atomic_load_explicit(&c->mode, memory_order_relaxed) != TWILL_MODE_REGULAR) {
        int rest = separate(c, &list);
        taken = n - rest;
        n = rest;
    }
    /* a worker of the set does not come for what it keeps */
    soon = soon && !tw_set_has(tw_critical_look(c), w);
    int visible = n > 0 ? tw->policy->push(tw->policy_state, w, list, n, soon) : 0;
    return visible + (taken ? call_leader(c, w, taken) : 0);
}

/* ---- popping ----------------------------------------------------------------------------- */

/* What size the next task wants: under the lock, and before the set settles. */
static void prescribe(tw_critical *c)
{
    if (atomic_load_explicit(&c->mode, memory_order_relaxed) != TWILL_MODE_PRESCRIBED ||
        c->sizes == 0)
        return;
    int64_t i = c->next < c->sizes ? c->next++ : c->sizes - 1;
    c->wanted = c->prescribed[i];
    tw_critical_retarget(c);
}

/* Worker w leads, or there is nobody who does; but one that is to be reserved appears first. */
static bool may_take(const tw_critical *c, tw_set s, int w)
{
    if (s.members)
        return w == s.leader;
    return !tw_set_has(s, w) || atomic_load_explicit(&c->member[w].present, memory_order_relaxed);
}

/* Without a leader the worker runs it for itself, and is not prompt meanwhile. */
static void account(tw_critical *c, int w)
{
    tw_set s = tw_critical_look(c);
    if (s.members)
        atomic_store_explicit(&c->busy, w + 1, memory_order_relaxed);
    else if (w < c->tw->workers)
        atomic_store_explicit(&c->member[w].present, false, memory_order_relaxed);
    tw_count(&c->tasks, 1);
}

static bool differ(tw_set a, tw_set b)
{
    return a.first != b.first || a.size != b.size || a.leader != b.leader || a.members != b.members;
}

twill_task *tw_critical_take(tw_critical *c, int w)
{
    twill_item *item = NULL;
    if (queued(c) == 0 || !may_take(c, tw_critical_look(c), w))
        return NULL;
    tw_lock_take(&c->lock);
    tw_set before = tw_critical_look(c);
    tw_critical_settle(c);
    if (may_take(c, tw_critical_look(c), w) && (item = dequeue(c))) {
        prescribe(c);
        account(c, w);
    }
    tw_set now = tw_critical_look(c);
    tw_unlock(&c->lock);
    if (differ(before, now))
        tw_critical_wake(c);
    return (twill_task *)item;
}

bool tw_critical_calls(const tw_worker *w)
{
    const tw_critical *c = tw_critical_of(w->tw);
    return queued(c) > 0 && may_take(c, tw_critical_look(c), w->index);
}

twill_item *tw_critical_again(const tw_worker *w)
{
    assert(tw_is_locked(&w->tw->again_lock));
    const tw_critical *c = tw_critical_of(w->tw);
    tw_set s = tw_critical_look(c);
    bool takes = may_take(c, s, w->index), reserved = tw_set_has(s, w->index);
    twill_item *item = w->tw->again.head;
    while (item && !(is_critical(item) ? takes : !reserved))
        item = item->next;
    if (item && is_critical(item))
        atomic_fetch_sub_explicit(&tw_critical_of(w->tw)->again, 1, memory_order_relaxed);
    return item;
}

void tw_critical_postponed(twill *tw, const twill_task *t)
{
    assert(tw_is_locked(&tw->again_lock));
    if (is_critical(&t->item))
        atomic_fetch_add_explicit(&tw_critical_of(tw)->again, 1, memory_order_relaxed);
}

void tw_critical_call(twill *tw)
{
    call_leader(tw_critical_of(tw), -1, 0);
}

/* The leader is through with the task that it had, if it comes for another one. */
static void put_down(tw_critical *c, int w)
{
    if (atomic_load_explicit(&c->busy, memory_order_relaxed) != w + 1)
        return;
    tw_lock_take(&c->lock);
    atomic_store_explicit(&c->busy, 0, memory_order_relaxed);
    tw_set before = tw_critical_look(c);
    tw_critical_settle(c);
    tw_set now = tw_critical_look(c);
    tw_unlock(&c->lock);
    if (differ(before, now))
        tw_critical_wake(c);
}

static twill_item *critical_pop(void *state, int w)
{
    tw_critical *c = state;
    put_down(c, w);
    twill_task *t = tw_critical_take(c, w);
    if (t) {
        /* without a leader w may keep something that it does not come for; see push */
        if (c->tw->policy->has_own && atomic_load_explicit(&c->busy, memory_order_relaxed) != w + 1)
            tw_publish(&c->tw->worker[w]);
        return &t->item;
    }
    if (tw_set_has(tw_critical_look(c), w))
        return NULL;
    return c->tw->policy->pop(c->tw->policy_state, w);
}

/* Those of the set are nothing to search for. */
static int critical_queued(void *state)
{
    tw_critical *c = state;
    return c->tw->policy->queued(c->tw->policy_state) +
           (tw_critical_look(c).members ? 0 : queued(c));
}

static bool critical_has_own(void *state, int w)
{
    tw_critical *c = state;
    return c->tw->policy->has_own(c->tw->policy_state, w);
}

/* ---- standing before the scheduler --------------------------------------------------------- */

void tw_critical_install(tw_critical *c)
{
    twill *tw = c->tw;
    c->ops = *tw->policy;
    c->ops.push = critical_push;
    c->ops.pop = critical_pop;
    c->ops.queued = tw->policy->queued ? critical_queued : NULL;
    c->ops.has_own = tw->policy->has_own ? critical_has_own : NULL;
    tw->sched = &c->ops;
    tw->sched_state = c;
}

void tw_critical_empty(tw_critical *c)
{
    tw_lock_take(&c->lock);
    for (twill_item *item; (item = dequeue(c));) {
        item->next = NULL;
        c->tw->policy->push(c->tw->policy_state, c->tw->workers, item, 1, false);
    }
    tw_unlock(&c->lock);
}
