/* Characters to words. */
#include "syntax/lex.h"

#include <string.h>
#include <strings.h>

typedef struct lexer {
    source *source;
    size_t at;
    int32_t line;
    size_t line_start;
    bool first;     /* nothing but blanks and comments on this line so far */
    bool want_text; /* BODY was seen, and its text has not begun */
    int depth;      /* of square brackets since then */
    token *tokens;
    int count;
} lexer;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const lexer *x, size_t ahead)
{
    return x->at + ahead < x->source->length ? x->source->text[x->at + ahead] : '\0';
}

static bool at_end(const lexer *x)
{
    return x->at >= x->source->length;
}

static place here(const lexer *x)
{
    return (place){x->line, (int32_t)(x->at - x->line_start) + 1};
}

/* Go on by `count` bytes and keep track of lines. */
static void advance(lexer *x, size_t count)
{
    for (; count && !at_end(x); count--) {
        if (x->source->text[x->at++] == '\n') {
            x->line++;
            x->line_start = x->at;
            x->first = true;
        }
    }
}

static token *add(lexer *x, token_kind kind, place at, size_t start)
{
    token t = {
        .kind = kind, .first = x->first, .at = at, .text_at = at, .start = start, .stop = x->at};
    x->first = false;
    ARENA_ADD(x->source->memory, x->tokens, x->count, t);
    return &x->tokens[x->count - 1];
}

/* Blanks and comments. */
static void skip(lexer *x)
{
    while (!at_end(x)) {
        char c = peek(x, 0);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
            advance(x, 1);
        } else if (c == '/' && peek(x, 1) == '/') {
            while (!at_end(x) && peek(x, 0) != '\n')
                advance(x, 1);
        } else if (c == '/' && peek(x, 1) == '*') {
            place start = here(x);
            advance(x, 2);
            while (!at_end(x) && !(peek(x, 0) == '*' && peek(x, 1) == '/'))
                advance(x, 1);
            if (at_end(x))
                source_say(x->source, ERROR, start, "this comment is never closed");
            advance(x, 2);
        } else {
            return;
        }
    }
}

/* From the current byte to the first `end`, which is skipped; false if there is none. */
static bool take_until(lexer *x, const char *end, const char **text)
{
    size_t start = x->at, size = strlen(end);
    while (!at_end(x)) {
        if (x->source->length - x->at >= size && memcmp(x->source->text + x->at, end, size) == 0) {
            *text = arena_text(x->source->memory, x->source->text + start, x->at - start);
            advance(x, size);
            return true;
        }
        advance(x, 1);
    }
    *text = arena_text(x->source->memory, x->source->text + start, x->at - start);
    return false;
}

static void lex_inline(lexer *x)
{
    place at = here(x);
    size_t start = x->at;
    bool first = x->first;
    const char *text;
    advance(x, 2);
    place text_at = here(x);
    if (!take_until(x, "%}", &text))
        source_say(x->source, ERROR, at, "this C text is never closed by %%}");
    token *t = add(x, TOKEN_INLINE, at, start);
    t->text = text;
    t->text_at = text_at;
    t->first = first;
}

