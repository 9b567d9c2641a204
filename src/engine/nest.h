/* Nested graphs: what front ends need to offer them. */
#ifndef TW_ENGINE_NEST_H
#define TW_ENGINE_NEST_H

#include "engine/engine.h"

/* The `ended` of graphs with a parent. */
void tw_nest_ended(twill_graph *g, tw_worker *w);

/* TWILL_ERR_STATE when a task inserted into this graph would wait for a task around it. */
twill_status tw_nest_check(const twill_graph *g, const twill_tile *tile, twill_arg_kind kind);

#endif
