/* Copies between two boxes of memory, each with distances of its own between elements. */
#ifndef TW_DATA_STRIDED_H
#define TW_DATA_STRIDED_H

#include <stdbool.h>
#include <twill/array.h>

typedef enum tw_strided_what { TW_STRIDED_COPY, TW_STRIDED_ADD } tw_strided_what;

/* Distances in bytes. */
typedef struct tw_strided {
    int ndim;
    int64_t extent[TWILL_DIMS];
    int64_t to_step[TWILL_DIMS], from_step[TWILL_DIMS];
    char *to;
    const char *from;
    size_t element;
    twill_type type; /* to add */
    tw_strided_what what;
} tw_strided;

/* Dimensions that follow each other without gaps on both sides become one. */
void tw_strided_run(tw_strided s);

/* Do the elements follow each other without gaps, and in the same order, on both sides? */
bool tw_strided_is_line(tw_strided s);

#endif
