/* Questions about expressions of the intermediate form. */
#include "ir/ir.h"

static ir_shape worse(ir_shape a, ir_shape b)
{
    return a > b ? a : b;
}

bool ir_literal(const ir_expr *e, int64_t *value)
{
    int64_t x, y;
    switch (e->op) {
    case IR_INT:
        *value = e->value;
        return true;
    case IR_NEG:
        return ir_literal(e->args[0], &x) && !__builtin_sub_overflow((int64_t)0, x, value);
    case IR_ADD:
        return ir_literal(e->args[0], &x) && ir_literal(e->args[1], &y) &&
               !__builtin_add_overflow(x, y, value);
    case IR_SUB:
        return ir_literal(e->args[0], &x) && ir_literal(e->args[1], &y) &&
               !__builtin_sub_overflow(x, y, value);
    case IR_MUL:
        return ir_literal(e->args[0], &x) && ir_literal(e->args[1], &y) &&
               !__builtin_mul_overflow(x, y, value);
    default:
        return false;
    }
}

bool ir_is_truth(const ir_expr *e)
{
    return e->op == IR_NOT || (e->op >= IR_LT && e->op <= IR_OR);
}

ir_op ir_opposite(ir_op op)
{
    switch (op) {
    case IR_LT:
        return IR_GE;
    case IR_LE:
        return IR_GT;
    case IR_GT:
        return IR_LE;
    case IR_GE:
        return IR_LT;
    case IR_EQ:
        return IR_NE;
    default:
        return IR_EQ;
    }
}

/* What the operator itself adds to the shapes of its arguments. */
static ir_shape operator_shape(const ir_expr *e)
{
    int64_t value;
    switch (e->op) {
    case IR_MUL:
        return ir_literal(e->args[0], &value) || ir_literal(e->args[1], &value) ? IR_AFFINE
                                                                                : IR_CURVED;
    case IR_DIV:
    case IR_MOD:
        return ir_literal(e->args[1], &value) && value > 0 ? IR_QUASI : IR_CURVED;
    case IR_SHL:
        return ir_literal(e->args[1], &value) && value >= 0 && value < 62 ? IR_AFFINE : IR_CURVED;
    case IR_SHR:
        return ir_literal(e->args[1], &value) && value >= 0 && value < 62 ? IR_QUASI : IR_CURVED;
    case IR_XOR:
        return ir_is_truth(e->args[0]) && ir_is_truth(e->args[1]) ? IR_AFFINE : IR_CURVED;
    default:
        return IR_AFFINE;
    }
}

static ir_shape leaf_shape(const ir_file *f, const ir_class *c, const ir_expr *e)
{
    switch (e->op) {
    case IR_INT:
    case IR_ITER:
    case IR_MEMBER:
        return IR_AFFINE;
    case IR_GLOBAL:
        return f->globals[e->index].integer ? IR_AFFINE : IR_OPAQUE;
    case IR_LOCAL:
        return c && c->locals[e->index].kind == IR_DERIVED ? c->locals[e->index].shape : IR_AFFINE;
    default:
        return IR_OPAQUE;
    }
}

ir_shape ir_shape_of(const ir_file *f, const ir_class *c, const ir_expr *e, const ir_expr **cause)
{
    if (!e)
        return IR_AFFINE;
    const ir_expr *inner = NULL;
    ir_shape shape = e->op < IR_NEG ? leaf_shape(f, c, e) : IR_AFFINE;
    for (int i = 0; e->op >= IR_NEG && i < e->count; i++) {
        const ir_expr *culprit = NULL;
        ir_shape part = ir_shape_of(f, c, e->args[i], &culprit);
        if (part > shape)
            inner = culprit;
        shape = worse(shape, part);
    }
    ir_shape own = e->op < IR_NEG ? shape : operator_shape(e);
    if (own > shape)
        inner = e;
    shape = worse(shape, own);
    if (cause && shape != IR_AFFINE)
        *cause = inner ? inner : e;
    return shape;
}

bool ir_is_affine(const ir_file *f, const ir_class *c, const ir_expr *e)
{
    return ir_shape_of(f, c, e, NULL) <= IR_QUASI;
}

bool ir_is_constant(const ir_expr *e)
{
    if (!e)
        return true;
    /* Inline C may use any name it likes. */
    if (e->op == IR_LOCAL || e->op == IR_ITER || e->op == IR_INLINE || e->op == IR_TEXT)
        return false;
    for (int i = 0; i < e->count; i++)
        if (!ir_is_constant(e->args[i]))
            return false;
    return true;
}

bool ir_is_narrowed(const ir_dep *d)
{
    return d->guard != d->written;
}

ir_datatype ir_region_of(const ir_dep *d)
{
    const ir_datatype *type = &d->types[IR_TYPE], *data = &d->types[IR_TYPE_DATA];
    if (d->target != IR_TO_MEMORY)
        return *type;
    if (data->type || data->layout)
        return *data;
    return (ir_datatype){.type = type->type,
                         .layout = type->layout,
                         .count = data->count ? data->count : type->count,
                         .displ = data->displ ? data->displ : type->displ};
}

ir_datatype ir_wire_of(const ir_dep *d)
{
    const ir_datatype *type = &d->types[IR_TYPE], *remote = &d->types[IR_TYPE_REMOTE];
    bool sends = d->target == IR_TO_MEMORY || (d->out && d->target == IR_TO_TASK);
    if (!sends || remote->layout || ir_is_whole(remote))
        return (ir_datatype){0};
    if (remote->type)
        return *remote;
    return (ir_datatype){.type = type->type,
                         .layout = type->layout,
                         .count = remote->count ? remote->count : type->count,
                         .displ = remote->displ ? remote->displ : type->displ};
}

bool ir_is_whole(const ir_datatype *t)
{
    return !t->type && !t->layout && !t->count && !t->displ;
}
