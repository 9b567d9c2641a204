/* The function that all ranks call: it makes arrays of the program's tiles, runs the graph, and
 * brings the results to all. */
#include "loops/write.h"

static const char tiles_text[] = "/* The tiles of each array that the function touches. */\n";

static bool travels(const program *p, int collection)
{
    return has_accesses(p, collection) && !p->collections[collection].waits;
}

static int count_of(const program *p)
{
    int count = 0;
    for (int i = 0; i < p->collection_count; i++)
        count += travels(p, i);
    return count;
}

/* ---- Tiles ------------------------------------------------------------------------------- */

static void write_tiles(writer *w, int which, int number)
{
    const program *p = w->program;
    const collection *c = &p->collections[which];
    isl_set *written = tiles_of(p, which, WRITES);
    isl_set *others = tiles_of(p, which, READS_WRITES);
    const char *call = arena_print(w->memory,
                                   "twill_loops_tiles_add(tiles_[%d], (const int64_t[]){%s}, "
                                   "(const void *)(%s), ",
                                   number, index_names_text(w, c), pointer_text(w, c));
    if (written) {
        others = isl_set_subtract(others, isl_set_copy(written));
        write_loops(w, c, written, arena_print(w->memory, "%strue)", call));
    }
    if (isl_set_is_empty(others) == isl_bool_true)
        isl_set_free(others);
    else
        write_loops(w, c, others, arena_print(w->memory, "%sfalse)", call));
}

static void write_lists(writer *w)
{
    const program *p = w->program;
    fprintf(w->out, "    %s    twill_loops_tiles *tiles_[%d];\n", tiles_text, count_of(p));
    for (int i = 0, n = 0; i < p->collection_count; i++)
        if (travels(p, i))
            fprintf(w->out,
                    "    {\n        enum { t0, t1, t2, t3, t4, t5 };\n"
                    "        tiles_[%d] = twill_loops_tiles_new(%d, %s);\n    }\n",
                    n++, p->collections[i].dims, p->collections[i].bytes);
    write_divisions(w, true);
    for (int i = 0, n = 0; i < p->collection_count; i++)
        if (travels(p, i))
            write_tiles(w, i, n++);
    write_divisions(w, false);
}

/* ---- The run ----------------------------------------------------------------------------- */

static void write_argument(void *user, const param *q, const collection *c)
{
    writer *w = user;
    const program *p = w->program;
    if (q) {
        fprintf(w->out, ", %s", q->value->op == C_NAME ? c_text_of(w->memory, q->value) : q->name);
        return;
    }
    int n = 0;
    for (int i = 0; i < p->collection_count && &p->collections[i] != c; i++)
        n += travels(p, i);
    fprintf(w->out, ", arrays_[%d]", n);
}

static void write_run(writer *w)
{
    const program *p = w->program;
    int count = count_of(p);
    fprintf(w->out,
            "    twill_array *arrays_[%d];\n"
            "    twill_status status_ = TWILL_OK;\n"
            "    for (int i_ = 0; i_ < %d && status_ == TWILL_OK; i_++)\n"
            "        status_ = twill_loops_tiles_array(twill_loops_context, tiles_[i_], "
            "&arrays_[i_]);\n"
            "    if (status_ == TWILL_OK)\n        status_ = twill_%s_new(twill_loops_context",
            count, count, w->name);
    each_global(p, write_argument, w);
    fprintf(w->out,
            ", &graph_);\n"
            "    if (status_ == TWILL_OK)\n        status_ = twill_ptg_run(graph_);\n"
            "    if (status_ == TWILL_OK)\n        status_ = twill_wait(graph_);\n"
            "    twill_graph_free(graph_);\n"
            "    for (int i_ = 0; i_ < %d && status_ == TWILL_OK; i_++)\n"
            "        status_ = twill_loops_tiles_share(tiles_[i_]);\n"
            "    if (status_ != TWILL_OK) {\n"
            "        fprintf(stderr, \"%s: %%s\\n\", twill_message());\n"
            "        abort();\n    }\n",
            count, p->function->name);
}

static void write_free(writer *w, const char *indent)
{
    fprintf(w->out,
            "%sfor (int i_ = 0; i_ < %d; i_++)\n%s    twill_loops_tiles_free(tiles_[i_]);\n",
            indent, count_of(w->program), indent);
}

void write_spread(writer *w)
{
    const program *p = w->program;
    const char *name = p->function->name;
    const char *result = p->result ? c_text_of(w->memory, p->result) : "";
    fputs("\nextern \"C\" %{\n", w->out);
    write_context(w, "NULL");
    fprintf(
        w->out,
        "/* The same as %s_sequential, by tasks, on all ranks of the context. Every rank calls\n"
        " * it, with the same numbers. Where two tiles turn out to share memory, each rank\n"
        " * runs the sequential program. */\n%s\n{\n    twill_graph *graph_ = NULL;\n",
        name, c_prototype(p->file, p->function));
    write_constants(w);
    write_lists(w);
    fprintf(w->out,
            "    pthread_once(&once_, start_);\n"
            "    if (!twill_loops_context || !twill_loops_tiles_apart(tiles_, %d)) {\n",
            count_of(p));
    write_free(w, "        ");
    fputs("        ", w->out);
    write_call(w, arena_print(w->memory, "%s_sequential", name));
    fprintf(w->out, ";\n        return %s;\n    }\n", result);
    write_run(w);
    write_free(w, "    ");
    if (p->result)
        fprintf(w->out, "    return %s;\n", result);
    fputs("}\n%}\n", w->out);
}
