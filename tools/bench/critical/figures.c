/* The figures of the paper as SVG files, tile sizes along the axis of all of them. */
#include "bench/critical/figures.h"

#include "command/svg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* One figure while it is put together. */
typedef struct figure {
    char title[128], path[512], label[FIGURE_SETS][32];
    double x[STUDY_TILES], y[FIGURE_SETS][STUDY_TILES];
    svg_series series[FIGURE_SETS];
    int lines, points;
} figure;

static void begin(figure *f, const char *folder, const char *name, const study_tile *tiles, int n)
{
    *f = (figure){.points = n};
    snprintf(f->path, sizeof f->path, "%s/%s.svg", folder, name);
    for (int i = 0; i < n; i++)
        f->x[i] = (double)tiles[i].nb;
}

static double *line(figure *f, const char *name, bool dashed)
{
    int i = f->lines++;
    snprintf(f->label[i], sizeof f->label[i], "%s", name);
    f->series[i] = (svg_series){
        .name = f->label[i], .x = f->x, .y = f->y[i], .count = f->points, .dashed = dashed};
    return f->y[i];
}

static int end(const figure *f, const char *label)
{
    double most = 0;
    for (int l = 0; l < f->lines; l++)
        for (int i = 0; i < f->points; i++)
            if (isfinite(f->y[l][i]) && f->y[l][i] > most)
                most = f->y[l][i];
    svg_plot p = {.title = f->title,
                  .x = {.label = "tile size b", .from = f->x[0], .to = f->x[f->points - 1]},
                  .y = {.label = label, .from = 0, .to = most > 0 ? 1.05 * most : 1},
                  .series = f->series,
                  .count = f->lines};
    if (svg_write(f->path, &p))
        return STATUS_OK;
    complain("bench critical", "%s: %s", f->path, strerror(errno));
    return STATUS_SYSTEM;
}

/* Figure 2: how fast the product of a tile is, by one worker and by two. */
int figures_speed(const char *folder, const study *s, const study_tile *tiles, int ntiles)
{
    figure f;
    begin(&f, folder, "figure2", tiles, ntiles);
    snprintf(f.title, sizeof f.title, "Speed of the products of %s", s->name);
    double *whole = line(&f, "one worker", false), *pair = line(&f, "a team of two", false);
    for (int i = 0; i < ntiles; i++) {
        double nb = (double)tiles[i].nb, cols = s->columns ? (double)s->columns : nb;
        const study_times *t = &tiles[i].kernel[TWILL_KERNEL_GEMM];
        whole[i] = 2e-9 * nb * nb * cols / t->whole;
        pair[i] = t->pair > 0 ? 2e-9 * nb * nb * cols / t->pair : NAN;
    }
    return end(&f, "GFLOP/s");
}

/* E(b, 2) of all kernels of a study, which has no figure in the paper. */
int figures_efficiency(const char *folder, const study *s, const study_tile *tiles, int ntiles)
{
    figure f;
    char name[32];
    snprintf(name, sizeof name, "efficiency_%s", s->name);
    begin(&f, folder, name, tiles, ntiles);
    snprintf(f.title, sizeof f.title, "Efficiency of two workers on a tile of %s", s->name);
    for (int k = 0; k < s->nkernels; k++) {
        double *y = line(&f, study_kernel(s->kernels[k]), false);
        for (int i = 0; i < ntiles; i++)
            y[i] = 100 * study_efficiency(&tiles[i], s->kernels[k]);
    }
    return end(&f, "%");
}

