/* Expressions, ranges, iterators, properties. */
#include "syntax/parse.h"

/* Something to go on with after an error. */
static ir_expr *nothing(parser *p)
{
    return expr_leaf(p->memory, IR_INT, look(p, 0)->at, NULL);
}

/* An operator over what was parsed; refuses trees that are too high to walk. */
static ir_expr *combine(parser *p, ir_op op, place at, ir_expr *x, ir_expr *y, ir_expr *z)
{
    ir_expr *e = expr_node(p->memory, op, at, x, y, z);
    if (e)
        return e;
    if (!p->panic)
        source_say(p->source, ERROR, at, "this expression is too long or nested too deeply");
    p->panic = true;
    return nothing(p);
}

/* Does a member follow? An arrow at the start of a line that leads to a target is a dependency. */
static bool at_member(const parser *p)
{
    bool target = is(p, 2, TOKEN_OPEN) || is(p, 2, TOKEN_NAME) || !is(p, 1, TOKEN_NAME);
    return is(p, 0, TOKEN_POINT) || (is(p, 0, TOKEN_OUT) && !(look(p, 0)->first && target));
}

/* name, name->member.member, name(args) */
static ir_expr *parse_named(parser *p)
{
    const token *name = take(p);
    if (is(p, 0, TOKEN_OPEN)) {
        int count;
        ir_expr *call = expr_leaf(p->memory, IR_CALL, name->at, name->text);
        ir_range *args = parse_args(p, &count);
        for (int i = 0; i < count; i++) {
            if (args[i].hi && !p->panic)
                source_say(p->source, ERROR, args[i].lo->at,
                           "a range cannot be the argument of a C function");
            ARENA_ADD(p->memory, call->args, call->count, args[i].lo);
            if (args[i].lo->height >= call->height)
                call->height = args[i].lo->height + 1;
        }
        return call;
    }
    ir_expr *e = expr_leaf(p->memory, IR_NAME, name->at, name->text);
    if (!at_member(p))
        return e;
    ir_expr *member = expr_node(p->memory, IR_MEMBER, name->at, e, NULL, NULL);
    member->text = name->text;
    while (at_member(p) && !p->panic) {
        const char *sign = take(p)->kind == TOKEN_OUT ? "->" : ".";
        const token *part = expect_name(p, "the name of a member");
        if (part)
            member->text = arena_print(p->memory, "%s%s%s", member->text, sign, part->text);
    }
    return member;
}

static ir_expr *parse_inline(parser *p)
{
    const token *text = take(p);
    return expr_leaf(p->memory, IR_INLINE, text->text_at, text->text);
}

static ir_expr *parse_primary(parser *p)
{
    const token *t = look(p, 0);
    ir_expr *e;
    switch (t->kind) {
    case TOKEN_INT:
        e = expr_leaf(p->memory, IR_INT, t->at, t->text);
        e->value = take(p)->value;
        return e;
    case TOKEN_STRING:
        return expr_leaf(p->memory, IR_STRING, t->at, take(p)->text);
    case TOKEN_REAL:
        return expr_leaf(p->memory, IR_NAME, t->at, take(p)->text);
    case TOKEN_INLINE:
        return parse_inline(p);
    case TOKEN_NAME:
        if (is_word(p, 0, "inline_c") && is(p, 1, TOKEN_INLINE)) {
            take(p);
            return parse_inline(p);
        }
        return parse_named(p);
    case TOKEN_OPEN:
        take(p);
        e = parse_expr(p);
        expect(p, TOKEN_CLOSE, "')'");
        return e;
    default:
        expected(p, "an expression");
        return nothing(p);
    }
}

static ir_expr *parse_unary(parser *p)
{
    const token *t = look(p, 0);
    if (t->kind != TOKEN_SUB && t->kind != TOKEN_NOT && t->kind != TOKEN_ADD)
        return parse_primary(p);
    if (p->depth >= MOST_DEPTH) {
        expected(p, "an expression that is nested less deeply");
        return nothing(p);
    }
    p->depth++;
    take(p);
    ir_expr *e = parse_unary(p);
    p->depth--;
    if (t->kind == TOKEN_ADD)
        return e;
    return combine(p, t->kind == TOKEN_SUB ? IR_NEG : IR_NOT, t->at, e, NULL, NULL);
}

/* How strongly binary operators bind, as in C; 0: not one. */
static int binding(token_kind kind)
{
    static const unsigned char table[] = {
        [TOKEN_OR] = 1,      [TOKEN_AND] = 2,  [TOKEN_BIT_OR] = 3, [TOKEN_XOR] = 4,
        [TOKEN_BIT_AND] = 5, [TOKEN_EQ] = 6,   [TOKEN_NE] = 6,     [TOKEN_LT] = 7,
        [TOKEN_LE] = 7,      [TOKEN_GT] = 7,   [TOKEN_GE] = 7,     [TOKEN_SHL] = 8,
        [TOKEN_SHR] = 8,     [TOKEN_ADD] = 9,  [TOKEN_SUB] = 9,    [TOKEN_MUL] = 10,
        [TOKEN_DIV] = 10,    [TOKEN_MOD] = 10,
    };
    return kind >= TOKEN_OR ? table[kind] : 0;
}

