/* What gels does otherwise on several ranks. */
#ifndef TW_LA_GELS_RANKS_H
#define TW_LA_GELS_RANKS_H

#include "la/la.h"

/* Rows of tile row i among the first `rows` of the matrix. */
int64_t tw_gels_rows(const twill_array *a, int64_t i, int64_t rows);

/* Insert a task of the class for each tile of A. Its arguments: the tile; a number that the rank of
 * the tile has, 0 at first; of the first `rows` rows, those in the tile. Then the largest of these
 * numbers and of `into` becomes `into`, NaN if one is. */
twill_status tw_gels_largest(twill_graph *g, const twill_class *cls, twill_array *a, int64_t rows,
                             twill_tile *into);

/* Insert what cancels the graph, with `first` as its info unless that is 0, but not before A is on
 * its ranks as the tasks so far leave it. */
twill_status tw_gels_tell(twill_graph *g, twill_array *a, twill_tile *first);

#endif
