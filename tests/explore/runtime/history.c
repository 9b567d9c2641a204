/* The stores that a location remembers: the memory model.
 *
 * Memory itself always holds the newest store of each location, in its modification order. A
 * location also remembers what that store's release sequence published: a load that acquires joins
 * it. In weak memory it remembers some older stores, too, and a load may return one of them unless
 * the thread can know better: it knows of a newer store (the store's time is in its view), it has
 * read a newer one, or it knows of a thread that has. A store may go into the modification order
 * before stores that its thread does not know of. Read-modify-writes take the newest. Loads never
 * return what is yet to be stored, so load buffering is not seen. */
#include "history.h"

static ex_store *newest(ex_location *l)
{
    return l->stores ? &l->store[l->stores - 1] : NULL;
}

static void take(ex_thread *me, const ex_store *s, int order)
{
    if (!s || !s->carries)
        return;
    ex_know_join(ex_acquires(order) ? &me->know : &me->acquired, &s->carries->know);
}

/* ---- weak memory: which stores may be read, and where a new one goes ----------------------- */

enum { KEY_STEP = 1 << 20 };

static void forget_stores(ex_location *l)
{
    for (int i = 0; i < l->stores; i++)
        ex_released_put(l->store[i].carries);
    l->stores = l->reads = 0;
    l->floor = l->sc_floor = 0;
}

/* A plain write has changed the location (it was alone, or there is a race): begin anew. */
static void check_plain(ex_location *l, uint64_t value)
{
    ex_store *s = newest(l);
    if (s && s->value != value)
        forget_stores(l);
}

/* The place of the oldest store that may be read under `view`. */
static int oldest(const ex_location *l, const ex_clock *view, uint64_t floor)
{
    int i = l->stores - 1;
    while (i > 0 && view->at[l->store[i].by] < l->store[i].time)
        i--;
    if (floor < l->floor)
        floor = l->floor;
    for (int k = 0; k < l->reads; k++)
        if (view->at[l->read[k].by] >= l->read[k].time && l->read[k].key > floor)
            floor = l->read[k].key;
    while (i < l->stores - 1 && l->store[i].key < floor)
        i++;
    return i;
}

static int oldest_for(const ex_thread *me, const ex_location *l, int order)
{
    if (order != __ATOMIC_SEQ_CST)
        return oldest(l, &me->know.view, 0);
    ex_clock all = me->know.view;
    ex_clock_join(&all, &ex.sc);
    return oldest(l, &all, l->sc_floor);
}

/* When there is no room left, everybody is bound by what one has read: fewer stale reads. */
static void remember_read(ex_thread *me, ex_location *l, uint64_t key)
{
    for (int k = 0; k < l->reads; k++) {
        ex_read *r = &l->read[k];
        if (r->by == me->id && r->key >= key)
            return;
    }
    if (l->reads == EX_READS) {
        for (int k = 0; k < EX_READS; k++)
            l->floor = l->read[k].key > l->floor ? l->read[k].key : l->floor;
        l->reads = 0;
    }
    l->read[l->reads++] = (ex_read){key, me->know.hb.at[me->id], (int8_t)me->id};
}

static const ex_store *pick(ex_thread *me, ex_location *l, int order)
{
    int last = l->stores - 1, first = last;
    if (last > 0 && ex_one_in(ex.stale))
        first = oldest_for(me, l, order);
    if (first < last)
        first += (int)(ex_draw() % (unsigned)(last - first + 1));
    return &l->store[first];
}

/* ---- stores ------------------------------------------------------------------------------- */

/* What a store by `me` after `before` carries: its own knowledge if it releases, that of the last
 * release fence, and of the release sequence that it continues. */
static ex_released *carried(ex_thread *me, const ex_store *before, int order, bool update,
                            int8_t *head)
{
    bool goes_on = before && before->carries && (update || before->head == me->id);
    ex_released *old = goes_on ? before->carries : NULL;
    *head = goes_on ? before->head : -1;
    if (!ex_releases(order)) {
        if (me->fence)
            *head = (int8_t)me->id;
        return ex_released_join(old, me->fence);
    }
    *head = (int8_t)me->id;
    ex_released *own = ex_released_new(&me->know);
    if (old && update)
        ex_know_join(&own->know, &old->know);
    return own;
}

