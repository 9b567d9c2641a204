/* Nested graphs: what front ends need to offer them. */
#ifndef TW_ENGINE_NEST_H
#define TW_ENGINE_NEST_H

#include "engine/engine.h"

/* Open a graph of a front end inside the body of a task, which may have one. */
twill_status tw_nest_begin(twill_task *task, const tw_graph_ops *ops, twill_graph **g);

/* The `ended` of graphs with a parent. */
twill_graph *tw_nest_ended(twill_graph *g, tw_worker *w);

/* The body has returned something else than twill_nest_end: a failure, and the end of the nested
 * graph completes the task all the same. */
void tw_nest_abandoned(tw_worker *w, twill_task *t);

/* TWILL_ERR_STATE when a task inserted into this graph would wait for a task around it. */
twill_status tw_nest_check(const twill_graph *g, const twill_tile *tile, twill_arg_kind kind);

#endif
