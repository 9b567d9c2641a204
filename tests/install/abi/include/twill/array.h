/* Arrays: N-dimensional distributed arrays, their tiles, and host access.
 *
 * Threads: any thread may call these functions, on the same array too, unless they say otherwise;
 * but an array is freed once, by a thread that knows that no other still uses it. Views are values:
 * nothing is shared. */
#ifndef TWILL_ARRAY_H
#define TWILL_ARRAY_H

#include <twill/context.h>
#include <twill/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How data is used: by a task, or by the program between twill_map and twill_unmap. */
typedef enum twill_access {
    TWILL_READ = 1,
    TWILL_WRITE = 2, /* every element is overwritten; the old content need not be valid */
    TWILL_READ_WRITE = 3
} twill_access;

/* The element types that linear algebra accepts. Any other element is TWILL_BYTES with a size. */
typedef enum twill_type {
    TWILL_BYTES,
    TWILL_FLOAT32,
    TWILL_FLOAT64,
    TWILL_COMPLEX64,
    TWILL_COMPLEX128
} twill_type;

/* Bytes of an element: 4, 8, 8, 16; 0 for TWILL_BYTES. */
TWILL_API size_t twill_type_size(twill_type type);

/* ---- arrays ------------------------------------------------------------------------------ */

typedef struct twill_array twill_array;
typedef struct twill_tile twill_tile;

/* Create an array; its elements are zero. Element size: `bytes`, or 0 to take it from `type`. A
 * rank has memory for the tiles it owns. In a tile the first dimension is contiguous, the next one
 * has the stride ld, the rows of a full tile (of the array, if that has fewer), and further
 * dimensions follow without gaps: a tile of any dimensions is `rows` by `cols` elements with that
 * ld. With elements in row-major order the last dimension is the contiguous one, and so on.
 * TWILL_ERR_MEMORY says how much was wanted and how much there is. Any thread. */
TWILL_API twill_status twill_array_create(twill *tw, const twill_pattern *pattern, twill_type type,
                                          size_t bytes, twill_array **a);

/* Use the program's own memory without copying: element (i, j) of a matrix is at
 * data + (i + j*ld) * size. With several ranks, each wraps its own memory, and i and j count the
 * rows and columns of its own blocks, as in ScaLAPACK; a rank that owns nothing may give NULL;
 * patterns with an owner function are refused. Of more dimensions, the second and further ones
 * follow without gaps, and a rank owns one block only along those between the first and the last.
 * With elements in row-major order it is the last dimension that is contiguous. The memory stays
 * the program's and must outlive the array; between graphs, touch it inside twill_map/twill_unmap.
 */
TWILL_API twill_status twill_array_wrap(twill *tw, const twill_pattern *pattern, twill_type type,
                                        size_t bytes, void *data, int64_t ld, twill_array **a);

/* A collection of the program's own: its tiles are anywhere in its memory, on the ranks and near
 * the workers that its functions say. They get the block coordinates of a tile and `arg`, and
 * answer the same at any time; all but data_of are asked by any thread. */
typedef struct twill_collection {
    size_t size;             /* sizeof(twill_collection) */
    twill_owner_of *rank_of; /* alike on every rank; NULL: as the pattern says */
    /* The first element of a tile of this rank, column-major; *ld, the rows of a full tile at
     * first, may be changed. Asked once per tile, when the array is made. */
    void *(*data_of)(const int64_t *block, int64_t *ld, void *arg);
    /* The worker that tasks placed by the tile prefer, modulo their number; -1: any. Others take
     * them before they idle. NULL: any. */
    int64_t (*worker_of)(const int64_t *block, void *arg);
    void *arg;
} twill_collection;

/* Make an array of a collection. The memory stays the program's, as with twill_array_wrap; `arg`
 * lives as long as the array. TWILL_ERR_ARGUMENT: data_of is missing, or has no memory for a tile
 * or an `ld` below its rows. */
TWILL_API twill_status twill_array_collection(twill *tw, const twill_pattern *pattern,
                                              twill_type type, size_t bytes,
                                              const twill_collection *collection, twill_array **a);

/* Wait for everything that uses the array, then free it. NULL is allowed. Inside a task it does
 * nothing: twill_stop frees what is left. The elements of a matrix with submatrices
 * (twill_matrix_sub) live until it and all submatrices are freed. It needs no memory. */
TWILL_API void twill_array_free(twill_array *a);

/* What it was created with. */
TWILL_API const twill_pattern *twill_array_pattern(const twill_array *a);
TWILL_API twill_type twill_array_type(const twill_array *a);
TWILL_API size_t twill_array_element(const twill_array *a);
TWILL_API twill *twill_array_context(const twill_array *a);

/* Tile (i, j) of a 1- or 2-d array, and the tile at block coordinates of any array; NULL when
 * there is no such tile, or the matrix does not store it. It lives as long as the array. Any
 * thread. */
TWILL_API twill_tile *twill_tile_at(twill_array *a, int64_t i, int64_t j);
TWILL_API twill_tile *twill_tile_nd(twill_array *a, const int64_t *block);

/* The rank that owns tile (i, j) of a 1- or 2-d array, and the tile at block coordinates of any
 * array; -1 when there is no such tile. Any thread. */
TWILL_API int64_t twill_owner_at(const twill_array *a, int64_t i, int64_t j);
TWILL_API int64_t twill_owner_nd(const twill_array *a, const int64_t *block);

/* The worker that tasks placed by the tile at block coordinates prefer; -1: any. Any thread. */
TWILL_API int64_t twill_worker_nd(const twill_array *a, const int64_t *block);

/* Part of an array, made by the functions of twill/view.h and passed by value, so its layout is
 * fixed for one TWILL_ABI. */
typedef struct twill_view {
    twill_array *array;
    int64_t start[TWILL_DIMS];
    int64_t extent[TWILL_DIMS];
    int64_t sliced; /* a bit for each dimension that a slice has taken away */
    int64_t local;  /* 0, or one more than the rank whose elements `start` counts, and no others */
    int64_t reserved[2]; /* 0 */
} twill_view;

/* ---- host access ------------------------------------------------------------------------- */

/* Give the program the elements of a view as memory in the order of the array's elements: in
 * column-major order element (i, j, k, ...) is at data + (i + ld * (j + n * (k + ...))), with n the
 * extent of the view along j, and so on; slices leave dimensions of one element. Wait for earlier
 * tasks that conflict with `mode`, and hold back later ones until twill_unmap. The pointer goes to
 * the array's own bytes when they have that layout (in one tile, or wrapped memory), else to a copy
 * that twill_unmap writes back; there, tiles that a matrix does not store are zero and stay so.
 * Not inside tasks. TWILL_ERR_CANCELED: the data comes from a graph
 * that failed and whose failure nobody has waited for yet. TWILL_ERR_UNSUPPORTED: some of it
 * belongs to other ranks. */
TWILL_API twill_status twill_map(twill_view v, twill_access mode, void **data, int64_t *ld);

/* End it. `data` is what twill_map gave for `v`. */
TWILL_API twill_status twill_unmap(twill_view v, void *data);

/* Wait until all tasks inserted so far that write this tile are done (and those that read it,
 * with TWILL_READ_WRITE or TWILL_WRITE). Not inside tasks. */
TWILL_API twill_status twill_wait_tile(twill_tile *tile, twill_access mode);

#ifdef __cplusplus
}
#endif

#include <twill/view.h>

#endif
