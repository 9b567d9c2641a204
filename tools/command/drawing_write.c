/* DOT and SVG. */
#include "command/drawing.h"

#include <string.h>

enum { GAP = 18, STEP_Y = 80, HEIGHT = 34, MARGIN = 24, ROW = 24, KEY = 110, LETTER = 8 };

const char *drawing_fill(int i)
{
    static const char *const colours[] = {"#f4a582", "#92c5de", "#a6d96a", "#fee08b",
                                          "#c2a5cf", "#f7b6d2", "#9edae5", "#d9d9d9"};
    return colours[i % 8];
}

const char *drawing_line(int i)
{
    static const char *const colours[] = {"#222222", "#b2182b", "#2166ac", "#1b7837",
                                          "#762a83", "#b35806", "#01665e", "#c51b7d"};
    return colours[i < 0 ? 0 : i % 8];
}

static void dot_task(const drawing *d, int i, FILE *out)
{
    const drawn_task *t = &d->tasks[i];
    fprintf(out, "    n%d [label=\"%s\", fillcolor=\"%s\", color=\"%s\"];\n", i, t->name,
            drawing_fill(t->class), drawing_line(t->rank));
}

void drawing_dot(const drawing *d, FILE *out)
{
    fprintf(out,
            "digraph \"%s\" {\n    node [style=\"filled\", fontname=\"Helvetica\"];\n"
            "    edge [fontname=\"Helvetica\", fontsize=9];\n",
            d->name ? d->name : "");
    /* One group per rank where there are several. */
    for (int r = 0; d->rank_count > 1 && r < d->rank_count; r++) {
        fprintf(out, "    subgraph cluster_%d {\n    label=\"rank (%s)\"; color=\"%s\";\n", r,
                d->ranks[r], drawing_line(r));
        for (int i = 0; i < d->task_count; i++)
            if (d->tasks[i].rank == r)
                dot_task(d, i, out);
        fputs("    }\n", out);
    }
    for (int i = 0; i < d->task_count; i++)
        if (d->rank_count <= 1 || d->tasks[i].rank < 0)
            dot_task(d, i, out);
    for (int i = 0; i < d->edge_count; i++)
        fprintf(out, "    n%d -> n%d [label=\"%s\"];\n", d->edges[i].from, d->edges[i].to,
                d->edges[i].label);
    fputs("}\n", out);
}

/* ---- SVG ---------------------------------------------------------------------------------- */

/* > is the only character of names and labels that must not stand in XML as it is. */
static void escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '>')
            fputs("&gt;", out);
        else
            fputc(*text, out);
    }
}

static double widest(const drawing *d)
{
    double most = 0;
    for (int i = 0; i < d->task_count; i++)
        if (d->tasks[i].x > most)
            most = d->tasks[i].x;
    return most;
}

/* Sizes of the picture: boxes hold the longest name. */
typedef struct frame {
    double middle, box;
} frame;

static double box_width(const drawing *d)
{
    size_t longest = 10;
    for (int i = 0; i < d->task_count; i++)
        if (strlen(d->tasks[i].name) > longest)
            longest = strlen(d->tasks[i].name);
    return (double)longest * LETTER + 12;
}

static double place_x(const drawn_task *t, const frame *f)
{
    return f->middle + t->x * (f->box + GAP);
}

static double place_y(const drawn_task *t)
{
    return MARGIN + HEIGHT / 2.0 + t->level * STEP_Y;
}

static void svg_edge(const drawing *d, const drawn_edge *e, const frame *f, FILE *out)
{
    const drawn_task *from = &d->tasks[e->from], *to = &d->tasks[e->to];
    double x1 = place_x(from, f), y1 = place_y(from) + HEIGHT / 2.0;
    double x2 = place_x(to, f), y2 = place_y(to) - HEIGHT / 2.0 - 4;
    double bend = (y2 - y1) / 2;
    fprintf(out,
            "<path d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\" marker-end=\"url(#arrow)\">"
            "<title>",
            x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2);
    escaped(from->name, out);
    fputc(' ', out);
    escaped(e->label, out);
    fputc(' ', out);
    escaped(to->name, out);
    fputs("</title></path>\n", out);
}

static void svg_task(const drawing *d, const drawn_task *t, const frame *f, FILE *out)
{
    double x = place_x(t, f), y = place_y(t);
    fprintf(out,
            "<g class=\"task\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"12\" "
            "fill=\"%s\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>",
            x - f->box / 2, y - HEIGHT / 2.0, f->box, HEIGHT, drawing_fill(t->class),
            drawing_line(t->rank), x, y + 4, t->name);
    if (t->rank >= 0)
        fprintf(out, "<title>%s on rank (%s)</title>", t->name, d->ranks[t->rank]);
    fputs("</g>\n", out);
}

static void svg_legend(const drawing *d, double y, FILE *out)
{
    double x = MARGIN;
    for (int i = 0; i < d->class_count; i++, x += KEY)
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" rx=\"4\" fill=\"%s\"/>"
                "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                x, y, drawing_fill(i), x + 20, y + 11, d->classes[i]);
    x = MARGIN;
    for (int i = 0; d->rank_count > 1 && i < d->rank_count; i++, x += KEY)
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" rx=\"4\" fill=\"none\" "
                "stroke=\"%s\" stroke-width=\"2\"/>"
                "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">rank (%s)</text>\n",
                x, y + ROW, drawing_line(i), x + 20, y + ROW + 11, d->ranks[i]);
}

void drawing_svg(const drawing *d, FILE *out)
{
    int keys = d->class_count > d->rank_count ? d->class_count : d->rank_count;
    frame f = {.box = box_width(d)};
    double wide = (2 * widest(d) + 1) * (f.box + GAP), least = (double)keys * KEY;
    double width = 2 * MARGIN + (wide > least ? wide : least);
    f.middle = width / 2;
    double bottom = 2 * MARGIN + (d->levels ? (d->levels - 1) * STEP_Y + HEIGHT : 0);
    double height = bottom + 2 * ROW + MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n<title>%s</title>\n",
            width, height, width, height, d->name ? d->name : "");
    fputs("<style>text{font:12px Helvetica,Arial,sans-serif;text-anchor:middle;fill:#222}"
          "text.key{text-anchor:start}path{fill:none;stroke:#888;stroke-width:1.2}"
          ".task rect{stroke-width:2}</style>\n"
          "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"7\" "
          "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" "
          "style=\"fill:#888;stroke:none\"/></marker></defs>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
          out);
    for (int i = 0; i < d->edge_count; i++)
        svg_edge(d, &d->edges[i], &f, out);
    for (int i = 0; i < d->task_count; i++)
        svg_task(d, &d->tasks[i], &f, out);
    svg_legend(d, bottom, out);
    fputs("</svg>\n", out);
}
