/* Plots of times and bandwidths over sizes, as in figure 6 of the DAGuE paper. */
#ifndef SIZES_PLOT_H
#define SIZES_PLOT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The two files, PREFIX-latency.svg and PREFIX-bandwidth.svg. */
enum { SIZES_LATENCY, SIZES_BANDWIDTH, SIZES_PLOTS };
enum { SIZES_MOST = 32, SIZES_SYSTEMS = 4 };

/* Microseconds of some systems, by size. */
typedef struct sizes_figure {
    const char *titles[SIZES_PLOTS], *labels[SIZES_PLOTS];
    const char *sizes; /* of what */
    int systems, count;
    const char *name[SIZES_SYSTEMS];
    double bytes[SIZES_MOST];
    double us[SIZES_SYSTEMS][SIZES_MOST];
} sizes_figure;

void sizes_plot_path(const char *prefix, int which, char path[PATH_MAX]);

/* One size more, with the microseconds of each system. */
void sizes_plot_add(sizes_figure *f, int64_t bytes, const double *us);

/* Write one of them. False when that failed; errno says why. */
bool sizes_plot(const sizes_figure *f, int which, const char *path);

#endif
