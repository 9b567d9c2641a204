/* Patterns: which rank owns which elements of an array, and where. Pure index arithmetic.
 *
 * An array of 1 to 6 dimensions is cut into blocks, and blocks are dealt to ranks: element <->
 * (rank, block, offset). Patterns and places are values: nothing is shared, any thread may call
 * these functions. Numbers of elements and blocks of a pattern are below 2^63. */
#ifndef TWILL_PATTERN_H
#define TWILL_PATTERN_H

#include <twill/context.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TWILL_DIMS = 6 };

/* The rank of a block in a pattern that is no grid: the same for the same coordinates, from 0 on,
 * on every rank and at any time, since nobody else knows it. `arg` is the pattern's. It is asked
 * often, by any thread, and about blocks beyond the last ones as well: work space is placed alike.
 */
typedef int64_t twill_owner_of(const int64_t *block, void *arg);

/* What runs fastest: the first dimension (column-major), or with these the last one (row-major).
 * Linear algebra wants elements in column-major order, the others as you like. */
enum {
    TWILL_ROW_MAJOR_ELEMENTS = 1, /* in a block, and in the numbers of elements */
    TWILL_ROW_MAJOR_BLOCKS = 2,   /* in the numbers of blocks, so in a rank's memory as well */
    TWILL_ROW_MAJOR_RANKS = 4,    /* in the grid, as in MPI's and ScaLAPACK's default grids */
    TWILL_ROW_MAJOR = 7,
    /* The local numbers of a rank's elements are those of one array of all it owns, as in
     * ScaLAPACK; without it they go on from block to block. */
    TWILL_LOCAL_ARRAY = 8
};

/* Blocks of `block` elements dealt cyclically over a grid of ranks, dimension by dimension. Or
 * `cuts` give each rank blocks in a row, or a function of the program says whose they are. Fill it
 * with the functions below; `source`, `first`, `super`, `order` and `cuts`, which most of these
 * leave 0, may be set and all fields be read. Passed by value, so its layout is fixed for one
 * TWILL_ABI. */
typedef struct twill_pattern {
    int ndim;
    int64_t extent[TWILL_DIMS]; /* elements */
    int64_t block[TWILL_DIMS];  /* elements of a full block */
    int64_t grid[TWILL_DIMS];   /* ranks */
    int64_t source[TWILL_DIMS]; /* which coordinate of the grid owns the first block */
    int64_t first;              /* the rank at coordinates 0 of the grid; the others follow it */
    int64_t super[TWILL_DIMS];  /* blocks of a supertile: so many in a row have one owner; 0 is 1 */
    int64_t origin[TWILL_DIMS]; /* of a submatrix: blocks of its first supertile that come before
                                   it, or of the whole matrix for an owner function or cuts; else
                                   0 */
    twill_owner_of *owner;      /* instead of the grid, or NULL */
    void *arg;
    const struct twill_mapping *mapping; /* what else is known of the owner function, or NULL */
    /* Where not NULL: for each dimension grid[d] + 1 numbers of blocks, one dimension after the
     * other. Coordinate r of the grid owns blocks cuts[r] to cuts[r + 1] - 1, the last one also
     * those beyond. The first number is 0, and they do not descend. */
    const int64_t *cuts;
    int64_t order;       /* an or of TWILL_ROW_MAJOR_... and TWILL_LOCAL_ARRAY */
    int64_t reserved[1]; /* 0 */
} twill_pattern;

/* A pattern of the program's own: its owner function, and what else it knows. Functions that are
 * NULL are replaced by counting blocks, which takes as long as there are blocks. They get the whole
 * pattern, and `arg` in it; all ranks and threads get the same answers. */
typedef struct twill_mapping {
    size_t size; /* sizeof(twill_mapping) */
    const char *name;
    twill_owner_of *owner;
    /* Blocks of a rank; the number of a block among those of its owner, from 0 on without gaps; and
     * the block with that number. All three or none. */
    int64_t (*count)(const twill_pattern *pattern, int64_t rank);
    int64_t (*number)(const twill_pattern *pattern, const int64_t *block);
    void (*block)(const twill_pattern *pattern, int64_t rank, int64_t number, int64_t *block);
    /* An or of twill_property: it is believed. NULL: found out by looking at all blocks. */
    uint64_t (*properties)(const twill_pattern *pattern);
} twill_mapping;

/* Where an element is. Its layout is fixed for one TWILL_ABI. */
typedef struct twill_place {
    int64_t rank;              /* owner */
    int64_t block[TWILL_DIMS]; /* global block coordinates */
    int64_t local;             /* number of the block among its owner's blocks */
    int64_t offset;            /* elements from the start of the block, as an array stores it */
} twill_place;

