/* Plots as SVG files: lines with marks over two axes, linear or logarithmic. */
#ifndef SVG_H
#define SVG_H

#include <stdbool.h>

/* One line of a plot; values that are not finite are left out. */
typedef struct svg_series {
    const char *name;
    const double *x, *y;
    int count;
    bool dashed;        /* a line without marks, to compare others with */
    const bool *hollow; /* points that are marked; NULL: none */
} svg_series;

/* An axis. Without `ticks` they are chosen; with them, `names` may hold what stands there instead
 * of the number, and `notes` a second line each. */
typedef struct svg_axis {
    const char *label;
    double from, to; /* what lies outside is cut off */
    bool logarithmic;
    const double *ticks;
    const char *const *notes;
    int count;
    const char *const *names;
} svg_axis;

typedef struct svg_plot {
    const char *title;
    svg_axis x, y;
    const svg_series *series;
    int count;
    double ideal;       /* a dashed line across at this y; 0: none */
    const char *hollow; /* what hollow points are; NULL: there are none */
} svg_plot;

/* Write the plot. False when the file could not be written; errno says why. */
bool svg_write(const char *path, const svg_plot *plot);

#endif
