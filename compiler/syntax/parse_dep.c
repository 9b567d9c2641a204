/* Flows and their dependencies. */
#include "syntax/parse.h"

static ast_mode mode_of(const parser *p, int ahead)
{
    static const struct {
        const char *word;
        ast_mode mode;
    } modes[] = {{"RW", AST_RW},       {"READ", AST_READ}, {"RO", AST_READ},
                 {"WRITE", AST_WRITE}, {"WO", AST_WRITE},  {"CTL", AST_CTL}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (is_word(p, ahead, modes[i].word))
            return modes[i].mode;
    return AST_NO_MODE;
}

static bool is_arrow(const parser *p, int ahead)
{
    return is(p, ahead, TOKEN_IN) || is(p, ahead, TOKEN_OUT);
}

/* Two names that begin a line, the first of them no mode: a mistyped flow, if what follows is part
 * of a class. Two globals look alike. */
static bool at_mistyped(const parser *p)
{
    int i = 0;
    while (is(p, i, TOKEN_NAME) && look(p, i)->first && mode_of(p, i) == AST_NO_MODE &&
           is(p, i + 1, TOKEN_NAME) && !look(p, i + 1)->first)
        i += 2;
    return i > 0 && (is_arrow(p, i) || is(p, i, TOKEN_SEMICOLON) || is(p, i, TOKEN_BODY) ||
                     (mode_of(p, i) != AST_NO_MODE && is(p, i + 1, TOKEN_NAME)));
}

bool at_flow(const parser *p)
{
    if (!is(p, 0, TOKEN_NAME))
        return false;
    return is_arrow(p, 1) || (mode_of(p, 0) != AST_NO_MODE && is(p, 1, TOKEN_NAME)) ||
           at_mistyped(p);
}

/* FLOW TASK(args), A(args), NEW or NULL. */
static ast_target parse_plain_target(parser *p)
{
    ast_target t = {.at = look(p, 0)->at, .name_at = look(p, 0)->at};
    bool call = is(p, 1, TOKEN_OPEN);
    if (!is(p, 0, TOKEN_NAME)) {
        expected(p, "a target: FLOW TASK(...), A(...), NEW or NULL");
    } else if (!call && (is_word(p, 0, "NEW") || is_word(p, 0, "NULL"))) {
        t.kind = strcmp(take(p)->text, "NEW") == 0 ? AST_NEW : AST_NULL;
    } else if (call) {
        t.kind = AST_MEMORY;
        t.name = take(p)->text;
        t.args = parse_args(p, &t.arg_count);
    } else if (is(p, 1, TOKEN_NAME)) {
        t.kind = AST_TASK;
        t.flow = take(p)->text;
        t.name_at = look(p, 0)->at;
        t.name = take(p)->text;
        t.args = parse_args(p, &t.arg_count);
    } else {
        take(p);
        expected(p, "a task or '(' after this name");
    }
    return t;
}

/* The same behind a condition, where iterators may stand before it. */
static ast_target parse_target(parser *p)
{
    int count;
    ir_iter *iters = parse_iters(p, &count);
    if (p->panic)
        return (ast_target){0};
    ast_target t = parse_plain_target(p);
    t.iters = iters;
    t.iter_count = count;
    return t;
}

/* Does a target start here, rather than a condition? A call may be either, and what follows it
 * decides. */
static bool at_target(const parser *p)
{
    if (!is(p, 0, TOKEN_NAME) || is(p, 1, TOKEN_INLINE))
        return false;
    if (is(p, 1, TOKEN_OPEN)) {
        int close = matching(p, 1);
        return close < 0 || !continues(p, close + 1);
    }
    if (is_word(p, 0, "NEW") || is_word(p, 0, "NULL") || is(p, 1, TOKEN_NAME))
        return !continues(p, 1);
    return false;
}

static ast_dep parse_dep(parser *p)
{
    const token *arrow = take(p);
    ast_dep d = {.out = arrow->kind == TOKEN_OUT, .at = arrow->at};
    d.iters = parse_iters(p, &d.iter_count);
    if (p->panic)
        return d;
    if (at_target(p)) {
        d.target = parse_plain_target(p);
    } else {
        d.guard = parse_guard(p);
        expect(p, TOKEN_QUESTION, "'?' after the condition");
        if (!p->panic)
            d.target = parse_target(p);
        d.has_other = !p->panic && accept(p, TOKEN_COLON);
        if (d.has_other)
            d.other = parse_target(p);
    }
    if (!p->panic)
        d.props = parse_props(p);
    return d;
}

void parse_flow(parser *p, ast_class *c)
{
    ast_flow flow = {.mode = is_arrow(p, 1) ? AST_NO_MODE : mode_of(p, 0)};
    if (flow.mode == AST_NO_MODE && !is_arrow(p, 1)) {
        source_say(p->source, ERROR, look(p, 0)->at,
                   "'%s' is no mode of a flow: those are RW, READ, RO, WRITE, WO and CTL",
                   look(p, 0)->text);
        flow.mode = AST_RW;
    }
    if (flow.mode != AST_NO_MODE)
        take(p);
    const token *name = take(p);
    flow.name = name->text;
    flow.at = name->at;
    while (is_arrow(p, 0)) {
        ast_dep d = parse_dep(p);
        if (p->panic)
            recover(p);
        else
            ARENA_ADD(p->memory, flow.deps, flow.dep_count, d);
    }
    ARENA_ADD(p->memory, c->flows, c->flow_count, flow);
}
