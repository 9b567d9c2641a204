/* --print ast: the tree as JDF again. */
#include "syntax/ast.h"

static void print_props(FILE *out, const ast_props *props)
{
    for (int i = 0; i < props->count; i++) {
        const ast_prop *p = &props->list[i];
        fputs(i ? " " : " [", out);
        if (p->name)
            fprintf(out, "%s%s%s=", p->flow ? p->flow : "", p->flow ? "." : "", p->name);
        /* A value may be followed by the next name, so operators are enclosed. */
        bool enclose = p->value->op >= IR_NEG;
        fputs(enclose ? "(" : "", out);
        ir_write(out, p->value);
        fputs(enclose ? ")" : "", out);
    }
    fputs(props->count ? "]" : "", out);
}

static void print_target(FILE *out, const ast_target *t)
{
    ir_write_iters(out, t->iters, t->iter_count);
    if (t->kind == AST_NEW || t->kind == AST_NULL) {
        fputs(t->kind == AST_NEW ? "NEW" : "NULL", out);
        return;
    }
    fprintf(out, "%s%s%s", t->flow ? t->flow : "", t->flow ? " " : "", t->name);
    ir_write_args(out, t->args, t->arg_count);
}

static void print_dep(FILE *out, const ast_dep *d)
{
    fprintf(out, "    %s ", d->out ? "->" : "<-");
    ir_write_iters(out, d->iters, d->iter_count);
    if (d->guard) {
        fputc('(', out);
        ir_write(out, d->guard);
        fputs(") ? ", out);
    }
    print_target(out, &d->target);
    if (d->has_other) {
        fputs(" : ", out);
        print_target(out, &d->other);
    }
    print_props(out, &d->props);
    fputc('\n', out);
}

static void print_flow(FILE *out, const ast_flow *flow)
{
    static const char *const modes[] = {"", "READ ", "WRITE ", "RW ", "CTL "};
    fprintf(out, "  %s%s\n", modes[flow->mode], flow->name);
    for (int i = 0; i < flow->dep_count; i++)
        print_dep(out, &flow->deps[i]);
}

static void print_affinity(FILE *out, const ast_affinity *a)
{
    fputs("  : ", out);
    if (a->name) {
        fputs(a->name, out);
        ir_write_args(out, a->args, a->arg_count);
    } else {
        ir_write(out, a->predicate);
    }
    fputc('\n', out);
}

static void print_locals(FILE *out, const ast_class *c)
{
    for (int i = 0; i < c->local_count; i++) {
        const ast_local *local = &c->locals[i];
        fprintf(out, "  %s = ", local->name);
        ir_write_iters(out, local->iters, local->iter_count);
        ir_write_range(out, &local->range);
        print_props(out, &local->props);
        fputc('\n', out);
    }
}

static void print_class(FILE *out, const ast_class *c)
{
    fprintf(out, "\n%s(", c->name);
    for (int i = 0; i < c->param_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", c->params[i].name);
    fputc(')', out);
    print_props(out, &c->props);
    fprintf(out, "%s\n", c->high_priority ? " (high_priority)" : "");
    print_locals(out, c);
    ir_write_labelled(out, "SIMCOST", c->simcost);
    for (int i = 0; i < c->affinity_count; i++)
        print_affinity(out, &c->affinities[i]);
    for (int i = 0; i < c->flow_count; i++)
        print_flow(out, &c->flows[i]);
    ir_write_labelled(out, ";", c->priority);
    for (int i = 0; i < c->body_count; i++) {
        fputs("BODY", out);
        print_props(out, &c->bodies[i].props);
        fprintf(out, "%sEND\n", c->bodies[i].text);
    }
}

void ast_print(FILE *out, const ast_file *f)
{
    if (f->prologue)
        fprintf(out, "extern \"C\" %%{%s%%}\n", f->prologue);
    for (int i = 0; i < f->option_count; i++)
        fprintf(out, "%%option %s = %s\n", f->options[i].name, f->options[i].value);
    for (int i = 0; i < f->global_count; i++) {
        fputs(f->globals[i].name, out);
        if (f->globals[i].value) {
            fputs(" = ", out);
            ir_write(out, f->globals[i].value);
        }
        print_props(out, &f->globals[i].props);
        fputc('\n', out);
    }
    for (int i = 0; i < f->class_count; i++)
        print_class(out, &f->classes[i]);
    if (f->epilogue)
        fprintf(out, "\nextern \"C\" %%{%s%%}\n", f->epilogue);
}
