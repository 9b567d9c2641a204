/* A place for one thread to sleep until somebody gives it a token. A token given before the sleep
 * ends that sleep at once, so a wake-up is never lost. */
#ifndef TW_BASE_PARKER_H
#define TW_BASE_PARKER_H

#include <pthread.h>
#include <stdbool.h>

typedef struct tw_parker {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    bool token;
} tw_parker;

void tw_parker_open(tw_parker *parker);
void tw_parker_close(tw_parker *parker);

/* Sleep until there is a token, and take it. */
void tw_park(tw_parker *parker);

/* The same for at most `seconds`; false when the time ran out. */
bool tw_park_for(tw_parker *parker, double seconds);

void tw_unpark(tw_parker *parker);

#endif
