/* Independent products of small matrices: the work of `bench ep`, and the front ends that run it.
 */
#ifndef EP_H
#define EP_H

#include <twill/twill.h>

/* What one worker has to itself. */
typedef struct ep_lane {
    _Alignas(64) uint64_t sum; /* of the numbers of the products it made */
    double *a, *b, *c;
} ep_lane;

typedef struct ep {
    twill *tw;
    int size; /* of the matrices; 0: tasks do nothing but add up their numbers */
    int64_t tasks;
    int workers;
    ep_lane *lanes;
} ep;

/* Make the operands for matrices of some size. */
twill_status ep_open(ep *e, twill *tw, int size);
void ep_close(ep *e);

/* Product number i, on worker w: what every front end's body does. */
void ep_work(ep *e, int w, int64_t i);

/* The sum since the last call. */
uint64_t ep_sum(ep *e);

/* Seconds per product when every worker makes so many one after the other, with nothing between
 * them: all at once, so that they share clocks and caches as tasks do. */
twill_status ep_plain(ep *e, int64_t products, double *seconds);

/* A front end: run the tasks 0 .. tasks-1 as one graph; seconds from beginning to end. */
typedef struct ep_front {
    const char *name;   /* what --front says */
    const char *system; /* what results call it */
    twill_status (*run)(ep *e, double *seconds);
    int64_t most; /* tasks that it can have */
    int runs;     /* how often it runs each of them */
} ep_front;

/* Front end number i, from 0; NULL past the last one. */
const ep_front *ep_front_at(int i);

#endif
