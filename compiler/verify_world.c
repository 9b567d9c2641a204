/* Values of globals, and expressions over them. */
#include "verify_world.h"

#include <string.h>

void world_make(world *w, const ir_file *f, arena *memory, int64_t steps)
{
    *w = (world){.file = f, .memory = memory, .steps = steps};
    size_t globals = (size_t)f->global_count + 1, members = (size_t)f->member_count + 1;
    w->globals = arena_get(memory, globals * sizeof *w->globals);
    w->members = arena_get(memory, members * sizeof *w->members);
    w->known_globals = arena_get(memory, globals);
    w->known_members = arena_get(memory, members);
}

void world_define(world *w)
{
    for (int i = 0; i < w->file->global_count; i++) {
        const ir_global *g = &w->file->globals[i];
        if (g->kind != IR_VALUE || !g->integer ||
            (g->origin != IR_DEFINED && g->origin != IR_HIDDEN))
            continue;
        bool failed = w->failed;
        w->failed = false;
        w->globals[i] = g->value ? world_value(w, g->value, NULL, NULL) : 0;
        w->known_globals[i] = !w->failed;
        w->failed = failed;
    }
}

const char *world_limit(const ir_file *f, arena *memory)
{
    for (int c = 0; c < f->class_count; c++) {
        const ir_class *class = &f->classes[c];
        if (class->param_count > MOST_PARAMETERS || class->local_count > MOST_NAMES)
            return arena_print(memory, "%s has too many parameters or locals", class->name);
    }
    return NULL;
}

static int64_t give_up(world *w)
{
    w->failed = true;
    return 0;
}

static int64_t leaf(world *w, const ir_expr *e, const int64_t *locals, const int64_t *iters)
{
    switch (e->op) {
    case IR_INT:
        return e->value;
    case IR_LOCAL:
        return locals ? locals[e->index] : give_up(w);
    case IR_ITER:
        return iters ? iters[e->index] : give_up(w);
    case IR_GLOBAL:
        return w->known_globals[e->index] ? w->globals[e->index] : give_up(w);
    case IR_MEMBER:
        return w->known_members[e->index] ? w->members[e->index] : give_up(w);
    default:
        return give_up(w);
    }
}

static int64_t divide(world *w, ir_op op, int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return give_up(w);
    return op == IR_DIV ? a / b : a % b;
}

static int64_t shift(world *w, ir_op op, int64_t a, int64_t b)
{
    int64_t result;
    if (b < 0 || b > 62)
        return give_up(w);
    if (op == IR_SHR)
        return a >> b;
    return __builtin_mul_overflow(a, INT64_C(1) << b, &result) ? give_up(w) : result;
}

/* Arithmetic that would wrap around is not what anybody meant, and not what isl computes. */
static int64_t binary(world *w, ir_op op, int64_t a, int64_t b)
{
    int64_t result;
    switch (op) {
    case IR_ADD:
        return __builtin_add_overflow(a, b, &result) ? give_up(w) : result;
    case IR_SUB:
        return __builtin_sub_overflow(a, b, &result) ? give_up(w) : result;
    case IR_MUL:
        return __builtin_mul_overflow(a, b, &result) ? give_up(w) : result;
    case IR_DIV:
    case IR_MOD:
        return divide(w, op, a, b);
    case IR_SHL:
    case IR_SHR:
        return shift(w, op, a, b);
    case IR_LT:
        return a < b;
    case IR_LE:
        return a <= b;
    case IR_GT:
        return a > b;
    case IR_GE:
        return a >= b;
    case IR_EQ:
        return a == b;
    case IR_NE:
        return a != b;
    case IR_XOR:
        return a ^ b;
    default:
        return give_up(w);
    }
}

int64_t world_value(world *w, const ir_expr *e, const int64_t *locals, const int64_t *iters)
{
    if (e->op < IR_NEG)
        return leaf(w, e, locals, iters);
    int64_t a = world_value(w, e->args[0], locals, iters);
    switch (e->op) {
    case IR_NEG:
        return binary(w, IR_SUB, 0, a);
    case IR_NOT:
        return !a;
    case IR_AND:
        return a && world_value(w, e->args[1], locals, iters);
    case IR_OR:
        return a || world_value(w, e->args[1], locals, iters);
    case IR_IF:
        return world_value(w, e->args[a ? 1 : 2], locals, iters);
    default:
        return binary(w, e->op, a, world_value(w, e->args[1], locals, iters));
    }
}

bool task_equal(const task *a, const task *b, int count)
{
    return a->class == b->class && !memcmp(a->args, b->args, sizeof *a->args * (size_t)count);
}
