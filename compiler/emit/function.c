/* The frame of a generated function: what it declares follows from what its text uses. */
#include "emit/emit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void function_begin(emitter *e, const ir_class *c)
{
    e->class = c;
    e->raw = false;
    memset(e->globals, 0, (size_t)e->file->global_count);
    memset(e->locals, 0, sizeof e->locals);
    e->text = open_memstream(&e->buffer, &e->size);
    if (!e->text)
        exit(3);
}

/* Definitions of the derived locals in use, from last to first, since each may use others. */
static void collect_derived(emitter *e, const char **lines)
{
    for (int i = e->class ? e->class->local_count - 1 : -1; i >= 0; i--) {
        const ir_local *local = &e->class->locals[i];
        lines[i] = NULL;
        if (local->kind == IR_DERIVED && e->locals[i])
            lines[i] = arena_print(e->memory, "    const int64_t %s = %s;\n", local->name,
                                   expr_text(e, local->range.lo, false));
    }
}

static bool any_global(const emitter *e)
{
    for (int i = 0; i < e->file->global_count; i++)
        if (e->globals[i])
            return true;
    return e->raw;
}

/* A local of the class hides the global of its name. */
static bool hidden(const emitter *e, const char *name)
{
    for (int i = 0; e->class && i < e->class->local_count; i++)
        if (strcmp(e->class->locals[i].name, name) == 0)
            return true;
    return false;
}

static void declare_globals(emitter *e)
{
    const ir_file *f = e->file;
    if (!any_global(e)) {
        fputs("    (void)globals_;\n", e->out);
        return;
    }
    fprintf(e->out, "    const struct %s_globals *const g_ = globals_;\n", f->name);
    for (int i = 0; i < f->global_count; i++) {
        const ir_global *g = &f->globals[i];
        if (!e->globals[i] || hidden(e, g->name))
            continue;
        /* Expressions are computed in 64 bits whatever the declared type. */
        bool number = g->kind == IR_VALUE && g->integer;
        fprintf(e->out, "    %s%s = g_->%s;\n", number ? "const " : "",
                typed(e, number ? "int64_t" : global_type(g), g->name), g->name);
    }
}

static void declare_params(emitter *e)
{
    const ir_class *c = e->class;
    const char *before = "    const int64_t ";
    int used = 0;
    for (int i = 0; i < c->param_count; i++) {
        if (!e->locals[c->params[i]])
            continue;
        fprintf(e->out, "%s%s = p_[%d]", before, c->locals[c->params[i]].name, i);
        before = ", ";
        used++;
    }
    fputs(used ? ";\n" : "    (void)p_;\n", e->out);
}

/* The frame around the finished text; `lines` are the definitions of locals, NULL where none. */
static void write_frame(emitter *e, const char **lines, bool params, const char *format,
                        va_list args)
{
    vfprintf(e->out, format, args);
    fputs("\n{\n", e->out);
    declare_globals(e);
    if (params)
        declare_params(e);
    for (int i = 0; i < e->class->local_count; i++)
        if (lines[i])
            fputs(lines[i], e->out);
    fputs(e->buffer, e->out);
    fputs("}\n\n", e->out);
    free(e->buffer);
    e->buffer = NULL;
}

void function_end(emitter *e, const char *format, ...)
{
    const char *lines[MOST_LOCALS];
    va_list args;
    fclose(e->text);
    collect_derived(e, lines);
    va_start(args, format);
    write_frame(e, lines, true, format, args);
    va_end(args);
}

void function_end_with(emitter *e, const char **lines, const char *format, ...)
{
    va_list args;
    fclose(e->text);
    va_start(args, format);
    write_frame(e, lines, false, format, args);
    va_end(args);
}

void capture_begin(emitter *e, capture *c)
{
    c->before = e->text;
    e->text = open_memstream(&c->buffer, &c->size);
    if (!e->text)
        exit(3);
}

const char *capture_end(emitter *e, capture *c)
{
    fclose(e->text);
    e->text = c->before;
    char *copy = arena_text(e->memory, c->buffer, c->size);
    free(c->buffer);
    return copy;
}

static bool is_flow(const ir_class *c, const char *name)
{
    for (int i = 0; c && i < c->flow_count; i++) {
        size_t length = strlen(c->flows[i].name);
        if (c->flows[i].mode != IR_CTL && strncmp(c->flows[i].name, name, length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, "_ld") == 0))
            return true;
    }
    return false;
}

void declare_all(emitter *e, const ir_class *c, bool flows)
{
    const ir_file *f = e->file;
    e->class = c;
    fprintf(e->out, "    const struct %s_globals *const g_ = globals_;\n    (void)g_;\n", f->name);
    for (int i = 0; i < f->global_count; i++) {
        const ir_global *g = &f->globals[i];
        if (hidden(e, g->name) || (flows && is_flow(c, g->name)))
            continue;
        fprintf(e->out, "    %s = g_->%s;\n    (void)%s;\n", typed(e, global_type(g), g->name),
                g->name, g->name);
    }
}

static void write_quoted(FILE *out, const char *path)
{
    fputc('"', out);
    for (; *path; path++) {
        if (*path == '"' || *path == '\\')
            fputc('\\', out);
        fputc(*path, out);
    }
    fputs("\"\n", out);
}

void line_of(emitter *e, FILE *out, place at)
{
    if (!e->lines)
        return;
    fprintf(out, "#line %d ", at.line);
    write_quoted(out, e->file->source->path);
}

/* The number of the output's line is known only at the end; emit.c puts it there. */
void line_back(emitter *e, FILE *out)
{
    if (e->lines)
        fputs("#line 0\n", out);
}
