/* What threads know of each other: joining, releasing, fences. */
#ifndef EX_KNOW_H
#define EX_KNOW_H

#include "run.h"

static inline void ex_know_join(ex_know *to, const ex_know *from)
{
    ex_clock_join(&to->hb, &from->hb);
    if (ex_the_plan.weak)
        ex_clock_join(&to->view, &from->view);
}

/* What comes now is later than what was published. */
static inline void ex_know_tick(ex_thread *t)
{
    t->know.hb.at[t->id]++;
    t->know.view.at[t->id] = t->know.hb.at[t->id];
}

static inline bool ex_acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static inline bool ex_releases(int order)
{
    return order >= __ATOMIC_RELEASE;
}

/* know.c. Records are counted; NULL is an empty one. */
ex_released *ex_released_new(const ex_know *know);
/* Both together; takes no reference of its own unless they differ. */
ex_released *ex_released_join(ex_released *a, ex_released *b);
void ex_released_put(ex_released *r);

static inline ex_released *ex_released_get(ex_released *r)
{
    if (r)
        r->refs++;
    return r;
}

/* What a lock or a thread published becomes known. */
void ex_acquire(ex_thread *me, const ex_released *r);
/* Publish all that `me` knows in `*r`. */
void ex_release(ex_thread *me, ex_released **r);

void ex_fence(ex_thread *me, int order);
/* membarrier: a fence of total order on every thread. */
void ex_fence_all(void);

#endif
