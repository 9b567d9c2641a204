/* What the files that merge traces share. */
#ifndef TW_TRACE_MERGE_H
#define TW_TRACE_MERGE_H

#include "trace/trace.h"

/* Where the things of one rank are in the whole. */
typedef struct tw_merge_part {
    const twill_trace *t;
    double shift; /* ns, from its times to those of the whole */
    int64_t row, point;
    int64_t *task;         /* new numbers of its tasks */
    uint16_t *cls, *graph; /* of its classes and graphs */
} tw_merge_part;

typedef struct tw_merge {
    tw_merge_part *parts;
    int n; /* parts that there are */
    twill_trace *whole;
    int64_t rows; /* of the whole */
} tw_merge;

twill_status tw_merge_no_memory(void);

/* merge_names.c: make the whole, with its texts, and number rows, classes and graphs. */
twill_status tw_merge_names(tw_merge *m);

/* merge_edges.c: who enabled whom, after all else. False: no memory. */
bool tw_merge_edges(const tw_merge *m);

#endif
