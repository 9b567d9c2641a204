/* The file as a whole, and what all parsing functions need. */
#include "syntax/parse.h"

const token *take(parser *p)
{
    const token *t = look(p, 0);
    if (p->at < p->count - 1)
        p->at++;
    return t;
}

bool accept(parser *p, token_kind kind)
{
    if (!is(p, 0, kind))
        return false;
    take(p);
    return true;
}

/* How the current word is called in a message. */
static const char *found(const parser *p)
{
    const token *t = look(p, 0);
    size_t length = t->stop - t->start;
    switch (t->kind) {
    case TOKEN_EOF:
        return "the file ends";
    case TOKEN_TEXT:
        return "a body's text begins";
    case TOKEN_INLINE:
        return "C text begins";
    default:
        return arena_print(p->memory, "there is '%.*s'", (int)(length < 40 ? length : 40),
                           p->source->text + t->start);
    }
}

void expected(parser *p, const char *what)
{
    if (!p->panic)
        source_say(p->source, ERROR, look(p, 0)->at, "expected %s, but here %s%s", what, found(p),
                   is(p, 0, TOKEN_IN)       ? " (for less than minus, write a blank between)"
                   : is(p, 0, TOKEN_ASSIGN) ? " (to compare, write '==')"
                                            : "");
    p->panic = true;
}

bool expect(parser *p, token_kind kind, const char *what)
{
    if (p->panic)
        return false;
    if (accept(p, kind))
        return true;
    expected(p, what);
    return false;
}

const token *expect_name(parser *p, const char *what)
{
    if (!p->panic && is(p, 0, TOKEN_NAME))
        return take(p);
    expected(p, what);
    return NULL;
}

void recover(parser *p)
{
    while (!is(p, 0, TOKEN_EOF) && !is(p, 0, TOKEN_BODY) && !look(p, 0)->first)
        take(p);
    p->panic = false;
}

static void take_line(parser *p)
{
    do
        take(p);
    while (!look(p, 0)->first && !is(p, 0, TOKEN_EOF));
}

static void add_assumption(parser *p, ast_file *f)
{
    ast_assumption assumption = {p->source, parse_expr(p)};
    ARENA_ADD(f->source->memory, f->assumptions, f->assumption_count, assumption);
    if (!p->panic && !look(p, 0)->first && !is(p, 0, TOKEN_EOF))
        expected(p, "the end of the assumption");
}

/* %option NAME = value, the value being the rest of the line, or an expression that is assumed. */
static void parse_option(parser *p, ast_file *f)
{
    take(p);
    const token *name = expect_name(p, "the name of an option");
    expect(p, TOKEN_ASSIGN, "'=' and the value of the option");
    if (!p->panic && (look(p, 0)->first || is(p, 0, TOKEN_EOF)))
        expected(p, "the value of the option");
    if (p->panic)
        return;
    const token *from = look(p, 0);
    if (strcmp(name->text, "assume") == 0)
        add_assumption(p, f);
    else
        take_line(p);
    const token *to = &p->tokens[p->at - 1];
    const char *value =
        from->kind == TOKEN_STRING && from == to
            ? from->text
            : arena_text(p->memory, p->source->text + from->start, to->stop - from->start);
    ast_option option = {.name = name->text, .value = value, .at = name->at};
    ARENA_ADD(p->memory, f->options, f->option_count, option);
}

static void parse_global(parser *p, ast_file *f)
{
    const token *name = take(p);
    ast_global global = {.name = name->text, .at = name->at};
    if (accept(p, TOKEN_ASSIGN))
        global.value = parse_expr(p);
    if (!p->panic)
        global.props = parse_props(p);
    ARENA_ADD(p->memory, f->globals, f->global_count, global);
}

/* extern "C" %{ ... %}: once before everything else and once after it. */
static void parse_extern(parser *p, ast_file *f, bool begun)
{
    place at = take(p)->at;
    if (!is(p, 0, TOKEN_STRING) || strcmp(look(p, 0)->text, "C") != 0)
        expected(p, "\"C\" after extern");
    else
        take(p);
    if (!p->panic && !is(p, 0, TOKEN_INLINE))
        expected(p, "%{ and C text");
    if (p->panic)
        return;
    const token *text = take(p);
    if (!begun) {
        f->prologue = text->text;
        f->prologue_at = text->text_at;
    } else if (is(p, 0, TOKEN_EOF)) {
        f->epilogue = text->text;
        f->epilogue_at = text->text_at;
    } else {
        source_say(p->source, ERROR, at,
                   "C text stands only at the beginning and at the end of the file");
    }
}

static void parse_item(parser *p, ast_file *f, bool begun)
{
    if (is(p, 0, TOKEN_OPTION))
        parse_option(p, f);
    else if (is_word(p, 0, "extern") && !is(p, 1, TOKEN_OPEN))
        parse_extern(p, f, begun);
    else if (is(p, 0, TOKEN_NAME) && is(p, 1, TOKEN_OPEN))
        parse_class(p, f);
    else if (is(p, 0, TOKEN_NAME))
        parse_global(p, f);
    else
        expected(p, "a global, an option or a task class");
}

void parse_assumption(ast_file *f, source *s)
{
    parser p = {.source = s, .memory = f->source->memory};
    p.tokens = lex(s, &p.count);
    add_assumption(&p, f);
}

ast_file *parse(source *s)
{
    ast_file *f = arena_get(s->memory, sizeof *f);
    parser p = {.source = s, .memory = s->memory};
    f->source = s;
    p.tokens = lex(s, &p.count);
    f->damaged = s->errors > 0;
    for (bool begun = false; !is(&p, 0, TOKEN_EOF); begun = true) {
        int before = p.at;
        parse_item(&p, f, begun);
        if (p.at == before)
            take(&p);
        if (p.panic)
            recover(&p);
        if (s->errors >= MOST_ERRORS)
            break;
    }
    return f;
}
