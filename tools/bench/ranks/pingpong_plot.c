/* Sizes and times are powers of each other's bases: both axes are logarithmic. */
#include "bench/ranks/pingpong_plot.h"
#include "command/svg.h"

#include <math.h>
#include <stdio.h>

static const char *const ends[PINGPONG_PLOTS] = {"latency", "bandwidth"};

void pingpong_plot_path(const char *prefix, int which, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s-%s.svg", prefix, ends[which]);
}

/* Every third power of two, as people say it. */
static int put_ticks(const pingpong_figure *f, double *ticks, char (*names)[16])
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
static void fit(svg_axis *axis, double (*values)[PINGPONG_SIZES], int count)
{
    double least = INFINITY, most = 0;
    for (int s = 0; s < PINGPONG_SYSTEMS; s++)
        for (int i = 0; i < count; i++) {
            least = fmin(least, values[s][i]);
            most = fmax(most, values[s][i]);
        }
    axis->from = pow(10, floor(log10(least)));
    axis->to = pow(10, ceil(log10(most)));
}

bool pingpong_plot(const pingpong_figure *f, int which, const char *path)
{
    static const char *const titles[PINGPONG_PLOTS] = {"Latency between tasks of two ranks",
                                                       "Bandwidth between tasks of two ranks"};
    static const char *const labels[PINGPONG_PLOTS] = {"half a round in µs", "GB/s"};
    double values[PINGPONG_SYSTEMS][PINGPONG_SIZES], ticks[PINGPONG_SIZES];
    char names[PINGPONG_SIZES][16];
    const char *name[PINGPONG_SIZES];
    svg_series series[PINGPONG_SYSTEMS];
    for (int s = 0; s < PINGPONG_SYSTEMS; s++) {
        for (int i = 0; i < f->count; i++)
            values[s][i] =
                which == PINGPONG_LATENCY ? f->us[s][i] : 1e-3 * f->bytes[i] / f->us[s][i];
        series[s] = (svg_series){
            .name = s ? f->mpi : "twill", .x = f->bytes, .y = values[s], .count = f->count};
    }
    svg_plot p = {.title = titles[which],
                  .x = {.label = "message",
                        .from = f->bytes[0],
                        .to = f->bytes[f->count - 1],
                        .logarithmic = true,
                        .ticks = ticks,
                        .count = put_ticks(f, ticks, names),
                        .names = name},
                  .y = {.label = labels[which], .logarithmic = true},
                  .series = series,
                  .count = PINGPONG_SYSTEMS};
    for (int i = 0; i < p.x.count; i++)
        name[i] = names[i];
    fit(&p.y, values, f->count);
    return svg_write(path, &p);
}