static void lex_string(lexer *x)
{
    place at = here(x);
    size_t start = x->at;
    advance(x, 1);
    while (!at_end(x) && peek(x, 0) != '"' && peek(x, 0) != '\n')
        advance(x, peek(x, 0) == '\\' && peek(x, 1) != '\n' ? 2 : 1);
    if (peek(x, 0) != '"') {
        source_say(x->source, ERROR, at, "this string is not closed on its line");
        /* It was probably meant to end before the bracket. */
        const char *bracket = memchr(x->source->text + start, ']', x->at - start);
        if (bracket)
            x->at = (size_t)(bracket - x->source->text);
    }
    size_t stop = x->at;
    if (peek(x, 0) == '"')
        advance(x, 1);
    token *t = add(x, TOKEN_STRING, at, start);
    t->text = arena_text(x->source->memory, x->source->text + start + 1, stop - start - 1);
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static int64_t take_integer(lexer *x, place at, int base)
{
    int64_t value = 0;
    bool fits = true;
    for (; digit_value(peek(x, 0)) < base; advance(x, 1)) {
        fits = fits && !__builtin_mul_overflow(value, (int64_t)base, &value);
        fits = fits && !__builtin_add_overflow(value, digit_value(peek(x, 0)), &value);
    }
    if (!fits)
        source_say(x->source, ERROR, at, "this number does not fit into 64 bits");
    return fits ? value : 0;
}

/* 12, 0x1F; 0.5 (properties only), but 0..5 is a range. */
static void lex_number(lexer *x)
{
    place at = here(x);
    size_t start = x->at;
    bool hexadecimal =
        peek(x, 0) == '0' && (peek(x, 1) | 32) == 'x' && digit_value(peek(x, 2)) < 16;
    if (hexadecimal)
        advance(x, 2);
    int64_t value = take_integer(x, at, hexadecimal ? 16 : 10);
    bool real = !hexadecimal && peek(x, 0) == '.' && is_digit(peek(x, 1));
    if (real)
        for (advance(x, 1); is_digit(peek(x, 0));)
            advance(x, 1);
    else if (!hexadecimal && value > 7 && x->source->text[start] == '0')
        source_say(x->source, WARNING, at,
                   "a number that starts with 0 is decimal here, not octal as in C");
    if (is_letter(peek(x, 0))) {
        source_say(x->source, ERROR, here(x), "a letter directly after a number");
        while (is_letter(peek(x, 0)) || is_digit(peek(x, 0)))
            advance(x, 1);
    }
    token *t = add(x, real ? TOKEN_REAL : TOKEN_INT, at, start);
    t->value = value;
    t->text = arena_text(x->source->memory, x->source->text + start, x->at - start);
}

/* Is the rest of the line, from `ahead`, blank or a comment? */
static bool line_ends(const lexer *x, size_t ahead)
{
    while (peek(x, ahead) == ' ' || peek(x, ahead) == '\t' || peek(x, ahead) == '\r')
        ahead++;
    return x->at + ahead >= x->source->length || peek(x, ahead) == '\n' ||
           (peek(x, ahead) == '/' && (peek(x, ahead + 1) == '/' || peek(x, ahead + 1) == '*'));
}

/* BODY at the start of a line; small letters are allowed where no name could stand. */
static bool opens_body(const lexer *x, const char *word)
{
    return strcmp(word, "BODY") == 0 || (strcasecmp(word, "BODY") == 0 && line_ends(x, 0));
}

static void lex_name(lexer *x)
{
    place at = here(x);
    size_t start = x->at;
    while (is_letter(peek(x, 0)) || is_digit(peek(x, 0)))
        advance(x, 1);
    token *t = add(x, TOKEN_NAME, at, start);
    t->text = arena_text(x->source->memory, x->source->text + start, x->at - start);
    if (t->first && opens_body(x, t->text)) {
        t->kind = TOKEN_BODY;
        x->want_text = true;
        x->depth = 0;
    }
}

static const struct {
    char text[3];
    token_kind kind;
} signs[] = {
    /* Two characters before one. */
    {"<-", TOKEN_IN},   {"->", TOKEN_OUT},        {"..", TOKEN_DOTS},        {"||", TOKEN_OR},
    {"&&", TOKEN_AND},  {"==", TOKEN_EQ},         {"!=", TOKEN_NE},          {"<=", TOKEN_LE},
    {">=", TOKEN_GE},   {"<<", TOKEN_SHL},        {">>", TOKEN_SHR},         {"|", TOKEN_BIT_OR},
    {"^", TOKEN_XOR},   {"&", TOKEN_BIT_AND},     {"<", TOKEN_LT},           {">", TOKEN_GT},
    {"+", TOKEN_ADD},   {"-", TOKEN_SUB},         {"*", TOKEN_MUL},          {"/", TOKEN_DIV},
    {"%", TOKEN_MOD},   {"!", TOKEN_NOT},         {"=", TOKEN_ASSIGN},       {"?", TOKEN_QUESTION},
    {":", TOKEN_COLON}, {";", TOKEN_SEMICOLON},   {",", TOKEN_COMMA},        {"(", TOKEN_OPEN},
    {")", TOKEN_CLOSE}, {"[", TOKEN_OPEN_SQUARE}, {"]", TOKEN_CLOSE_SQUARE}, {".", TOKEN_POINT},
};

static void lex_sign(lexer *x)
{
    place at = here(x);
    size_t start = x->at;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t size = strlen(signs[i].text);
        if (x->source->length - x->at < size ||
            memcmp(x->source->text + x->at, signs[i].text, size) != 0)
            continue;
        advance(x, size);
        add(x, signs[i].kind, at, start);
        x->depth += (signs[i].kind == TOKEN_OPEN_SQUARE) - (signs[i].kind == TOKEN_CLOSE_SQUARE);
        return;
    }
    unsigned char c = (unsigned char)peek(x, 0);
    if (c > ' ' && c < 0x7f)
        source_say(x->source, ERROR, at, "the character '%c' has no meaning here", c);
    else
        source_say(x->source, ERROR, at, "the byte 0x%02x has no meaning here", c);
    advance(x, 1);
    /* One complaint for a run of bytes that are not text. */
    while (!at_end(x) && (unsigned char)peek(x, 0) >= 0x80)
        advance(x, 1);
}

