/* A barrier for a few threads that meet often: fast where each has a core, and polite where they
 * have not. A thread that waits spins, then yields, then sleeps. */
#ifndef TW_BASE_BARRIER_H
#define TW_BASE_BARRIER_H

#include "base/lock.h"

#include <stdint.h>

typedef struct tw_barrier {
    int size;  /* at most 4095 */
    int spins; /* looks at the word before a thread gives up its core */
    /* All in one word, hence in one line that has to travel: how many have come, whether somebody
     * sleeps, and the number of the phase. */
    _Alignas(TW_LINE) _Atomic uint32_t word;
} tw_barrier;

/* For `size` threads, which share their cores with others when `crowded`. While threads wait, it
 * must not be opened again. */
void tw_barrier_open(tw_barrier *b, int size, bool crowded);

/* Wait until all have come. What they wrote before, all see after. Returns true in one of them. */
bool tw_barrier_wait(tw_barrier *b);

/* The same for a thread whose core is wanted meanwhile: it sleeps at once. */
void tw_barrier_rest(tw_barrier *b);

#endif
