/* Everything is placed in one pass; colours are told apart by people who see few of them, and the
 * page that shows the file may be light or dark. */
#include "command/svg.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 460, LEFT = 70, RIGHT = 150, TOP = 50, BOTTOM = 76, TICKS = 64 };

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#999999"};
enum { COLOURS = sizeof colours / sizeof *colours };

static const char style[] =
    "<style>text{font:13px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}"
    ".note{font-size:11px;fill:#666}.grid{stroke:#ddd}.frame{fill:none;stroke:#888}"
    ".ideal{stroke:#888;stroke-dasharray:6 4}.page{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.note{fill:#999}.grid{stroke:#444}"
    ".page{fill:#1b1b1b}}</style>\n";

static const char dashes[] = " stroke-dasharray=\"6 4\"";
static const char hollow[] = " class=\"page\" stroke-width=\"2\"";

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

/* Text at a point, `anchor` being start, middle or end. */
static void put_label(FILE *out, const char *cls, double x, double y, const char *anchor,
                      const char *text)
{
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", cls, x, y, anchor);
    put_text(out, text);
    fputs("</text>\n", out);
}

/* How far along its axis a value lies, 0 to 1. */
static double part(const svg_axis *a, double value)
{
    return a->logarithmic ? log(value / a->from) / log(a->to / a->from)
                          : (value - a->from) / (a->to - a->from);
}

static double place_x(const svg_plot *p, double value)
{
    return LEFT + part(&p->x, value) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const svg_plot *p, double value)
{
    return HEIGHT - BOTTOM - part(&p->y, value) * (HEIGHT - TOP - BOTTOM);
}

/* Round values: 1, 2 and 5 times powers of ten, all of them or multiples of one. */
static int choose_ticks(const svg_axis *a, double *ticks)
{
    static const double steps[] = {1, 2, 5};
    const double slack = 1e-9;
    int n = 0;
    double scale = pow(10, floor(log10(a->logarithmic ? a->from : (a->to - a->from) / 8)));
    if (a->logarithmic) {
        for (; scale <= a->to && n < TICKS - 3; scale *= 10)
            for (int s = 0; s < 3; s++)
                if (steps[s] * scale >= a->from * (1 - slack) &&
                    steps[s] * scale <= a->to * (1 + slack))
                    ticks[n++] = steps[s] * scale;
        return n;
    }
    double step = scale;
    for (int s = 0; s < 3 && (a->to - a->from) / step > 8; s++)
        step = s < 2 ? steps[s + 1] * scale : 10 * scale;
    for (double t = ceil(a->from / step - slack) * step; t <= a->to + slack * step && n < TICKS;
         t += step)
        ticks[n++] = fabs(t) < slack * step ? 0 : t;
    return n;
}

static void put_axis(FILE *out, const svg_plot *p, const svg_axis *a)
{
    double chosen[TICKS];
    const double *ticks = a->ticks ? a->ticks : chosen;
    int n = a->ticks ? a->count : choose_ticks(a, chosen);
    for (int i = 0; i < n; i++) {
        char text[32];
        if (a->ticks && a->names)
            snprintf(text, sizeof text, "%s", a->names[i]);
        else
            snprintf(text, sizeof text, "%g", ticks[i]);
        double x = place_x(p, ticks[i]), y = place_y(p, ticks[i]);
        if (a == &p->x) {
            fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", x, TOP, HEIGHT - BOTTOM);
            put_label(out, "tick", x, HEIGHT - BOTTOM + 18, "middle", text);
            if (a->ticks && a->notes)
                put_label(out, "note", x, HEIGHT - BOTTOM + 33, "middle", a->notes[i]);
        } else {
            fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, WIDTH - RIGHT);
            put_label(out, "tick", LEFT - 8, y + 4, "end", text);
        }
    }
}

/* The line through all values that are finite. */
static void put_line(FILE *out, const svg_plot *p, const svg_series *s, const char *colour)
{
    bool drawing = false;
    fputs("<path fill=\"none\" stroke-width=\"2\" clip-path=\"url(#inside)\" d=\"", out);
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->x[i]) && isfinite(s->y[i])) {
            fprintf(out, "%c%.1f %.1f", drawing ? 'L' : 'M', place_x(p, s->x[i]),
                    place_y(p, s->y[i]));
            drawing = true;
        }
    fprintf(out, "\" stroke=\"%s\"%s/>\n", colour, s->dashed ? dashes : "");
}

static void put_marks(FILE *out, const svg_plot *p, const svg_series *s, const char *colour)
{
    fprintf(out, "<g fill=\"%s\" stroke=\"%s\" clip-path=\"url(#inside)\">", colour, colour);
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->x[i]) && isfinite(s->y[i]))
            fprintf(out,
                    "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%g: %.4g</title></circle>",
                    s->hollow && s->hollow[i] ? hollow : "", place_x(p, s->x[i]),
                    place_y(p, s->y[i]), s->x[i], s->y[i]);
    fputs("</g>\n", out);
}

static void put_series(FILE *out, const svg_plot *p, int number)
{
    const svg_series *s = &p->series[number];
    const char *colour = s->dashed ? "#888" : colours[number % COLOURS];
    put_line(out, p, s, colour);
    if (!s->dashed)
        put_marks(out, p, s, colour);
    double y = TOP + 10 + 20 * number;
    fprintf(out, "<path stroke-width=\"2\" stroke=\"%s\"%s d=\"M%d %.1fh22\"/>\n", colour,
            s->dashed ? dashes : "", WIDTH - RIGHT + 12, y);
    put_label(out, "legend", WIDTH - RIGHT + 40, y + 4, "start", s->name);
}

/* Below the legend. */
static void put_hollow(FILE *out, const svg_plot *p)
{
    double y = TOP + 14 + 20 * p->count;
    fprintf(out, "<g stroke=\"#888\"><path%s d=\"M%d %.1fa3 3 0 1 0 6 0a3 3 0 1 0 -6 0\"/></g>\n",
            hollow, WIDTH - RIGHT + 12, y);
    put_label(out, "note", WIDTH - RIGHT + 24, y + 4, "start", p->hollow);
}

static void put_plot(FILE *out, const svg_plot *p)
{
    int width = WIDTH - LEFT - RIGHT, height = HEIGHT - TOP - BOTTOM;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_text(out, p->title);
    fprintf(out,
            "</title>\n%s<clipPath id=\"inside\"><rect x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\"/></clipPath>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n",
            style, LEFT, TOP - 4, width, height + 8);
    put_label(out, "title", LEFT, TOP - 20, "start", p->title);
    put_axis(out, p, &p->x);
    put_axis(out, p, &p->y);
    fprintf(out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT,
            TOP, width, height);
    if (p->ideal != 0)
        fprintf(out, "<path class=\"ideal\" d=\"M%d %.1fh%d\"/>\n", LEFT, place_y(p, p->ideal),
                width);
    put_label(out, "label", LEFT + width / 2, HEIGHT - 18, "middle", p->x.label);
    fprintf(out, "<g transform=\"translate(20 %d) rotate(-90)\">", TOP + height / 2);
    put_label(out, "label", 0, 0, "middle", p->y.label);
    fputs("</g>\n", out);
    for (int i = 0; i < p->count; i++)
        put_series(out, p, i);
    if (p->hollow)
        put_hollow(out, p);
    fputs("</svg>\n", out);
}

bool svg_write(const char *path, const svg_plot *plot)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    put_plot(out, plot);
    bool good = !ferror(out);
    return fclose(out) == 0 && good;
}
