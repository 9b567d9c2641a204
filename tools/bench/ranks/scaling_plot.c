/* A line for each system, and what products reach on as many cores. */
#include "bench/ranks/scaling.h"
#include "command/progress.h"
#include "command/svg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The points of one system along the axis. */
typedef struct line {
    double x[SCALING_POINTS], y[SCALING_POINTS];
    bool crowded[SCALING_POINTS];
    int count;
} line;

typedef struct figure {
    line systems[SCALING_SYSTEMS], peak;
    double ticks[SCALING_POINTS];
    char notes[SCALING_POINTS][32];
    const char *note[SCALING_POINTS];
    int tick_count;
    double most_x, most_y;
} figure;

static void plot_path(const scaling *s, const char *op, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s-%s-%s.svg", s->v->plot, s->c->name, op);
}

static int refuse(const scaling *s, const char *path)
{
    complain(s->command, "--plot: %s: %s", path, strerror(errno));
    return STATUS_SYSTEM;
}

int scaling_try_plot(const scaling *s, const char *op)
{
    char path[PATH_MAX];
    if (!s->c->place)
        return STATUS_OK;
    plot_path(s, op, path);
    FILE *file = fopen(path, "a");
    return file && fclose(file) == 0 ? STATUS_OK : refuse(s, path);
}

static void extend(figure *f, line *l, double x, double y, bool crowded)
{
    l->x[l->count] = x;
    l->y[l->count] = y;
    l->crowded[l->count++] = crowded;
    f->most_x = fmax(f->most_x, x);
    f->most_y = fmax(f->most_y, y);
}

/* Ticks, and the peak, once for each place; points come in the order of the axis. */
static void add_point(const scaling *s, figure *f, const scaling_point *p)
{
    double x = s->c->place(p), peak = s->peak * scaling_cores(s, p) / s->launcher.cores;
    int n = f->tick_count;
    extend(f, &f->systems[p->system], x, p->value, scaling_is_crowded(s, p));
    if (n > 0 && f->ticks[n - 1] == x)
        return;
    extend(f, &f->peak, x, peak, false);
    f->ticks[n] = x;
    if (s->c->note)
        s->c->note(p, f->notes[n], sizeof f->notes[n]);
    f->note[n] = f->notes[n];
    f->tick_count++;
}

static svg_series series_of(const line *l, const char *name, bool dashed)
{
    return (svg_series){.name = name,
                        .x = l->x,
                        .y = l->y,
                        .count = l->count,
                        .dashed = dashed,
                        .hollow = dashed ? NULL : l->crowded};
}

/* Numbers of ranks are powers, other things go from nothing to the most. */
static svg_axis axis_of(const scaling *s, const figure *f)
{
    bool powers = strcmp(s->c->axis, "ranks") == 0;
    svg_axis a = {.label = s->c->axis, .to = f->most_x};
    if (!powers)
        return a;
    a.logarithmic = true;
    a.from = f->ticks[0] / 1.2;
    a.to *= 1.2;
    a.ticks = f->ticks;
    a.notes = s->c->note ? f->note : NULL;
    a.count = f->tick_count;
    return a;
}

/* With the order, where all points have the same. */
static void put_title(const scaling *s, const char *op, char *text, size_t size)
{
    bool same = true;
    for (int i = 0; i < s->count; i++)
        same &= s->points[i].n == s->points[0].n;
    if (same)
        snprintf(text, size, "%s of order %" PRId64 ": %s", op, s->points[0].n, s->c->about);
    else
        snprintf(text, size, "%s: %s", op, s->c->about);
}

static int draw(const scaling *s, const figure *f, const char *op)
{
    char path[PATH_MAX], title[2 * BENCH_CASE];
    svg_series series[SCALING_SYSTEMS + 1];
    bool crowded = false;
    int count = 0;
    for (int i = 0; i < SCALING_SYSTEMS; i++) {
        const line *l = &f->systems[i];
        for (int k = 0; k < l->count; k++)
            crowded |= l->crowded[k];
        if (l->count > 0)
            series[count++] = series_of(l, scaling_system(i), false);
    }
    series[count++] = series_of(&f->peak, "GEMM peak", true);
    put_title(s, op, title, sizeof title);
    svg_plot p = {.title = title,
                  .x = axis_of(s, f),
                  .y = {.label = "GFLOP/s", .to = 1.08 * f->most_y},
                  .series = series,
                  .count = count,
                  .hollow = crowded ? "ranks share cores" : NULL};
    plot_path(s, op, path);
    if (!svg_write(path, &p))
        return refuse(s, path);
    progress_hide();
    if (!s->v->json)
        printf("plot: %s\n", path);
    return STATUS_OK;
}

int scaling_plot(const scaling *s, const char *op)
{
    figure f = {0};
    if (!s->c->place)
        return STATUS_OK;
    for (int i = 0; i < s->count; i++)
        if (s->points[i].valid)
            add_point(s, &f, &s->points[i]);
    return f.tick_count > 0 ? draw(s, &f, op) : STATUS_OK;
}
