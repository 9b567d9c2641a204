/* Several views that belong together element by element, cut into boxes that lie in one tile of
 * each. */
#ifndef TW_ARRAY_ZIP_H
#define TW_ARRAY_ZIP_H

#include "array/run.h"

#include <twill/algorithm.h>

/* Dimension d of what the views have in common is dimension dim[k][d] of the array of view k. */
typedef struct tw_zip {
    const char *who;
    int n, ndim;
    int fastest; /* dimension that runs fastest in the first view; of no dimensions 0 */
    twill_view view[TWILL_VIEWS]; /* of roots */
    twill_access mode[TWILL_VIEWS];
    int dim[TWILL_VIEWS][TWILL_DIMS];
    bool alone; /* it concerns this rank only */
} tw_zip;

/* Where elements are in a tile: element i of the box is at (row + col * ld), and further by i[d]
 * rows, or cols[d] columns if that is not 0. */
typedef struct tw_corner {
    int64_t row, col, cols[TWILL_DIMS];
} tw_corner;

/* A box of common elements, and where it is in a tile of each view. */
typedef struct tw_zip_box {
    int64_t at[TWILL_DIMS], extent[TWILL_DIMS];
    twill_tile *tile[TWILL_VIEWS];
    tw_corner corner[TWILL_VIEWS];
    bool whole[TWILL_VIEWS]; /* it is all of that tile */
} tw_zip_box;

/* Views of the same extents, whose dimensions follow in the order of `axes` of the last one, or in
 * the same order if that is NULL. A sentence says what is wrong with them. Views that are written
 * are apart from all others, unless they are the same. */
twill_status tw_zip_open(tw_zip *z, const char *who, int n, const twill_view *views,
                         const twill_access *modes, const int *axes);

/* Call `visit` for each box until it fails. */
typedef twill_status tw_zip_visit(const tw_zip *z, const tw_zip_box *box, void *arg);
twill_status tw_zip_boxes(const tw_zip *z, tw_zip_visit *visit, void *arg);

/* Call `body` for all lines of all boxes, in tasks, and wait for them. */
twill_status tw_zip_run(const tw_zip *z, twill_zip_body *body, void *arg);

/* The corner of a section of a tile of the view, of dimensions of the array in that order. */
tw_corner tw_corner_of(const twill_view *v, const tw_section *section, const int *dim, int ndim);

/* Bytes from an element of it to the next along dimension d, and from the first of the tile to it.
 */
static inline int64_t tw_corner_step(const tw_corner *c, int d, int64_t ld, size_t element)
{
    return (c->cols[d] ? c->cols[d] * ld : 1) * (int64_t)element;
}

static inline int64_t tw_corner_offset(const tw_corner *c, int64_t ld, size_t element)
{
    return (c->row + c->col * ld) * (int64_t)element;
}

/* The boxes of a zip, numbered in the order of visits: who owns each in the first view. */
typedef struct tw_zip_list {
    tw_array_owners owners;
    int64_t *rank;             /* those, to be freed */
    int64_t largest;           /* elements of a box, at most; or lines of them */
    int64_t apart[TWILL_DIMS]; /* of the numbers of neighbours along each dimension */
} tw_zip_list;

/* Of one view. Lines along a dimension count, or (-1) elements. TWILL_ERR_MEMORY. */
twill_status tw_zip_list_open(const tw_zip *z, int along, tw_zip_list *list);

/* Dimensions of the array that slices have left; how many. */
int tw_view_left(const twill_view *v, int *dims);

/* Have two views an element in common? */
bool tw_views_meet(const twill_view *v, const twill_view *w);

#endif
