/* Running a graph to its end, for algorithms that several ranks may take part in. */
#ifndef TW_ARRAY_RUN_H
#define TW_ARRAY_RUN_H

#include "array/array.h"

/* Does an algorithm over this view need all ranks? Local views concern the rank that calls. */
static inline bool tw_view_is_shared(const twill_view *v)
{
    return v->array->shared->ranks > 1 && !v->local;
}

/* Fill a graph and wait for it: one that all ranks have, or (`alone`) this rank only. What `insert`
 * returns fails it, and the others learn of it. */
typedef twill_status tw_array_insert(twill_graph *g, void *arg);
twill_status tw_array_run(twill *tw, bool alone, tw_array_insert *insert, void *arg);

/* Memory that tasks of such a graph need, freed with it: n tiles of `bytes` bytes, the owners of
 * which are in a list that lives as long. */
typedef struct tw_array_owners {
    int64_t n;
    const int64_t *rank;
} tw_array_owners;
twill_status tw_array_scratch(twill_graph *g, const tw_array_owners *owners, int64_t bytes,
                              twill_array **a);

/* The same: one tile of a rank. */
twill_status tw_array_buffer(twill_graph *g, int64_t rank, int64_t bytes, twill_tile **tile);

/* All ranks give bytes, rank r sizes[r] of them (`each`, if that is NULL), and get those of all, in
 * the order of ranks, into `all`. A rank that has failed before says so with `status`: then it
 * fails on all. */
twill_status tw_array_gather(twill *tw, twill_status status, int64_t each, const int64_t *sizes,
                             const void *mine, void *all);

/* Does any rank say so? A rank that has failed before fails all. */
twill_status tw_array_any(twill *tw, twill_status status, bool *any);

#endif
