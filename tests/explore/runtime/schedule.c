/* Who runs, who waits, and what time it is. */
#include "run.h"

#include "explore.h"

ex_run ex;
ex_thread ex_threads[EX_THREADS];

/* ---- chance ------------------------------------------------------------------------------ */

uint64_t ex_draw(void)
{
    uint64_t z = (ex.rng += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bool ex_one_in(unsigned n)
{
    return n && ex_draw() % n == 0;
}

unsigned explore_random(unsigned n)
{
    return (unsigned)(ex_draw() % n);
}

static void set_step(uint64_t ns)
{
    uint64_t now = ex_now();
    ex.step_ns = ns;
    ex.base_ns = now - ex.steps * ns;
}

void explore_progress(void)
{
    ex.last_progress = ex.steps;
    ex.jumps = 0;
    ex.alarm = 0; /* compute it again */
    if (ex.hurry) {
        ex.hurry = false;
        set_step(ex.usual_step_ns);
    }
}

/* ---- time -------------------------------------------------------------------------------- */

uint64_t ex_now(void)
{
    return ex.base_ns + ex.steps * ex.step_ns;
}

/* Half of the budget is used up: whoever waits for a time to pass shall see that. */
static void check_budget(void)
{
    uint64_t used = ex.steps - ex.last_progress;
    if (used > ex_the_plan.budget)
        ex_report(EX_ENDLESS, "too many steps without progress (never ends)");
    if (!ex.hurry && used > ex_the_plan.budget / 2) {
        ex.hurry = true;
        if (ex.step_ns < 1000)
            set_step(1000);
    }
}

static void set_alarm(void)
{
    uint64_t budget = ex_the_plan.budget,
             at = ex.last_progress + 1 + (ex.hurry ? budget : budget / 2);
    if (ex.next_choice < at)
        at = ex.next_choice;
    if (ex.next_deadline) {
        uint64_t wait = ex.next_deadline > ex_now() ? ex.next_deadline - ex_now() : 0;
        uint64_t step = ex.steps + (wait + ex.step_ns - 1) / ex.step_ns;
        if (step < at)
            at = step;
    }
    ex.alarm = at;
}

static void expire(void)
{
    uint64_t now = ex_now();
    if (!ex.next_deadline || now < ex.next_deadline)
        return;
    ex.next_deadline = 0;
    for (int i = 0; i < ex.threads; i++) {
        ex_thread *t = &ex_threads[i];
        if (t->deadline && t->deadline <= now) {
            ex_wake(t);
            t->timed_out = true;
        } else if (t->deadline && (!ex.next_deadline || t->deadline < ex.next_deadline)) {
            ex.next_deadline = t->deadline;
        }
    }
}

/* ---- handing over ------------------------------------------------------------------------ */

static void hand_over(ex_thread *me, ex_thread *next)
{
    set_alarm();
    if (next == me)
        return;
    ex.switches++;
    ex.hash = (ex.hash ^ (ex.steps * EX_THREADS + (uint64_t)next->id)) * 0x100000001b3u;
    next->since = ex.steps;
    ex.self = next;
    ex_fiber_switch(&me->fiber, &next->fiber);
}

/* The running thread cannot go on: find one that can, let time pass if need be. */
static ex_thread *successor(ex_thread *me)
{
    expire();
    ex_thread *next = ex_the_plan.strategy->choose(me, true);
    while (!next) {
        if (!ex.next_deadline)
            ex_report(EX_DEADLOCK, "nobody can go on (deadlock or lost wake-up)");
        if (++ex.jumps > EX_JUMPS)
            ex_report(EX_ENDLESS, "only deadlines pass, nothing is achieved");
        ex.base_ns += ex.next_deadline - ex_now();
        expire();
        next = ex_the_plan.strategy->choose(me, true);
    }
    return next;
}

void ex_slow_point(ex_thread *me, bool yields)
{
    check_budget();
    expire();
    hand_over(me, ex_the_plan.strategy->choose(me, yields));
}

void ex_yield_point(const char *what, void *pc)
{
    ex_thread *me = ex.self;
    if (!me)
        return;
    ex.steps++;
    ex_note(me, what, NULL, pc);
    ex_slow_point(me, true);
}

void ex_block(ex_state state, const volatile void *on, uint64_t deadline)
{
    ex_thread *me = ex.self;
    me->state = state;
    ex.runnable &= ~(1u << me->id);
    me->on = on;
    me->timed_out = false;
    me->deadline = deadline;
    if (deadline && (!ex.next_deadline || deadline < ex.next_deadline))
        ex.next_deadline = deadline;
    hand_over(me, successor(me));
}

void ex_wake(ex_thread *t)
{
    t->state = EX_RUNNABLE;
    t->deadline = 0;
    t->on = NULL;
    ex.runnable |= 1u << t->id;
}

int ex_wake_some(ex_state state, const volatile void *on, int most)
{
    ex_thread *waiting[EX_THREADS];
    unsigned n = 0;
    int woken = 0;
    for (int i = 0; i < ex.threads; i++)
        if (ex_threads[i].state == state && ex_threads[i].on == on)
            waiting[n++] = &ex_threads[i];
    for (; n > 0 && woken < most; woken++) {
        unsigned k = n > 1 && (unsigned)most < n ? (unsigned)(ex_draw() % n) : n - 1;
        ex_wake(waiting[k]);
        waiting[k] = waiting[--n];
    }
    return woken;
}

_Noreturn void ex_end_thread(ex_thread *me)
{
    me->state = me->detached ? EX_UNUSED : EX_DONE;
    ex.runnable &= ~(1u << me->id);
    ex_wake_some(EX_ON_JOIN, me, EX_THREADS);
    hand_over(me, successor(me));
    __builtin_unreachable();
}

/* ---- a run begins ------------------------------------------------------------------------ */

void ex_begin(uint64_t seed)
{
    static const unsigned stays[] = {1, 4, 16, 64, 256}, steps[] = {1, 5, 25};
    static const unsigned rarely[] = {0, 4, 32, 256}, stale[] = {2, 4, 16, 64};
    ex.seed = seed;
    ex.rng = seed * 0x2545f4914f6cdd1du + 1;
    ex.base_ns = 1000000000;
    ex.stay = stays[ex_draw() % 5];
    ex.step_ns = steps[ex_draw() % 3];
    if (ex_the_plan.step_ns)
        ex.step_ns = ex_the_plan.step_ns;
    ex.usual_step_ns = ex.step_ns;
    ex.weak_cas = rarely[ex_draw() % 4];
    ex.spurious = rarely[ex_draw() % 4];
    ex.stale = stale[ex_draw() % 4];
    if (ex_the_plan.oom) /* small numbers more often: 1 to 2^k */
        ex.oom_at = 1 + ex_draw() % (2u << ex_draw() % 11);
    for (int i = 0; i < EX_THREADS; i++)
        ex_threads[i].state = EX_UNUSED;
    ex_the_plan.strategy->begin();
}
