/* The two studies of the critical path: a triangular solve and Cholesky, as models of graphs with
 * times of tasks that were measured here. */
#ifndef STUDY_H
#define STUDY_H

#include "command/command.h"

enum { STUDY_TILES = 64, STUDY_KERNELS = TWILL_KERNEL_POTRF + 1 };

/* Seconds of one kernel: as one call, as pieces, and as pieces by two workers. */
typedef struct study_times {
    double whole, cut, pair;
} study_times;

/* All kernels of a study, in tiles of order nb. */
typedef struct study_tile {
    int64_t nb;
    study_times kernel[STUDY_KERNELS];
    bool measured; /* speed-ups as measured, or those of the paper */
} study_tile;

typedef struct study {
    const char *table; /* the table of the paper, "table2" */
    const char *name;  /* of the operation */
    int most;          /* largest reserved set */
    int figure;        /* the first of its figures in the paper: 5 or 7 */
    int64_t order;     /* of the matrix there */
    int64_t sizes[8];  /* orders of the table, ending with 0 */
    const twill_kernel *kernels;
    int nkernels;
    /* Add the tasks of a matrix of order n. */
    twill_status (*build)(twill_model *model, const study_tile *t, int64_t n);
    int64_t columns; /* of kernels: right-hand sides; 0: nb */
} study;

extern const study study_trsm, study_potrf;

/* Measure the kernels of a study in tiles of order nb. */
twill_status study_measure(const study *s, twill *tw, int64_t nb, study_tile *t);

/* Set number `most + 1` is as large as the controller says, others have so many workers. */
static inline bool study_is_adaptive(const study *s, int set)
{
    return set > s->most;
}

static inline const char *study_mode(const study *s, int set)
{
    return study_is_adaptive(s, set) ? "adaptive" : set > 0 ? "fixed" : "regular";
}

/* The name of a kernel; its speed in GFLOP/s by one worker, s(b); and the efficiency of a team of
 * two, E(b, 2), NAN if that was not measured. */
const char *study_kernel(twill_kernel kernel);
double study_speed(const study *s, const study_tile *t, twill_kernel kernel);
double study_efficiency(const study_tile *t, twill_kernel kernel);

/* A virtual run of the graph on so many workers with one of these sets. */
twill_status study_run(const study *study, const study_tile *t, const twill_model *model,
                       int workers, int set, const char *sched, twill_simulated *result);

#endif
