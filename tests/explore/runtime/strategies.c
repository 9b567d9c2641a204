/* Random walk and PCT. */
#include "run.h"

static ex_thread *nth_runnable(uint32_t mask, unsigned k)
{
    while (k--)
        mask &= mask - 1;
    return &ex_threads[__builtin_ctz(mask)];
}

enum { SPINS = 8 }; /* the same hook so often: the thread waits for another */

bool ex_spins(ex_thread *me)
{
    if (me->events < 2)
        return false;
    const ex_event *last = &me->recent[(me->events - 1) % EX_RECENT];
    const ex_event *before = &me->recent[(me->events - 2) % EX_RECENT];
    me->repeats = last->pc == before->pc && last->address == before->address ? me->repeats + 1 : 0;
    if (ex.steps - me->since <= me->patience)
        return me->repeats >= SPINS;
    /* not always as long: a loop would always be left at the same place */
    me->patience = EX_FAIR_STEPS / 2 + ex_draw() % EX_FAIR_STEPS;
    return true;
}

/* ---- random walk: the mean distance between two choices belongs to the seed --------------- */

static void draw_distance(void)
{
    ex.next_choice = ex.steps + 1 + (ex.stay > 1 ? ex_draw() % (2 * ex.stay - 1) : 0);
}

static ex_thread *walk(ex_thread *me, bool yields)
{
    bool able = me->state == EX_RUNNABLE;
    if (able && !yields && ex.steps < ex.next_choice)
        return me;
    uint32_t others = ex.runnable & ~(1u << me->id);
    draw_distance();
    if (!others)
        return able ? me : NULL;
    uint32_t mask = able && !yields ? ex.runnable : others;
    return nth_runnable(mask, (unsigned)(ex_draw() % (unsigned)__builtin_popcount(mask)));
}

const ex_strategy ex_walk = {"walk", draw_distance, walk};

/* ---- PCT: the highest priority runs; at d - 1 drawn steps it falls below all others -------- */

static uint64_t change[EX_CHANGES];
static int64_t lowest;

static void pct_begin(void)
{
    lowest = 0;
    for (int i = 0; i + 1 < ex_the_plan.depth; i++)
        change[i] = 1 + ex_draw() % (ex_the_plan.length ? ex_the_plan.length : 100000);
    ex.next_choice = 0; /* every step */
}

/* A thread that spins must not keep the highest priority for ever: whoever yields, repeats a hook
 * or runs for long falls to the lowest. The textbook's bound does not know such changes. */
static ex_thread *pct(ex_thread *me, bool yields)
{
    bool able = me->state == EX_RUNNABLE;
    uint32_t others = ex.runnable & ~(1u << me->id);
    if (!others)
        return able ? me : NULL;
    /* Change points are numbered among the steps at which somebody else could run. */
    if (able)
        ex.contested++;
    for (int i = 0; i + 1 < ex_the_plan.depth; i++)
        if (change[i] == ex.contested)
            me->priority = --lowest;
    if (able && (ex_spins(me) || yields)) {
        me->priority = --lowest;
        me->since = ex.steps;
    }
    ex_thread *best = NULL;
    for (uint32_t left = ex.runnable; left; left &= left - 1) {
        ex_thread *t = &ex_threads[__builtin_ctz(left)];
        if (!best || t->priority > best->priority)
            best = t;
    }
    return best;
}

const ex_strategy ex_pct = {"pct", pct_begin, pct};
