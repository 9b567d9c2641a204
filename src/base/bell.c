/* Looking, and sleeping. */
#include "base/bell.h"

#include <sched.h>

/* How often one looks before others may have the core, and then before one sleeps. */
enum { LOOKS = 4000, YIELDS = 16, CROWDED_YIELDS = 2 };

void tw_bell_open(tw_bell *bell)
{
    pthread_mutex_init(&bell->mutex, NULL);
    pthread_cond_init(&bell->cond, NULL);
}

void tw_bell_close(tw_bell *bell)
{
    pthread_mutex_destroy(&bell->mutex);
    pthread_cond_destroy(&bell->cond);
}

static int sleep_on(tw_bell *bell, const atomic_int *word, int old)
{
    int now;
    pthread_mutex_lock(&bell->mutex);
    atomic_fetch_add_explicit(&bell->sleepers, 1, memory_order_relaxed);
    tw_fence(); /* say that one sleeps, then look; pairs with the one in tw_bell_ring */
    while ((now = atomic_load_explicit(word, memory_order_acquire)) == old)
        pthread_cond_wait(&bell->cond, &bell->mutex);
    atomic_fetch_sub_explicit(&bell->sleepers, 1, memory_order_relaxed);
    pthread_mutex_unlock(&bell->mutex);
    return now;
}

int tw_bell_wait(tw_bell *bell, const atomic_int *word, int old, bool crowded)
{
    int looks = crowded ? 0 : LOOKS, yields = crowded ? CROWDED_YIELDS : YIELDS;
    for (int i = 0; i < looks + yields; i++) {
        int now = atomic_load_explicit(word, memory_order_acquire);
        if (now != old)
            return now;
        if (i < looks)
            tw_pause();
        else
            sched_yield();
    }
    return sleep_on(bell, word, old);
}

void tw_bell_wake(tw_bell *bell)
{
    pthread_mutex_lock(&bell->mutex);
    pthread_cond_broadcast(&bell->cond);
    pthread_mutex_unlock(&bell->mutex);
}
