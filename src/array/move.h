/* Tasks that move elements between a tile and memory, or between two tiles. */
#ifndef TW_ARRAY_MOVE_H
#define TW_ARRAY_MOVE_H

#include "array/future.h"
#include "data/strided.h"

/* One end of a move: bytes of a tile, whose distance between columns is known when the task runs,
 * or memory. */
typedef struct tw_move_end {
    char *memory;             /* NULL: a tile */
    int64_t row, col;         /* of the first element in the tile */
    int64_t cols[TWILL_DIMS]; /* from an element to the next, in columns; 0: in rows, one */
    int64_t step[TWILL_DIMS]; /* of memory, in bytes */
} tw_move_end;

typedef struct tw_move {
    tw_strided s; /* all but the places */
    tw_move_end to, from;
    int from_arg; /* of the task */
} tw_move;

/* Its task has the tiles as first arguments, and then the move as TWILL_VALUE. */
extern const twill_class tw_mover;

/* Memory for all of the view, without gaps. */
tw_reach_memory tw_memory_of(const twill_view *v, const void *memory);

/* Elements of a tile, and of such memory, from the first one of the section on. */
tw_move_end tw_move_tile(const twill_view *v, const tw_section *section);
tw_move_end tw_move_memory(const twill_view *v, const tw_section *section,
                           const tw_reach_memory *memory);
tw_strided tw_move_elements(const twill_view *v, const tw_section *section, tw_strided_what what);

/* The tile with this number, and what the view has of it. */
twill_tile *tw_move_find(const twill_view *v, int64_t number, tw_section *section);
bool tw_section_is_whole(const twill_view *v, const tw_section *section);

/* ---- copies ------------------------------------------------------------------------------ */

typedef enum tw_direction { TW_GET, TW_PUT, TW_ADD } tw_direction;

/* Begin to copy between the view and memory, as part of the future: tasks for tiles of this rank,
 * a reach for those of others. */
twill_status tw_copy_begin(twill_future *f, const twill_view *v, const tw_reach_memory *memory,
                           tw_direction direction);

#endif