/* Does END close a body at this byte, the first of its line? As a whole word in the first column
 * always; indented or in small letters only if nothing else stands on the line, so that C may use
 * the name. */
static bool closes_body(const lexer *x, size_t *skipped)
{
    size_t i = 0;
    while (peek(x, i) == ' ' || peek(x, i) == '\t')
        i++;
    if (x->source->length - x->at < i + 3 ||
        strncasecmp(x->source->text + x->at + i, "END", 3) != 0)
        return false;
    char after = peek(x, i + 3);
    if (is_letter(after) || is_digit(after))
        return false;
    *skipped = i + 3;
    bool plain = i == 0 && memcmp(x->source->text + x->at, "END", 3) == 0;
    return plain || line_ends(x, i + 3);
}

/* The text of a body, up to its END, which is skipped. */
static void lex_body_text(lexer *x)
{
    place at = here(x);
    size_t start = x->at, skipped = 0;
    bool closed = false;
    x->want_text = false;
    while (!at_end(x) && !closed) {
        if (x->at == x->line_start)
            closed = closes_body(x, &skipped);
        if (!closed)
            advance(x, 1);
    }
    if (!closed)
        source_say(x->source, ERROR, x->tokens[x->count - 1].at,
                   "this body is never closed: END must stand at the start of a line");
    token *t = add(x, TOKEN_TEXT, at, start);
    t->text = arena_text(x->source->memory, x->source->text + start, x->at - start);
    if (closed)
        advance(x, skipped);
    x->first = false;
}

static void lex_one(lexer *x)
{
    char c = peek(x, 0);
    if (is_letter(c)) {
        lex_name(x);
    } else if (is_digit(c)) {
        lex_number(x);
    } else if (c == '"') {
        lex_string(x);
    } else if (c == '%' && peek(x, 1) == '{') {
        lex_inline(x);
    } else if (c == '%' && x->first && x->source->length - x->at >= 7 &&
               strncasecmp(x->source->text + x->at, "%option", 7) == 0) {
        place at = here(x);
        size_t start = x->at;
        advance(x, 7);
        add(x, TOKEN_OPTION, at, start);
    } else {
        lex_sign(x);
    }
}

/* After BODY and its properties, which are words like others, what follows is text, the blanks
 * before it included. */
static bool text_begins(const lexer *x)
{
    if (!x->want_text)
        return false;
    if (x->tokens[x->count - 1].kind != TOKEN_BODY)
        return x->depth <= 0;
    size_t i = 0;
    while (peek(x, i) == ' ' || peek(x, i) == '\t' || peek(x, i) == '\r' || peek(x, i) == '\n')
        i++;
    return peek(x, i) != '[';
}

token *lex(source *s, int *count)
{
    lexer x = {.source = s, .line = 1, .first = true};
    for (;;) {
        if (text_begins(&x)) {
            lex_body_text(&x);
            continue;
        }
        skip(&x);
        if (at_end(&x))
            break;
        lex_one(&x);
    }
    add(&x, TOKEN_EOF, here(&x), x.at);
    *count = x.count;
    return x.tokens;
}
