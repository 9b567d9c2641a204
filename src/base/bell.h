/* Waiting for a word that others change: looking for a while, then asleep. Where there are fewer
 * cores than threads, those that look keep others from changing it, so they soon sleep. */
#ifndef TW_BASE_BELL_H
#define TW_BASE_BELL_H

#include "base/lock.h"

#include <pthread.h>

typedef struct tw_bell {
    atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
} tw_bell;

void tw_bell_open(tw_bell *bell);
void tw_bell_close(tw_bell *bell);

/* Wait until the word is not `old`, and return what it is, with acquire. */
int tw_bell_wait(tw_bell *bell, const atomic_int *word, int old, bool crowded);

TW_NOINLINE void tw_bell_wake(tw_bell *bell);

/* The word has been changed. */
static inline void tw_bell_ring(tw_bell *bell)
{
    tw_fence(); /* change, then look for sleepers; pairs with the one in tw_bell_wait */
    if (tw_unlikely(atomic_load_explicit(&bell->sleepers, memory_order_relaxed) > 0))
        tw_bell_wake(bell);
}

#endif
