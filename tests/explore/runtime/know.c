/* Records of released knowledge, and fences. */
#include "know.h"

#include <stdlib.h>

static ex_released *unused;

ex_released *ex_released_new(const ex_know *know)
{
    ex_released *r = unused;
    if (r)
        unused = r->next;
    else if (!(r = aligned_alloc(64, sizeof *r)))
        ex_report(EX_BROKEN, "the explorer has no memory left");
    r->know = *know;
    r->refs = 1;
    return r;
}

void ex_released_put(ex_released *r)
{
    if (r && --r->refs == 0) {
        r->next = unused;
        unused = r;
    }
}

ex_released *ex_released_join(ex_released *a, ex_released *b)
{
    if (!a || !b || a == b)
        return ex_released_get(a ? a : b);
    ex_released *r = ex_released_new(&a->know);
    ex_know_join(&r->know, &b->know);
    return r;
}

void ex_acquire(ex_thread *me, const ex_released *r)
{
    if (r)
        ex_know_join(&me->know, &r->know);
}

void ex_release(ex_thread *me, ex_released **r)
{
    if (*r && (*r)->refs == 1) {
        (*r)->know = me->know;
    } else {
        ex_released_put(*r);
        *r = ex_released_new(&me->know);
    }
    ex_know_tick(me);
}

/* ---- fences ------------------------------------------------------------------------------ */

/* Fences of total order see what those before them had seen. */
static void give_sc(ex_thread *t)
{
    ex_clock_join(&ex.sc, &t->know.view);
}

static void take_sc(ex_thread *t)
{
    ex_clock_join(&t->know.view, &ex.sc);
}

void ex_fence(ex_thread *me, int order)
{
    if (ex_acquires(order))
        ex_know_join(&me->know, &me->acquired);
    if (order == __ATOMIC_SEQ_CST && ex_the_plan.weak) {
        take_sc(me);
        give_sc(me);
    }
    if (ex_releases(order))
        ex_release(me, &me->fence);
}

/* What others did before their fence is behind the caller, and what the caller did before is behind
 * what they do next. Among themselves they are as before: their fences come at different times. */
void ex_fence_all(void)
{
    ex_thread *me = ex.self;
    ex_know mine = me->know;
    for (int i = 0; i < ex.threads && ex_the_plan.weak; i++) /* also those that have ended */
        give_sc(&ex_threads[i]);
    for (int i = 0; i < ex.threads; i++) {
        ex_thread *t = &ex_threads[i];
        if (t->state >= EX_DONE)
            continue;
        ex_know_join(&me->know, &t->know);
        ex_fence(t, __ATOMIC_SEQ_CST);
        if (t != me)
            ex_know_join(&t->know, &mine);
    }
}
