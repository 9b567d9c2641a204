/* Parts of matrices: which rows of a column, and which tiles, they have. Positions i0 and j0 of a
 * tile's first element are counted in the whole matrix; tiles need not be square. */
#ifndef TW_LA_PART_H
#define TW_LA_PART_H

#include "la/la.h"

typedef struct tw_span {
    int64_t first, end;
} tw_span;

static inline int64_t tw_clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Rows of a tile's column that are in the part; `j` is the column in the matrix. */
static inline tw_span tw_part_rows(twill_uplo part, int64_t i0, int64_t rows, int64_t j)
{
    tw_span span = {0, rows};
    if (part == TWILL_LOWER)
        span.first = tw_clamp(j - i0, 0, rows);
    else if (part == TWILL_UPPER)
        span.end = tw_clamp(j - i0 + 1, 0, rows);
    return span;
}

/* Some elements of a block are in the part; all of them are. */
static inline bool tw_part_meets(twill_uplo part, int64_t i0, int64_t rows, int64_t j0,
                                 int64_t cols)
{
    return part == TWILL_LOWER   ? i0 + rows - 1 >= j0
           : part == TWILL_UPPER ? i0 <= j0 + cols - 1
                                 : true;
}

static inline bool tw_part_covers(twill_uplo part, int64_t i0, int64_t rows, int64_t j0,
                                  int64_t cols)
{
    return part == TWILL_LOWER   ? i0 >= j0 + cols - 1
           : part == TWILL_UPPER ? i0 + rows - 1 <= j0
                                 : true;
}

/* `*part` becomes what the function works on: TWILL_GENERAL is all that the matrix stores. Refused
 * when that is no part, or one that the matrix does not store. `number` is that of the argument. */
twill_status tw_part_resolve(const char *who, int number, const twill_array *a, twill_uplo *part);

/* The matrix is square; its tiles need not be. */
twill_status tw_part_check_order(const char *who, twill_array *a);

/* tw_la_check, and all elements are stored. */
twill_status tw_part_check_whole(const char *who, twill_array *a);

/* The matrices have no tile in common. */
twill_status tw_part_check_apart(const char *who, const twill_array *a, const twill_array *b);

/* A scalar for this matrix: real if the matrix is. */
twill_status tw_part_check_scalar(const char *who, int number, const twill_array *a,
                                  twill_scalar x);

/* Insert one task for each tile that has elements of the part (which is resolved). The body finds
 * the tile, `argument`, and the tile's first row and column. A tile that is overwritten only in
 * part is read and written. */
twill_status tw_part_each_tile(twill_graph *g, const twill_class *cls, twill_array *a,
                               twill_uplo part, twill_access access, twill_arg argument);

/* How a task that overwrites the elements of the part in a block accesses the tile with the block.
 */
twill_arg_kind tw_part_overwrites(const twill_array *a, twill_uplo part, int64_t i0, int64_t rows,
                                  int64_t j0, int64_t cols);

/* The part that it becomes when the matrix is transposed. */
static inline twill_uplo tw_part_transposed(twill_uplo part)
{
    return part == TWILL_LOWER ? TWILL_UPPER : part == TWILL_UPPER ? TWILL_LOWER : part;
}

#endif
