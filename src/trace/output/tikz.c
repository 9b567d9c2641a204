/* A Gantt chart as a LaTeX document of its own: pdflatex makes a page of it, and the picture can be
 * taken over into a paper. Tasks too short to be seen are put together: a bar as high as the share
 * of time they took, in the colour of the class that took most. A task of a team is one bar over
 * the rows of all its members, if these are next to each other; tasks of the critical path have a
 * frame. */
#include "trace/output/tikz.h"

#include "common/colours.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between two tasks, in cm. */
static const double gap = 0.012;

/* In cm; BINS is how finely short tasks are put together. */
enum { WIDTH = 24, BINS = 800 };

typedef struct bin {
    double busy, best; /* time of all tasks in it, and of its class */
    int cls;
} bin;

static void write_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strchr("&%$#_{}", *c))
            fprintf(out, "\\%c", *c);
        else if (strchr("\\^~<>|\"", *c))
            fprintf(out, "{\\char%d}", *c);
        else if ((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f)
            fputc(*c, out);
        else
            fputc('?', out);
    }
}

/* A rectangle, by its lower left corner. */
static void write_bar(FILE *out, double x, double width, double y, double height, int cls)
{
    if (width > 0.0005 && height > 0.0005)
        fprintf(out, "\\fill[c%d] (%.4f,%.4f) rectangle +(%.4f,%.4f);\n", cls, x, y, width, height);
}

/* The rows of each task, from its own one on; NULL: no memory. */
static uint16_t *find_rows(const twill_trace *t)
{
    uint16_t *rows = malloc((size_t)(t->ntasks + 1) * sizeof *rows);
    for (int64_t i = 0; rows && i < t->ntasks; i++)
        rows[i] = t->team[i] > 1 && t->row[i] + t->team[i] <= t->nrows ? t->team[i] : 1;
    for (int64_t s = 0; rows && s < t->nstates; s++) {
        int64_t task = (int64_t)t->state_task[s] - 1;
        if (task >= 0 && t->state_row[s] != t->row[task] + t->state_member[s])
            rows[task] = 1;
    }
    return rows;
}

static void write_task(const tw_tikz *p, int64_t i, int rows)
{
    const twill_trace *t = p->t;
    double x = t->start[i] * p->width / t->span, y = tw_tikz_row(p, t->row[i] + rows - 1);
    double width = (t->end[i] - t->start[i]) * p->width / t->span;
    double height = p->row * (rows - 1) + p->bar;
    write_bar(p->out, x, width > 10 * gap ? width - gap : width, y, height, t->cls[i]);
    if (t->critical[i] && width > 0.05)
        fprintf(p->out, "\\draw[line width=0.4pt] (%.4f,%.4f) rectangle +(%.4f,%.4f);\n", x, y,
                width, height);
}

/* Share the time of a short task among the bins it touches. */
static void add_short(bin *bins, double start, double end, double width, int cls)
{
    for (int64_t b = (int64_t)(start / width); b < BINS && (double)b * width < end; b++) {
        double from = (double)b * width, to = from + width;
        double time = (end < to ? end : to) - (start > from ? start : from);
        if (time <= 0)
            continue;
        bins[b].busy += time;
        if (time > bins[b].best) {
            bins[b].best = time;
            bins[b].cls = cls;
        }
    }
}

/* The row's short tasks, with the long ones drawn in passing. */
static void write_row(const tw_tikz *p, int64_t row, const uint16_t *rows, bin *bins)
{
    const twill_trace *t = p->t;
    double width = t->span / BINS, scale = p->width / t->span, y = tw_tikz_row(p, row);
    memset(bins, 0, BINS * sizeof *bins);
    for (int64_t i = 0; i < t->ntasks; i++) {
        if (row < t->row[i] || row >= t->row[i] + rows[i])
            continue;
        if (t->end[i] - t->start[i] < width)
            add_short(bins, t->start[i], t->end[i], width, t->cls[i]);
        else if (t->row[i] == row)
            write_task(p, i, rows[i]);
    }
    for (int b = 0; b < BINS; b++) {
        double share = bins[b].busy / width;
        write_bar(p->out, b * width * scale, width * scale, y, p->bar * (share < 1 ? share : 1),
                  bins[b].cls);
    }
    fprintf(p->out, "\\node[left] at (0,%.4f) {", y + p->bar / 2);
    write_text(p->out, tw_row_name(t, row));
    fputs("};\n", p->out);
}

/* Milliseconds from one mark to the next: 1, 2 or 5 times a power of ten. */
static double find_step(double span)
{
    double step = pow(10, floor(log10(span / 10)));
    return span / step <= 20 ? 2 * step : span / step <= 50 ? 5 * step : 10 * step;
}

