/* Bodies whose tiles can be anywhere, as C. */
#include "loops/write.h"

#include <string.h>

static bool write_part(void *user, FILE *out, const c_expr *e)
{
    const writer *w = user;
    if (e->op != C_LEAF || e->text != tile_mark)
        return write_name(user, out, e);
    fputs(w->flows[w->stmt][e->value], out);
    return true;
}

static void write_stmt(writer *w, const c_stmt *s);

static void write_expr(writer *w, const char *before, const c_expr *e, const char *after)
{
    fputs(before, w->out);
    if (e)
        c_write(w->out, e, write_part, w);
    fputs(after, w->out);
}

static void write_declared(writer *w, const c_stmt *s)
{
    for (int i = 0; i < s->declared_count; i++) {
        const c_declared *d = &s->declared[i];
        fputs(d->text, w->out);
        write_expr(w, d->value ? " = " : "", d->value, "; ");
    }
}

static void write_for(writer *w, const c_stmt *s)
{
    fputs("{ ", w->out);
    if (s->init && s->init->kind == C_DECLARE)
        write_declared(w, s->init);
    else if (s->init)
        write_expr(w, "", s->init->cond, "; ");
    write_expr(w, "for (; ", s->cond, "; ");
    write_expr(w, "", s->step, ") ");
    write_stmt(w, s->parts[0]);
    fputs("}\n", w->out);
}

static void write_stmt(writer *w, const c_stmt *s)
{
    switch (s->kind) {
    case C_BLOCK:
        fputs("{\n", w->out);
        for (int i = 0; i < s->part_count; i++)
            write_stmt(w, s->parts[i]);
        fputs("}\n", w->out);
        break;
    case C_FOR:
        write_for(w, s);
        break;
    case C_IF:
    case C_WHILE:
        write_expr(w, s->kind == C_IF ? "if (" : "while (", s->cond, ")\n{ ");
        write_stmt(w, s->parts[0]);
        fputs("}\n", w->out);
        if (s->kind == C_IF && s->part_count > 1) {
            fputs("else { ", w->out);
            write_stmt(w, s->parts[1]);
            fputs("}\n", w->out);
        }
        break;
    case C_DECLARE:
        write_declared(w, s);
        fputc('\n', w->out);
        break;
    case C_DO_EXPR:
        write_expr(w, "", s->cond, ";\n");
        break;
    case C_CONTINUE:
        fputs("continue;\n", w->out);
        break;
    default:
        fputs(";\n", w->out);
    }
}

/* Names of the body's own must not hide what the graph has. */
static bool check_names(const writer *w, const stmt *s)
{
    const program *p = w->program;
    for (int i = 0; i < s->inner_count; i++) {
        bool hides = false;
        for (int k = 0; k < p->param_count; k++)
            hides |= strcmp(p->params[k].name, s->inner[i]) == 0;
        for (int k = 0; k < s->access_count; k++)
            hides |= strcmp(w->flows[w->stmt][k], s->inner[i]) == 0;
        for (int k = 0; k < s->depth; k++)
            hides |= strcmp(s->names[k], s->inner[i]) == 0;
        if (!hides)
            continue;
        source_say(p->source, ERROR, s->at,
                   "'%s' is a name of the task's own and of the graph; give it another name",
                   s->inner[i]);
        return false;
    }
    return true;
}

void write_relocated(writer *w)
{
    const stmt *s = &w->program->stmts[w->stmt];
    if (!check_names(w, s))
        return;
    fputs("BODY\n{\n", w->out);
    w->typed = true;
    write_stmt(w, s->tree);
    w->typed = false;
    fputs("}\nEND\n", w->out);
}
