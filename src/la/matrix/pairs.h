/* Tiles of two matrices that have elements in common, whatever their sizes: for B = alpha op(A) +
 * beta B, or the same of parts of A and B. */
#ifndef TW_LA_MATRIX_PAIRS_H
#define TW_LA_MATRIX_PAIRS_H

#include "la/kernel/combine.h"

typedef struct tw_combination {
    const twill_class *cls; /* of a task on one tile of each */
    tw_sum s;
    twill_array *a, *b;
    int64_t in_a[2], in_b[2]; /* where the parts begin */
    int64_t size[2];          /* of the part of B */
} tw_combination;

/* Tile (i, j) of A and tile (k, l) of B, and the elements that they have in common. */
typedef struct tw_pair {
    int64_t i, j, k, l;
    tw_overlap overlap;
    bool whole; /* these are all of the tile of B */
} tw_pair;

/* Call `visit` with one pair after the other, those of a tile of B in a row, until it fails. */
typedef twill_status tw_pair_visit(const tw_pair *pair, void *arg);
twill_status tw_pairs_each(const tw_combination *c, tw_pair_visit *visit, void *arg);

/* Insert the task that computes what a pair has in common. */
twill_status tw_pair_insert(twill_graph *g, const tw_combination *c, const tw_pair *pair);

/* Insert all of them for a graph that several ranks share: what goes from one to another travels
 * packed (travel.c). */
twill_status tw_pairs_travel(twill_graph *g, const tw_combination *c);

#endif
