/* The parts of a TikZ document. Lengths are in cm. */
#ifndef TW_TRACE_TIKZ_H
#define TW_TRACE_TIKZ_H

#include "trace/output/write.h"

typedef struct tw_tikz {
    FILE *out;
    const twill_trace *t;
    double width;  /* of the whole run, */
    double row;    /* from one row to the next, */
    double bar;    /* of a bar */
    double bottom; /* below what has been drawn so far: where the next part may begin */
} tw_tikz;

/* Where the bars of a row begin. */
static inline double tw_tikz_row(const tw_tikz *p, int64_t row)
{
    return p->row * (double)(p->t->nrows - 1 - row);
}

/* tikz_set.c: colours; what lies under the rows of the reserved set; its edge above them; and how
 * large it was and should have been over time. */
void tw_tikz_set_colours(const tw_tikz *p);
void tw_tikz_set_ground(const tw_tikz *p);
void tw_tikz_set_edge(const tw_tikz *p);
void tw_tikz_set_size(tw_tikz *p);

#endif
