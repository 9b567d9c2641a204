/* A Gantt chart as a LaTeX document of its own: pdflatex makes a page of it, and the picture can be
 * taken over into a paper. Tasks too short to be seen are put together: a bar as high as the share
 * of time they took, in the colour of the class that took most. */
#include "trace/output/write.h"

#include "common/colours.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In cm; BINS is how finely short tasks are put together. */
enum { WIDTH = 24, BINS = 800 };
static const double row_height = 0.8;

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

static void write_bar(FILE *out, double x, double width, double y, double height, int cls)
{
    if (width > 0.0005 && height > 0.0005)
        fprintf(out, "\\fill[c%d] (%.4f,%.4f) rectangle +(%.4f,%.4f);\n", cls, x, y, width, height);
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
static void write_row(FILE *out, const twill_trace *t, int64_t row, bin *bins)
{
    double width = t->span / BINS, scale = WIDTH / t->span;
    double y = row_height * (double)(t->nrows - 1 - row);
    double height = 0.8 * row_height;
    memset(bins, 0, BINS * sizeof *bins);
    for (int64_t i = 0; i < t->ntasks; i++) {
        if (t->row[i] != row)
            continue;
        if (t->end[i] - t->start[i] >= width)
            write_bar(out, t->start[i] * scale, (t->end[i] - t->start[i]) * scale, y, height,
                      t->cls[i]);
        else
            add_short(bins, t->start[i], t->end[i], width, t->cls[i]);
    }
    for (int b = 0; b < BINS; b++) {
        double share = bins[b].busy / width;
        write_bar(out, b * width * scale, width * scale, y, height * (share < 1 ? share : 1),
                  bins[b].cls);
    }
    fprintf(out, "\\node[left] at (0,%.4f) {", y + height / 2);
    write_text(out, tw_row_name(t, row));
    fputs("};\n", out);
}

static void write_axis(FILE *out, const twill_trace *t)
{
    fprintf(out, "\\draw[->] (0,-0.1) -- (%d.5,-0.1);\n", WIDTH);
    for (int i = 0; i <= 10; i++)
        fprintf(out, "\\draw (%.3f,-0.1) -- +(0,-0.1) node[below] {%.4g};\n", WIDTH * i / 10.0,
                1e-6 * t->span * i / 10);
    fprintf(out, "\\node[below] at (%.1f,-0.7) {ms};\n", WIDTH / 2.0);
}

/* Where tasks of the longest path follow one another. Many are not drawn one by one. */
static void write_path(FILE *out, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    double scale = WIDTH / t->span, last = -1;
    fputs("\\draw[red, thick]", out);
    for (int64_t i = 0; i < a->npath; i++) {
        int64_t task = a->path[i];
        double x = t->start[task] * scale;
        if (i > 0 && i < a->npath - 1 && x - last < 0.02)
            continue;
        last = x;
        fprintf(out, "%s (%.4f,%.4f)", i ? " --" : "", x,
                row_height * ((double)(t->nrows - 1 - t->row[task]) + 0.4));
    }
    fputs(";\n", out);
}

static void write_legend(FILE *out, const twill_trace *t)
{
    double x = 0;
    for (int64_t k = 0; k < t->nclasses; k++) {
        if (t->analysis->classes[k].count == 0)
            continue;
        fprintf(out, "\\fill[c%" PRId64 "] (%.2f,-1.7) rectangle +(0.3,0.3);\n", k, x);
        fprintf(out, "\\node[right] at (%.2f,-1.55) {", x + 0.3);
        write_text(out, tw_class_name(t, k));
        fputs("};\n", out);
        x += 1.0 + 0.22 * (double)strlen(tw_class_name(t, k));
    }
}

void tw_write_tikz(FILE *out, const twill_trace *t)
{
    bin *bins = malloc(BINS * sizeof *bins);
    fprintf(out,
            "\\documentclass{article}\n"
            "\\usepackage[paperwidth=%dcm,paperheight=%.1fcm,margin=0.5cm]{geometry}\n"
            "\\usepackage{tikz}\n\\pagestyle{empty}\n\\parindent0pt\n",
            WIDTH + 6, row_height * (double)t->nrows + 5);
    tw_rgb *colours = tw_class_colours(t);
    for (int64_t k = 0; k < t->nclasses; k++) {
        tw_rgb c = colours ? colours[k] : (tw_rgb){0};
        fprintf(out, "\\definecolor{c%" PRId64 "}{RGB}{%d,%d,%d}\n", k, c.red, c.green, c.blue);
    }
    free(colours);
    fputs("\\begin{document}\n\\textbf{", out);
    write_text(out, t->text[TW_TEXT_TITLE]);
    fputs("}\\par\\medskip\n\\begin{tikzpicture}\n", out);
    for (int64_t r = 0; bins && t->span > 0 && r < t->nrows; r++)
        write_row(out, t, r, bins);
    if (t->span > 0) {
        write_axis(out, t);
        write_path(out, t);
    }
    write_legend(out, t);
    fputs("\\end{tikzpicture}\n\\end{document}\n", out);
    free(bins);
}
