/* The figures of the paper, for this machine. */
#ifndef FIGURES_H
#define FIGURES_H

#include "bench/critical/study.h"

enum { FIGURE_SETS = 7 };

/* Virtual runs of one order on some workers: run[q][i] is of tile size i with set q
 * of the study. */
typedef struct figure_runs {
    const study *study;
    const study_tile *tiles;
    int ntiles, workers;
    int64_t n;
    twill_simulated run[FIGURE_SETS][STUDY_TILES];
} figure_runs;

/* Write the files into the folder. Each returns the exit status, after a complaint. */
int figures_speed(const char *folder, const study *s, const study_tile *tiles, int ntiles);
int figures_efficiency(const char *folder, const study *s, const study_tile *tiles, int ntiles);
int figures_bounds(const char *folder, const study_tile *tiles, int ntiles);
int figures_runs(const char *folder, const figure_runs *f);

#endif
