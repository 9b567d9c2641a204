/* Expressions as C. */
#include "emit/emit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void emit_text(emitter *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(e->text, format, args);
    va_end(args);
}

/* A name in C text: a local if there is one, else a global. */
static void mark_name(emitter *e, const char *name, size_t length)
{
    for (int i = 0; e->class && i < e->class->local_count; i++) {
        const char *local = e->class->locals[i].name;
        if (strncmp(local, name, length) == 0 && local[length] == '\0') {
            e->locals[i] = true;
            return;
        }
    }
    int global = ir_global_named(e->file, name, length);
    if (global >= 0)
        e->globals[global] = true;
}

void mark_words(emitter *e, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    while (*text) {
        size_t length = strspn(text, letters);
        if (length)
            mark_name(e, text, length);
        text += length ? length : 1;
    }
}

/* The C text that a quoted property stands for: \" is a quote in it, and \\ a backslash. */
static const char *unquoted(emitter *e, const char *text)
{
    char *plain = arena_text(e->memory, text, strlen(text)), *to = plain;
    for (; *text; text++) {
        text += *text == '\\' && (text[1] == '"' || text[1] == '\\');
        *to++ = *text;
    }
    *to = '\0';
    return plain;
}

/* inline_3(g_, k, n, i) */
static void write_inline(const expr_style *style, const ir_expr *x)
{
    emitter *e = style->user;
    const ir_inline *text = &e->file->inlines[x->index];
    e->raw = true;
    fprintf(style->out, "inline_%d(g_", x->index);
    for (int i = 0; i < text->visible; i++) {
        e->locals[i] = true;
        fprintf(style->out, ", %s", e->class->locals[i].name);
    }
    for (int i = 0; i < text->iter_count; i++)
        fprintf(style->out, ", %s%s", text->iters[i].name, e->iter_end);
    fputc(')', style->out);
}

const char *quoted_text(emitter *e, const char *text)
{
    char *quoted = arena_get(e->memory, 2 * strlen(text) + 3), *to = quoted;
    *to++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *to++ = '\\';
        *to++ = *text == '\n' ? ' ' : *text;
    }
    *to = '"';
    return quoted;
}

/* FILE:LINE: 'expression' what, as a C string. */
static const char *complaint(emitter *e, const ir_expr *x, const char *what)
{
    return quoted_text(e, arena_print(e->memory, "%s:%d: '%s' %s", e->file->source->path,
                                      (int)x->at.line, ir_text_of(e->memory, x), what));
}

/* May the divisor be 0, or -1, for which C knows quotients that do not fit? */
static bool is_unsure(const ir_expr *x)
{
    int64_t by;
    return (x->op == IR_DIV || x->op == IR_MOD) && !(ir_literal(x->args[1], &by) && by > 0);
}

bool may_fail(const ir_expr *x)
{
    for (int i = 0; i < x->count; i++)
        if (may_fail(x->args[i]))
            return true;
    return is_unsure(x);
}

/* div_(globals_, a, b, "potrf.jdf:12: ..."), unless the divisor is a literal. */
static bool write_quotient(const expr_style *style, const ir_expr *x)
{
    emitter *e = style->user;
    if (!is_unsure(x))
        return false;
    e->helpers[e->constructor ? HELPER_DIVIDE_NEW : HELPER_DIVIDE] = true;
    fprintf(style->out, "%s_%s(%s, ", x->op == IR_DIV ? "div" : "mod", e->constructor ? "new_" : "",
            e->constructor ? "&zero_" : "globals_");
    for (int i = 0; i < 2; i++) {
        expr_write(style, x->args[i], false);
        fputs(", ", style->out);
    }
    fprintf(style->out, "%s)", complaint(e, x, "divides by 0"));
    return true;
}

const char *step_text(emitter *e, const ir_range *r)
{
    int64_t step = 1;
    if (!r->step)
        return "1";
    if (ir_literal(r->step, &step))
        return expr_text(e, r->step, true);
    e->helpers[HELPER_STEP] = true;
    return arena_print(e->memory, "step_(globals_, %s, %s)", expr_text(e, r->step, false),
                       complaint(e, r->step, "is a step of 0"));
}

static bool write_c_leaf(const expr_style *style, const ir_expr *x)
{
    emitter *e = style->user;
    switch (x->op) {
    case IR_GLOBAL:
        e->globals[x->index] = true;
        return false;
    case IR_LOCAL:
        e->locals[x->index] = true;
        return false;
    case IR_MEMBER:
        e->globals[e->file->members[x->index].global] = true;
        fprintf(style->out, "(int64_t)%s", x->text);
        return true;
    case IR_ITER:
        fprintf(style->out, "%s%s", x->text, e->iter_end);
        return true;
    case IR_TEXT:
        mark_words(e, x->text);
        fprintf(style->out, "(%s)", unquoted(e, x->text));
        return true;
    case IR_INLINE:
        write_inline(style, x);
        return true;
    case IR_DIV:
    case IR_MOD:
        return write_quotient(style, x);
    case IR_INT:
        if (x->value == INT64_MIN)
            fputs("INT64_MIN", style->out);
        return x->value == INT64_MIN;
    default:
        return false;
    }
}

const char *expr_text(emitter *e, const ir_expr *x, bool enclosed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    expr_style style = {.out = out, .careful = true, .leaf = write_c_leaf, .user = e};
    if (!out)
        return "";
    expr_write(&style, x, enclosed);
    fclose(out);
    char *copy = arena_text(e->memory, text, size);
    free(text);
    return copy;
}

void emit_expr(emitter *e, const ir_expr *x, bool enclosed)
{
    expr_style style = {.out = e->text, .careful = true, .leaf = write_c_leaf, .user = e};
    expr_write(&style, x, enclosed);
}

const char *global_type(const ir_global *g)
{
    if (g->type)
        return g->type;
    switch (g->kind) {
    case IR_COLLECTION:
        return "twill_array *";
    case IR_DATATYPE:
        return "const twill_datatype *";
    default:
        return "int64_t";
    }
}

const char *typed(emitter *e, const char *type, const char *name)
{
    size_t length = strlen(type);
    bool star = length && type[length - 1] == '*';
    return arena_print(e->memory, "%s%s%s", type, star ? "" : " ", name);
}
