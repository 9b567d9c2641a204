/* STF graphs: beginning, releasing, nesting. */
#include "front/stf/ranks.h"

#include "engine/hazard.h"
#include "engine/nest.h"

const tw_graph_ops tw_stf_ops = {
    .name = "stf",
    .release = tw_hazards_leave,
    .reads = tw_hazards_reads,
    .recycle = tw_task_put,
    .ended = tw_nest_ended,
    .flush = tw_reduce_flush,
};

twill_status twill_stf_begin(twill *tw, twill_graph **g)
{
    if (!tw || !g)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_stf_begin: an argument is NULL");
    if (tw->remote)
        return tw_stf_ranks_begin(tw, g);
    return tw_graph_make(tw, &tw_stf_ops, NULL, NULL, g);
}

twill_status tw_stf_begin_alone(twill *tw, twill_graph **g)
{
    return tw_graph_make_alone(tw, &tw_stf_ops, g);
}

twill_status twill_nest(twill_task *task, twill_graph **g)
{
    return tw_nest_begin(task, &tw_stf_ops, g);
}
