/* What the tiles of two matrices have in common, whatever their sizes: pieces of B = alpha op(A) +
 * beta B, or of the same for parts of A and B. */
#ifndef TW_LA_MATRIX_PIECES_H
#define TW_LA_MATRIX_PIECES_H

#include "la/kernel/combine.h"

typedef struct tw_combination {
    const twill_class *cls; /* of a task on one tile of each */
    tw_sum s;
    twill_array *a, *b;
    int64_t in_a[2], in_b[2]; /* where the parts begin */
    int64_t size[2];          /* of the part of B */
} tw_combination;

/* Tile (i, j) of A and tile (k, l) of B. */
typedef struct tw_piece {
    int64_t i, j, k, l;
    tw_overlap overlap;
    bool whole; /* it is all of the tile of B */
} tw_piece;

/* Call `visit` with one piece after the other, those of a tile of B in a row, until it fails. */
typedef twill_status tw_piece_visit(const tw_piece *piece, void *arg);
twill_status tw_pieces_each(const tw_combination *c, tw_piece_visit *visit, void *arg);

/* Insert the task that computes a piece. */
twill_status tw_piece_insert(twill_graph *g, const tw_combination *c, const tw_piece *piece);

/* Insert all of them for a graph that several ranks share: what goes from one to another travels
 * packed (travel.c). */
twill_status tw_pieces_travel(twill_graph *g, const tw_combination *c);

#endif
