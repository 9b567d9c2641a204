/* Statements of printed functions. */
#include "loops/c/parser.h"
#include "loops/c/pragma.h"

#include <string.h>

place c_place_of(c_parser *p, c_where kind)
{
    int i = p->seen[kind]++;
    return i < p->places->count[kind] ? p->places->list[kind][i] : p->places->whole;
}

static c_stmt *parse_stmt(c_parser *p);

static c_stmt *make(c_parser *p, c_kind kind, place at)
{
    c_stmt *s = arena_get(p->memory, sizeof *s);
    *s = (c_stmt){.kind = kind, .at = at};
    return s;
}

static void add_part(c_parser *p, c_stmt *s, c_stmt *part)
{
    if (part)
        ARENA_ADD(p->memory, s->parts, s->part_count, part);
}

static c_stmt *parse_block(c_parser *p, place at)
{
    c_stmt *s = make(p, C_BLOCK, at);
    while (!p->failed && !c_next_is(p, "}")) {
        if (p->word->kind == W_END)
            c_stuck(p);
        else
            add_part(p, s, parse_stmt(p));
    }
    c_want(p, "}");
    return s;
}

/* ---- Declarations ------------------------------------------------------------------------ */

static const c_type *typedef_of(const c_parser *p, const c_word *word)
{
    for (int i = 0; i < p->types->count; i++)
        if (strcmp(word->text, p->types->list[i]) == 0)
            return &p->types->types[i];
    return NULL;
}

static bool is_word(const c_word *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word->text, *list) == 0)
            return true;
    return false;
}

/* The type of a variable by the words before its name. clang would know it too, but forgets
 * declarations behind some directives. */
static c_type type_of_words(const c_parser *p, const c_word *from, const c_word *name, bool array)
{
    static const char *const wide[] = {"int", "long", "signed", "enum", NULL};
    static const char *const narrow[] = {"short", "char", "_Bool", "bool", NULL};
    static const char *const floats[] = {"float", "double", "_Complex", NULL};
    static const char *const other[] = {"struct", "union", "void", NULL};
    c_type t = {.class = TYPE_OTHER};
    bool constant = false, is_static = false;
    for (const c_word *w = from; w < name; w++) {
        const c_type *known = typedef_of(p, w);
        if (strcmp(w->text, "*") == 0) {
            t.fixed = constant;
            t.narrow = false;
            t.class = TYPE_POINTER;
            constant = false;
        } else if (strcmp(w->text, "const") == 0)
            constant = true;
        else if (strcmp(w->text, "static") == 0)
            is_static = true;
        else if (strcmp(w->text, "unsigned") == 0)
            t.class = t.narrow ? TYPE_INT : TYPE_UNSIGNED;
        else if (is_word(w, narrow)) {
            t.class = TYPE_INT;
            t.narrow = true;
        } else if (is_word(w, wide) && t.class == TYPE_OTHER)
            t.class = TYPE_INT;
        else if (is_word(w, floats))
            t.class = TYPE_FLOAT;
        else if (is_word(w, other))
            t.class = TYPE_VALUE;
        else if (known) {
            t = *known;
            constant |= known->itself;
        }
    }
    t.itself = constant;
    if (t.class != TYPE_POINTER)
        t.fixed = constant;
    if (array)
        t.class = t.class == TYPE_POINTER && name[1].text[0] == ')' ? TYPE_POINTER : TYPE_ARRAY;
    if (is_static)
        t.class = TYPE_OTHER;
    t.text = arena_text(p->memory, from->from, (size_t)(name[-1].to - from->from));
    return t;
}

/* Where the next declaration of that name is. */
static place place_of_declared(c_parser *p, const char *name)
{
    const c_places *q = p->places;
    for (int i = p->seen[AT_DECLARE]; i < q->count[AT_DECLARE]; i++)
        if (strcmp(q->names[i], name) == 0) {
            p->seen[AT_DECLARE] = i + 1;
            return q->list[AT_DECLARE][i];
        }
    return p->at;
}

/* One declarator: everything but the name is its type. */
static void parse_declarator(c_parser *p, c_declared *d, const c_word *type, const char *before)
{
    const char *from = p->word->from;
    const c_word *name = NULL;
    bool array = false;
    while (!p->failed && p->word->kind != W_END) {
        if (p->word->kind == W_NAME && !c_is_type(p, p->word) && !d->name)
            d->name = (name = p->word++)->text;
        else if (c_next_is(p, "*") || c_next_is(p, "(") || c_next_is(p, ")") ||
                 c_is_type(p, p->word))
            p->word++;
        else if (d->name && c_take(p, "[")) {
            c_skip_closed(p, "]");
            array = true;
        } else
            break;
    }
    if (!d->name) {
        c_stuck(p);
        return;
    }
    d->text = arena_print(p->memory, "%s %.*s", before, (int)(p->word[-1].to - from), from);
    d->type = type_of_words(p, type, name, array);
    d->at = place_of_declared(p, d->name);
}

