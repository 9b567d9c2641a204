/* A trace as a picture: tasks as boxes that span their workers, before a background that shows the
 * size of the reserved set. */
#include "compat/pcp/runtime.h"

#include <stdio.h>
#include <stdlib.h>

static const double width = 24, row = 0.6; /* cm */

/* Of types of tasks, again and again. */
static const char *const colours[] = {"4477AA", "EE6677", "CCBB44", "66CCEE", "AA3377", "228833"};
enum { COLOURS = sizeof colours / sizeof *colours };

static void head(FILE *out, const tw_pcp *p)
{
    fputs("\\documentclass{article}\n"
          "\\usepackage{tikz}\n"
          "\\usepackage[margin=1cm,landscape,a3paper]{geometry}\n"
          "\\pagestyle{empty}\n",
          out);
    for (int i = 0; i < p->ntypes; i++)
        fprintf(out, "\\definecolor{type%d}{HTML}{%s}\n", i, colours[i % COLOURS]);
    fprintf(out, "\\begin{document}\n\\noindent\\begin{tikzpicture}[x=1cm,y=-%.2fcm]\n", row);
}

/* The reserved workers are the uppermost rows. */
static void background(FILE *out, const struct pcp_trace *t, double scale, int workers)
{
    fprintf(out, "\\fill[black!6] (0,0) rectangle (%.4f,%d);\n", width, workers);
    for (int i = 0; i < t->num_adaption_events; i++) {
        const struct pcp_adaption_event *e = &t->adaption_events[i];
        double from = scale * e->time;
        double to = i + 1 < t->num_adaption_events ? scale * e[1].time : width;
        to = to < width ? to : width;
        if (e->size > 0 && to > from)
            fprintf(out, "\\fill[green!20] (%.4f,0) rectangle (%.4f,%d);\n", from, to, e->size);
    }
    for (int w = 0; w < workers; w++)
        fprintf(out, "\\node[left,font=\\tiny] at (0,%.1f) {%d};\n", w + 0.5, w);
}

static void boxes(FILE *out, const struct pcp_trace *t, double scale)
{
    for (int i = 0; i < t->num_events; i++) {
        const struct pcp_event *e = &t->events[i];
        fprintf(out,
                "\\filldraw[fill=type%d%s,draw=%s,line width=0.1pt] (%.4f,%.2f) rectangle "
                "(%.4f,%.2f);\n",
                e->task_type, e->is_critical ? "" : "!45", e->is_critical ? "black" : "black!40",
                scale * e->begin, e->first_core + 0.1, scale * e->end,
                e->first_core + e->num_cores - 0.1);
    }
}

static void axis(FILE *out, double seconds)
{
    fprintf(out, "\\draw (0,-0.3) -- (%.2f,-0.3);\n", width);
    for (int i = 0; i <= 4; i++)
        fprintf(out, "\\draw (%.2f,-0.3) -- (%.2f,-0.5) node[above,font=\\tiny] {%.4g ms};\n",
                width * i / 4, width * i / 4, 1e3 * seconds * i / 4);
}

static void write(FILE *out, const tw_pcp *p, const struct pcp_trace *t)
{
    double seconds = 0;
    for (int i = 0; i < t->num_events; i++)
        seconds = t->events[i].end > seconds ? t->events[i].end : seconds;
    double scale = seconds > 0 ? width / seconds : 0;
    head(out, p);
    background(out, t, scale, twill_workers(p->tw));
    boxes(out, t, scale);
    axis(out, seconds);
    fputs("\\end{tikzpicture}\n\\end{document}\n", out);
}

void pcp_view_trace_tikz(void)
{
    struct pcp_trace trace;
    pcp_view_trace(&trace);
    if (!trace.events)
        return;
    FILE *out = fopen("trace.tex", "w");
    if (out)
        write(out, &tw_pcp_state, &trace);
    if (!out || (fclose(out) != 0))
        tw_pcp_complain("pcp_view_trace_tikz: trace.tex cannot be written");
    free(trace.events);
    free(trace.adaption_events);
}
