/* Linear forms and Fourier-Motzkin elimination. */
#include "ir/linear.h"

#include <string.h>

/* Beyond this many rows, what elimination would add is left out: bounds stay right, only wider. */
enum { MOST_ROWS = 96 };

bool linear_sum(int64_t a, const linear *x, int64_t b, const linear *y, linear *out)
{
    linear r;
    int64_t left, right;
    if (__builtin_mul_overflow(a, x->constant, &left) ||
        __builtin_mul_overflow(b, y->constant, &right) ||
        __builtin_add_overflow(left, right, &r.constant))
        return false;
    for (int i = 0; i < LINEAR_COLUMNS; i++) {
        if (__builtin_mul_overflow(a, x->column[i], &left) ||
            __builtin_mul_overflow(b, y->column[i], &right) ||
            __builtin_add_overflow(left, right, &r.column[i]))
            return false;
    }
    *out = r;
    return true;
}

static bool symbol_column(linear_context *x, const ir_expr *e, linear *out)
{
    int i = 0;
    while (i < x->symbol_count && (x->symbols[i]->op != e->op || x->symbols[i]->index != e->index))
        i++;
    if (i == LINEAR_SYMBOLS)
        return false;
    if (i == x->symbol_count)
        x->symbols[x->symbol_count++] = e;
    out->column[MOST_LOCALS + i] = 1;
    return true;
}

static bool linear_leaf(linear_context *x, const ir_expr *e, linear *out)
{
    switch (e->op) {
    case IR_INT:
        out->constant = e->value;
        return true;
    case IR_GLOBAL:
        return x->file->globals[e->index].integer && symbol_column(x, e, out);
    case IR_MEMBER:
        return symbol_column(x, e, out);
    case IR_LOCAL:
        if (x->class->locals[e->index].kind != IR_DERIVED)
            out->column[e->index] = 1;
        else if (x->derived[e->index])
            *out = *x->derived[e->index];
        else
            return false;
        return true;
    default:
        return false;
    }
}

bool linear_of(linear_context *x, const ir_expr *e, linear *out)
{
    linear left, right;
    int64_t factor;
    memset(out, 0, sizeof *out);
    if (e->op < IR_NEG)
        return linear_leaf(x, e, out);
    switch (e->op) {
    case IR_NEG:
        return linear_of(x, e->args[0], &left) && linear_sum(-1, &left, 0, &left, out);
    case IR_ADD:
    case IR_SUB:
        return linear_of(x, e->args[0], &left) && linear_of(x, e->args[1], &right) &&
               linear_sum(1, &left, e->op == IR_ADD ? 1 : -1, &right, out);
    case IR_MUL:
        if (ir_literal(e->args[0], &factor))
            return linear_of(x, e->args[1], &left) && linear_sum(factor, &left, 0, &left, out);
        return ir_literal(e->args[1], &factor) && linear_of(x, e->args[0], &left) &&
               linear_sum(factor, &left, 0, &left, out);
    default:
        return false;
    }
}

void linear_start(linear_context *x, const ir_file *f, const ir_class *c)
{
    *x = (linear_context){.file = f, .class = c};
    for (int i = 0; i < c->local_count; i++) {
        linear form;
        if (c->locals[i].kind != IR_DERIVED || !linear_of(x, c->locals[i].range.lo, &form))
            continue;
        x->derived[i] = arena_get(f->source->memory, sizeof form);
        *x->derived[i] = form;
    }
}

int linear_last(const linear *row)
{
    for (int i = MOST_LOCALS - 1; i >= 0; i--)
        if (row->column[i])
            return i;
    return -1;
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t common(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Divide by the common factor; the constant is rounded down, which keeps all integer solutions. */
static bool reduce(linear *row)
{
    uint64_t factor = 0;
    for (int i = 0; i < LINEAR_COLUMNS; i++)
        factor = common(size_of(row->column[i]), factor);
    if (factor == 0)
        return false;
    if (factor == 1 || factor > INT64_MAX)
        return true;
    int64_t f = (int64_t)factor, rest = row->constant % f;
    row->constant = row->constant / f - (rest < 0);
    for (int i = 0; i < LINEAR_COLUMNS; i++)
        row->column[i] /= f;
    return true;
}

bool linear_add(arena *a, linear_system *s, const linear *row)
{
    linear r = *row;
    if (!reduce(&r))
        return r.constant >= 0;
    for (int i = 0; i < s->count; i++) {
        if (memcmp(s->rows[i].column, r.column, sizeof r.column) != 0)
            continue;
        if (r.constant < s->rows[i].constant)
            s->rows[i].constant = r.constant;
        return true;
    }
    ARENA_ADD(a, s->rows, s->count, r);
    return true;
}

bool linear_eliminate(arena *a, linear_system *s, int local)
{
    int count = s->count;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count && s->count < MOST_ROWS; j++) {
            linear sum;
            int64_t low = s->rows[i].column[local], high = s->rows[j].column[local];
            if (low <= 0 || high >= 0 || high == INT64_MIN || linear_last(&s->rows[i]) != local ||
                linear_last(&s->rows[j]) != local ||
                !linear_sum(-high, &s->rows[i], low, &s->rows[j], &sum))
                continue;
            if (!linear_add(a, s, &sum))
                return false;
        }
    }
    return true;
}
