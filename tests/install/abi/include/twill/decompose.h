/* Automatic decomposition: a grid of ranks and a pattern for an array, from where the ranks are,
 * the shape of the array, and what an algorithm asks for.
 *
 * All ranks that ask the same get the same. Threads: any. */
#ifndef TWILL_DECOMPOSE_H
#define TWILL_DECOMPOSE_H

#include <twill/group.h>
#include <twill/pattern.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an algorithm asks for; what is 0 is free. */
typedef struct twill_constraints {
    size_t size;         /* sizeof(twill_constraints) */
    uint64_t properties; /* an or of twill_property that the pattern must have */
    int64_t uncut;       /* a bit for each dimension that must not be cut */
    int64_t grid[TWILL_DIMS];
    int64_t block[TWILL_DIMS];
    int64_t order; /* of the pattern */
    int64_t bytes; /* of an element: 0 is 8 */
    twill_group
        *group; /* the ranks to arrange; NULL: all of the context. It outlives the pattern */
} twill_constraints;

/* Arrange the ranks of the context, or of a group, in a grid of `ndim` dimensions: all of them, or
 * as many as there is work for, so that the faces between the parts of an array of this shape are
 * small, and smaller still between hosts. `constraints` may be NULL. TWILL_ERR_ARGUMENT: a fixed
 * grid has more ranks than there are. */
TWILL_API twill_status twill_make_team_spec(twill *tw, int ndim, const int64_t *extent,
                                            const twill_constraints *constraints, int64_t *grid);

/* Make a pattern on such a grid: blocks that fit into the cache of a core, several for each worker
 * where there are enough elements, and which have the properties. TWILL_ERR_ARGUMENT says which
 * property no pattern of this shape has on this grid. */
TWILL_API twill_status twill_make_pattern(twill *tw, int ndim, const int64_t *extent,
                                          const twill_constraints *constraints,
                                          twill_pattern *pattern);

#ifdef __cplusplus
}
#endif
#endif
