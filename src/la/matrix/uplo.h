/* Triangles of matrices: which rows of a column, and which tiles, they have. Positions i0 and j0 of
 * a tile's first element are counted in the whole matrix; tiles need not be square. */
#ifndef TW_LA_MATRIX_UPLO_H
#define TW_LA_MATRIX_UPLO_H

#include "base/minmax.h"
#include "la/la.h"

typedef struct tw_span {
    int64_t first, end;
} tw_span;

/* Rows of a tile's column that uplo names; `j` is the column in the matrix. */
static inline tw_span tw_uplo_rows(twill_uplo uplo, int64_t i0, int64_t rows, int64_t j)
{
    tw_span span = {0, rows};
    if (uplo == TWILL_LOWER)
        span.first = tw_clamp(j - i0, 0, rows);
    else if (uplo == TWILL_UPPER)
        span.end = tw_clamp(j - i0 + 1, 0, rows);
    return span;
}

/* Some elements of a block are in the triangle; all of them are. */
static inline bool tw_uplo_meets(twill_uplo uplo, int64_t i0, int64_t rows, int64_t j0,
                                 int64_t cols)
{
    return uplo == TWILL_LOWER   ? i0 + rows - 1 >= j0
           : uplo == TWILL_UPPER ? i0 <= j0 + cols - 1
                                 : true;
}

static inline bool tw_uplo_covers(twill_uplo uplo, int64_t i0, int64_t rows, int64_t j0,
                                  int64_t cols)
{
    return uplo == TWILL_LOWER   ? i0 >= j0 + cols - 1
           : uplo == TWILL_UPPER ? i0 + rows - 1 <= j0
                                 : true;
}

/* `*uplo` becomes what the function works on: TWILL_GENERAL is all that the matrix stores. Refused
 * when that is no triangle, or one that the matrix does not store. `number` is that of the
 * argument. */
twill_status tw_uplo_resolve(const char *who, int number, const twill_array *a, twill_uplo *uplo);

/* The matrix is square; its tiles need not be. */
twill_status tw_la_check_order(const char *who, twill_array *a);

/* tw_la_check, and all elements are stored. */
twill_status tw_la_check_whole(const char *who, twill_array *a);

/* The matrices have no tile in common. */
twill_status tw_la_check_disjoint(const char *who, const twill_array *a, const twill_array *b);

/* A scalar for this matrix: real if the matrix is. */
twill_status tw_la_check_scalar(const char *who, int number, const twill_array *a, twill_scalar x);

/* Insert one task for each tile that has elements of the triangle (which is resolved). The body
 * finds the tile, `argument`, and the tile's first row and column. A tile that is overwritten only
 * partly is read and written. */
twill_status tw_uplo_each_tile(twill_graph *g, const twill_class *cls, twill_array *a,
                               twill_uplo uplo, twill_access access, twill_arg argument);

/* How a task that overwrites the elements of the triangle in a block accesses the tile with the
 * block.
 */
twill_arg_kind tw_uplo_overwrites(const twill_array *a, twill_uplo uplo, int64_t i0, int64_t rows,
                                  int64_t j0, int64_t cols);

/* What it becomes when the matrix is transposed. */
static inline twill_uplo tw_uplo_transposed(twill_uplo uplo)
{
    return uplo == TWILL_LOWER ? TWILL_UPPER : uplo == TWILL_UPPER ? TWILL_LOWER : uplo;
}

#endif
