/* Interchanges of one step in a tile column that several ranks share.
 *
 * What they add up to is this: rows of the step's uppermost tile go to other rows of that tile or
 * below it, and rows from below come into it; none goes from below to below. So a rank with tiles
 * below sends the rows that are chosen to the owner of the uppermost tile, which sends it as many
 * in exchange, at the same time: one message each way. */
#ifndef TW_LA_EXCHANGE_H
#define TW_LA_EXCHANGE_H

#include "la/lu/lu.h"

/* Step k of tile column j of x. */
typedef struct tw_exchange {
    twill_array *x, *ipiv;
    int64_t k, j, priority;
} tw_exchange;

/* Are there such columns? */
bool tw_exchange_is_needed(const twill_graph *g, const twill_array *x);

twill_status tw_exchange_insert(twill_graph *g, const tw_exchange *e);

/* Tiles of a column must be dealt to the ranks one by one, or not at all. Of other patterns
 * *regular is a copy that is, freed with the graph; the end copies it back. Else it is x itself. */
twill_status tw_exchange_begin(twill_graph *g, twill_array *x, twill_array **regular);
twill_status tw_exchange_end(twill_graph *g, twill_array *x, twill_array *regular);

#endif
