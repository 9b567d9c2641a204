/* Runs of graphs that are made once and run again and again. */
#ifndef TW_ENGINE_RERUN_H
#define TW_ENGINE_RERUN_H

#include "engine/use.h"

/* Begin to prepare a run. TWILL_ERR_STATE when one is under way; the failure of an earlier one that
 * nobody has waited for. On success, tw_graph_expect_end or tw_graph_give_up follows. */
twill_status tw_rerun_prepare(twill_graph *g);

/* All tasks of the run are done: leave the chains of its tiles, and let the graph run again. */
void tw_rerun_end(twill_graph *g, tw_use *use, tw_worker *w);

#endif
