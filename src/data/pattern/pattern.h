/* Patterns, inside: dimensions one by one, and patterns made from others. */
#ifndef TW_DATA_PATTERN_PATTERN_H
#define TW_DATA_PATTERN_PATTERN_H

#include <stdbool.h>
#include <twill/pattern.h>

/* Dimensions from the one that runs fastest on: which one is number k, in elements, blocks or ranks
 * as `by` says. */
static inline int tw_pattern_dim(const twill_pattern *p, int64_t by, int k)
{
    return p->order & by ? p->ndim - 1 - k : k;
}

/* Elements along dimension d that a tile has room for: a full block, but an array smaller than its
 * block keeps only what it has. */
static inline int64_t tw_pattern_room(const twill_pattern *p, int d)
{
    int64_t extent = p->extent[d] > 1 ? p->extent[d] : 1;
    return p->block[d] < extent ? p->block[d] : extent;
}

/* An m by n matrix in mb by nb tiles, of which tile (i, j) has the owner that tile (i, j) of a
 * matrix with this pattern has, or would have. */
twill_pattern tw_pattern_like(const twill_pattern *p, int64_t m, int64_t n, int64_t mb, int64_t nb);

/* Are tiles of the same coordinates on the same ranks? */
bool tw_pattern_is_like(const twill_pattern *p, const twill_pattern *q);

/* That of a part of its blocks, from these on. */
twill_pattern tw_pattern_part(const twill_pattern *p, const int64_t *first, const int64_t *extent);

/* Along dimension d of a grid: does every rank of it own one block, and then the next its one? So
 * it is also if there is one rank along it. */
bool tw_pattern_is_cyclic(const twill_pattern *p, int d);

/* From block to block, the first dimension fastest; false after the last. */
bool tw_pattern_next(const twill_pattern *p, int64_t *block);

/* Along dimension d of a grid: which block is number `local` of those that coordinate r of the grid
 * owns, and how many of these come before block b. */
int64_t tw_pattern_block(const twill_pattern *p, int d, int64_t r, int64_t local);
int64_t tw_pattern_before(const twill_pattern *p, int d, int64_t r, int64_t b);

/* A tile is stored as a matrix: its rows are the dimension whose elements run fastest, its columns
 * all others without gaps. Rows of a full one; rows and columns of the one at these coordinates. */
static inline int64_t tw_pattern_tile_ld(const twill_pattern *p)
{
    return tw_pattern_room(p, tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0));
}

void tw_pattern_tile(const twill_pattern *p, const int64_t *block, int64_t *rows, int64_t *cols);

/* Blocks of a supertile. */
static inline int64_t tw_pattern_super(const twill_pattern *p, int d)
{
    return p->super[d] > 1 ? p->super[d] : 1;
}

/* Along dimension d of a grid: the coordinate that owns block b. */
int64_t tw_pattern_coordinate(const twill_pattern *p, int d, int64_t b);

/* The coordinates of a rank in the grid; false when it is outside. */
bool tw_pattern_coordinates(const twill_pattern *p, int64_t rank, int64_t *here);

/* The rank at coordinates of the grid. */
int64_t tw_pattern_rank(const twill_pattern *p, const int64_t *here);

/* From block to block in the order of blocks, which is that of numbers; false after the last. */
bool tw_pattern_next_number(const twill_pattern *p, int64_t *block);

/* Has it functions that number blocks? */
static inline bool tw_pattern_is_numbered(const twill_pattern *p)
{
    return !p->owner || (p->mapping && p->mapping->number);
}

#endif
