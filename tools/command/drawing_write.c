/* DOT and SVG. */
#include "command/drawing.h"
#include "common/colours.h"

#include <string.h>

enum { GAP = 18, STEP_Y = 80, HEIGHT = 34, MARGIN = 24, ROW = 24, KEY = 110, LETTER = 8 };

/* As in traces. Half of it is white, so that names can be read on all of them. */
static const char *fill_of(const drawing *d, int class, char text[8])
{
    tw_rgb c = d->colours[class];
    snprintf(text, 8, "#%02x%02x%02x", (c.red + 255) / 2, (c.green + 255) / 2, (c.blue + 255) / 2);
    return text;
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
    char fill[8];
    fprintf(out, "    n%d [label=\"%s\", fillcolor=\"%s\", color=\"%s\"];\n", i, t->name,
            fill_of(d, t->class, fill), drawing_line(t->rank));
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
    for (int i = 0; i < d->way_count; i++)
        if (d->ways[i].x > most)
            most = d->ways[i].x;
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

static double place_x(double x, const frame *f)
{
    return f->middle + x * (f->box + GAP);
}

static double place_y(int level)
{
    return MARGIN + HEIGHT / 2.0 + level * STEP_Y;
}

/* From the boxes of one level to those of the next: what lies between them has room for it. */
static void svg_curve(double x1, double y1, double x2, double y2, FILE *out)
{
    double middle = (y1 + y2) / 2;
    fprintf(out, " C%.1f %.1f %.1f %.1f %.1f %.1f", x1, middle, x2, middle, x2, y2);
}

static void svg_edge(const drawing *d, const drawn_edge *e, const frame *f, FILE *out)
{
    const drawn_task *from = &d->tasks[e->from], *to = &d->tasks[e->to];
    double x = place_x(from->x, f), y = place_y(from->level) + HEIGHT / 2.0;
    fprintf(out, "<path d=\"M%.1f %.1f", x, y);
    /* Past a level it goes straight down, at a place where there is no box. */
    for (int k = 0; k < to->level - from->level - 1; k++) {
        const waypoint *way = &d->ways[from->way + k];
        double next = place_x(way->x, f), top = place_y(way->level) - HEIGHT / 2.0;
        svg_curve(x, y, next, top, out);
        fprintf(out, " V%.1f", top + HEIGHT);
        x = next;
        y = top + HEIGHT;
    }
    svg_curve(x, y, place_x(to->x, f), place_y(to->level) - HEIGHT / 2.0 - 4, out);
    fputs("\" marker-end=\"url(#arrow)\"><title>", out);
    escaped(from->name, out);
    fputc(' ', out);
    escaped(e->label, out);
    fputc(' ', out);
    escaped(to->name, out);
    fputs("</title></path>\n", out);
}

static void svg_task(const drawing *d, const drawn_task *t, const frame *f, FILE *out)
{
    double x = place_x(t->x, f), y = place_y(t->level);
    char fill[8];
    fprintf(out,
            "<g class=\"task\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"12\" "
            "fill=\"%s\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>",
            x - f->box / 2, y - HEIGHT / 2.0, f->box, HEIGHT, fill_of(d, t->class, fill),
            drawing_line(t->rank), x, y + 4, t->name);
    if (t->rank >= 0)
        fprintf(out, "<title>%s on rank (%s)</title>", t->name, d->ranks[t->rank]);
    fputs("</g>\n", out);
}

static void svg_legend(const drawing *d, double y, FILE *out)
{
    double x = MARGIN;
    char fill[8];
    for (int i = 0; i < d->class_count; i++, x += KEY)
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" rx=\"4\" fill=\"%s\"/>"
                "<text class=\"key\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                x, y, fill_of(d, i, fill), x + 20, y + 11, d->classes[i]);
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
