/* Interchanges of one step in a tile column that several ranks share.
 *
 * What they add up to is this: rows of the step's uppermost tile go to other rows of that tile or
 * below it, and rows from below come into it; none goes from below to below. So a rank with tiles
 * below packs the rows that it gives into a tile of its own, which travels to the owner of the
 * uppermost tile, and takes the rows that it gets from a copy of that tile as it was before. */
#ifndef TW_LA_EXCHANGE_H
#define TW_LA_EXCHANGE_H

#include "la/lu/lu.h"

/* Step k of tile column j of x. */
typedef struct tw_exchange {
    twill_array *x, *ipiv, *work;
    int64_t k, j, priority;
} tw_exchange;

/* Room for the rows that travel, which lives as long as the graph. *work is NULL when each column
 * of x is on one rank. */
twill_status tw_exchange_work(twill_graph *g, twill_array *x, twill_array **work);

twill_status tw_exchange_insert(twill_graph *g, const tw_exchange *e);

/* Tiles of a column must be dealt to the ranks one by one, or not at all. Of other patterns
 * *regular is a copy that is, freed with the graph; the end copies it back. Else it is x itself. */
twill_status tw_exchange_begin(twill_graph *g, twill_array *x, twill_array **regular);
twill_status tw_exchange_end(twill_graph *g, twill_array *x, twill_array *regular);

#endif
