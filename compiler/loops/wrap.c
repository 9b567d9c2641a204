/* The function that stands in for the sequential one: it makes the graph, runs it and waits. */
#include "loops/write.h"

#include <isl/ast_build.h>
#include <stdlib.h>
#include <string.h>

/* ---- Are different tiles different places? ----------------------------------------------- */

static const char *const index_names[] = {"t0", "t1", "t2", "t3", "t4",
                                          "t5", "t6", "t7", "t8", "t9"};

/* The pointer to the tile with indices t0, t1, ... */
const char *pointer_text(const writer *w, const collection *c)
{
    const c_expr *base = c->base;
    arena *a = w->memory;
    bool passed = w->program->distribute && c->passed != SHAPE_UNKNOWN;
    tile_shape shape = passed ? c->passed : c->shape;
    if (base->op == C_CALL) {
        const char *text = arena_print(a, "%s(", base->args[0]->text);
        for (int i = 1, n = 0; i < base->count; i++)
            text = arena_print(a, "%s%s%s", text, i > 1 ? ", " : "",
                               base->args[i] ? c_text_of(a, base->args[i]) : index_names[n++]);
        return arena_print(a, "%s)", text);
    }
    const char *text = c_text_of(a, base);
    if (base->op == C_CAST)
        text = arena_print(a, "(%s)", text);
    if (c->element)
        text = arena_print(a, "((%s)%s)", c->element, text);
    if (shape == SHAPE_BASE)
        return text;
    if (c->linear) {
        text = arena_print(a, "%s[", text);
        for (int i = 0; i < c->dims; i++)
            text =
                arena_print(a, "%s%s%s(%s)", text, i ? " + " : "", c->strides[i], index_names[i]);
        text = arena_print(a, "%s]", text);
    } else
        for (int i = 0; i < c->dims; i++)
            text = arena_print(a, "%s[%s]", text, index_names[i]);
    return arena_print(a, "%s%s", shape == SHAPE_ADDRESS ? "&" : "", text);
}

const char *index_names_text(const writer *w, const collection *c)
{
    const char *names = "";
    for (int i = 0; i < c->dims; i++)
        names = arena_print(w->memory, "%s%s%s", names, i ? ", " : "", index_names[i]);
    return names;
}

/* Loops over tiles of an array, each once, as isl writes them; `call` is made for each. */
void write_loops(writer *w, const collection *c, isl_set *tiles, const char *call)
{
    isl_ctx *ctx = w->program->ctx;
    fprintf(w->out, "#define note_(%s) %s\n", index_names_text(w, c), call);
    tiles = isl_set_set_tuple_name(tiles, "note_");
    isl_options_set_ast_iterator_type(ctx, "int64_t");
    isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(w->program->context));
    isl_union_map *order = isl_union_map_from_map(isl_set_identity(isl_set_copy(tiles)));
    order =
        isl_union_map_from_map(isl_map_reset_tuple_id(isl_map_from_union_map(order), isl_dim_out));
    isl_ast_node *loops = isl_ast_build_node_from_schedule_map(build, order);
    char *text = loops ? isl_ast_node_to_C_str(loops) : NULL;
    if (text)
        fprintf(w->out, "%s#undef note_\n", text);
    else
        source_say(w->program->source, ERROR, w->program->function->at,
                   "the tiles of %s cannot be enumerated; make its indices simpler", c->name);
    free(text);
    isl_ast_node_free(loops);
    isl_ast_build_free(build);
    isl_set_free(tiles);
}

/* Those that some task accesses in this way; NULL: none. */
isl_set *tiles_of(const program *p, int collection, access_mode mode)
{
    isl_set *all = NULL;
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < p->stmts[i].access_count; k++) {
            const access *a = &p->stmts[i].accesses[k];
            if (a->collection != collection || !(a->mode & mode))
                continue;
            isl_set *set = isl_map_range(
                isl_map_intersect_domain(isl_map_copy(a->map), isl_set_copy(p->stmts[i].domain)));
            all = all ? isl_set_union(all, set) : set;
        }
    return all ? isl_set_intersect_params(isl_set_coalesce(all), isl_set_copy(p->context)) : NULL;
}

static const char helpers[] =
    "/* The tiles that the function touches: if two of them are one place, their tasks have an "
    "order\n"
    " * that the graph does not know. */\n"
    "typedef struct tiles_ {\n    const void **list;\n    size_t count, room;\n    bool failed;\n"
    "} tiles_;\n\n"
    "static void note_tile_(tiles_ *t, const void *tile)\n{\n"
    "    if (t->count == t->room) {\n"
    "        size_t room = 2 * t->room + 64;\n"
    "        const void **list = realloc(t->list, room * sizeof *list);\n"
    "        t->failed |= !list;\n"
    "        if (!list)\n            return;\n"
    "        t->list = list;\n        t->room = room;\n    }\n"
    "    t->list[t->count++] = tile;\n}\n\n"
    "static int compare_tiles_(const void *x, const void *y)\n{\n"
    "    const char *a = *(const char *const *)x, *b = *(const char *const *)y;\n"
    "    return (a > b) - (a < b);\n}\n\n"
    "static bool are_distinct_(tiles_ *t)\n{\n"
    "    bool distinct = !t->failed;\n"
    "    if (t->count)\n"
    "        qsort(t->list, t->count, sizeof *t->list, compare_tiles_);\n"
    "    for (size_t i = 1; i < t->count; i++)\n"
    "        distinct = distinct && t->list[i] != t->list[i - 1];\n"
    "    free(t->list);\n    return distinct;\n}\n\n";