/* Make room for a store at place i, dropping the oldest one if need be; the place it has then. */
static int insert_at(ex_location *l, int i)
{
    if (l->stores == EX_STORES) {
        ex_released_put(l->store[0].carries);
        for (int k = 1; k < EX_STORES; k++)
            l->store[k - 1] = l->store[k];
        l->stores--;
        i = i > 0 ? i - 1 : 0;
    }
    for (int k = l->stores++; k > i; k--)
        l->store[k] = l->store[k - 1];
    return i;
}

/* Where in the modification order: at the end, rarely before stores that `me` does not know of. */
static int place_for(ex_thread *me, const ex_location *l, int order)
{
    int end = l->stores;
    if (order == __ATOMIC_SEQ_CST || end < 2 || end == EX_STORES || !ex_one_in(4 * ex.stale))
        return end;
    int i = oldest_for(me, l, order) + 1;
    bool between = i < end && !l->store[i].update && l->store[i].key - l->store[i - 1].key > 1 &&
                   l->store[i].key > l->sc_floor;
    return between ? i : end;
}

/* The store before the first one that is seen: what memory held. */
static void begin_history(ex_location *l, uint64_t value)
{
    l->store[0] = (ex_store){.value = value, .key = l->floor + KEY_STEP, .head = -1};
    l->stores = 1;
}

/* Whether it is the newest. */
static bool add_store(ex_thread *me, ex_location *l, uint64_t held, uint64_t value, int order,
                      bool update)
{
    check_plain(l, held);
    if (!l->stores)
        begin_history(l, held);
    int i = update ? l->stores : place_for(me, l, order);
    int8_t head;
    ex_released *carries = carried(me, &l->store[i - 1], order, update, &head);
    uint64_t low = l->store[i - 1].key;
    uint64_t key = i < l->stores ? low + (l->store[i].key - low) / 2 : low + KEY_STEP;
    i = insert_at(l, i);
    l->store[i] =
        (ex_store){value, key, carries, me->know.hb.at[me->id], (int8_t)me->id, head, update};
    if (order == __ATOMIC_SEQ_CST) {
        l->sc_floor = key;
        ex.sc.at[me->id] = me->know.view.at[me->id];
    }
    remember_read(me, l, key);
    return i == l->stores - 1;
}

/* One store per location, and nothing but what it carries. */
static void replace_store(ex_thread *me, ex_location *l, int order, bool update)
{
    ex_store *s = &l->store[0];
    bool alone = s->carries && s->carries->refs == 1;
    if (ex_releases(order) && alone) { /* the common case, without a new record */
        if (!update)
            s->carries->know.hb = me->know.hb;
        else
            ex_clock_join(&s->carries->know.hb, &me->know.hb);
        s->head = (int8_t)me->id;
    } else {
        ex_released *old = s->carries;
        if (!l->stores)
            s->head = -1;
        s->carries = carried(me, s, order, update, &s->head);
        ex_released_put(old);
    }
    l->stores = 1;
}

/* ---- for the operations -------------------------------------------------------------------- */

uint64_t ex_history_read(ex_thread *me, ex_location *l, uint64_t held, int order, bool stale)
{
    if (!ex_the_plan.weak) {
        take(me, newest(l), order);
        return held;
    }
    check_plain(l, held);
    if (!l->stores)
        return held;
    const ex_store *s = stale ? pick(me, l, order) : newest(l);
    remember_read(me, l, s->key);
    take(me, s, order);
    return s->value;
}

bool ex_history_write(ex_thread *me, ex_location *l, uint64_t held, uint64_t value, int order,
                      bool update)
{
    bool last = true;
    if (ex_the_plan.weak)
        last = add_store(me, l, held, value, order, update);
    else
        replace_store(me, l, order, update);
    if (ex_releases(order))
        ex_know_tick(me);
    return last;
}
