/* What algorithms as explicit graphs share. */
#include "la/path/path.h"

twill_status tw_path_begin(const char *who, const twill_array *a, twill_graph **graph)
{
    twill *tw = twill_array_context(a);
    if (twill_ranks(tw) > 1)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s: explicit graphs are for one rank; insert it, or use its parameterised "
                       "graph",
                       who);
    return twill_dag_begin(tw, graph);
}

twill_status tw_path_end(twill_status status, twill_graph *made, twill_graph **graph)
{
    if (status == TWILL_OK)
        *graph = made;
    else
        twill_graph_free(made);
    return status;
}