/* An m by n matrix in mb by nb tiles on one rank. Sizes may be 0, tile sizes must be positive;
 * a pattern with bad sizes is refused where it is used. */
TWILL_API twill_pattern twill_tiled(int64_t m, int64_t n, int64_t mb, int64_t nb);

/* The same dealt block-cyclically over a p by q grid of ranks: by rows with q = 1, by columns with
 * p = 1. Set `super` to deal several tiles at a time. */
TWILL_API twill_pattern twill_block_cyclic(int64_t m, int64_t n, int64_t mb, int64_t nb, int64_t p,
                                           int64_t q);

/* The same on the ranks that a function says. What `arg` points to lives as long as arrays of this
 * pattern, and whatever was made to belong to them. */
TWILL_API twill_pattern twill_placed(int64_t m, int64_t n, int64_t mb, int64_t nb,
                                     twill_owner_of *owner, void *arg);

/* Any number of dimensions up to TWILL_DIMS; `grid` NULL means one rank. */
TWILL_API twill_pattern twill_pattern_nd(int ndim, const int64_t *extent, const int64_t *block,
                                         const int64_t *grid);

/* How one dimension is cut and dealt. */
typedef enum twill_dim_kind {
    TWILL_DIM_NONE,        /* it is not cut */
    TWILL_DIM_BLOCKED,     /* one block for each rank along it, as large as needed for that */
    TWILL_DIM_CYCLIC,      /* blocks of one element */
    TWILL_DIM_BLOCKCYCLIC, /* blocks of so many elements */
    TWILL_DIM_TILED        /* the same, and the elements of a block follow each other in memory */
} twill_dim_kind;

typedef struct twill_dim {
    twill_dim_kind kind;
    int64_t block;
} twill_dim;

static inline twill_dim twill_dim_of(twill_dim_kind kind, int64_t block)
{
    twill_dim dim;
    dim.kind = kind;
    dim.block = block;
    return dim;
}

#define TWILL_NONE twill_dim_of(TWILL_DIM_NONE, 0)
#define TWILL_BLOCKED twill_dim_of(TWILL_DIM_BLOCKED, 0)
#define TWILL_CYCLIC twill_dim_of(TWILL_DIM_CYCLIC, 1)
#define TWILL_BLOCKCYCLIC(b) twill_dim_of(TWILL_DIM_BLOCKCYCLIC, (b))
#define TWILL_TILED(b) twill_dim_of(TWILL_DIM_TILED, (b))

/* A pattern of such dimensions over a grid of ranks (NULL: one rank), in an order as in the struct.
 * If no dimension is TILED, local numbers are those of one array. TWILL_ERR_ARGUMENT names the bad
 * dimension: a NONE that the grid cuts, a block below 1. */
TWILL_API twill_status twill_pattern_make(int ndim, const int64_t *extent, const twill_dim *dim,
                                          const int64_t *grid, int64_t order, twill_pattern *p);

/* Shifted blocks: block (i, j, ...) is rank (i + j + ...) modulo `ranks`, so every row and every
 * column has blocks of all ranks. */
TWILL_API twill_pattern twill_pattern_shifted(int ndim, const int64_t *extent, const int64_t *block,
                                              int64_t ranks);

/* Blocks dealt as a table of the program says. */
TWILL_API twill_pattern twill_pattern_mapped(int ndim, const int64_t *extent, const int64_t *block,
                                             const twill_mapping *mapping, void *arg);

/* Cut `blocks` blocks into n pieces in proportion to weights, the n + 1 numbers of `cuts` for one
 * dimension: for ranks of different speed. Weights are not negative, and not all 0. */
TWILL_API twill_status twill_pattern_weigh(int64_t blocks, int64_t n, const double *weights,
                                           int64_t *cuts);

/* Deal `blocks` blocks in turns in proportion to n weights: `owner` of each, 0 to n-1. Any number
 * of the last ones are in proportion, too: for factorizations on executors of different speed,
 * where fewer and fewer block columns are left. */
TWILL_API twill_status twill_pattern_deal(int64_t blocks, int64_t n, const double *weights,
                                          int64_t *owner);

/* Weights have changed, and blocks before `from` are done with. As few others as possible change
 * their owner, and none if they would take no longer than 1 + tolerance times as long as they must.
 * `*moved`: how many. */
TWILL_API twill_status twill_pattern_deal_again(int64_t blocks, int64_t n, const double *weights,
                                                int64_t from, double tolerance, int64_t *owner,
                                                int64_t *moved);

