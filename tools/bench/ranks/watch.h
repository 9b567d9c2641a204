/* What the bodies of pingpong.jdf do. */
#ifndef WATCH_H
#define WATCH_H

#include "command/system.h"

#include <stdbool.h>

/* When the first round that counts began, and when the last one was over. */
typedef struct pingpong_watch {
    double start, end;
} pingpong_watch;

/* Is this the tile that so many tasks had before? The first one sets it. */
static inline bool pingpong_hit(void *tile, int64_t before)
{
    int64_t *hits = tile;
    if (before == 0)
        *hits = 0;
    return (*hits)++ == before;
}

/* In PING: after one round, and after the last one. */
static inline void pingpong_look(pingpong_watch *watch, int64_t k, int64_t last)
{
    if (k == 1)
        watch->start = system_seconds();
    if (k == last)
        watch->end = system_seconds();
}

#endif
