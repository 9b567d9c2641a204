/* LU factorization of a tile column by one worker or a team: P A = L U. */
#ifndef TW_LA_PANEL_H
#define TW_LA_PANEL_H

#include "la/blas/blas.h"
#include "la/kernel/leaf.h"
#include "la/lu/swap.h"

#include <twill/task.h>

/* The column: tiles of nb rows, the last one may have fewer. */
typedef struct tw_panel {
    const tw_kernels *kernels;
    const tw_leaf *leaf;
    const twill_flow *tiles;
    int64_t rows, cols, nb; /* of all tiles together; of a tile that is not the last */
    int64_t offset;         /* row of the matrix that the first one here is */
    int64_t *pivots;        /* min(rows, cols) of them: rows of the matrix counted from 1 */
    double *best;           /* of each piece the largest element, shared by the team */
    bool search;            /* false: take the diagonal as it comes */

    /* Found out from it, by tw_panel_factor: */
    int64_t piece, per_tile, pieces; /* rows of a piece; pieces of a tile and of the panel */
} tw_panel;

/* Pieces that a column of so many rows is cut into. */
int64_t tw_panel_pieces(int64_t rows, int64_t nb);

/* Factor it. All members of a team call this with the same panel; without a team it is NULL. The
 * bits do not depend on the size of the team. */
void tw_panel_factor(const tw_panel *p, twill_team *team);

/* X := L^-1 X, L being of order n with a unit diagonal. */
void tw_panel_solve(const tw_kernels *k, const tw_leaf *leaf, int64_t n, int64_t cols,
                    const void *l, int64_t ldl, void *x, int64_t ldx);

#endif