static ir_op operator_of(token_kind kind)
{
    static const ir_op table[] = {
        [TOKEN_OR] = IR_OR,   [TOKEN_AND] = IR_AND, [TOKEN_BIT_OR] = IR_OR,
        [TOKEN_XOR] = IR_XOR, [TOKEN_EQ] = IR_EQ,   [TOKEN_BIT_AND] = IR_AND,
        [TOKEN_NE] = IR_NE,   [TOKEN_LT] = IR_LT,   [TOKEN_LE] = IR_LE,
        [TOKEN_GT] = IR_GT,   [TOKEN_GE] = IR_GE,   [TOKEN_SHL] = IR_SHL,
        [TOKEN_SHR] = IR_SHR, [TOKEN_ADD] = IR_ADD, [TOKEN_SUB] = IR_SUB,
        [TOKEN_MUL] = IR_MUL, [TOKEN_DIV] = IR_DIV, [TOKEN_MOD] = IR_MOD,
    };
    return table[kind];
}

/* Operators that bind at least as strongly as `least`; those of one strength group to the left. */
static ir_expr *parse_binary(parser *p, int least)
{
    ir_expr *e = parse_unary(p);
    for (;;) {
        const token *sign = look(p, 0);
        int strength = binding(sign->kind);
        if (strength < least || strength == 0 || p->panic)
            return e;
        take(p);
        ir_expr *right = parse_binary(p, strength + 1);
        e = combine(p, operator_of(sign->kind), sign->at, e, right, NULL);
    }
}

ir_expr *parse_guard(parser *p)
{
    return parse_binary(p, 1);
}

ir_expr *parse_expr(parser *p)
{
    if (p->depth >= MOST_DEPTH) {
        expected(p, "an expression that is nested less deeply");
        return nothing(p);
    }
    p->depth++;
    ir_expr *e = parse_guard(p);
    if (is(p, 0, TOKEN_QUESTION)) {
        place at = take(p)->at;
        ir_expr *yes = parse_expr(p);
        expect(p, TOKEN_COLON, "':' of the ?:");
        ir_expr *no = parse_expr(p);
        e = combine(p, IR_IF, at, e, yes, no);
    }
    p->depth--;
    return e;
}

ir_range parse_range(parser *p)
{
    ir_range r = {.lo = parse_expr(p)};
    if (accept(p, TOKEN_DOTS))
        r.hi = parse_expr(p);
    if (r.hi && accept(p, TOKEN_DOTS))
        r.step = parse_expr(p);
    return r;
}

ir_range *parse_args(parser *p, int *count)
{
    ir_range *args = NULL;
    *count = 0;
    expect(p, TOKEN_OPEN, "'('");
    if (p->panic || accept(p, TOKEN_CLOSE))
        return args;
    do {
        ir_range r = parse_range(p);
        ARENA_ADD(p->memory, args, *count, r);
    } while (!p->panic && accept(p, TOKEN_COMMA));
    expect(p, TOKEN_CLOSE, "',' or ')'");
    return args;
}

ir_iter *parse_iters(parser *p, int *count)
{
    ir_iter *iters = NULL;
    *count = 0;
    if (!accept(p, TOKEN_OPEN_SQUARE))
        return iters;
    do {
        const token *name = expect_name(p, "the name of an iterator");
        expect(p, TOKEN_ASSIGN, "'=' and the range of the iterator");
        if (p->panic)
            return iters;
        ir_iter iter = {.name = name->text, .at = name->at, .range = parse_range(p)};
        ARENA_ADD(p->memory, iters, *count, iter);
    } while (!p->panic && accept(p, TOKEN_COMMA));
    expect(p, TOKEN_CLOSE_SQUARE, "',' or ']'");
    return iters;
}

static bool parse_prop(parser *p, ast_prop *prop)
{
    const token *name = expect_name(p, "the name of a property");
    if (!name)
        return false;
    *prop = (ast_prop){.name = name->text, .at = name->at};
    if (accept(p, TOKEN_POINT)) {
        const token *part = expect_name(p, "the name of a property after the flow");
        if (!part)
            return false;
        prop->flow = name->text;
        prop->name = part->text;
    }
    if (!prop->flow && !is(p, 0, TOKEN_ASSIGN)) {
        prop->value = expr_leaf(p->memory, IR_NAME, name->at, name->text);
        prop->name = NULL;
        return true;
    }
    expect(p, TOKEN_ASSIGN, "'=' and the value of the property");
    prop->value = parse_expr(p);
    return !p->panic;
}

ast_props parse_props(parser *p)
{
    ast_props props = {0};
    ast_prop prop;
    if (!accept(p, TOKEN_OPEN_SQUARE))
        return props;
    while (!is(p, 0, TOKEN_CLOSE_SQUARE) && parse_prop(p, &prop))
        ARENA_ADD(p->memory, props.list, props.count, prop);
    expect(p, TOKEN_CLOSE_SQUARE, "']' or another property");
    return props;
}

bool continues(const parser *p, int ahead)
{
    return is(p, ahead, TOKEN_QUESTION) || binding(look(p, ahead)->kind) > 0;
}

int matching(const parser *p, int ahead)
{
    int depth = 0;
    for (int i = ahead; p->at + i < p->count; i++) {
        depth += is(p, i, TOKEN_OPEN) - is(p, i, TOKEN_CLOSE);
        if (depth == 0)
            return i;
    }
    return -1;
}
