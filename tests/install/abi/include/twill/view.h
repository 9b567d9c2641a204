/* Views: small values that name part of an array, a box of elements.
 *
 * A view is made from another one, and that one from an array: parts of parts, in any order. It has
 * a start and an extent in each dimension, and these functions only compute them. What leaves the
 * view it is taken from is refused where it is used: twill_view_check says why. Dimensions that a
 * slice has taken away do not count any more: d is a number among those that are left.
 *
 * Threads: any thread; nothing is shared. */
#ifndef TWILL_VIEW_H
#define TWILL_VIEW_H

#include <twill/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The whole array; the elements of tile (i, j) of a 1- or 2-d array, and of the tile at block
 * coordinates of any; those of block number n of this rank's, in any pattern. */
TWILL_API twill_view twill_view_all(twill_array *a);
TWILL_API twill_view twill_view_tile(twill_array *a, int64_t i, int64_t j);
TWILL_API twill_view twill_view_tile_nd(twill_array *a, const int64_t *block);
TWILL_API twill_view twill_view_lblock(twill_array *a, int64_t n);

/* The element at these coordinates of the array. */
TWILL_API twill_view twill_view_element(twill_array *a, const int64_t *index);

/* Elements begin to end-1 along dimension d; and the slice at one index, which has one dimension
 * less: row i is the slice of dimension 0, column j that of dimension 1. */
TWILL_API twill_view twill_view_range(twill_view v, int d, int64_t begin, int64_t end);
TWILL_API twill_view twill_view_slice(twill_view v, int d, int64_t index);
TWILL_API twill_view twill_view_row(twill_view v, int64_t i);
TWILL_API twill_view twill_view_col(twill_view v, int64_t j);

/* rows x cols elements from (i, j) on, in the first two dimensions. */
TWILL_API twill_view twill_view_sub(twill_view v, int64_t i, int64_t j, int64_t rows, int64_t cols);

/* A block of the view, by its coordinates among those that the view has elements of, or by its
 * number in the order of blocks: as much of it as the view has. */
TWILL_API twill_view twill_view_block(twill_view v, const int64_t *block);
TWILL_API twill_view twill_view_block_nth(twill_view v, int64_t number);

/* The elements of the view that this rank owns, as one array: its own rows, columns, ... without
 * those of others between them. Starts, ranges and blocks of it count these only. The pattern must
 * be a grid; where an owner function says whose blocks are there is twill_view_lblock. */
TWILL_API twill_view twill_view_local(twill_view v);

/* The same elements in the array again. What it is taken from must lie in one block: several are
 * not a box there. */
TWILL_API twill_view twill_view_global(twill_view v);

/* As large a view, `by` elements further along dimension d, or before it. */
TWILL_API twill_view twill_view_shift(twill_view v, int d, int64_t by);

/* ---- questions --------------------------------------------------------------------------- */

/* Dimensions that are left; elements along one of them; of all of them, into extent; and
 * altogether. */
TWILL_API int twill_view_ndim(twill_view v);
TWILL_API int64_t twill_view_extent(twill_view v, int d);
TWILL_API void twill_view_shape(twill_view v, int64_t *extent);
TWILL_API int64_t twill_view_size(twill_view v);

/* Blocks along dimension d that it has elements of, and altogether. */
TWILL_API int64_t twill_view_blocks(twill_view v, int d);
TWILL_API int64_t twill_view_all_blocks(twill_view v);

/* The coordinates in the array of the element at these coordinates of the view. */
TWILL_API void twill_view_index(twill_view v, const int64_t *at, int64_t *index);

/* TWILL_OK, or a sentence saying how the view leaves its array, or what it cannot be. */
TWILL_API twill_status twill_view_check(twill_view v);

#ifdef __cplusplus
}
#endif
#endif
