/* --print ir: the intermediate form for people. */
#include "ir/ir.h"

static void print_global(FILE *out, const ir_global *g)
{
    static const char *const kinds[] = {"value", "collection", "datatype"};
    static const char *const origins[] = {"argument", "hidden", "defined", "runtime"};
    fprintf(out, "global %s: %s, %s", g->name, kinds[g->kind], origins[g->origin]);
    if (g->type)
        fprintf(out, ", type \"%s\"", g->type);
    if (g->arity)
        fprintf(out, ", %d-dimensional", g->arity);
    if (g->value) {
        fputs(", = ", out);
        ir_write(out, g->value);
    }
    fputc('\n', out);
}

static void print_local(FILE *out, const ir_local *local)
{
    static const char *const kinds[] = {"range", "set", "derived"};
    static const char *const shapes[] = {"affine", "quasi-affine", "not affine", "opaque"};
    fprintf(out, "  %s %s = ", kinds[local->kind], local->name);
    ir_write_iters(out, local->iters, local->iter_count);
    ir_write_range(out, &local->range);
    fprintf(out, "    # %s\n", shapes[local->shape]);
}

static void print_types(FILE *out, const ir_dep *d)
{
    static const char *const ends[] = {"", "_remote", "_data"};
    for (int side = 0; side < IR_SIDES; side++) {
        const ir_datatype *t = &d->types[side];
        const struct {
            const char *name;
            const ir_expr *value;
        } parts[] = {
            {"type", t->type}, {"layout", t->layout}, {"count", t->count}, {"displ", t->displ}};
        for (int i = 0; i < 4; i++) {
            if (!parts[i].value)
                continue;
            fprintf(out, " %s%s=", parts[i].name, ends[side]);
            ir_write(out, parts[i].value);
        }
    }
}

static void print_dep(FILE *out, const ir_file *f, const ir_dep *d)
{
    fprintf(out, "    %s ", d->out ? "->" : "<-");
    ir_write_iters(out, d->iters, d->iter_count);
    switch (d->target) {
    case IR_TO_TASK:
        fprintf(out, "task %s.%s", f->classes[d->class].name,
                f->classes[d->class].flows[d->flow].name);
        ir_write_args(out, d->args, d->arg_count);
        fputs(d->drops ? " if there is one" : "", out);
        break;
    case IR_TO_MEMORY:
        fprintf(out, "memory %s", f->globals[d->collection].name);
        ir_write_args(out, d->args, d->arg_count);
        break;
    default:
        fputs(d->target == IR_FROM_NEW ? "new" : "null", out);
    }
    if (d->guard) {
        fputs(" if ", out);
        ir_write(out, d->guard);
    }
    print_types(out, d);
    if (d->implied)
        fputs("    # implied\n", out);
    else
        fprintf(out, "    # line %d\n", d->at.line);
}

static void print_affinity(FILE *out, const ir_file *f, const ir_affinity *a)
{
    if (a->kind == IR_ON_TILE) {
        fprintf(out, "  on %s(", f->globals[a->collection].name);
        for (int i = 0; i < a->arg_count; i++) {
            fputs(i ? ", " : "", out);
            ir_write(out, a->args[i]);
        }
        fputs(")\n", out);
        return;
    }
    fputs("  on row ", out);
    a->row ? ir_write(out, a->row) : (void)fputc('0', out);
    fputs(", column ", out);
    a->column ? ir_write(out, a->column) : (void)fputc('0', out);
    fputc('\n', out);
}

static void print_props(FILE *out, const ir_prop *props, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(out, "  property %s%s%s = ", props[i].flow ? props[i].flow : "",
                props[i].flow ? "." : "", props[i].name);
        ir_write(out, props[i].value);
        fputc('\n', out);
    }
}

static void print_bodies(FILE *out, const ir_class *c)
{
    static const char *const devices[] = {"CPU", "TEAM", "CUDA", "OPENCL", "unsupported"};
    for (int i = 0; i < c->body_count; i++) {
        const ir_body *b = &c->bodies[i];
        fprintf(out, "  body %s, line %d", devices[b->device], b->at.line);
        if (b->evaluate) {
            fputs(", if ", out);
            ir_write(out, b->evaluate);
        }
        fputc('\n', out);
        print_props(out, b->props, b->prop_count);
    }
    if (c->body_count == 0)
        fputs("  body supplied by the driver\n", out);
}

static void print_class(FILE *out, const ir_file *f, const ir_class *c)
{
    static const char *const modes[] = {"READ", "WRITE", "RW", "CTL"};
    fprintf(out, "\nclass %s(", c->name);
    for (int i = 0; i < c->param_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", c->locals[c->params[i]].name);
    fprintf(out, ")%s\n", c->high_priority ? " high priority" : "");
    for (int i = 0; i < c->local_count; i++)
        print_local(out, &c->locals[i]);
    print_affinity(out, f, &c->affinity);
    for (int i = 0; i < c->flow_count; i++) {
        fprintf(out, "  flow %s %s\n", modes[c->flows[i].mode], c->flows[i].name);
        for (int j = 0; j < c->flows[i].dep_count; j++)
            print_dep(out, f, &c->flows[i].deps[j]);
    }
    ir_write_labelled(out, "priority", c->priority);
    ir_write_labelled(out, "critical", c->critical);
    ir_write_labelled(out, "team", c->team);
    ir_write_labelled(out, "cost", c->simcost);
    print_props(out, c->props, c->prop_count);
    print_bodies(out, c);
}

void ir_print(FILE *out, const ir_file *f)
{
    fprintf(out, "graph %s, %s dialect\n", f->name, f->classic ? "classic" : "modern");
    for (int i = 0; i < f->option_count; i++)
        fprintf(out, "option %s = %s\n", f->options[i].name, f->options[i].value);
    for (int i = 0; i < f->global_count; i++)
        print_global(out, &f->globals[i]);
    for (int i = 0; i < f->member_count; i++)
        fprintf(out, "member %s of %s\n", f->members[i].text,
                f->globals[f->members[i].global].name);
    for (int i = 0; i < f->class_count; i++)
        print_class(out, f, &f->classes[i]);
}
