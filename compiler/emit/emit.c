/* The two files that a graph becomes. */
#include "emit/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const helper_texts[HELPERS] = {
    [HELPER_MIN] = "static inline int64_t min_(int64_t a, int64_t b)\n{\n"
                   "    return a < b ? a : b;\n}\n\n",
    [HELPER_MAX] = "static inline int64_t max_(int64_t a, int64_t b)\n{\n"
                   "    return a > b ? a : b;\n}\n\n",
    [HELPER_FLOOR] = "/* a / b rounded down; b > 0 */\n"
                     "static inline int64_t floor_div_(int64_t a, int64_t b)\n{\n"
                     "    return a / b - (a % b < 0);\n}\n\n",
    [HELPER_CEIL] = "/* a / b rounded up; b > 0 */\n"
                    "static inline int64_t ceil_div_(int64_t a, int64_t b)\n{\n"
                    "    return a / b + (a % b > 0);\n}\n\n",
    [HELPER_DIVIDE] =
        "/* As / and %, but that a divisor of 0 fails the graph. */\n"
        "static inline int64_t div_(const void *globals, int64_t a, int64_t b, const char *zero)\n"
        "{\n    if (b == 0)\n        return twill_ptg_no_value(globals, zero);\n"
        "    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;\n}\n\n"
        "static inline int64_t mod_(const void *globals, int64_t a, int64_t b, const char *zero)\n"
        "{\n    if (b == 0)\n        return twill_ptg_no_value(globals, zero);\n"
        "    return b == -1 ? 0 : a % b;\n}\n\n",
    [HELPER_DIVIDE_NEW] =
        "/* The same for the constructor, which looks at *why. */\n"
        "static inline int64_t div_new_(const char **why, int64_t a, int64_t b, const char *zero)\n"
        "{\n    *why = b == 0 ? zero : *why;\n"
        "    return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;\n}\n\n"
        "static inline int64_t mod_new_(const char **why, int64_t a, int64_t b, const char *zero)\n"
        "{\n    *why = b == 0 ? zero : *why;\n"
        "    return b == 0 || b == -1 ? 0 : a % b;\n}\n\n",
    [HELPER_STEP] =
        "/* A step of 0 fails the graph; something to go on with. */\n"
        "static inline int64_t step_(const void *globals, int64_t step, const char *zero)\n{\n"
        "    return step ? step : twill_ptg_no_value(globals, zero) + 1;\n}\n\n",
    [HELPER_COUNT] = "/* How many values lo .. hi .. step has. */\n"
                     "static inline int64_t count_of_(int64_t lo, int64_t hi, int64_t step)\n{\n"
                     "    if (step > 0 ? lo > hi : lo < hi)\n        return 0;\n"
                     "    return (hi - lo) / step + 1;\n}\n\n",
    [HELPER_IN] = "/* Is x one of lo .. hi .. step? */\n"
                  "static inline bool in_range_(int64_t x, int64_t lo, int64_t hi, int64_t step)\n"
                  "{\n    return (step > 0 ? lo <= x && x <= hi : hi <= x && x <= lo) && "
                  "(x - lo) % step == 0;\n}\n\n",
};

static void emit_class(emitter *e, const ir_class *c)
{
    bool has[EMIT_FUNCTIONS];
    fprintf(e->out, "/* ---- %s(", c->name);
    for (int i = 0; i < c->param_count; i++)
        fprintf(e->out, "%s%s", i ? ", " : "", c->locals[c->params[i]].name);
    fputs(") ---- */\n\n", e->out);
    emit_inputs(e, c);
    has[EMIT_INPUTS] = true;
    has[EMIT_STARTUP] = emit_startup(e, c);
    has[EMIT_BIND] = emit_bind(e, c);
    has[EMIT_RELEASE] = emit_release(e, c);
    has[EMIT_SOURCES] = emit_sources(e, c);
    has[EMIT_CPU] = emit_cpu(e, c);
    has[EMIT_TEAM] = emit_team(e, c);
    has[EMIT_PRIORITY] = emit_priority(e, c);
    has[EMIT_FLOPS] = emit_flops(e, c);
    has[EMIT_RANK] = emit_rank(e, c);
    has[EMIT_INSTANCES] = emit_instances(e, c);
    has[EMIT_WORKER] = emit_worker(e, c);
    has[EMIT_CRITICAL] = emit_critical(e, c);
    has[EMIT_TEAM_SIZE] = emit_team_size(e, c);
    emit_class_table(e, c, has);
}

static void emit_header(emitter *e, FILE *out)
{
    const ir_file *f = e->file;
    fprintf(
        out,
        "/* Made by twillc from %s: the constructor of the graph '%s'.\n"
        " *\n"
        " * Then twill_ptg_run and twill_wait. Collections are arrays, which must live as long\n"
        " * as the graph; NULL is allowed where only the place of a task depends on one. */\n",
        f->source->path, f->name);
    fprintf(out, "#ifndef TWILL_JDF_%s_H\n#define TWILL_JDF_%s_H\n\n#include <twill/ptg.h>\n\n",
            f->name, f->name);
    fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", out);
    if (lacks_bodies(f)) {
        fprintf(out,
                "/* A body that the program supplies; `globals` is the struct below. */\n"
                "typedef twill_outcome twill_%s_body(twill_task *task, const void *globals,\n"
                "    const int64_t *p, const twill_flow *flow);\n\n",
                f->name);
        emit_struct(e, out);
    }
    emit_prototype(e, out, ";");
    fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", out);
}

