/* Which constants of a file are parameters of its sets. */
#include "verify/poly.h"

#include <string.h>

static int find(const poly *p, poly_param_kind kind, int index, const char *name)
{
    for (int i = 0; i < p->param_count; i++) {
        const poly_param *q = &p->params[i];
        if (q->kind == kind &&
            (kind == PARAM_CONSTANT ? !strcmp(q->name, name) : q->index == index))
            return i;
    }
    return -1;
}

static bool is_unsigned(const char *type)
{
    return type &&
           (strstr(type, "unsigned") || !strncmp(type, "uint", 4) || strstr(type, "size_t"));
}

/* Members are sizes of what the program passes. */
static void add(poly *p, poly_param param)
{
    if (find(p, param.kind, param.index, param.name) >= 0)
        return;
    param.has_least = param.kind == PARAM_MEMBER;
    if (param.kind == PARAM_GLOBAL) {
        const ir_global *g = &p->file->globals[param.index];
        param.has_least = g->origin == IR_RUNTIME || is_unsigned(g->type);
        param.least = g->origin == IR_RUNTIME;
    }
    ARENA_ADD(p->memory, p->params, p->param_count, param);
}

/* The place of a rank in the grid is not the same for all tasks of a graph. */
static bool is_rank(const ir_global *g)
{
    return g->origin == IR_RUNTIME && strstr(g->name, "RANK");
}

bool poly_is_given(const poly *p, const ir_global *g)
{
    return (g->origin == IR_DEFINED || g->origin == IR_HIDDEN) && g->integer &&
           ir_shape_of(p->file, NULL, g->value, NULL) != IR_OPAQUE;
}

/* It is a constant and the operator itself, not an argument, may make it one that is not affine:
 * N*M, but not N*M + 1. */
static bool is_curved_constant(const poly *p, const ir_expr *e)
{
    return (e->op == IR_MUL || e->op == IR_DIV || e->op == IR_MOD || e->op == IR_SHL ||
            e->op == IR_SHR || e->op == IR_XOR) &&
           ir_is_constant(e) && ir_shape_of(p->file, NULL, e, NULL) == IR_CURVED;
}

static void find_in(poly *p, const ir_expr *e);

static void find_in_global(poly *p, const ir_expr *e)
{
    const ir_global *g = &p->file->globals[e->index];
    if (g->origin == IR_DEFINED || g->origin == IR_HIDDEN)
        find_in(p, g->value);
    if (!poly_is_given(p, g) && g->integer && !is_rank(g))
        add(p, (poly_param){.kind = PARAM_GLOBAL, .index = e->index, .name = g->name});
}

static void find_in(poly *p, const ir_expr *e)
{
    if (!e)
        return;
    if (e->op == IR_GLOBAL) {
        find_in_global(p, e);
    } else if (e->op == IR_MEMBER && !p->file->members[e->index].given) {
        add(p, (poly_param){.kind = PARAM_MEMBER, .index = e->index, .name = e->text});
    }
    if (is_curved_constant(p, e)) {
        const char *text = ir_text_of(p->memory, e);
        add(p, (poly_param){.kind = PARAM_CONSTANT, .index = -1, .name = text});
    }
    for (int i = 0; i < e->count; i++)
        find_in(p, e->args[i]);
}

/* What gives a parameter its range is a size, and not negative. */
static void note_sizes(poly *p, const ir_expr *e)
{
    int param = e && e->op == IR_GLOBAL ? find(p, PARAM_GLOBAL, e->index, NULL) : -1;
    if (param >= 0)
        p->params[param].has_least = true; /* 0, unless it had a greater one */
    else if (e && e->op == IR_GLOBAL && poly_is_given(p, &p->file->globals[e->index]))
        note_sizes(p, p->file->globals[e->index].value);
    for (int i = 0; e && i < e->count; i++)
        note_sizes(p, e->args[i]);
}

static void find_in_range(poly *p, const ir_range *r)
{
    find_in(p, r->lo);
    find_in(p, r->hi);
    find_in(p, r->step);
}

static void find_in_iters(poly *p, const ir_iter *iters, int count)
{
    for (int i = 0; i < count; i++)
        find_in_range(p, &iters[i].range);
}

static void find_in_flow(poly *p, const ir_flow *flow)
{
    for (int i = 0; i < flow->dep_count; i++) {
        const ir_dep *d = &flow->deps[i];
        find_in_iters(p, d->iters, d->iter_count);
        find_in(p, d->guard);
        for (int j = 0; j < d->arg_count; j++)
            find_in_range(p, &d->args[j]);
    }
}

void poly_find_params(poly *p)
{
    for (int i = 0; i < p->file->assumption_count; i++)
        find_in(p, p->file->assumptions[i]);
    for (int c = 0; c < p->file->class_count; c++) {
        const ir_class *class = &p->file->classes[c];
        for (int i = 0; i < class->local_count; i++) {
            if (class->locals[i].idle)
                continue;
            find_in_iters(p, class->locals[i].iters, class->locals[i].iter_count);
            find_in_range(p, &class->locals[i].range);
            note_sizes(p, class->locals[i].range.lo);
            note_sizes(p, class->locals[i].range.hi);
            note_sizes(p, class->locals[i].range.step);
        }
        for (int i = 0; i < class->flow_count; i++)
            find_in_flow(p, &class->flows[i]);
    }
}

int poly_param_of(const poly *p, const ir_expr *e)
{
    if (e->op == IR_GLOBAL)
        return find(p, PARAM_GLOBAL, e->index, NULL);
    if (e->op == IR_MEMBER)
        return find(p, PARAM_MEMBER, e->index, NULL);
    if (is_curved_constant(p, e))
        return find(p, PARAM_CONSTANT, -1, ir_text_of(p->memory, e));
    return -1;
}