static c_stmt *parse_declaration(c_parser *p)
{
    c_stmt *s = make(p, C_DECLARE, p->at);
    const char *from = p->word->from;
    const c_word *words = p->word;
    while (c_is_type(p, p->word)) {
        bool tagged = c_next_is(p, "struct") || c_next_is(p, "union") || c_next_is(p, "enum");
        p->word += tagged ? 2 : 1;
    }
    const char *type = arena_text(p->memory, from, (size_t)(p->word->from - from));
    do {
        c_declared d = {0};
        parse_declarator(p, &d, words, type);
        if (!p->failed && c_take(p, "=")) {
            if (c_take(p, "{")) {
                d.opaque = true;
                c_skip_closed(p, "}");
            } else
                d.value = c_parse_assignment(p);
        }
        ARENA_ADD(p->memory, s->declared, s->declared_count, d);
        p->at = s->at = d.at.line ? d.at : s->at;
    } while (!p->failed && c_take(p, ","));
    return s;
}

/* ---- Regions ----------------------------------------------------------------------------- */

/* What pragma_rewrite has made of a region of OpenMP, or NULL. */
static const char *region_of(const c_expr *e)
{
    bool calls = e && e->op == C_CALL && e->count == 2 && e->args[0]->op == C_NAME &&
                 strcmp(e->args[0]->text, PRAGMA_REGION) == 0;
    const c_expr *text = calls ? e->args[1] : NULL;
    while (text && text->op == C_CAST)
        text = text->args[0];
    return text && text->op == C_LEAF ? text->text : NULL;
}

static void add_clause(c_parser *p, c_stmt *s, const char *mode, c_expr *expr);

/* The first clause is the name of the directive; what stands in parentheses is of no concern. */
static void make_region(c_parser *p, c_stmt *s, const char *text)
{
    int count, depth = 0;
    char *inner = arena_text(p->memory, text + 1, strlen(text) - 2);
    const c_word *words = c_lex(p->memory, inner, &count);
    s->kind = C_AROUND;
    for (int i = 0; words && words[i].kind != W_END; i++) {
        depth += (*words[i].text == '(') - (*words[i].text == ')');
        if (!depth && words[i].kind == W_NAME)
            add_clause(p, s, words[i].text, NULL);
    }
    if (!s->clause_count)
        c_stuck(p);
}

/* ---- Loops and conditions ---------------------------------------------------------------- */

static c_stmt *parse_for(c_parser *p)
{
    c_stmt *s = make(p, C_FOR, c_place_of(p, AT_FOR));
    p->at = s->at;
    c_want(p, "(");
    if (c_is_type(p, p->word))
        s->init = parse_declaration(p);
    else if (!c_next_is(p, ";")) {
        s->init = make(p, C_DO_EXPR, s->at);
        s->init->cond = c_parse_expr(p);
    }
    p->at = s->at;
    c_want(p, ";");
    s->cond = c_next_is(p, ";") ? NULL : c_parse_expr(p);
    c_want(p, ";");
    s->step = c_next_is(p, ")") ? NULL : c_parse_expr(p);
    c_want(p, ")");
    add_part(p, s, parse_stmt(p));
    return s;
}

static c_stmt *parse_if(c_parser *p, c_kind kind)
{
    c_stmt *s = make(p, kind, c_place_of(p, kind == C_IF ? AT_IF : AT_WHILE));
    p->at = s->at;
    c_want(p, "(");
    s->cond = c_parse_expr(p);
    c_want(p, ")");
    const char *region = kind == C_WHILE ? region_of(s->cond) : NULL;
    if (region) {
        make_region(p, s, region);
        s->cond = NULL;
    }
    add_part(p, s, parse_stmt(p));
    if (kind == C_IF && c_take(p, "else"))
        add_part(p, s, parse_stmt(p));
    return s;
}

/* ---- OpenMP ------------------------------------------------------------------------------ */

static void add_clause(c_parser *p, c_stmt *s, const char *mode, c_expr *expr)
{
    ARENA_ADD(p->memory, s->clauses, s->clause_count, (c_clause){mode, expr});
}

static void parse_clause(c_parser *p, c_stmt *s)
{
    const char *name = p->word++->text;
    if (!c_take(p, "(")) {
        add_clause(p, s, name, NULL);
        return;
    }
    if (strcmp(name, "depend") == 0) {
        name = p->word++->text;
        if (!c_take(p, ":")) {
            add_clause(p, s, "depend", NULL);
            c_skip_closed(p, ")");
            return;
        }
        do
            add_clause(p, s, name, c_parse_item(p));
        while (!p->failed && c_take(p, ","));
        c_want(p, ")");
    } else if (strcmp(name, "priority") == 0) {
        add_clause(p, s, name, c_parse_expr(p));
        c_want(p, ")");
    } else {
        add_clause(p, s, name, NULL);
        c_skip_closed(p, ")");
    }
}

static c_kind directive_kind(const char *name)
{
    static const struct {
        const char *name;
        c_kind kind;
    } known[] = {{"task", C_TASK},       {"taskwait", C_WAIT},   {"barrier", C_WAIT},
                 {"parallel", C_AROUND}, {"single", C_AROUND},   {"master", C_AROUND},
                 {"masked", C_AROUND},   {"taskgroup", C_AROUND}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].kind;
    return C_REFUSED;
}

