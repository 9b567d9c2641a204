/* Running critical tasks: the leader orders, members obey. */
#include "engine/critical/critical.h"

#include "base/chore.h"
#include "base/clock.h"
#include "base/minmax.h"

static uint64_t load_order(const tw_critical *c)
{
    /* acquire pairs with the release in order */
    return atomic_load_explicit(&c->order, memory_order_acquire);
}

bool tw_critical_obey(tw_critical *c, tw_worker *w)
{
    tw_member *m = &c->member[w->index];
    uint64_t order = load_order(c);
    uint32_t number = (uint32_t)(order >> 32);
    if (number == atomic_load_explicit(&m->seen, memory_order_relaxed))
        return false;
    atomic_store_explicit(&m->seen, number, memory_order_relaxed);
    int rank = w->index - (int)(order >> 16 & 0xffff), size = (int)(order & 0xffff);
    if (rank > 0 && rank < size)
        tw_team_member(w, atomic_load_explicit(&c->team, memory_order_relaxed), rank);
    return true;
}

/* The team of worker w gets n members, itself included. */
static void order(tw_critical *c, tw_worker *w, int n)
{
    uint64_t number = (load_order(c) >> 32) + 1;
    atomic_store_explicit(&c->team, &w->team, memory_order_relaxed);
    /* release pairs with the acquire in load_order */
    atomic_store_explicit(&c->order, number << 32 | (uint64_t)w->index << 16 | (uint64_t)n,
                          memory_order_release);
    tw_fence(); /* order, then look for sleepers; pairs with the one in rest of serve.c */
    for (int i = w->index + 1; i < w->index + n; i++)
        if (atomic_load_explicit(&c->member[i].parked, memory_order_relaxed))
            tw_unpark(&c->tw->worker[i].parker);
}

void tw_critical_tell(tw_critical *c, int members)
{
    if (atomic_exchange_explicit(&c->told, members, memory_order_relaxed) == members)
        return;
    tw_lock_take(&c->lock);
    void (*resized)(void *arg, int size) = c->resized;
    void *arg = c->resized_arg;
    tw_unlock(&c->lock);
    if (resized)
        resized(arg, members);
}

static const twill_chore *team_chore(const twill_class *cls)
{
    const twill_chore *end = cls->chores + TWILL_CHORES;
    for (const twill_chore *chore = cls->chores; chore < end && chore->kind; chore++)
        if (chore->kind == TWILL_CHORE_TEAM && chore->body.team)
            return chore;
    return NULL;
}

/* How many of the set run the task together: all, unless fewer are wanted. */
static int team_size(const twill_task *t, const twill_chore *chore, int members)
{
    int n = chore ? members : 1;
    if (n > 1 && chore->team_size > 0)
        n = tw_min(n, chore->team_size);
    if (n > 1 && tw_task_flags(t) & TW_TASK_SIZED)
        n = tw_min(n, t->team);
    return n;
}

static twill_outcome run_alone(tw_worker *w, twill_task *t)
{
    const twill_chore *chore = tw_chore_of(t->cls, 1);
    if (chore->kind == TWILL_CHORE_CPU)
        return chore->body.cpu(t);
    tw_team_open(w, t, chore, 1);
    return tw_team_run(&w->team);
}

/* In mode adaptive: how large should the set be after this task? Workers that sleep are idle; those
 * of the set sleep elsewhere. */
static void control(tw_critical *c, const twill_class *cls, int members, double begin)
{
    const tw_idle *idle = &c->tw->idle;
    int others = atomic_load_explicit(&idle->sleeping, memory_order_relaxed) +
                 atomic_load_explicit(&idle->searching, memory_order_relaxed);
    tw_lock_take(&c->lock);
    int wanted = twill_controller_note(c->controller, cls, members, begin, tw_seconds(), others);
    bool changes = wanted != c->wanted &&
                   atomic_load_explicit(&c->mode, memory_order_relaxed) == TWILL_MODE_ADAPTIVE;
    if (changes) {
        c->wanted = wanted;
        tw_critical_retarget(c);
    }
    tw_unlock(&c->lock);
    if (changes)
        tw_critical_wake(c);
}

static twill_outcome run_with(tw_critical *c, tw_worker *w, twill_task *t, int members)
{
    const twill_chore *chore = team_chore(t->cls);
    int n = team_size(t, chore, members);
    tw_critical_tell(c, members);
    if (n <= 1)
        return run_alone(w, t);
    tw_team_open(w, t, chore, n);
    order(c, w, n);
    tw_count(&c->teams, 1);
    return tw_team_run(&w->team);
}

twill_outcome tw_critical_run(tw_worker *w, twill_task *t)
{
    tw_critical *c = tw_critical_of(w->tw);
    bool leads = atomic_load_explicit(&c->busy, memory_order_relaxed) == w->index + 1;
    int members = leads ? tw_critical_look(c).members : 0;
    if (atomic_load_explicit(&c->mode, memory_order_relaxed) != TWILL_MODE_ADAPTIVE)
        return run_with(c, w, t, members);
    const twill_class *cls = t->cls; /* the task may be gone when it is asynchronous */
    double begin = tw_seconds();
    twill_outcome outcome = run_with(c, w, t, members);
    control(c, cls, members, begin);
    return outcome;
}
