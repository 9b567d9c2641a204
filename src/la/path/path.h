/* Algorithms as explicit graphs whose critical path a team can run.
 *
 * Tasks on the path use the kernels of teams also when one worker runs them, and all others use
 * those of one worker: so bits depend on the graph alone, not on mode or team. Which tasks are on
 * the path is known here by formula; graphs find the same by themselves. */
#ifndef TW_LA_PATH_H
#define TW_LA_PATH_H

#include "la/la.h"

/* Explicit graphs are for one rank. */
twill_status tw_path_begin(const char *who, const twill_array *a, twill_graph **graph);

/* Keep the graph if all went well, and free it otherwise. */
twill_status tw_path_end(twill_status status, twill_graph *made, twill_graph **graph);

#endif