/* A context, once: `options` of twill_start. */
void write_context(writer *w, const char *options)
{
    fprintf(w->out,
            "/* The program's own, if it has set it before; else made for the first graph. */\n"
            "__attribute__((weak)) twill *twill_loops_context;\n"
            "static pthread_once_t once_ = PTHREAD_ONCE_INIT;\n\n"
            "static void stop_(void)\n{\n    twill_stop(twill_loops_context);\n}\n\n"
            "static void start_(void)\n{\n"
            "    if (!twill_loops_context && twill_start(&twill_loops_context, %s) == TWILL_OK)\n"
            "        atexit(stop_);\n}\n\n",
            options);
}

/* ---- The function ------------------------------------------------------------------------ */

static bool is_argument(const program *p, const c_expr *e)
{
    for (int i = 0; i < p->function->param_count; i++)
        if (e->op == C_NAME && e->local == p->arguments[i])
            return true;
    return false;
}

/* What the function computes before its loops. */
void write_constants(writer *w)
{
    const program *p = w->program;
    for (int i = 0; i < p->param_count; i++) {
        const param *q = &p->params[i];
        if (!q->used || is_argument(p, q->value))
            continue;
        const c_expr *value =
            q->value->local && q->value->local->value ? q->value->local->value : q->value;
        if (value->op == C_NAME && strcmp(value->text, q->name) == 0)
            continue; /* a variable of the file */
        fprintf(w->out, "    const %s %s = %s;\n", q->type.text, q->name,
                c_text_of(w->memory, value));
    }
}

void write_call(writer *w, const char *function)
{
    const program *p = w->program;
    fprintf(w->out, "%s(", function);
    for (int i = 0; i < p->function->param_count; i++)
        fprintf(w->out, "%s%s", i ? ", " : "", p->arguments[i]->name);
    fputs(")", w->out);
}

static void write_make(writer *w)
{
    const program *p = w->program;
    fprintf(w->out, "twill_%s_new(twill_loops_context", w->name);
    for (int i = 0; i < p->function->param_count; i++) {
        const local *l = p->arguments[i];
        bool pointer = l->type.class == TYPE_POINTER || l->type.class == TYPE_ARRAY;
        fprintf(w->out, ", %s%s", pointer ? "(void *)" : "", l->name);
    }
    for (int i = 0; i < p->param_count; i++)
        if (p->params[i].used && !is_argument(p, p->params[i].value))
            fprintf(w->out, ", %s", p->params[i].name);
    fputs(", &graph_)", w->out);
}

/* What loops as isl writes them call. */
void write_divisions(writer *w, bool define)
{
    fputs(define ? "#undef min\n#undef max\n#undef floord\n" /* the program's own */
                   "#define min(a, b) ((a) < (b) ? (a) : (b))\n"
                   "#define max(a, b) ((a) > (b) ? (a) : (b))\n"
                   "#define floord(a, b) (((a) - ((a) % (b) + (b)) % (b)) / (b))\n"
                 : "#undef min\n#undef max\n#undef floord\n",
          w->out);
}

static void write_check(writer *w)
{
    const program *p = w->program;
    fputs("    tiles_ tiles_ = {0};\n", w->out);
    write_divisions(w, true);
    for (int i = 0; i < p->collection_count; i++)
        if (has_accesses(p, i) && !p->collections[i].waits) {
            const collection *c = &p->collections[i];
            const char *call = arena_print(w->memory, "note_tile_(&tiles_, (const void *)(%s))",
                                           pointer_text(w, c));
            write_loops(w, c, tiles_of(p, i, READS_WRITES), call);
        }
    write_divisions(w, false);
}

void write_wrapper(writer *w)
{
    const program *p = w->program;
    const char *name = p->function->name;
    const char *result = p->result ? c_text_of(w->memory, p->result) : "";
    fputs("\nextern \"C\" %{\n", w->out);
    fputs(helpers, w->out);
    /* processes of an MPI program do it each by itself */
    write_context(w, "&(twill_options){.size = sizeof(twill_options), .mpi = \"off\"}");
    fprintf(w->out,
            "/* The same as %s_sequential, by tasks. Where two tiles turn out to be one place,\n"
            " * or there is no memory for a graph, the sequential program runs. */\n%s\n{\n",
            name, c_prototype(p->file, p->function));
    fputs("    twill_graph *graph_ = NULL;\n", w->out);
    write_constants(w);
    write_check(w);
    fputs("    pthread_once(&once_, start_);\n"
          "    bool made_ = are_distinct_(&tiles_) && twill_loops_context &&\n"
          "        twill_ranks(twill_loops_context) == 1 &&\n        ",
          w->out);
    write_make(w);
    fputs(" == TWILL_OK;\n    if (!made_) {\n        ", w->out);
    write_call(w, arena_print(w->memory, "%s_sequential", name));
    fprintf(w->out, ";\n        return %s;\n    }\n", result);
    fputs("    if (twill_ptg_run(graph_) != TWILL_OK || twill_wait(graph_) != TWILL_OK) {\n"
          "        fprintf(stderr, \"%s\\n\", twill_message());\n        abort();\n    }\n"
          "    twill_graph_free(graph_);\n",
          w->out);
    if (p->result)
        fprintf(w->out, "    return %s;\n", result);
    fputs("}\n%}\n", w->out);
}
