/* The values of expressions. */
#include "eval/eval.h"

#include <string.h>

static bool fail(eval *v, const ir_expr *e, const char *why)
{
    v->culprit = e;
    v->why = why;
    return false;
}

void eval_start(eval *v, const ir_file *f, arena *memory, int64_t steps)
{
    *v = (eval){.file = f, .memory = memory, .steps = steps};
    v->globals = arena_get(memory, ((size_t)f->global_count + 1) * sizeof *v->globals);
    v->members = arena_get(memory, ((size_t)f->member_count + 1) * sizeof *v->members);
    v->has_global = arena_get(memory, (size_t)f->global_count + 1);
    v->has_member = arena_get(memory, (size_t)f->member_count + 1);
    for (int i = 0; i < f->member_count; i++) {
        v->members[i] = f->members[i].value;
        v->has_member[i] = f->members[i].given;
    }
    for (int i = 0; i < f->global_count; i++) {
        if (f->globals[i].origin != IR_RUNTIME)
            continue;
        v->globals[i] = strncmp(f->globals[i].name, "GRID", 4) == 0;
        v->has_global[i] = true;
    }
}

bool eval_set(eval *v, const char *name, int64_t value)
{
    for (int i = 0; i < v->file->global_count; i++) {
        if (strcmp(v->file->globals[i].name, name) == 0) {
            v->globals[i] = value;
            v->has_global[i] = true;
            return true;
        }
    }
    for (int i = 0; i < v->file->member_count; i++) {
        if (strcmp(v->file->members[i].text, name) == 0) {
            v->members[i] = value;
            v->has_member[i] = true;
            return true;
        }
    }
    return false;
}

void eval_settle(eval *v)
{
    const ir_file *f = v->file;
    for (int i = 0; i < f->global_count; i++) {
        const ir_global *g = &f->globals[i];
        if (v->has_global[i] || !g->value)
            continue;
        v->has_global[i] = eval_expr(v, g->value, &v->globals[i]);
    }
    v->culprit = NULL;
    v->why = NULL;
}

static bool eval_leaf(eval *v, const ir_expr *e, int64_t *value)
{
    arena *a = v->memory;
    switch (e->op) {
    case IR_INT:
        *value = e->value;
        return true;
    case IR_LOCAL:
        *value = v->locals[e->index];
        return true;
    case IR_ITER:
        *value = v->iters[e->index];
        return true;
    case IR_GLOBAL:
    case IR_MEMBER:
        *value = (e->op == IR_GLOBAL ? v->globals : v->members)[e->index];
        if ((e->op == IR_GLOBAL ? v->has_global : v->has_member)[e->index])
            return true;
        return fail(v, e, arena_print(a, "'%s' has no value; give one: %s=...", e->text, e->text));
    case IR_CALL:
        return fail(v, e, arena_print(a, "the C function '%s' cannot be interpreted", e->text));
    default:
        return fail(v, e, "C text cannot be interpreted");
    }
}

static bool shift(eval *v, const ir_expr *e, int64_t x, int64_t y, int64_t *value)
{
    if (y < 0 || y > 63)
        return fail(v, e, "this shifts by less than 0 or more than 63 bits");
    if (e->op == IR_SHR) {
        *value = x >> y;
        return true;
    }
    *value = (int64_t)((uint64_t)x << y);
    return *value >> y == x || fail(v, e, "this does not fit into 64 bits");
}

static bool divide(eval *v, const ir_expr *e, int64_t x, int64_t y, int64_t *value)
{
    v->nonsense = y == 0;
    if (y == 0)
        return fail(v, e, "this divides by 0");
    if (y == -1 && x == INT64_MIN)
        return fail(v, e, "this does not fit into 64 bits");
    *value = e->op == IR_DIV ? x / y : x % y;
    return true;
}

static bool arithmetic(eval *v, const ir_expr *e, int64_t x, int64_t y, int64_t *value)
{
    bool over = e->op == IR_ADD   ? __builtin_add_overflow(x, y, value)
                : e->op == IR_SUB ? __builtin_sub_overflow(x, y, value)
                                  : __builtin_mul_overflow(x, y, value);
    return !over || fail(v, e, "this does not fit into 64 bits");
}

static bool eval_binary(eval *v, const ir_expr *e, int64_t x, int64_t y, int64_t *value)
{
    switch (e->op) {
    case IR_LT:
        *value = x < y;
        break;
    case IR_LE:
        *value = x <= y;
        break;
    case IR_GT:
        *value = x > y;
        break;
    case IR_GE:
        *value = x >= y;
        break;
    case IR_EQ:
        *value = x == y;
        break;
    case IR_NE:
        *value = x != y;
        break;
    case IR_XOR:
        *value = x ^ y;
        break;
    case IR_SHL:
    case IR_SHR:
        return shift(v, e, x, y, value);
    case IR_DIV:
    case IR_MOD:
        return divide(v, e, x, y, value);
    default:
        return arithmetic(v, e, x, y, value);
    }
    return true;
}

bool eval_expr(eval *v, const ir_expr *e, int64_t *value)
{
    int64_t x = 0, y = 0;
    if (--v->steps < 0)
        return fail(v, e, "this graph is too large to be enumerated");
    if (e->op < IR_NEG)
        return eval_leaf(v, e, value);
    if (!eval_expr(v, e->args[0], &x))
        return false;
    switch (e->op) {
    case IR_NEG:
        return !__builtin_sub_overflow((int64_t)0, x, value) ||
               fail(v, e, "this does not fit into 64 bits");
    case IR_NOT:
        *value = !x;
        return true;
    case IR_IF:
        return eval_expr(v, e->args[x ? 1 : 2], value);
    case IR_AND:
    case IR_OR:
        /* As in C, the right side may have no value when the left one decides. */
        if ((e->op == IR_OR) == (x != 0)) {
            *value = x != 0;
            return true;
        }
        if (!eval_expr(v, e->args[1], &y))
            return false;
        *value = y != 0;
        return true;
    default:
        return eval_expr(v, e->args[1], &y) && eval_binary(v, e, x, y, value);
    }
}
