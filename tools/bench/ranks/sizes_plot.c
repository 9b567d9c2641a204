/* Sizes and times are powers of each other's bases: both axes are logarithmic. */
#include "bench/ranks/sizes_plot.h"
#include "command/svg.h"

#include <math.h>
#include <stdio.h>

static const char *const ends[SIZES_PLOTS] = {"latency", "bandwidth"};

void sizes_plot_path(const char *prefix, int which, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s-%s.svg", prefix, ends[which]);
}

void sizes_plot_add(sizes_figure *f, int64_t bytes, const double *us)
{
    f->bytes[f->count] = (double)bytes;
    for (int s = 0; s < f->systems; s++)
        f->us[s][f->count] = us[s];
    f->count++;
}

/* Every third power of two, as people say it. */
static int put_ticks(const sizes_figure *f, double *ticks, char (*names)[16])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    int n = 0;
    for (double at = 8; at <= f->bytes[f->count - 1]; at *= 8) {
        int u = (int)(log2(at) / 10);
        if (at < f->bytes[0])
            continue;
        snprintf(names[n], sizeof names[n], "%g %s", at / exp2(10 * u), units[u]);
        ticks[n++] = at;
    }
    return n;
}

/* From a round number below all values to one above them. */
static void fit(svg_axis *axis, double (*values)[SIZES_MOST], int systems, int count)
{
    double least = INFINITY, most = 0;
    for (int s = 0; s < systems; s++)
        for (int i = 0; i < count; i++) {
            least = fmin(least, values[s][i]);
            most = fmax(most, values[s][i]);
        }
    axis->from = pow(10, floor(log10(least)));
    axis->to = pow(10, ceil(log10(most)));
}

bool sizes_plot(const sizes_figure *f, int which, const char *path)
{
    double values[SIZES_SYSTEMS][SIZES_MOST], ticks[SIZES_MOST];
    char names[SIZES_MOST][16];
    const char *name[SIZES_MOST];
    svg_series series[SIZES_SYSTEMS];
    for (int s = 0; s < f->systems; s++) {
        for (int i = 0; i < f->count; i++)
            values[s][i] = which == SIZES_LATENCY ? f->us[s][i] : 1e-3 * f->bytes[i] / f->us[s][i];
        series[s] =
            (svg_series){.name = f->name[s], .x = f->bytes, .y = values[s], .count = f->count};
    }
    svg_plot p = {.title = f->titles[which],
                  .x = {.label = f->sizes,
                        .from = f->bytes[0],
                        .to = f->bytes[f->count - 1],
                        .logarithmic = true,
                        .ticks = ticks,
                        .count = put_ticks(f, ticks, names),
                        .names = name},
                  .y = {.label = f->labels[which], .logarithmic = true},
                  .series = series,
                  .count = f->systems};
    for (int i = 0; i < p.x.count; i++)
        name[i] = names[i];
    fit(&p.y, values, f->systems, f->count);
    return svg_write(path, &p);
}
