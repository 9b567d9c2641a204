/* What names stand for. */
#include "loops/build.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

bool failed(const build *b)
{
    return b->source->errors > 0;
}

void refuse(build *b, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    source_say(b->source, ERROR, b->at, "%s", text);
}

local *find_local(build *b, const char *name)
{
    for (scope *s = b->scope; s; s = s->outer)
        for (int i = s->count - 1; i >= 0; i--)
            if (strcmp(s->locals[i]->name, name) == 0)
                return s->locals[i];
    return NULL;
}

local *add_local(build *b, local l)
{
    local *new = arena_get(b->memory, sizeof *new);
    *new = l;
    new->depth = b->depth;
    ARENA_ADD(b->memory, b->scope->locals, b->scope->count, new);
    return new;
}

static bool assigns(const c_expr *e)
{
    size_t n = strlen(e->text);
    bool step = (e->op == C_UNARY || e->op == C_POSTFIX) &&
                (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0);
    bool compares = e->op == C_BINARY && n == 2 && strchr("=!<>", *e->text);
    return step || (e->op == C_BINARY && n && e->text[n - 1] == '=' && !compares);
}

/* A name that no local hides. */
static c_expr *resolve_global(build *b, c_expr *copy)
{
    const c_constant *constant = c_constant_of(b->program->file, copy->text);
    if (constant) {
        copy->op = C_INT;
        copy->value = constant->value;
    }
    return copy;
}

c_expr *resolved(build *b, const c_expr *e)
{
    c_expr *copy = arena_get(b->memory, sizeof *copy);
    *copy = *e;
    if (assigns(e)) {
        refuse(b, "'%s' changes something while it is computed; make it a statement of its own",
               c_text_of(b->memory, e));
        return NULL;
    }
    if (e->op == C_NAME) {
        local *l = find_local(b, e->text);
        if (!l)
            return resolve_global(b, copy);
        if (l->kind == LOCAL_UNSET) {
            refuse(b, "'%s' has no value here that is known", l->name);
            return NULL;
        }
        if (l->kind == LOCAL_ALIAS)
            return l->value;
        copy->local = l;
        return copy;
    }
    copy->args = arena_get(b->memory, sizeof *copy->args * (size_t)(e->count + 1));
    for (int i = 0; i < e->count; i++) {
        /* the name of a function that is called hides behind no local that matters */
        copy->args[i] = e->args[i] ? resolved(b, e->args[i]) : NULL;
        if (e->args[i] && !copy->args[i])
            return NULL;
    }
    return copy;
}

/* ---- Parameters -------------------------------------------------------------------------- */

/* p->m and p.m, of something constant. */
static bool is_fixed_member(const build *b, const c_expr *e)
{
    const c_expr *base = e->args[0];
    if (base->op == C_MEMBER)
        return is_fixed_member(b, base);
    if (base->op != C_NAME)
        return false;
    if (base->local)
        return base->local->kind == LOCAL_PARAM &&
               (e->arrow ? base->local->type.fixed : base->local->type.class == TYPE_VALUE);
    const c_variable *v = c_variable_of(b->program->file, base->text);
    return v && (e->arrow ? v->type.fixed && v->type.itself : v->type.itself);
}

bool is_invariant(const build *b, const c_expr *e)
{
    switch (e->op) {
    case C_INT:
        return true;
    case C_NAME: {
        if (e->local)
            return e->local->kind == LOCAL_PARAM &&
                   (e->local->type.class == TYPE_INT || e->local->type.class == TYPE_UNSIGNED);
        const c_variable *v = c_variable_of(b->program->file, e->text);
        return v && v->type.itself && (v->type.class == TYPE_INT || v->type.class == TYPE_UNSIGNED);
    }
    case C_MEMBER:
        return is_fixed_member(b, e);
    case C_UNARY:
        return *e->text != '*' && *e->text != '&' && is_invariant(b, e->args[0]);
    case C_CAST:
        return !strchr(e->text, '*') && is_invariant(b, e->args[0]);
    case C_BINARY:
        return *e->text != ',' && is_invariant(b, e->args[0]) && is_invariant(b, e->args[1]);
    case C_COND:
        return is_invariant(b, e->args[0]) && is_invariant(b, e->args[1]) &&
               is_invariant(b, e->args[2]);
    default:
        return false;
    }
}

int find_param(const program *p, const c_expr *value)
{
    for (int i = 0; i < p->param_count; i++)
        if (c_same(p->params[i].value, value))
            return i;
    return -1;
}

/* The text as a name that no other parameter has. */
static const char *new_name(build *b, const char *text)
{
    const program *p = b->program;
    char *name = arena_get(b->memory, strlen(text) + 3);
    size_t n = 0;
    for (const char *c = text; *c && n < 40; c++) {
        bool good = isalnum((unsigned char)*c) || *c == '_';
        if (good)
            name[n++] = *c;
        else if (n && name[n - 1] != '_')
            name[n++] = '_';
    }
    while (n > 1 && name[n - 1] == '_')
        name[--n] = '\0';
    if (isdigit((unsigned char)*name) || !*name)
        name = arena_print(b->memory, "p%s", name);
    const char *plain = name;
    for (int i = 0, number = 2; i < p->param_count; i++)
        if (strcmp(p->params[i].name, name) == 0) {
            name = arena_print(b->memory, "%s_%d", plain, number++);
            i = -1;
        }
    return name;
}

static c_type type_of_value(const build *b, const c_expr *e)
{
    static const c_type number = {.class = TYPE_INT, .text = "int64_t"};
    if (e->op == C_NAME && e->local)
        return e->local->type;
    if (e->op == C_NAME) {
        const c_variable *v = c_variable_of(b->program->file, e->text);
        return v ? v->type : number;
    }
    return number;
}

int param_of(build *b, const c_expr *value, const char *name)
{
    program *p = b->program;
    int i = find_param(p, value);
    if (i >= 0)
        return i;
    param new = {.value = (c_expr *)value, .type = type_of_value(b, value)};
    new.name = new_name(b, name ? name : c_text_of(b->memory, value));
    ARENA_ADD(b->memory, p->params, p->param_count, new);
    return p->param_count - 1;
}
