/* The reserved set in a TikZ document: a ground under its rows, an edge around them, and its size
 * over time with what the mode or the controller wanted. */
#include "trace/output/tikz.h"

/* Changes closer than this cannot be told apart. */
static const double resolution = 0.01;

void tw_tikz_set_colours(const tw_tikz *p)
{
    if (p->t->nset > 0)
        fputs("\\definecolor{reserved}{RGB}{226,230,240}\n"
              "\\definecolor{edge}{RGB}{60,60,90}\n",
              p->out);
}

/* The entry of the same rank that comes after entry i, or the number of entries. */
static int64_t next_entry(const twill_trace *t, int64_t i)
{
    int32_t rank = t->row_rank[t->set_row[i]];
    for (i++; i < t->nset; i++)
        if (t->row_rank[t->set_row[i]] == rank)
            break;
    return i;
}

static double place(const tw_tikz *p, double time)
{
    return p->width * time / p->t->span;
}

/* From when to when entry i holds. */
static double ends(const tw_tikz *p, int64_t i)
{
    int64_t next = next_entry(p->t, i);
    return place(p, next < p->t->nset ? p->t->set_time[next] : p->t->span);
}

/* Call draw for each size that lasted long enough to be seen. */
static void each_size(const tw_tikz *p,
                      void (*draw)(const tw_tikz *p, int64_t i, double from, double to))
{
    for (int64_t i = 0; i < p->t->nset; i++) {
        double from = place(p, p->t->set_time[i]), to = ends(p, i);
        if (p->t->set_members[i] > 0 && to - from >= resolution)
            draw(p, i, from, to);
    }
}

static double low(const tw_tikz *p, int64_t i)
{
    return tw_tikz_row(p, p->t->set_row[i] + p->t->set_members[i] - 1) - (p->row - p->bar) / 2;
}

static void draw_ground(const tw_tikz *p, int64_t i, double from, double to)
{
    fprintf(p->out, "\\fill[reserved] (%.4f,%.4f) rectangle +(%.4f,%.4f);\n", from, low(p, i),
            to - from, p->row * p->t->set_members[i]);
}

static void draw_edge(const tw_tikz *p, int64_t i, double from, double to)
{
    fprintf(p->out, "\\draw[edge, line width=0.8pt] (%.4f,%.4f) -- (%.4f,%.4f);\n", from, low(p, i),
            to, low(p, i));
}

void tw_tikz_set_ground(const tw_tikz *p)
{
    each_size(p, draw_ground);
}

void tw_tikz_set_edge(const tw_tikz *p)
{
    each_size(p, draw_edge);
}

/* ---- its size over time ---------------------------------------------------------------------- */

/* Sizes that were over before they could be seen are left out. */
static void write_staircase(const tw_tikz *p, const uint16_t *size, const char *style, double base,
                            double unit)
{
    const twill_trace *t = p->t;
    const char *line = "";
    fprintf(p->out, "\\draw[%s]", style);
    for (int64_t i = 0; i < t->nset; i++) {
        double x = place(p, t->set_time[i]);
        if (i + 1 < t->nset && place(p, t->set_time[i + 1]) - x < resolution)
            continue;
        fprintf(p->out, "%s (%.4f,%.4f)", line, x, base + unit * size[i]);
        line = " -|";
    }
    fprintf(p->out, " -- (%.4f,%.4f);\n", p->width, base + unit * size[t->nset - 1]);
}

/* Of one rank; of several the grounds under their rows say enough. */
void tw_tikz_set_size(tw_tikz *p)
{
    const twill_trace *t = p->t;
    int most = 1;
    if (t->nset == 0 || tw_trace_ranks(t) > 1)
        return;
    for (int64_t i = 0; i < t->nset; i++) {
        most = t->set_members[i] > most ? t->set_members[i] : most;
        most = t->set_wanted[i] > most ? t->set_wanted[i] : most;
    }
    double height = 1.6, base = p->bottom - height - 0.4, unit = height / most;
    int step = most > 5 ? (most + 4) / 5 : 1;
    for (int i = 0; i <= most; i += step)
        fprintf(p->out, "\\draw[black!20] (0,%.4f) node[left, black] {\\small %d} -- +(%.4f,0);\n",
                base + unit * i, i, p->width);
    write_staircase(p, t->set_wanted, "edge!60, densely dashed, line width=0.6pt", base, unit);
    write_staircase(p, t->set_members, "edge, line width=1pt", base, unit);
    fprintf(p->out,
            "\\node[right, align=left, font=\\small] at (%.4f,%.4f) {reserved (line),\\\\"
            "wanted (dashed)};\n",
            p->width + 0.1, base + height / 2);
    p->bottom = base - 0.3;
}
