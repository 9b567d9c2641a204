/* The lines of a view in one tile. */
#ifndef TW_ARRAY_LINES_H
#define TW_ARRAY_LINES_H

#include "array/array.h"

#include <twill/algorithm.h>

/* Some lines: of this section, and where the tile begins in the array. */
typedef struct tw_lines {
    int ndim;
    int order; /* elements are in row-major order */
    int64_t origin[TWILL_DIMS];
    tw_section section;
    size_t element;
} tw_lines;

tw_lines tw_lines_of(const twill_view *v, const int64_t *block);

/* Call `visit` for each, with the bytes of the tile at `tile`. */
void tw_lines_visit(const tw_lines *lines, tw_host_bytes tile, twill_line_body *visit, void *arg);

/* Call `insert` for each tile of this rank that the view has elements of, in the order of their
 * numbers, until it fails; `n` counts them. Then wait: the whole is one graph. */
typedef struct tw_tiles {
    twill_graph *graph;
    const twill_view *view; /* of a root */
    twill_status status;
    int64_t n;
    twill_status (*insert)(struct tw_tiles *t, twill_tile *tile, const tw_lines *lines);
    void *arg;
} tw_tiles;

/* Does the section of the lines have all of its tile? */
bool tw_lines_are_all(const tw_lines *lines);

/* Tiles of this rank in the view. */
int64_t tw_tiles_count(const twill_view *v);

twill_status tw_tiles_run(const char *who, twill_view v,
                          twill_status (*insert)(tw_tiles *t, twill_tile *tile,
                                                 const tw_lines *lines),
                          void *arg);

#endif