static void write_axis(tw_tikz *p)
{
    double span = 1e-6 * p->t->span, step = find_step(span);
    fprintf(p->out, "\\draw[->] (0,-0.1) -- (%.4f,-0.1) node[right] {ms};\n", p->width + 0.5);
    for (int i = 0; i * step <= span; i++)
        fprintf(p->out, "\\draw (%.3f,-0.1) -- +(0,-0.1) node[below] {%.4g};\n",
                p->width * i * step / span, i * step);
    p->bottom = -0.8;
}

/* Where tasks of the longest path follow one another. Many are not drawn one by one. */
static void write_path(const tw_tikz *p)
{
    const twill_trace *t = p->t;
    const tw_analysis *a = t->analysis;
    double scale = p->width / t->span, last = -1;
    fputs("\\draw[red, thick]", p->out);
    for (int64_t i = 0; i < a->npath; i++) {
        int64_t task = a->path[i];
        double x = t->start[task] * scale;
        if (i > 0 && i < a->npath - 1 && x - last < 0.02)
            continue;
        last = x;
        fprintf(p->out, "%s (%.4f,%.4f)", i ? " --" : "", x,
                tw_tikz_row(p, t->row[task]) + p->bar / 2);
    }
    fputs(";\n", p->out);
}

/* A field and a name; returns where the next one may begin. */
static double write_sample(const tw_tikz *p, double x, const char *field, const char *name)
{
    fprintf(p->out, "%s (%.2f,%.4f) rectangle +(0.3,0.3);\n", field, x, p->bottom - 0.5);
    fprintf(p->out, "\\node[right] at (%.2f,%.4f) {", x + 0.3, p->bottom - 0.35);
    write_text(p->out, name);
    fputs("};\n", p->out);
    return x + 1.0 + 0.22 * (double)strlen(name);
}

static void write_legend(const tw_tikz *p)
{
    const twill_trace *t = p->t;
    bool critical = false;
    double x = 0;
    char field[32];
    for (int64_t i = 0; i < t->ntasks && !critical; i++)
        critical = t->critical[i];
    for (int64_t k = 0; k < t->nclasses; k++) {
        if (t->analysis->classes[k].count == 0)
            continue;
        snprintf(field, sizeof field, "\\fill[c%" PRId64 "]", k);
        x = write_sample(p, x, field, tw_class_name(t, k));
    }
    if (t->analysis->npath > 1)
        x = write_sample(p, x, "\\fill[red]", "longest path");
    if (critical)
        x = write_sample(p, x, "\\draw[line width=0.4pt]", "critical task");
    if (t->nset > 0)
        write_sample(p, x, "\\fill[reserved]", "reserved workers");
}

/* What lies below is drawn first. */
static void write_chart(tw_tikz *p)
{
    const twill_trace *t = p->t;
    bin *bins = malloc(BINS * sizeof *bins);
    uint16_t *rows = find_rows(t);
    tw_tikz_set_ground(p);
    for (int64_t r = 0; bins && rows && r < t->nrows; r++)
        write_row(p, r, rows, bins);
    tw_tikz_set_edge(p);
    write_axis(p);
    write_path(p);
    tw_tikz_set_size(p);
    free(rows);
    free(bins);
}

static void write_colours(FILE *out, const twill_trace *t)
{
    tw_rgb *colours = tw_class_colours(t);
    for (int64_t k = 0; k < t->nclasses; k++) {
        tw_rgb c = colours ? colours[k] : (tw_rgb){0};
        fprintf(out, "\\definecolor{c%" PRId64 "}{RGB}{%d,%d,%d}\n", k, c.red, c.green, c.blue);
    }
    free(colours);
}

void tw_write_tikz(FILE *out, const twill_trace *t)
{
    tw_tikz p = {.out = out, .t = t, .width = WIDTH, .row = 0.8, .bar = 0.64, .bottom = -1.2};
    fprintf(out,
            "\\documentclass{article}\n"
            "\\usepackage[paperwidth=%dcm,paperheight=%.1fcm,margin=0.5cm]{geometry}\n"
            "\\usepackage{tikz}\n\\pagestyle{empty}\n\\parindent0pt\n",
            WIDTH + 6, p.row * (double)t->nrows + (t->nset > 0 ? 7.2 : 5));
    write_colours(out, t);
    tw_tikz_set_colours(&p);
    fputs("\\begin{document}\n\\textbf{", out);
    write_text(out, t->text[TW_TEXT_TITLE]);
    fputs("}\\par\\medskip\n\\begin{tikzpicture}\n", out);
    if (t->span > 0)
        write_chart(&p);
    write_legend(&p);
    fputs("\\end{tikzpicture}\n\\end{document}\n", out);
}
