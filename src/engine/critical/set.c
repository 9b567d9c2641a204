/* Who is in the critical set, and who should be. */
#include "engine/critical/critical.h"

#include "base/minmax.h"

static uint64_t pack(tw_set s)
{
    return (uint64_t)s.first | (uint64_t)s.size << 16 | (uint64_t)s.leader << 32 |
           (uint64_t)s.members << 48;
}

static bool is_present(const tw_critical *c, int w)
{
    return atomic_load_explicit(&c->member[w].present, memory_order_relaxed);
}

/* How many workers of the target are present, one after the other from the first one on. */
static int count_present(const tw_critical *c, tw_set s)
{
    int n = 0;
    while (n < s.size && is_present(c, s.first + n))
        n++;
    return n;
}

static void tell(const tw_critical *c, tw_set s)
{
    tw_emit_reserve(c->tw, s.members ? s.leader : s.first, s.members, s.size);
}

static void put(tw_critical *c, tw_set before, tw_set s)
{
    bool changes = before.leader != s.leader || before.members != s.members;
    if (changes)
        tw_count(&c->changes, 1);
    if (changes || before.first != s.first || before.size != s.size)
        tell(c, s);
    /* release pairs with the acquire in tw_critical_look */
    atomic_store_explicit(&c->set, pack(s), memory_order_release);
}

/* Who is neither in the target nor a member takes ordinary tasks again, and is not prompt any more.
 */
static void forget_others(tw_critical *c, tw_set s)
{
    for (int w = 0; w < c->tw->workers; w++)
        if (!tw_set_has(s, w))
            atomic_store_explicit(&c->member[w].present, false, memory_order_relaxed);
}

/* Members whom the target still has go on, without waiting for others; when all of the target are
 * present they are the members. If the set begins with another worker than before, whoever is
 * present from there on takes over, unless that are fewer. */
void tw_critical_settle(tw_critical *c)
{
    assert(tw_is_locked(&c->lock));
    if (atomic_load_explicit(&c->busy, memory_order_relaxed))
        return;
    tw_set s = tw_critical_look(c), before = s;
    int from = tw_max(s.first, s.leader);
    int stay = tw_max(tw_min(s.first + s.size, s.leader + s.members) - from, 0);
    int present = count_present(c, s);
    bool same = stay > 0 && from == s.first;
    if (present == s.size || (!same && present >= stay)) {
        s.leader = s.first;
        s.members = present;
    } else {
        s.leader = from;
        s.members = stay;
    }
    put(c, before, s);
    forget_others(c, s);
}

void tw_critical_retarget(tw_critical *c)
{
    assert(tw_is_locked(&c->lock));
    tw_set s = tw_critical_look(c), before = s;
    bool regular = atomic_load_explicit(&c->mode, memory_order_relaxed) == TWILL_MODE_REGULAR;
    s.first = c->primary ? 0 : 1;
    s.size = regular ? 0 : tw_min(c->wanted, tw_max(c->tw->workers - s.first - 1, 0));
    put(c, before, s);
    if (!c->primary)
        atomic_store_explicit(&c->member[0].present, false, memory_order_relaxed);
    forget_others(c, s);
    tw_critical_settle(c);
}

void tw_critical_announce(twill *tw)
{
    tw_critical *c = tw_critical_of(tw);
    if (!c)
        return;
    tw_lock_take(&c->lock);
    tell(c, tw_critical_look(c));
    tw_unlock(&c->lock);
}

void tw_critical_appear(tw_critical *c, int w)
{
    tw_lock_take(&c->lock);
    if (tw_set_has(tw_critical_look(c), w) && !is_present(c, w)) {
        uint64_t order = atomic_load_explicit(&c->order, memory_order_relaxed);
        atomic_store_explicit(&c->member[w].seen, (uint32_t)(order >> 32), memory_order_relaxed);
        atomic_store_explicit(&c->member[w].present, true, memory_order_relaxed);
        tw_critical_settle(c);
    }
    tw_unlock(&c->lock);
}

void tw_critical_wake(tw_critical *c)
{
    twill *tw = c->tw;
    tw_fence(); /* change, then look for sleepers; pairs with the one in rest of serve.c */
    tw_set s = tw_critical_look(c);
    for (int w = 0; w < tw->workers; w++)
        if (atomic_load_explicit(&c->member[w].parked, memory_order_relaxed))
            tw_unpark(&tw->worker[w].parker);
        else if (tw_set_has(s, w))
            tw_wake_worker(tw, w); /* as one that has slept among all workers */
}
