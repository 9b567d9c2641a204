/* Making expressions and writing them. */
#include "syntax/expr.h"

#include <inttypes.h>
#include <stdlib.h>

ir_expr *expr_leaf(arena *a, ir_op op, place at, const char *text)
{
    ir_expr *e = arena_get(a, sizeof *e);
    *e = (ir_expr){.op = op, .at = at, .index = -1, .height = 1, .text = text};
    return e;
}

ir_expr *expr_node(arena *a, ir_op op, place at, ir_expr *x, ir_expr *y, ir_expr *z)
{
    ir_expr *const args[] = {x, y, z};
    ir_expr *e = expr_leaf(a, op, at, NULL);
    e->args = arena_get(a, sizeof args);
    for (int i = 0; i < 3 && args[i]; i++) {
        e->args[e->count++] = args[i];
        if (args[i]->height >= e->height)
            e->height = args[i]->height + 1;
    }
    return e->height > EXPR_HEIGHT ? NULL : e;
}

static const struct {
    const char *sign;
    int binding; /* how strongly it binds, as in C */
} operators[] = {
    [IR_NEG] = {"-", 11}, [IR_NOT] = {"!", 11}, [IR_ADD] = {"+", 9},  [IR_SUB] = {"-", 9},
    [IR_MUL] = {"*", 10}, [IR_DIV] = {"/", 10}, [IR_MOD] = {"%", 10}, [IR_SHL] = {"<<", 8},
    [IR_SHR] = {">>", 8}, [IR_LT] = {"<", 7},   [IR_LE] = {"<=", 7},  [IR_GT] = {">", 7},
    [IR_GE] = {">=", 7},  [IR_EQ] = {"==", 6},  [IR_NE] = {"!=", 6},  [IR_AND] = {"&&", 2},
    [IR_OR] = {"||", 1},  [IR_XOR] = {"^", 4},  [IR_IF] = {"?", 0},
};

/* Binds more strongly than any operator. */
enum { ENCLOSED = 12 };

static bool is_leaf(const ir_expr *e)
{
    return e->op < IR_NEG;
}

static void write_bound(const expr_style *style, const ir_expr *e, int least);

void expr_write_call(const expr_style *style, const ir_expr *e)
{
    fprintf(style->out, "%s(", e->text);
    for (int i = 0; i < e->count; i++) {
        fputs(i ? ", " : "", style->out);
        write_bound(style, e->args[i], 0);
    }
    fputc(')', style->out);
}

static void write_leaf(const expr_style *style, const ir_expr *e)
{
    switch (e->op) {
    case IR_INT:
        fprintf(style->out, "%" PRId64, e->value);
        break;
    case IR_STRING:
    case IR_TEXT:
        fprintf(style->out, "\"%s\"", e->text);
        break;
    case IR_INLINE:
        fprintf(style->out, "inline_c %%{%s%%}", e->text);
        break;
    case IR_CALL:
        expr_write_call(style, e);
        break;
    default:
        fputs(e->text, style->out);
    }
}

/* Would a careful reader, or a compiler that warns, like the child of this operator in
 * parentheses, though the language does not need them? */
static bool wants_parentheses(ir_op parent, ir_op child)
{
    bool truth = child >= IR_AND && child <= IR_XOR;
    bool compares = child >= IR_LT && child <= IR_NE;
    if (child < IR_ADD && child != IR_NOT)
        return false;
    if (parent == IR_SHL || parent == IR_SHR || parent == IR_XOR)
        return true;
    if (parent == IR_AND || parent == IR_OR)
        return truth && child != parent;
    return parent >= IR_LT && parent <= IR_NE && (truth || compares || child == IR_NOT);
}

static void write_child(const expr_style *style, const ir_expr *parent, int i, int least)
{
    const ir_expr *child = parent->args[i];
    bool enclose = style->careful && !is_leaf(child) && wants_parentheses(parent->op, child->op);
    write_bound(style, child, enclose ? ENCLOSED : least);
}

static void write_operator(const expr_style *style, const ir_expr *e)
{
    const char *sign = operators[e->op].sign;
    int binding = operators[e->op].binding;
    if (e->op == IR_IF) {
        write_bound(style, e->args[0], 1);
        fputs(" ? ", style->out);
        write_bound(style, e->args[1], 0);
        fputs(" : ", style->out);
        write_bound(style, e->args[2], 0);
    } else if (e->count == 1) {
        /* - -1 must not become --1. */
        bool again = e->op == IR_NEG && (e->args[0]->op == IR_NEG ||
                                         (e->args[0]->op == IR_INT && e->args[0]->value < 0));
        fprintf(style->out, "%s%s", sign, again ? " " : "");
        write_bound(style, e->args[0], binding);
    } else {
        write_child(style, e, 0, binding);
        fprintf(style->out, binding >= 9 && !style->careful ? "%s" : " %s ", sign);
        write_child(style, e, 1, binding + 1);
    }
}

/* Write `e` where something that binds at least as strongly as `least` is wanted. */
static void write_bound(const expr_style *style, const ir_expr *e, int least)
{
    if ((is_leaf(e) || e->op == IR_DIV || e->op == IR_MOD) && style->leaf && style->leaf(style, e))
        return;
    if (is_leaf(e)) {
        write_leaf(style, e);
        return;
    }
    bool enclose = operators[e->op].binding < least;
    fputs(enclose ? "(" : "", style->out);
    write_operator(style, e);
    fputs(enclose ? ")" : "", style->out);
}

void expr_write(const expr_style *style, const ir_expr *e, bool enclosed)
{
    if (e)
        write_bound(style, e, enclosed ? ENCLOSED : 0);
}

void ir_write(FILE *out, const ir_expr *e)
{
    expr_style plain = {.out = out};
    expr_write(&plain, e, false);
}

void ir_write_range(FILE *out, const ir_range *r)
{
    ir_write(out, r->lo);
    if (r->hi) {
        fputs(" .. ", out);
        ir_write(out, r->hi);
    }
    if (r->step) {
        fputs(" .. ", out);
        ir_write(out, r->step);
    }
}

void ir_write_args(FILE *out, const ir_range *args, int count)
{
    fputc('(', out);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        ir_write_range(out, &args[i]);
    }
    fputc(')', out);
}

void ir_write_labelled(FILE *out, const char *label, const ir_expr *e)
{
    if (!e)
        return;
    fprintf(out, "  %s ", label);
    ir_write(out, e);
    fputc('\n', out);
}

void ir_write_iters(FILE *out, const ir_iter *iters, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s%s = ", i ? ", " : "[", iters[i].name);
        ir_write_range(out, &iters[i].range);
    }
    fputs(count ? "] " : "", out);
}

const char *ir_text_of(arena *a, const ir_expr *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return "?";
    ir_write(out, e);
    fclose(out);
    char *copy = arena_text(a, text, size);
    free(text);
    return copy;
}
