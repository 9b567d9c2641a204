/* What a JDF file has of C: kernels, arguments, bodies. */
#include "loops/build.h"
#include "loops/write.h"

#include <string.h>

/* ---- Kernels ----------------------------------------------------------------------------- */

void write_prologue(writer *w)
{
    const program *p = w->program;
    if (p->in_place || p->distribute) {
        write_program(w);
        return;
    }
    fprintf(w->out, "/* Made by twillc from %s of %s. */\n", p->function->name, p->source->path);
    fputs("extern \"C\" %{\n", w->out);
    for (int i = 0; i < p->file->include_count; i++)
        fprintf(w->out, "%s\n", p->file->includes[i]);
    for (int i = 0; i < p->stmt_count; i++) {
        const char *kernel = p->stmts[i].kernel;
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen = seen || strcmp(p->stmts[k].kernel, kernel) == 0;
        const c_function *f = c_function_of(p->file, kernel);
        if (!seen && f && f->here && f->is_static)
            source_say(p->source, ERROR, f->at,
                       "%s is static, and another file would have to call it: leave out 'static', "
                       "move it to a header, or use --in-place",
                       kernel);
        if (!seen && f && f->here)
            fprintf(w->out, "%s;\n", c_prototype(p->file, f));
    }
    fputs("%}\n\n", w->out);
}

void write_epilogue(writer *w)
{
    if (w->program->distribute)
        write_spread(w);
    else if (w->program->in_place)
        write_wrapper(w);
}

/* ---- Arguments --------------------------------------------------------------------------- */

static bool is_argument(const program *p, const c_expr *e)
{
    for (int i = 0; i < p->function->param_count; i++)
        if (e->op == C_NAME && e->local == p->arguments[i])
            return true;
    return false;
}

/* Does some task use it, or run where it is? */
static bool is_used(const program *p, int collection)
{
    if (p->collections[collection].waits)
        return false;
    bool used = has_accesses(p, collection);
    for (int i = 0; i < p->stmt_count && !used; i++)
        used = p->stmts[i].on && p->stmts[i].on->collection == collection;
    return used;
}

static void write_param(const param *q, FILE *out)
{
    bool plain = strcmp(q->type.text, "int64_t") == 0;
    fprintf(out, plain ? "%s\n" : "%s [type=\"%s\"]\n", q->name, q->type.text);
}

/* In the order of the function's own arguments; then what it computes, and arrays that are none. */
void each_global(const program *p, void (*see)(void *, const param *, const collection *),
                 void *user)
{
    for (int i = 0; i < p->function->param_count; i++) {
        for (int k = 0; k < p->param_count; k++)
            if (p->params[k].used && p->params[k].value->local == p->arguments[i] &&
                p->params[k].value->op == C_NAME)
                see(user, &p->params[k], NULL);
        for (int k = 0; k < p->collection_count; k++)
            if (is_used(p, k) && c_bare(p->collections[k].base)->local == p->arguments[i])
                see(user, NULL, &p->collections[k]);
    }
    for (int k = 0; k < p->param_count; k++)
        if (p->params[k].used && !is_argument(p, p->params[k].value))
            see(user, &p->params[k], NULL);
    for (int k = 0; k < p->collection_count; k++)
        if (is_used(p, k) && !is_argument(p, c_bare(p->collections[k].base)))
            see(user, NULL, &p->collections[k]);
}

static void write_global(void *out, const param *q, const collection *c)
{
    if (q)
        write_param(q, out);
    else
        fprintf(out, "%s\n", c->name);
}

void write_globals(writer *w)
{
    if (w->program->in_place)
        write_arguments(w);
    else
        each_global(w->program, write_global, w->out);
}

/* ---- Bodies ------------------------------------------------------------------------------ */

/* Loops by the names of the class's parameters, constants by those of the globals. */
bool write_name(void *user, FILE *out, const c_expr *e)
{
    const writer *w = user;
    const stmt *s = &w->program->stmts[w->stmt];
    for (int i = 0; e->op == C_NAME && i < s->depth; i++)
        if (e->local == s->loops[i]) {
            if (w->typed)
                fprintf(out, "((%s)%s)", s->loops[i]->type.text, s->names[i]);
            else
                fputs(s->names[i], out);
            return true;
        }
    if (e->op != C_NAME && e->op != C_MEMBER)
        return false;
    for (int i = 0; i < w->program->param_count; i++)
        if (c_same(w->program->params[i].value, e)) {
            fputs(w->program->params[i].name, out);
            return true;
        }
    return false;
}

static const char *flow_of_arg(const writer *w, int arg)
{
    const stmt *s = &w->program->stmts[w->stmt];
    for (int i = 0; i < s->access_count; i++)
        if (s->accesses[i].arg == arg)
            return w->flows[w->stmt][i];
    return NULL;
}

/* Is some part of it of a type that makes others unsigned? */
static bool has_unsigned(const c_file *f, const c_expr *e)
{
    bool found = is_unsigned(f, e);
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && has_unsigned(f, e->args[i]);
    return found;
}

/* What a kernel gets beside its tiles. */
static void write_value(writer *w, const c_expr *e)
{
    w->typed = e->op != C_NAME && has_unsigned(w->program->file, e);
    c_write(w->out, e, write_name, w);
    w->typed = false;
}

void write_body(writer *w)
{
    const stmt *s = &w->program->stmts[w->stmt];
    if (w->program->in_place) {
        write_task(w);
        return;
    }
    if (s->waits) {
        fputs("BODY\nEND\n", w->out);
        return;
    }
    if (s->tree) {
        write_relocated(w);
        return;
    }
    fprintf(w->out, "BODY\n    %s(", s->kernel);
    for (int i = 1; i < s->call->count; i++) {
        const char *flow = flow_of_arg(w, i - 1);
        fputs(i > 1 ? ", " : "", w->out);
        if (flow)
            fputs(flow, w->out);
        else
            write_value(w, s->call->args[i]);
    }
    fputs(");\nEND\n", w->out);
}
