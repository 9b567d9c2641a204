/* The executed graph for Graphviz: a node per task, an edge for each time that one waited for
 * another. The longest path is drawn thick and red. */
#include "trace/output/write.h"

#include "common/colours.h"

#include <inttypes.h>
#include <stdlib.h>

/* Inside quotes, DOT knows one special character, and its labels a second. */
static void write_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
    }
}

/* For each task on the path, its place there from 1; 0 for the others. NULL: no memory, and then
 * nothing is highlighted. */
static int32_t *places(const twill_trace *t)
{
    int32_t *place = calloc((size_t)t->ntasks + 1, sizeof *place);
    for (int64_t i = 0; place && i < t->analysis->npath; i++)
        place[t->analysis->path[i]] = (int32_t)i + 1;
    return place;
}

static void write_node(FILE *out, const twill_trace *t, int64_t i, tw_rgb rgb, bool on_path)
{
    char label[256];
    fprintf(out, "  t%" PRId64 " [label=\"", i);
    write_text(out, tw_task_label(t, i, label, sizeof label));
    fprintf(out, "\\n%.1f us\", fillcolor=\"#%02x%02x%02x%s\"%s];\n",
            1e-3 * (t->end[i] - t->start[i]), rgb.red, rgb.green, rgb.blue, on_path ? "ff" : "80",
            on_path ? ", color=red, penwidth=3" : "");
}

void tw_write_dot(FILE *out, const twill_trace *t)
{
    int32_t *place = places(t);
    tw_rgb *colours = tw_class_colours(t);
    fputs("digraph \"", out);
    write_text(out, *t->text[TW_TEXT_TITLE] ? t->text[TW_TEXT_TITLE] : "twill");
    fputs("\" {\n  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"];\n", out);
    for (int64_t i = 0; i < t->ntasks; i++)
        write_node(out, t, i, colours ? colours[t->cls[i]] : (tw_rgb){0}, place && place[i]);
    for (int64_t i = 0; i < t->nedges; i++) {
        uint32_t from = t->edge_from[i], to = t->edge_to[i];
        bool on_path = place && place[from] && place[to] == place[from] + 1;
        fprintf(out, "  t%" PRIu32 " -> t%" PRIu32 "%s;\n", from, to,
                on_path ? " [color=red, penwidth=3]" : "");
    }
    fputs("}\n", out);
    free(place);
    free(colours);
}
