/* What a trace says: computed once, when the trace is made or read. */
#ifndef TW_TRACE_ANALYSIS_H
#define TW_TRACE_ANALYSIS_H

#include "trace/trace.h"

enum { TW_MOST_CAUSES = 12, TW_DETAIL = 256, TW_ADVICE = 1024 };

typedef struct tw_ready_point {
    double time;
    int64_t count; /* ready tasks from then on */
} tw_ready_point;

/* A piece of a row's idle time, and the number of its cause. */
typedef struct tw_gap {
    double start, end;
    int row, cause;
} tw_gap;

typedef struct tw_analysis {
    twill_stats total;
    twill_worker_stats *workers;
    twill_class_stats *classes;
    int32_t *path; /* the longest path, from its first task to its last */
    int64_t npath;
    tw_ready_point *curve; /* tasks that are ready and have not begun */
    int64_t ncurve;
    tw_message *messages; /* whose ends are both known */
    int64_t nmessages;
    twill_rank_stats *ranks;
    twill_idle_cause cause[TW_MOST_CAUSES];
    char detail[TW_MOST_CAUSES][TW_DETAIL], advice[TW_MOST_CAUSES][TW_ADVICE];
    tw_gap *gaps; /* row by row as states are: what is explained by `cause` */
    int64_t ngaps;
    int ncauses;
} tw_analysis;

/* Compute t->analysis. */
twill_status tw_analyse(twill_trace *t);
void tw_analysis_free(tw_analysis *a);

/* ---- its parts ----------------------------------------------------------------------------- */

/* path.c: fills path, and the parts of `total` that are about paths. `bottom`, one entry per task:
 * the longest path from its beginning to the end of the run. */
bool tw_analyse_paths(const twill_trace *t, tw_analysis *a, double *bottom);

/* stats.c: workers, classes and the rest of `total`. */
bool tw_analyse_times(const twill_trace *t, tw_analysis *a);

/* ready.c: the curve. */
bool tw_analyse_ready(const twill_trace *t, tw_analysis *a);

/* The same from n times of being ready and n beginnings, both sorted; `curve` has room for 2 n.
 * Returns its length. */
int64_t tw_ready_curve(const double *ready, const double *start, int64_t n, tw_ready_point *curve);

/* ranks.c: messages, and what each rank did; after stats.c. */
bool tw_analyse_ranks(const twill_trace *t, tw_analysis *a);

/* Tasks by rank, and within one in the order of their beginnings: those of rank r from first[r] to
 * first[r + 1]. */
typedef struct tw_by_rank {
    int ranks;
    int64_t *first, *task;
} tw_by_rank;

bool tw_by_rank_open(const twill_trace *t, tw_by_rank *b);
void tw_by_rank_close(tw_by_rank *b);

/* idle.c: what idle time waited for. */
bool tw_analyse_idle(const twill_trace *t, tw_analysis *a, const double *bottom);

#endif
