/* From the arguments of an insertion to the slots of a task. */
#ifndef TW_ENGINE_ARGS_H
#define TW_ENGINE_ARGS_H

#include "engine/engine.h"

/* What one pass over the arguments finds out. */
typedef struct tw_shape {
    uint32_t slots;
    uint8_t flags;      /* of the task: TW_TASK_COMMUTES, TW_TASK_SCRATCH */
    bool reduces;       /* a REDUCE argument, or a tile with an open reduction */
    bool several;       /* tiles of more than one array */
    twill_array *array; /* of the first tile */
    size_t lines;       /* size of the task */
} tw_shape;

/* Check the arguments for a graph and measure them. TWILL_ERR_ARGUMENT names the bad one. */
twill_status tw_args_measure(const twill_graph *g, const twill_arg *args, tw_shape *shape);

/* Set up a task of that shape: everything but `lines`. `wait` is then the number of
 * chains to enter; a tile named twice is entered once, in the stronger of the two ways. */
void tw_args_fill(twill_task *t, twill_graph *g, const twill_class *cls, const tw_shape *shape,
                  const twill_arg *args);

#endif