static c_stmt *parse_directive(c_parser *p)
{
    c_stmt *s = make(p, C_REFUSED, c_place_of(p, AT_OMP));
    p->at = s->at;
    p->word++;
    if (!c_take(p, "omp")) {
        c_stuck(p);
        return s;
    }
    const char *name = p->word++->text;
    s->kind = directive_kind(name);
    if (s->kind == C_AROUND)
        add_clause(p, s, name, NULL);
    s->text = arena_print(p->memory, "#pragma omp %s", name);
    while (!p->failed && p->word->kind != W_LINE_END && p->word->kind != W_END) {
        if (p->word->kind == W_NAME && s->kind == C_AROUND &&
            directive_kind(p->word->text) == C_REFUSED && c_next_is(p, "for"))
            s->kind = C_REFUSED;
        if (p->word->kind == W_NAME)
            parse_clause(p, s);
        else
            p->word++;
    }
    if (p->word->kind == W_LINE_END)
        p->word++;
    if (s->kind == C_REFUSED && !p->failed) {
        source_say(p->source, ERROR, s->at,
                   "this directive of OpenMP is not understood: of them only task, taskwait, and "
                   "parallel, single and master around tasks are");
        p->failed = true;
    }
    if (s->kind == C_TASK || s->kind == C_AROUND) {
        int seen[C_WHERES];
        memcpy(seen, p->seen, sizeof seen);
        add_part(p, s, parse_stmt(p));
        memcpy(p->seen, seen, sizeof seen); /* libclang does not look into these */
        p->at = s->at;
    }
    return s;
}

/* ---- All of them ------------------------------------------------------------------------- */

static c_stmt *refuse(c_parser *p, const char *what)
{
    c_stmt *s = make(p, C_REFUSED, c_place_of(p, AT_OTHER));
    s->text = what;
    if (!p->failed)
        source_say(p->source, ERROR, s->at,
                   "%s is not understood: only for, if, continue and "
                   "return may direct the course of a function of tiles",
                   what);
    p->failed = true;
    return s;
}

static c_stmt *parse_simple(c_parser *p)
{
    static const char *const refused[] = {"goto", "switch", "do",     "break",
                                          "case", "asm",    "__asm__"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (c_next_is(p, refused[i]))
            return refuse(p, refused[i]);
    c_stmt *s;
    if (c_next_is(p, "return") || c_next_is(p, "continue")) {
        bool returns = *p->word++->text == 'r';
        s = make(p, returns ? C_RETURN : C_CONTINUE, c_place_of(p, AT_OTHER));
        s->cond = returns && !c_next_is(p, ";") ? c_parse_expr(p) : NULL;
    } else if (c_is_type(p, p->word))
        s = parse_declaration(p);
    else if (p->word->kind == W_NAME && p->word[1].kind == W_SIGN && !strcmp(p->word[1].text, ":"))
        return refuse(p, "a label");
    else {
        int calls = p->seen[AT_CALL];
        s = make(p, C_DO_EXPR, p->at);
        s->cond = c_parse_expr(p);
        if (p->seen[AT_CALL] > calls && calls < p->places->count[AT_CALL])
            s->at = p->places->list[AT_CALL][calls];
    }
    c_want(p, ";");
    return s;
}

static c_stmt *parse_stmt(c_parser *p)
{
    static int depth;
    const char *from = p->word->from;
    c_stmt *s = NULL;
    if (p->failed)
        return NULL;
    if (++depth > 100)
        c_stuck(p);
    else if (p->word->kind == W_DIRECTIVE)
        s = parse_directive(p);
    else if (c_take(p, "{"))
        s = parse_block(p, p->at);
    else if (c_take(p, ";"))
        s = make(p, C_NOTHING, p->at);
    else if (c_take(p, "for"))
        s = parse_for(p);
    else if (c_take(p, "if"))
        s = parse_if(p, C_IF);
    else if (c_take(p, "while"))
        s = parse_if(p, C_WHILE);
    else
        s = parse_simple(p);
    depth--;
    if (s && s->kind != C_REFUSED && !p->failed)
        s->text = arena_text(p->memory, from, (size_t)(p->word[-1].to - from));
    return s;
}

c_stmt *c_parse(source *source, const char *text, const c_places *places, const c_names *types)
{
    int count;
    c_parser p = {.source = source,
                  .memory = source->memory,
                  .places = places,
                  .types = types,
                  .at = places->whole};
    c_word *words = c_lex(source->memory, text, &count);
    if (!words) {
        source_say(source, ERROR, places->whole, "the function has characters that are not C");
        return NULL;
    }
    /* The head of the function is known already. */
    for (p.word = words; p.word->kind != W_END && !c_next_is(&p, "{");)
        p.word++;
    if (!c_want(&p, "{"))
        return NULL;
    c_stmt *s = parse_block(&p, places->whole);
    return p.failed ? NULL : s;
}
