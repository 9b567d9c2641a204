/* Tasks that were started late: ready, but others that mattered less were started first. */
#ifndef TW_TRACE_LATE_H
#define TW_TRACE_LATE_H

#include "trace/analysis/analysis.h"

typedef struct tw_late {
    double *delay;   /* ns by which a task was late for no good reason */
    int32_t *behind; /* the first task that was started in its place, or -1 */
    int32_t *cause;  /* in the chain that led to a task, itself included: the one that was latest,
                        or -1 */
} tw_late;

/* `bottom` as in analysis.h: what follows a task is what makes it matter. Workers of other ranks
 * cannot start it, so only tasks of the same rank are started in its place. */
bool tw_late_find(const twill_trace *t, const tw_by_rank *ranks, const double *bottom,
                  tw_late *late);
void tw_late_free(tw_late *late);

#endif
