/* Who is meant by a name. */
#include "ir/lower.h"

#include <string.h>
#include <strings.h>

void check_name(lowering *l, const char *name, place at)
{
    if (names_is_keyword(name))
        source_say(l->source, ERROR, at,
                   "'%s' is a word of C or of generated code and cannot be a name here", name);
}

static int find_iter(const lowering *l, const char *name)
{
    for (int i = l->iter_count - 1; i >= 0; i--)
        if (strcmp(l->iters[i].name, name) == 0)
            return i;
    return -1;
}

static int find_local(const ast_class *c, const char *name, int count)
{
    for (int i = 0; c && i < count; i++)
        if (strcmp(c->locals[i].name, name) == 0)
            return i;
    return -1;
}

static bool is_runtime_name(const char *name)
{
    static const char *const names[] = {"rowRANK", "colRANK", "GRIDrows", "GRIDcols"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* on, off and their like, which properties may use. */
static bool switch_value(const char *name, int64_t *value)
{
    static const char *const names[] = {"off", "on", "false", "true", "no", "yes"};
    for (int i = 0; i < 6; i++) {
        *value = i & 1;
        if (strcasecmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static void say_unknown(lowering *l, const ir_expr *e, const char *name)
{
    tw_nearest_search search = names_near(name);
    for (int i = 0; i < l->iter_count; i++)
        tw_nearest_offer(&search, l->iters[i].name);
    for (int i = 0; l->class && i < l->visible; i++)
        tw_nearest_offer(&search, l->class->locals[i].name);
    for (int i = 0; i < l->ir->global_count; i++)
        tw_nearest_offer(&search, l->ir->globals[i].name);
    if (search.best)
        source_say(l->source, ERROR, e->at, "nobody declared '%s'; did you mean '%s'?", name,
                   search.best);
    else
        source_say(l->source, ERROR, e->at, "nobody declared '%s'", name);
}

static void become_global(ir_expr *e, int index)
{
    e->op = IR_GLOBAL;
    e->index = index;
}

/* A name that is no iterator, no local and no global. */
static void resolve_unknown(lowering *l, ir_expr *e, lenience how)
{
    int64_t value = 0;
    bool switches = (how == C_NAME || how == SWITCH) && switch_value(e->text, &value);
    ir_global g = {.name = e->text, .at = e->at, .integer = true};
    if (is_runtime_name(e->text)) {
        g.origin = IR_RUNTIME;
        become_global(e, add_global(l, g));
    } else if (switches) {
        e->op = IR_INT;
        e->value = value;
    } else if (how == C_NAME) {
        return;
    } else if (e->text[0] >= '0' && e->text[0] <= '9') {
        source_say(l->source, ERROR, e->at, "fractions are allowed in properties only");
    } else if (how == DATATYPE_NAME) {
        g.kind = IR_DATATYPE;
        g.integer = false;
        become_global(e, add_global(l, g));
    } else if (l->class && find_local(l->class, e->text, l->class->local_count) >= 0) {
        source_say(l->source, ERROR, e->at, "'%s' is used before its definition", e->text);
    } else if (l->ir->classic) {
        become_global(e, add_global(l, g));
    } else {
        say_unknown(l, e, e->text);
    }
}

static void resolve_name(lowering *l, ir_expr *e, lenience how)
{
    int i;
    if ((i = find_iter(l, e->text)) >= 0) {
        e->op = IR_ITER;
        e->index = i;
    } else if ((i = find_local(l->class, e->text, l->visible)) >= 0) {
        e->op = IR_LOCAL;
        e->index = i;
    } else if ((i = find_global(l->ir, e->text)) >= 0) {
        become_global(e, i);
        ir_global *g = &l->ir->globals[i];
        if (how == DATATYPE_NAME && g->kind == IR_VALUE && !g->value)
            g->kind = IR_DATATYPE;
    } else {
        resolve_unknown(l, e, how);
    }
}

static int find_member(lowering *l, const ir_expr *e, int global)
{
    ir_file *ir = l->ir;
    for (int i = 0; i < ir->member_count; i++)
        if (strcmp(ir->members[i].text, e->text) == 0)
            return i;
    ir_member member = {.text = e->text, .at = e->at, .global = global};
    ARENA_ADD(l->memory, ir->members, ir->member_count, member);
    return ir->member_count - 1;
}

static void resolve_member(lowering *l, ir_expr *e, lenience how)
{
    const char *base = e->args[0]->text;
    if (find_iter(l, base) >= 0 || find_local(l->class, base, l->visible) >= 0) {
        source_say(l->source, ERROR, e->at, "'%s' is a number and has no members", base);
        return;
    }
    int global = find_global(l->ir, base);
    e->count = 0;
    if (global >= 0) {
        l->ir->globals[global].integer = false;
        e->index = find_member(l, e, global);
    } else if (how == C_NAME) {
        e->op = IR_NAME;
    } else {
        say_unknown(l, e, base);
    }
}

static void resolve_call(lowering *l, ir_expr *e, lenience how)
{
    int global = find_global(l->ir, e->text);
    if (global >= 0 && !l->ir->globals[global].type)
        source_say(l->source, ERROR, e->at, "a tile of '%s' cannot be used as a number", e->text);
    for (int i = 0; i < e->count; i++)
        if (e->args[i]->op != IR_STRING)
            resolve(l, e->args[i], how == C_NAME ? C_NAME : STRICT);
}

static void resolve_inline(lowering *l, ir_expr *e)
{
    if (e->index >= 0)
        return;
    ir_inline text = {.expr = e,
                      .class = l->class ? (int)(l->class - l->ast->classes) : -1,
                      .visible = l->class ? l->visible : 0,
                      .iters = l->iters,
                      .iter_count = l->iter_count};
    e->index = l->ir->inline_count;
    ARENA_ADD(l->memory, l->ir->inlines, l->ir->inline_count, text);
}

static bool is_identifier(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return length > 0 && text[length] == '\0' && !(text[0] >= '0' && text[0] <= '9');
}

static void check_divisor(lowering *l, const ir_expr *e)
{
    int64_t by;
    if (e->op != IR_DIV && e->op != IR_MOD)
        return;
    if (!ir_literal(e->args[1], &by))
        l->ir->divides = true;
    else if (by == 0)
        source_say(l->source, ERROR, e->at, "this divides by 0");
}

void resolve(lowering *l, ir_expr *e, lenience how)
{
    if (!e)
        return;
    /* Datatypes may be quoted. */
    if (e->op == IR_STRING && how == DATATYPE_NAME && is_identifier(e->text))
        e->op = IR_NAME;
    else if (e->op == IR_STRING && how != STRICT)
        e->op = IR_TEXT;
    switch (e->op) {
    case IR_NAME:
        resolve_name(l, e, how);
        break;
    case IR_MEMBER:
        if (e->count)
            resolve_member(l, e, how);
        break;
    case IR_CALL:
        resolve_call(l, e, how);
        break;
    case IR_INLINE:
        resolve_inline(l, e);
        break;
    case IR_IF:
        /* Only the results of a choice between datatypes are datatypes. */
        resolve(l, e->args[0], how == DATATYPE_NAME ? STRICT : how);
        resolve(l, e->args[1], how);
        resolve(l, e->args[2], how);
        break;
    default:
        for (int i = 0; i < e->count; i++)
            resolve(l, e->args[i], how);
        check_divisor(l, e);
    }
}

void resolve_range(lowering *l, ir_range *r)
{
    int64_t step;
    resolve(l, r->lo, STRICT);
    resolve(l, r->hi, STRICT);
    resolve(l, r->step, STRICT);
    if (!r->step)
        return;
    if (!ir_literal(r->step, &step))
        l->ir->divides = true;
    else if (step == 0)
        source_say(l->source, ERROR, r->step->at, "the step of a range cannot be 0");
}

void resolve_iters(lowering *l, ir_iter *iters, int known, int count)
{
    l->iters = iters;
    if (count > MOST_ITERS)
        source_say(l->source, ERROR, iters[MOST_ITERS].at,
                   "there may be %d iterators, and this is one more", MOST_ITERS);
    for (int i = known; i < count; i++) {
        l->iter_count = i;
        check_name(l, iters[i].name, iters[i].at);
        if (find_iter(l, iters[i].name) >= 0)
            source_say(l->source, ERROR, iters[i].at, "two iterators are called '%s'",
                       iters[i].name);
        else if (find_local(l->class, iters[i].name, l->visible) >= 0)
            source_say(l->source, WARNING, iters[i].at,
                       "the iterator '%s' hides what the class calls '%s'", iters[i].name,
                       iters[i].name);
        resolve_range(l, &iters[i].range);
        if (!iters[i].range.hi)
            source_say(l->source, ERROR, iters[i].at, "the iterator '%s' needs a range, lo .. hi",
                       iters[i].name);
    }
    l->iter_count = count;
}

static bool is_class(const ast_file *ast, const char *name)
{
    for (int i = 0; i < ast->class_count; i++)
        if (strcmp(ast->classes[i].name, name) == 0)
            return true;
    return false;
}

/* Does a class say that its tasks run where this has its tiles? */
static bool places_tasks(const ast_file *ast, const char *name)
{
    for (int i = 0; i < ast->class_count; i++)
        for (int j = 0; j < ast->classes[i].affinity_count; j++) {
            const char *other = ast->classes[i].affinities[j].name;
            if (other && strcmp(other, name) == 0)
                return true;
        }
    return false;
}

/* A collection that nobody declared is an argument in a classic file; in another one, too, if tasks
 * are placed by it and it does not look like a mistyped name. */
static int undeclared_collection(lowering *l, const char *name, place at)
{
    ir_global g = {.name = name, .at = at, .kind = IR_COLLECTION};
    tw_nearest_search search = names_near(name);
    for (int i = 0; i < l->ir->global_count; i++)
        if (!l->ir->globals[i].integer)
            tw_nearest_offer(&search, l->ir->globals[i].name);
    if (!l->ir->classic && search.best) {
        source_say(l->source, ERROR, at, "nobody declared the collection '%s'; did you mean '%s'?",
                   name, search.best);
        return -1;
    }
    if (!l->ir->classic && !places_tasks(l->ast, name)) {
        source_say(l->source, ERROR, at, "nobody declared the collection '%s'", name);
        return -1;
    }
    if (!l->ir->classic)
        source_say(l->source, WARNING, at,
                   "nobody declared the collection '%s': it becomes the last argument", name);
    return add_global(l, g);
}

int resolve_collection(lowering *l, const char *name, place at, int arity)
{
    int i = find_global(l->ir, name);
    if (arity < 1 || arity > MOST_DIMENSIONS)
        source_say(l->source, ERROR, at, "a tile has 1 to %d indices", MOST_DIMENSIONS);
    if (i < 0 && is_class(l->ast, name)) {
        source_say(l->source, ERROR, at, "'%s' is a task class: write FLOW %s(...)", name, name);
        return -1;
    }
    if (i < 0 && (i = undeclared_collection(l, name, at)) < 0)
        return -1;
    ir_global *found = &l->ir->globals[i];
    if (found->origin == IR_RUNTIME || (found->kind == IR_DATATYPE && !found->declared)) {
        source_say(l->source, ERROR, at, "'%s' is not a collection", name);
        return -1;
    }
    found->kind = IR_COLLECTION;
    found->integer = false;
    if (found->arity && found->arity != arity)
        source_say(l->source, ERROR, at, "'%s' has %d argument%s here and %d elsewhere", name,
                   arity, arity == 1 ? "" : "s", found->arity);
    else
        found->arity = arity;
    return i;
}
