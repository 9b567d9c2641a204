/* The STF front end: tasks inserted in program order. */
#ifndef TW_FRONT_STF_H
#define TW_FRONT_STF_H

#include "engine/args.h"

extern const tw_graph_ops tw_stf_ops;

/* Make a task of the arguments and enter the chains of its tiles. If nothing holds it back it is
 * added to `ready`. Inserts exactly what it is told: reductions are lowered before. */
twill_status tw_stf_link(tw_worker *w, twill_graph *g, const twill_class *cls,
                         const tw_shape *shape, const twill_arg *args, tw_ready *ready);

/* The insertion of a task that contributes to a reduction or touches a tile with an open one. */
twill_status tw_reduce_insert(tw_worker *w, twill_graph *g, const twill_class *cls,
                              const twill_arg *args, tw_ready *ready);

/* Partial results of a reduction, which contribution goes to which, and how they are combined: pair
 * after pair, then the first one into the tile. The bits of the result depend on this alone, on any
 * number of ranks. */
enum { TW_PARTIALS = 8 };
typedef struct tw_partials_pair {
    int into, from;
} tw_partials_pair;
extern const tw_partials_pair tw_pairs[TW_PARTIALS - 1];

/* The task that combines two, and its arguments. */
extern const twill_class tw_combiner;
typedef struct tw_combine_args {
    twill_arg arg[5];
} tw_combine_args;
tw_combine_args tw_combine_of(const twill_reduction *const *r, twill_tile *into, twill_tile *from);

/* Is it one? */
twill_status tw_reduction_check(const twill_reduction *r);

/* Combine the open reductions that tasks of this graph contributed to. */
bool tw_reduce_flush(twill_graph *g, tw_worker *w);

/* Is the window of the graph full? Asked once per insertion, it looks now and then. */
bool tw_stf_is_full(tw_worker *w, twill_graph *g);

/* A graph by insertion that this rank alone has: its tasks use tiles of this rank. */
twill_status tw_stf_begin_alone(twill *tw, twill_graph **g);

/* Queue ready tasks or, with an immediate scheduler, run them. */
void tw_stf_dispatch(tw_worker *w, tw_ready *ready);

#endif
