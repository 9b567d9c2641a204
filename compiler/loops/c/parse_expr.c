/* Expressions of printed functions. */
#include "loops/c/parser.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HEIGHT = 200 };

bool c_next_is(const c_parser *p, const char *text)
{
    return p->word->kind != W_TEXT && p->word->kind != W_END && strcmp(p->word->text, text) == 0;
}

bool c_take(c_parser *p, const char *text)
{
    bool there = c_next_is(p, text);
    p->word += there;
    return there;
}

void c_stuck(c_parser *p)
{
    if (!p->failed)
        source_say(p->source, ERROR, p->at,
                   "this is not understood, near '%s'; write it with "
                   "plain loops, ifs and calls of kernels",
                   p->word->text);
    p->failed = true;
}

bool c_want(c_parser *p, const char *text)
{
    if (c_take(p, text))
        return true;
    c_stuck(p);
    return false;
}

void c_skip_closed(c_parser *p, const char *close)
{
    int depth = 1;
    (void)close;
    while (p->word->kind != W_END) {
        bool sign = p->word->kind == W_SIGN;
        if (sign && strchr("([{", *p->word->text))
            depth++;
        if (sign && strchr(")]}", *p->word->text) && --depth == 0)
            break;
        p->word++;
    }
    c_want(p, close);
}

static c_expr *node(c_parser *p, c_op op, const char *text, int count, c_expr *x, c_expr *y,
                    c_expr *z)
{
    c_expr *const args[] = {x, y, z};
    c_expr *e = arena_get(p->memory, sizeof *e);
    *e = (c_expr){.op = op, .text = text, .count = count, .height = 1};
    e->args = arena_get(p->memory, sizeof *e->args * (size_t)(count + 1));
    for (int i = 0; i < count; i++) {
        if (p->failed || (!args[i] && op != C_SECTION))
            return NULL;
        e->args[i] = args[i];
        if (args[i] && args[i]->height >= e->height)
            e->height = args[i]->height + 1;
    }
    if (e->height <= MOST_HEIGHT)
        return e;
    c_stuck(p);
    return NULL;
}

