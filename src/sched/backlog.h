/* What waits for one executor, and how long that will take. Not locked. */
#ifndef TW_SCHED_BACKLOG_H
#define TW_SCHED_BACKLOG_H

#include "sched/fifo.h"
#include "sched/heap.h"

/* An item in a backlog. */
typedef struct tw_waiting {
    twill_item link; /* first: what the heap has */
    twill_item *item;
    double seconds; /* that it will take; 0: not known */
    bool stays;     /* nobody may take it away */
} tw_waiting;

typedef struct tw_backlog {
    int width; /* tasks it runs at a time */
    int n;
    double known; /* seconds of those of which that is known */
    int unknown;  /* how many others */
    double busy;  /* the time at which it will have done what it has begun */
    tw_heap heap; /* of tw_waiting */
    tw_fifo rest; /* items there was no memory for: out of order, but not lost */
} tw_backlog;

void tw_backlog_close(tw_backlog *b);

/* Seconds from `now` until an item that takes `seconds` there, 0 if that is not known, could begin.
 */
double tw_backlog_wait(const tw_backlog *b, double now, int32_t priority, double seconds);
/* And until all is done. */
double tw_backlog_end(const tw_backlog *b, double now, double seconds);

/* `waiting` is a place for the item, NULL when there was no memory for one. False: it is not used,
 * as there was no memory for other things. */
bool tw_backlog_push(tw_backlog *b, tw_waiting *waiting, twill_item *item, double seconds,
                     bool stays);

/* The next item; its place is free again (*waiting, may be NULL). */
twill_item *tw_backlog_pop(tw_backlog *b, tw_waiting **waiting);

/* The i-th from the end, roughly; NULL: there is none. And take it. */
tw_waiting *tw_backlog_last(const tw_backlog *b, int i);
void tw_backlog_take(tw_backlog *b, int i);

/* The executor begins an item that takes so long. */
void tw_backlog_begin(tw_backlog *b, double now, double seconds);

#endif