static void write_c_text(emitter *e, const ir_text *text)
{
    if (!text->text)
        return;
    line_of(e, e->out, text->at);
    fprintf(e->out, "%s\n", text->text);
    line_back(e, e->out);
    fputc('\n', e->out);
}

static bool is_dropped_target(const ir_file *f, int class)
{
    for (int c = 0; c < f->class_count; c++)
        for (int i = 0; i < f->classes[c].flow_count; i++) {
            const ir_flow *flow = &f->classes[c].flows[i];
            for (int j = 0; j < flow->dep_count; j++)
                if (flow->deps[j].drops && flow->deps[j].class == class)
                    return true;
        }
    return false;
}

/* Whether an instance exists is asked before its class is defined. */
static void declare_inputs(emitter *e)
{
    const ir_file *f = e->file;
    for (int c = 0; c < f->class_count; c++)
        if (is_dropped_target(f, c))
            fprintf(e->out,
                    "static int64_t %s_inputs(const void *globals_, const int64_t *p_);\n\n",
                    f->classes[c].name);
}

/* Everything before the classes. */
static void emit_opening(emitter *e)
{
    const ir_file *f = e->file;
    fprintf(e->out, "/* Made by twillc from %s. Changes belong there. */\n", f->source->path);
    fputs("#include <stddef.h>\n#include <twill/ptg.h>\n\n", e->out);
    write_c_text(e, &f->prologue);
    fprintf(e->out, "#include \"%s.h\"\n\n", e->base);
    if (!lacks_bodies(f))
        emit_struct(e, e->out);
    fputs("enum { ", e->out);
    for (int i = 0; i < f->class_count; i++)
        fprintf(e->out, "%sCLS_%s", i ? ", " : "", f->classes[i].name);
    fputs(" };\n\n", e->out);
    for (int i = 0; i < HELPERS; i++)
        if (e->helpers[i])
            fputs(helper_texts[i], e->out);
    declare_inputs(e);
}

/* Copy the text and put numbers into the #line directives that lead back to it. */
static void write_numbered(const char *text, const char *base, FILE *out)
{
    int line = 1;
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length == 7 && memcmp(text, "#line 0", 7) == 0)
            fprintf(out, "#line %d \"%s.c\"\n", line + 1, base);
        else
            fprintf(out, "%.*s\n", (int)length, text);
        line++;
        text += length + (end != NULL);
    }
}

/* What `write` makes, as a string that must be freed. */
static char *collect(emitter *e, void (*write)(emitter *))
{
    char *text = NULL;
    size_t size;
    FILE *before = e->out;
    e->out = open_memstream(&text, &size);
    if (!e->out)
        exit(3);
    write(e);
    fclose(e->out);
    e->out = before;
    return text;
}

static void emit_rest(emitter *e)
{
    emit_inlines(e);
    for (int i = 0; i < e->file->class_count; i++)
        emit_class(e, &e->file->classes[i]);
    emit_graph_table(e);
    emit_constructor(e);
    if (e->file->epilogue.text) {
        fputc('\n', e->out);
        write_c_text(e, &e->file->epilogue);
    }
}

void emit_to(const ir_file *f, const char *base, bool lines, FILE *c, FILE *h)
{
    arena *memory = f->source->memory;
    const char *slash = strrchr(base, '/');
    emitter e = {.file = f,
                 .memory = memory,
                 .base = slash ? slash + 1 : base,
                 .lines = lines,
                 .iter_end = ""};
    e.globals = arena_get(memory, (size_t)f->global_count + 1);
    /* The classes first: they decide which helpers stand before them. */
    char *rest = collect(&e, emit_rest), *opening = collect(&e, emit_opening);
    char *all = arena_print(memory, "%s%s", opening, rest);
    free(rest);
    free(opening);
    write_numbered(all, e.base, c);
    emit_header(&e, h);
}

/* Close the file; false if not all of it was written. */
static bool finish(FILE *out)
{
    bool fine = out && !ferror(out);
    return out && fclose(out) == 0 && fine;
}

bool emit(const ir_file *f, const char *base, bool lines, const char **why)
{
    arena *memory = f->source->memory;
    const char *c_path = arena_print(memory, "%s.c", base);
    const char *h_path = arena_print(memory, "%s.h", base);
    FILE *c = fopen(c_path, "w");
    FILE *h = c ? fopen(h_path, "w") : NULL;
    *why = arena_print(memory, "%s: %s", c ? h_path : c_path, strerror(errno));
    if (c && h)
        emit_to(f, base, lines, c, h);
    errno = 0;
    bool c_fine = finish(c), h_fine = finish(h);
    if (c && h && !(c_fine && h_fine))
        *why = arena_print(memory, "%s: %s", c_fine ? h_path : c_path, strerror(errno));
    /* Half a result must not look like one. */
    if (f->source->errors || !c_fine || !h_fine) {
        if (c)
            remove(c_path);
        if (h)
            remove(h_path);
    }
    return c_fine && h_fine;
}
