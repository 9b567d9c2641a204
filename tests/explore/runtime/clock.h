/* Vector clocks, and what a thread knows.
 *
 * A thread counts its own component up whenever it publishes something (release). An event of
 * thread t at its time c happens before whoever has at[t] >= c. */
#ifndef EX_CLOCK_H
#define EX_CLOCK_H

#include <stdint.h>

enum { EX_THREADS = 16 };

typedef struct ex_clock {
    _Alignas(64) uint32_t at[EX_THREADS];
} ex_clock;

/* `hb`: what happens before; races are judged by it. `view`: what may no longer be missed by a
 * load, which is more: fences of total order add to it without making anything happen before.
 * Only weak memory keeps it. */
typedef struct ex_know {
    ex_clock hb, view;
} ex_know;

/* What a store carries to the loads that acquire it; several stores may share one. */
typedef struct ex_released {
    ex_know know;
    int refs;
    struct ex_released *next; /* while it is free */
} ex_released;

static inline void ex_clock_join(ex_clock *to, const ex_clock *from)
{
    for (int i = 0; i < EX_THREADS; i++)
        to->at[i] = to->at[i] > from->at[i] ? to->at[i] : from->at[i];
}

#endif
