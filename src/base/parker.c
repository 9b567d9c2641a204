/* Sleep and wake of one thread. */
#include "base/parker.h"

#include <errno.h>
#include <time.h>

void tw_parker_open(tw_parker *parker)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&parker->mutex, NULL);
    pthread_cond_init(&parker->cond, &attr);
    pthread_condattr_destroy(&attr);
    parker->token = false;
}

void tw_parker_close(tw_parker *parker)
{
    pthread_cond_destroy(&parker->cond);
    pthread_mutex_destroy(&parker->mutex);
}

void tw_park(tw_parker *parker)
{
    pthread_mutex_lock(&parker->mutex);
    while (!parker->token)
        pthread_cond_wait(&parker->cond, &parker->mutex);
    parker->token = false;
    pthread_mutex_unlock(&parker->mutex);
}

bool tw_park_for(tw_parker *parker, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    time_t whole = (time_t)seconds;
    until.tv_sec += whole;
    until.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&parker->mutex);
    int rc = 0;
    while (!parker->token && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&parker->cond, &parker->mutex, &until);
    bool woken = parker->token;
    parker->token = false;
    pthread_mutex_unlock(&parker->mutex);
    return woken;
}

void tw_unpark(tw_parker *parker)
{
    pthread_mutex_lock(&parker->mutex);
    parker->token = true;
    pthread_cond_signal(&parker->cond);
    pthread_mutex_unlock(&parker->mutex);
}
