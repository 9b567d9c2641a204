/* Futures: copies in the background, as tasks of this rank and requests to others. */
#ifndef TW_ARRAY_FUTURE_H
#define TW_ARRAY_FUTURE_H

#include "array/array.h"
#include "engine/reach/reach.h"

struct twill_future {
    twill *tw;
    twill_graph *graph; /* NULL: no tasks so far */
    tw_reach reach;
};

/* NULL: no memory. */
twill_future *tw_future_open(twill *tw);

/* The graph of its tasks, made at its first use. */
twill_status tw_future_graph(twill_future *f, twill_graph **graph);

/* All has been begun, or as much as could be: then that is over before the failure is told. The
 * future is the program's now, or without `out` waited for. */
twill_status tw_future_begun(twill_future *f, twill_status status, twill_future **out);

#endif
