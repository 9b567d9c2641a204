/* The contribution of one tile to a norm. Contributions are kept apart and put together in a fixed
 * order, so that the result does not depend on who computed which. */
#ifndef TW_LA_NORM_TILE_H
#define TW_LA_NORM_TILE_H

#include "la/matrix/uplo.h"

/* A sum of squares in three parts, so that nothing overflows or vanishes: numbers that are too
 * large or too small to be squared are scaled first (J. Blue's way, as LAPACK's lassq). */
typedef struct tw_squares {
    double large, usual, small;
} tw_squares;

double tw_squares_root(tw_squares s);

/* What is computed of which matrix. */
typedef struct tw_norm {
    twill_norm_kind kind;
    twill_uplo uplo;
    bool mirrored;  /* elements off the diagonal stand for two: symmetric and Hermitian */
    bool real_only; /* on the diagonal: Hermitian */
    bool unit;      /* the diagonal is 1 */

    /* Results, one per tile, tile (i, j) at i + j*mt. */
    int64_t m, n, mb, nb, mt;
    double *largest;
    tw_squares *squares;
    /* Sums of columns within tiles: n numbers per row of tiles. And of rows: m numbers per column
     * of tiles. Of a mirrored matrix both make up the sum of a column. */
    double *columns, *rows;
} tw_norm;

/* The larger one; NaN if one is. */
static inline double tw_larger(double x, double y)
{
    return x > y || x != x ? x : y;
}

/* Add the contribution of a tile; i0 and j0 are its first row and column. */
void tw_norm_tile(const tw_norm *norm, twill_type type, const twill_flow *tile, int64_t i0,
                  int64_t j0);

/* Arguments of the task: the tile, a pointer to a tw_norm, the tile's first row and column. */
twill_outcome tw_norm_body(twill_task *t);

#endif
