/* What the files about tiles of translated loops share. */
#ifndef TW_ARRAY_LOOPS_H
#define TW_ARRAY_LOOPS_H

#include <twill/loops.h>

/* A tile as it was added. */
typedef struct tw_loops_tile {
    int64_t index[TWILL_DIMS];
    char *memory;
    bool written;
} tw_loops_tile;

struct twill_loops_tiles {
    int dims;
    size_t bytes;
    tw_loops_tile *list;
    size_t count, room;
    bool failed;                /* some could not be added */
    int64_t extent[TWILL_DIMS]; /* of indices */
    tw_loops_tile **grid;       /* by index, the first one fastest; NULL: not touched */
    twill_array *array;
};

/* The coordinates of place k of the grid. */
void tw_loops_block(const twill_loops_tiles *tiles, int64_t k, int64_t *block);
/* Places of the grid. */
int64_t tw_loops_places(const twill_loops_tiles *tiles);

#endif
