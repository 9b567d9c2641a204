/* Panels that stay where their tiles are: a task for each rank that has some. */
#ifndef TW_LA_SLICED_H
#define TW_LA_SLICED_H

#include "la/lu/lu.h"

/* Panel k of x, whose columns several ranks share. */
typedef struct tw_sliced {
    twill_array *x, *ipiv;
    int64_t k, priority;
    bool alone; /* one worker of each rank */
} tw_sliced;

twill_status tw_sliced_insert(twill_graph *g, const tw_sliced *panel);

#endif
