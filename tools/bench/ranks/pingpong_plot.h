/* Figure 6 of the DAGuE paper: latency and bandwidth over the size of messages. */
#ifndef PINGPONG_PLOT_H
#define PINGPONG_PLOT_H

#include <limits.h>
#include <stdbool.h>

enum { PINGPONG_SIZES = 32, PINGPONG_SYSTEMS = 2 };

/* Half a round of Twill and of MPI, by size. */
typedef struct pingpong_figure {
    const char *mpi; /* its name */
    int count;
    double bytes[PINGPONG_SIZES];
    double us[PINGPONG_SYSTEMS][PINGPONG_SIZES];
} pingpong_figure;

/* The two files, PREFIX-latency.svg and PREFIX-bandwidth.svg. */
enum { PINGPONG_LATENCY, PINGPONG_BANDWIDTH, PINGPONG_PLOTS };
void pingpong_plot_path(const char *prefix, int which, char path[PATH_MAX]);

/* Write one of them. False when that failed; errno says why. */
bool pingpong_plot(const pingpong_figure *f, int which, const char *path);

#endif
