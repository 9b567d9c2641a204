/* Marks for programs that twillc reads as loops over tiles (twillc --from-c): what a call of a
 * kernel does with a tile, where the types of its arguments do not say so. A pointer to const is
 * read, and any other is read and written. To other compilers the marks mean nothing. */
#ifndef TWILL_LOOPS_H
#define TWILL_LOOPS_H

#include <stdbool.h>
#include <twill/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The context in which functions run that twillc has made graphs of, in place; made with the first
 * of them. Defined where there is such a function: a program that has a context may set it before.
 */
extern twill *twill_loops_context;

/* The kernel reads the tile, overwrites all of it, or changes it. */
#ifdef __TWILLC__
#define INPUT(tile) ("input", (tile))
#define OUTPUT(tile) ("output", (tile))
#define INOUT(tile) ("inout", (tile))
#else
#define INPUT(tile) (tile)
#define OUTPUT(tile) (tile)
#define INOUT(tile) (tile)
#endif

/* ---- for twillc: functions that run on all ranks (--distribute) ---------------------------
 *
 * Every rank calls such a function, with the same numbers and with memory of its own for the tiles.
 * The owner's memory has what a tile is at first; in the end all ranks have what it became, but for
 * those whose pointer to it was NULL. Tile (i, j, ...) belongs to the rank at row i, column j,
 * modulo those of twill_ptg_grid_of; with one index, to rank i modulo their number.
 *
 * Threads: one at a time. */

/* The tiles of one array that a function touches. */
typedef struct twill_loops_tiles twill_loops_tiles;

/* A list of tiles of `bytes` bytes with `dims` indices; NULL: no memory. Freeing it frees its array
 * too; NULL is allowed. */
TWILL_API twill_loops_tiles *twill_loops_tiles_new(int dims, size_t bytes);
TWILL_API void twill_loops_tiles_free(twill_loops_tiles *tiles);

/* Where the tile with these indices is; each is added once. `written`: tasks change it. */
TWILL_API void twill_loops_tiles_add(twill_loops_tiles *tiles, const int64_t *index,
                                     const void *memory, bool written);

/* Is each tile of these `count` lists memory that no other one shares? If not, or if lists are not
 * complete, since there was no memory, no array can be made of them: the sequential program runs.
 */
TWILL_API bool twill_loops_tiles_apart(twill_loops_tiles *const *lists, int count);

/* Make the array that they are, over all ranks of the context; it belongs to the list. The owner
 * must have memory for all of its tiles: else TWILL_ERR_ARGUMENT. */
TWILL_API twill_status twill_loops_tiles_array(twill *tw, twill_loops_tiles *tiles,
                                               twill_array **a);

/* When the graph is over: bring what the owners have to the memory of all ranks. Collective. */
TWILL_API twill_status twill_loops_tiles_share(twill_loops_tiles *tiles);

#ifdef __cplusplus
}
#endif
#endif
