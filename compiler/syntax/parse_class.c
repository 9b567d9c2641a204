/* Task classes. */
#include "syntax/parse.h"

/* The parts of a class in their order. */
typedef enum part {
    PART_LOCAL,
    PART_SIMCOST,
    PART_AFFINITY,
    PART_FLOW,
    PART_PRIORITY,
    PART_BODY,
    PART_NONE
} part;

static const char *const part_names[] = {"definitions", "SIMCOST",  "the affinity",
                                         "flows",       "priority", "bodies"};

static bool is_param(const ast_class *c, const char *name)
{
    for (int i = 0; i < c->param_count; i++)
        if (strcmp(c->params[i].name, name) == 0)
            return true;
    return false;
}

/* What starts at the current word. NAME = ... is a global once the class has gone beyond its
 * definitions, unless it defines a parameter in the wrong place. */
static part part_at(const parser *p, const ast_class *c, part reached)
{
    if (is(p, 0, TOKEN_NAME) && is(p, 1, TOKEN_ASSIGN))
        return reached <= PART_LOCAL || is_param(c, look(p, 0)->text) ? PART_LOCAL : PART_NONE;
    if (is(p, 0, TOKEN_COLON))
        return PART_AFFINITY;
    if (at_flow(p) || is(p, 0, TOKEN_IN) || is(p, 0, TOKEN_OUT))
        return PART_FLOW;
    if (is_word(p, 0, "SIMCOST") && !is(p, 1, TOKEN_ASSIGN))
        return PART_SIMCOST;
    if (is(p, 0, TOKEN_SEMICOLON))
        return PART_PRIORITY;
    return is(p, 0, TOKEN_BODY) ? PART_BODY : PART_NONE;
}

static void parse_local(parser *p, ast_class *c)
{
    const token *name = take(p);
    ast_local local = {.name = name->text, .at = name->at};
    take(p); /* = */
    local.iters = parse_iters(p, &local.iter_count);
    if (!p->panic)
        local.range = parse_range(p);
    if (!p->panic)
        local.props = parse_props(p);
    if (!local.range.lo)
        local.range.lo = expr_leaf(p->memory, IR_INT, name->at, NULL);
    ARENA_ADD(p->memory, c->locals, c->local_count, local);
}

/* : A(args), or a predicate that may begin with a call as well. */
static void parse_affinity(parser *p, ast_class *c)
{
    ast_affinity affinity = {.at = take(p)->at};
    int close = is(p, 0, TOKEN_NAME) && is(p, 1, TOKEN_OPEN) ? matching(p, 1) : -1;
    if (close > 0 && !continues(p, close + 1)) {
        affinity.name_at = look(p, 0)->at;
        affinity.name = take(p)->text;
        affinity.args = parse_args(p, &affinity.arg_count);
    } else {
        affinity.predicate = parse_expr(p);
    }
    ARENA_ADD(p->memory, c->affinities, c->affinity_count, affinity);
}

static void parse_body(parser *p, ast_class *c)
{
    ast_body body = {.at = take(p)->at};
    body.props = parse_props(p);
    /* A mistake among the properties does not touch the text. */
    while (!is(p, 0, TOKEN_TEXT) && !is(p, 0, TOKEN_EOF))
        take(p);
    p->panic = false;
    if (is(p, 0, TOKEN_TEXT)) {
        body.text_at = look(p, 0)->at;
        body.text = take(p)->text;
        ARENA_ADD(p->memory, c->bodies, c->body_count, body);
    }
}

static void parse_single(parser *p, const char *what, ir_expr **e)
{
    place at = take(p)->at;
    if (*e)
        source_say(p->source, ERROR, at, "a second %s for the same class", what);
    *e = parse_expr(p);
}

static void parse_part(parser *p, ast_class *c, part which)
{
    switch (which) {
    case PART_LOCAL:
        parse_local(p, c);
        break;
    case PART_SIMCOST:
        parse_single(p, "SIMCOST", &c->simcost);
        break;
    case PART_AFFINITY:
        parse_affinity(p, c);
        break;
    case PART_FLOW:
        if (at_flow(p)) {
            parse_flow(p, c);
        } else {
            expected(p, "the name of a flow before its dependencies");
            take(p);
        }
        break;
    case PART_PRIORITY:
        parse_single(p, "priority", &c->priority);
        break;
    default:
        parse_body(p, c);
    }
}

static void parse_params(parser *p, ast_class *c)
{
    take(p); /* ( */
    while (!is(p, 0, TOKEN_CLOSE)) {
        const token *name = expect_name(p, "the name of a parameter");
        if (!name)
            return;
        ast_param param = {name->text, name->at};
        ARENA_ADD(p->memory, c->params, c->param_count, param);
        if (!accept(p, TOKEN_COMMA))
            break;
    }
    expect(p, TOKEN_CLOSE, "',' or ')'");
}

/* [ properties ] and (high_priority), in any order. */
static void parse_marks(parser *p, ast_class *c)
{
    while (!p->panic && (is(p, 0, TOKEN_OPEN) || is(p, 0, TOKEN_OPEN_SQUARE))) {
        if (is(p, 0, TOKEN_OPEN_SQUARE)) {
            ast_props more = parse_props(p);
            for (int i = 0; i < more.count; i++)
                ARENA_ADD(p->memory, c->props.list, c->props.count, more.list[i]);
            continue;
        }
        take(p);
        if (is_word(p, 0, "high_priority"))
            c->high_priority = take(p);
        else
            expected(p, "high_priority");
        expect(p, TOKEN_CLOSE, "')'");
    }
}

/* Something that starts neither a part of a class nor anything else: say so, and stay in the class.
 */
static bool skip_stray(parser *p, const ast_class *c)
{
    if (is(p, 0, TOKEN_NAME) || is(p, 0, TOKEN_OPTION) || is(p, 0, TOKEN_EOF) || c->body_count)
        return false;
    expected(p, "another part of the class");
    take(p);
    recover(p);
    return true;
}

void parse_class(parser *p, ast_file *f)
{
    const token *name = take(p);
    ast_class c = {.name = name->text, .at = name->at};
    parse_params(p, &c);
    parse_marks(p, &c);
    if (p->panic)
        recover(p);
    part reached = PART_LOCAL, next;
    while ((next = part_at(p, &c, reached)) != PART_NONE || skip_stray(p, &c)) {
        if (next == PART_NONE)
            continue;
        if (reached == PART_BODY && next != PART_BODY)
            break;
        if (next < reached)
            source_say(p->source, ERROR, look(p, 0)->at, "in a class, %s must stand before %s",
                       part_names[next], part_names[reached]);
        else
            reached = next;
        parse_part(p, &c, next);
        if (p->panic)
            recover(p);
    }
    ARENA_ADD(p->memory, f->classes, f->class_count, c);
}