/* Figure 3: the bounds (1) to (4), with the speeds of figure 2. */
int figures_bounds(const char *folder, const study_tile *tiles, int ntiles)
{
    enum { N = 4000, P = 28, Q = 2 };
    figure f;
    begin(&f, folder, "figure3", tiles, ntiles);
    snprintf(f.title, sizeof f.title, "Bounds for n = %d, p = %d, and q = %d at 75%% efficiency", N,
             P, Q);
    double *work = line(&f, "(1) work", true), *path = line(&f, "(2) path", true);
    double *shorter = line(&f, "(3) path, team", false), *rest = line(&f, "(4) rest", false);
    for (int i = 0; i < ntiles; i++) {
        double b = (double)tiles[i].nb, n = N;
        double per_operation = tiles[i].kernel[TWILL_KERNEL_GEMM].whole / (b * b);
        work[i] = 1e3 * n * n / P * per_operation;
        path[i] = 1e3 * n * b * per_operation;
        shorter[i] = path[i] / (Q * 0.75);
        rest[i] = 1e3 * (n * n - n * b) / (P - Q) * per_operation;
    }
    return end(&f, "ms");
}

typedef double quantity(const figure_runs *f, int q, int i);

static double time_of(const figure_runs *f, int q, int i)
{
    return 1e3 * f->run[q][i].seconds;
}

static double longest_of(const figure_runs *f, int q, int i)
{
    return 1e3 * f->run[q][i].longest_seconds;
}

static double critical_of(const figure_runs *f, int q, int i)
{
    return 1e3 * f->run[q][i].critical_seconds;
}

static double share_of(const figure_runs *f, int q, int i)
{
    return 100 * f->run[q][i].longest_seconds / f->run[q][i].seconds;
}

static int all_sets(const char *folder, const figure_runs *r, const char *name, const char *what,
                    const char *label, quantity *value)
{
    figure f;
    char text[32];
    begin(&f, folder, name, r->tiles, r->ntiles);
    snprintf(f.title, sizeof f.title, "%s of %s, n = %" PRId64 ", p = %d", what, r->study->name,
             r->n, r->workers);
    for (int q = 0; q <= r->study->most + 1; q++) {
        if (q > 0 && !study_is_adaptive(r->study, q))
            snprintf(text, sizeof text, "q = %d", q);
        else
            snprintf(text, sizeof text, "%s", study_mode(r->study, q));
        double *y = line(&f, text, false);
        for (int i = 0; i < r->ntiles; i++)
            y[i] = r->run[q][i].tasks > 0 ? value(r, q, i) : NAN;
    }
    return end(&f, label);
}

static int speedup(const char *folder, const figure_runs *r, const char *name)
{
    figure f;
    begin(&f, folder, name, r->tiles, r->ntiles);
    snprintf(f.title, sizeof f.title, "Speed-up of %s by a reserved set, n = %" PRId64 ", p = %d",
             r->study->name, r->n, r->workers);
    double *y = line(&f, "fixed, best q", false), *adaptive = line(&f, "adaptive", false);
    for (int i = 0; i < r->ntiles; i++) {
        double best = INFINITY;
        for (int q = 1; q <= r->study->most; q++)
            best = fmin(best, r->run[q][i].seconds);
        y[i] = r->run[0][i].tasks > 0 ? r->run[0][i].seconds / best : NAN;
        adaptive[i] = r->run[0][i].seconds / r->run[r->study->most + 1][i].seconds;
    }
    return end(&f, "speed-up over regular mode");
}

/* Figures 5 and 6 of the solve; 7 and 8 of Cholesky. */
int figures_runs(const char *folder, const figure_runs *r)
{
    char name[4][16];
    bool solve = r->study->figure == 5;
    for (int i = 0; i < 4; i++)
        snprintf(name[i], sizeof name[i], "figure%d%c", r->study->figure + i / 2, "ab"[i % 2]);
    int status = all_sets(folder, r, name[0], "Time", "ms", time_of);
    if (status == STATUS_OK)
        status =
            solve ? speedup(folder, r, name[1])
                  : all_sets(folder, r, name[1], "Longest path, share of the time", "%", share_of);
    if (status == STATUS_OK)
        status = all_sets(folder, r, name[2], "Longest path", "ms", longest_of);
    if (status == STATUS_OK)
        status =
            solve ? all_sets(folder, r, name[3], "Longest path, share of the time", "%", share_of)
                  : all_sets(folder, r, name[3], "Critical path", "ms", critical_of);
    return status;
}