/* TWILL_OK, or TWILL_ERR_ARGUMENT and a sentence naming the bad dimension. */
TWILL_API twill_status twill_pattern_check(const twill_pattern *pattern);

/* Blocks along dimension d, and of it those that rank coordinate r of the grid owns (0 with an
 * owner function: there is no grid). */
TWILL_API int64_t twill_pattern_blocks(const twill_pattern *pattern, int d);
TWILL_API int64_t twill_pattern_local_blocks(const twill_pattern *pattern, int d, int64_t r);

/* Elements along dimension d in block b: the last one may be smaller. */
TWILL_API int64_t twill_pattern_block_extent(const twill_pattern *pattern, int d, int64_t b);

/* Elements along dimension d that rank coordinate r of the grid owns. */
TWILL_API int64_t twill_pattern_local_extent(const twill_pattern *pattern, int d, int64_t r);

/* The rank that owns the block at these block coordinates. */
TWILL_API int64_t twill_pattern_owner(const twill_pattern *pattern, const int64_t *block);

/* Where an element is, and back: the element at `offset` of the local block of a rank. With an
 * owner function that no mapping explains blocks have to be counted, which takes as long as there
 * are blocks. */
TWILL_API twill_place twill_pattern_find(const twill_pattern *pattern, const int64_t *index);
TWILL_API void twill_pattern_element(const twill_pattern *pattern, const twill_place *place,
                                     int64_t *index);

/* ---- numbers instead of coordinates ------------------------------------------------------ */

/* Elements are numbered in the order of elements, blocks in the order of blocks, from 0 on, and
 * what a rank owns is numbered by itself. Each of these has its inverse beside it. */

/* Element at these coordinates <-> its number in the array. */
TWILL_API int64_t twill_pattern_index(const twill_pattern *pattern, const int64_t *index);
TWILL_API void twill_pattern_coords(const twill_pattern *pattern, int64_t number, int64_t *index);

/* Element at these coordinates <-> its owner, and its number among all that the owner has. */
TWILL_API int64_t twill_pattern_local(const twill_pattern *pattern, const int64_t *index,
                                      int64_t *rank);
TWILL_API void twill_pattern_global(const twill_pattern *pattern, int64_t rank, int64_t local,
                                    int64_t *index);

/* Block at these coordinates <-> its number in the array. */
TWILL_API int64_t twill_pattern_block_number(const twill_pattern *pattern, const int64_t *block);
TWILL_API void twill_pattern_block(const twill_pattern *pattern, int64_t number, int64_t *block);

/* Block at these coordinates <-> its number among its owner's: `local` of a place. */
TWILL_API int64_t twill_pattern_lblock_number(const twill_pattern *pattern, const int64_t *block);
TWILL_API void twill_pattern_lblock(const twill_pattern *pattern, int64_t rank, int64_t number,
                                    int64_t *block);

/* Blocks and elements of a rank; 0 for ranks that the pattern does not use. */
TWILL_API int64_t twill_pattern_rank_blocks(const twill_pattern *pattern, int64_t rank);
TWILL_API int64_t twill_pattern_rank_elements(const twill_pattern *pattern, int64_t rank);

/* One more than the highest rank that may own something. */
TWILL_API int64_t twill_pattern_ranks(const twill_pattern *pattern);

/* ---- properties: what algorithms ask for ------------------------------------------------- */

typedef enum twill_property {
    TWILL_BALANCED_BLOCKS = 1, /* every block has as many elements: no under-filled ones */
    TWILL_BALANCED_RANKS = 2,  /* every rank of the grid has as many blocks */
    TWILL_SINGLE_BLOCK = 4,    /* no rank has more than one */
    TWILL_SEPARABLE = 8,       /* dimension by dimension: a rank owns a set of indices in each, and
                                  the elements where these meet. It has a local view. */
    TWILL_CONTIGUOUS = 16,     /* the elements of a rank have numbers without gaps */
    TWILL_DIAGONAL = 32 /* in every line of blocks along a dimension, numbers of blocks of any
                           two ranks differ by one at most */
} twill_property;

/* An or of those that the pattern has. */
TWILL_API uint64_t twill_pattern_properties(const twill_pattern *pattern);

/* TWILL_OK when it has all of these; else TWILL_ERR_ARGUMENT and a sentence that names the first
 * one it lacks. */
TWILL_API twill_status twill_pattern_require(const twill_pattern *pattern, uint64_t properties);

#ifdef __cplusplus
}
#endif
#endif