static bool is_among(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

bool c_is_type(const c_parser *p, const c_word *word)
{
    static const char *const words[] = {
        "void",   "char",     "short",      "int",      "long",     "float",    "double",
        "signed", "unsigned", "_Bool",      "_Complex", "const",    "volatile", "struct",
        "union",  "enum",     "static",     "register", "__int128", "restrict", "extern",
        "typeof", "_Atomic",  "__typeof__", "bool",     NULL};
    if (word->kind != W_NAME)
        return false;
    for (int i = 0; i < p->types->count; i++)
        if (strcmp(word->text, p->types->list[i]) == 0)
            return true;
    return is_among(word->text, words);
}

const char *c_skip_type(c_parser *p)
{
    const char *from = p->word->from;
    int depth = 0;
    while (p->word->kind != W_END && (depth || !c_next_is(p, ")"))) {
        depth += c_next_is(p, "(") - c_next_is(p, ")");
        p->word++;
    }
    return arena_text(p->memory, from, (size_t)(p->word->from - from));
}

/* What stands between words that have been skipped, as text. */
static c_expr *opaque_since(c_parser *p, const c_word *from)
{
    return node(p, C_OPAQUE,
                arena_text(p->memory, from->from, (size_t)(p->word[-1].to - from->from)), 0, NULL,
                NULL, NULL);
}

static c_expr *parse_cast(c_parser *p);

static c_expr *parse_number(c_parser *p)
{
    char *end;
    const char *text = p->word->text;
    unsigned long long value = strtoull(text, &end, 0);
    c_expr *e = node(p, C_INT, text, 0, NULL, NULL, NULL);
    if (!e)
        return NULL;
    e->value = (int64_t)value;
    if (*(end + strspn(end, "uUlL")) || value > INT64_MAX / 4)
        e->op = C_LEAF;
    /* hexadecimal and octal ones are unsigned where int is too narrow */
    e->is_unsigned = strpbrk(end, "uU") || (*text == '0' && value > INT32_MAX);
    p->word++;
    return e;
}

static c_expr *parse_strings(c_parser *p)
{
    const c_word *from = p->word;
    while (p->word->kind == W_TEXT)
        p->word++;
    c_expr *e = opaque_since(p, from);
    e->op = C_LEAF;
    return e;
}

static c_expr *parse_primary(c_parser *p)
{
    if (p->word->kind == W_NUMBER)
        return parse_number(p);
    if (p->word->kind == W_TEXT)
        return parse_strings(p);
    if (p->word->kind == W_NAME)
        return node(p, C_NAME, p->word++->text, 0, NULL, NULL, NULL);
    const c_word *from = p->word;
    if (c_take(p, "(")) {
        if (c_next_is(p, "{")) { /* a statement as an expression */
            c_skip_closed(p, ")");
            return p->failed ? NULL : opaque_since(p, from);
        }
        c_expr *e = c_parse_expr(p);
        return c_want(p, ")") ? e : NULL;
    }
    c_stuck(p);
    return NULL;
}

static c_expr *parse_call(c_parser *p, c_expr *callee)
{
    c_expr *e = node(p, C_CALL, "", 1, callee, NULL, NULL);
    c_place_of(p, AT_CALL);
    while (e && !p->failed && !c_next_is(p, ")")) {
        c_expr *arg = c_parse_assignment(p);
        if (!arg)
            return NULL;
        ARENA_ADD(p->memory, e->args, e->count, arg);
        if (arg->height >= e->height)
            e->height = arg->height + 1;
        if (!c_take(p, ","))
            break;
    }
    if (e && e->height > MOST_HEIGHT)
        c_stuck(p);
    return c_want(p, ")") ? e : NULL;
}

static c_expr *parse_index(c_parser *p, c_expr *base)
{
    c_expr *lo = c_next_is(p, ":") ? NULL : c_parse_expr(p);
    if (c_take(p, ":")) {
        c_expr *length = c_next_is(p, "]") ? NULL : c_parse_expr(p);
        return c_want(p, "]") ? node(p, C_SECTION, "", 3, base, lo, length) : NULL;
    }
    return c_want(p, "]") ? node(p, C_INDEX, "", 2, base, lo, NULL) : NULL;
}

static c_expr *parse_postfix(c_parser *p)
{
    c_expr *e = parse_primary(p);
    while (e && !p->failed) {
        if (c_take(p, "("))
            e = parse_call(p, e);
        else if (c_take(p, "["))
            e = parse_index(p, e);
        else if (c_next_is(p, ".") || c_next_is(p, "->")) {
            bool arrow = *p->word++->text == '-';
            e = node(p, C_MEMBER, p->word++->text, 1, e, NULL, NULL);
            if (e)
                e->arrow = arrow;
        } else if (c_next_is(p, "++") || c_next_is(p, "--"))
            e = node(p, C_POSTFIX, p->word++->text, 1, e, NULL, NULL);
        else
            break;
    }
    return p->failed ? NULL : e;
}

/* sizeof (type), sizeof x: never affine, as its type is unsigned long. */
static c_expr *parse_sizeof(c_parser *p)
{
    const c_word *from = p->word++;
    if (c_take(p, "("))
        c_skip_closed(p, ")");
    else
        parse_cast(p);
    return p->failed ? NULL : opaque_since(p, from);
}

static c_expr *parse_cast(c_parser *p)
{
    static const char *const unary[] = {"-", "+", "!", "~", "*", "&", "++", "--", NULL};
    const c_word *from = p->word;
    static int depth;
    if (depth > MOST_HEIGHT) {
        c_stuck(p);
        return NULL;
    }
    c_expr *e;
    depth++;
    if (c_next_is(p, "(") && c_is_type(p, p->word + 1)) {
        p->word++;
        const char *type = c_skip_type(p);
        c_want(p, ")");
        if (c_take(p, "{")) { /* a compound literal */
            c_skip_closed(p, "}");
            e = p->failed ? NULL : opaque_since(p, from);
        } else
            e = node(p, C_CAST, type, 1, parse_cast(p), NULL, NULL);
    } else if (p->word->kind == W_SIGN && is_among(p->word->text, unary)) {
        const char *sign = p->word++->text;
        e = node(p, C_UNARY, sign, 1, parse_cast(p), NULL, NULL);
    } else if (c_next_is(p, "sizeof") || c_next_is(p, "_Alignof"))
        e = parse_sizeof(p);
    else
        e = parse_postfix(p);
    depth--;
    return e;
}

static int precedence(const c_word *word)
{
    static const char *const levels[][5] = {{"||"},
                                            {"&&"},
                                            {"|"},
                                            {"^"},
                                            {"&"},
                                            {"==", "!="},
                                            {"<", ">", "<=", ">="},
                                            {"<<", ">>"},
                                            {"+", "-"},
                                            {"*", "/", "%"}};
    if (word->kind != W_SIGN)
        return 0;
    for (int i = 0; i < 10; i++)
        if (is_among(word->text, levels[i]))
            return i + 1;
    return 0;
}

static c_expr *parse_binary(c_parser *p, int least)
{
    c_expr *e = parse_cast(p);
    for (int level; e && (level = precedence(p->word)) >= least && level > 0;) {
        const char *sign = p->word++->text;
        e = node(p, C_BINARY, sign, 2, e, parse_binary(p, level + 1), NULL);
    }
    return e;
}

static c_expr *parse_condition(c_parser *p)
{
    c_expr *e = parse_binary(p, 1);
    if (!e || !c_take(p, "?"))
        return e;
    c_expr *yes = c_parse_expr(p);
    if (!c_want(p, ":"))
        return NULL;
    return node(p, C_COND, "?", 3, e, yes, parse_condition(p));
}

c_expr *c_parse_assignment(c_parser *p)
{
    static const char *const signs[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    c_expr *e = parse_condition(p);
    if (!e || p->word->kind != W_SIGN || !is_among(p->word->text, signs))
        return e;
    const char *sign = p->word++->text;
    return node(p, C_BINARY, sign, 2, e, c_parse_assignment(p), NULL);
}

c_expr *c_parse_expr(c_parser *p)
{
    c_expr *e = c_parse_assignment(p);
    while (e && c_take(p, ","))
        e = node(p, C_BINARY, ",", 2, e, c_parse_assignment(p), NULL);
    return e;
}

c_expr *c_parse_item(c_parser *p)
{
    return c_parse_assignment(p);
}
