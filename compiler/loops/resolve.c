/* What names stand for. */
#include "loops/build.h"

#include <ctype.h>
#include <isl/space.h>
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

bool assigns(const c_expr *e)
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

/* Does text that is not taken apart have the name of a local? */
static bool names_local(build *b, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        if (n && find_local(b, arena_text(b->memory, at, n)))
            return true;
        at += n ? n : 1;
    }
    return false;
}

bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool after = isalnum((unsigned char)at[n]) || at[n] == '_';
        if (!before && !after)
            return true;
    }
    return false;
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
            refuse(b,
                   l->changes ? "'%s' is changed on the way here, so its value is not "
                                "known; compute it from the loops"
                              : "'%s' has no value here that is known",
                   l->name);
            return NULL;
        }
        if (l->kind == LOCAL_ALIAS)
            return l->value;
        copy->local = l;
        return copy;
    }
    if (e->op == C_OPAQUE && names_local(b, e->text)) {
        refuse(b,
               "'%s' names a variable, and tasks have other ones; compute it before "
               "the loops",
               e->text);
        return NULL;
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

/* "const" says nothing about values. */
static const char *without_const(build *b, const char *type)
{
    const char *text = "";
    for (const char *at = type; *at;) {
        size_t n = strcspn(at, " ");
        bool skip = n == 5 && strncmp(at, "const", 5) == 0;
        if (!skip)
            text = arena_print(b->memory, "%s%s%.*s", text, *text ? " " : "", (int)n, at);
        at += n + strspn(at + n, " ");
    }
    return text;
}

/* The type of a name of a pointer, or NULL. */
static const char *pointer_type(const build *b, const c_expr *e)
{
    const c_variable *v =
        e->op == C_NAME && !e->local ? c_variable_of(b->program->file, e->text) : NULL;
    const c_type *t = e->op == C_NAME && e->local ? &e->local->type : v ? &v->type : NULL;
    return t && t->class == TYPE_POINTER ? t->text : NULL;
}

c_expr *converted(build *b, const c_type *type, c_expr *value)
{
    const char *text = without_const(b, type->text);
    const char *other = type->class == TYPE_POINTER ? pointer_type(b, value) : NULL;
    bool same =
        (type->class == TYPE_INT && !type->narrow && !is_unsigned(b->program->file, value)) ||
        (type->class != TYPE_INT && type->class != TYPE_UNSIGNED && type->class != TYPE_FLOAT &&
         !other);
    if (same || strchr(text, '(') || (other && strcmp(without_const(b, other), text) == 0) ||
        (value->op == C_CAST && strcmp(without_const(b, value->text), text) == 0))
        return value;
    c_expr *e = arena_get(b->memory, sizeof *e);
    *e = (c_expr){.op = C_CAST, .text = text, .count = 1, .height = value->height + 1};
    e->args = arena_get(b->memory, sizeof *e->args);
    e->args[0] = value;
    return e;
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
    const c_variable *v =
        e->op == C_NAME && !e->local ? c_variable_of(b->program->file, e->text) : NULL;
    c_type t = number;
    if (e->op == C_NAME && (e->local || v))
        t = e->local ? e->local->type : v->type;
    else if (e->op == C_MEMBER)
        t = c_member_of(b->program->file, e->text);
    return t;
}

int param_of(build *b, const c_expr *value, const char *name)
{
    program *p = b->program;
    int i = find_param(p, value);
    if (i >= 0)
        return i;
    param new = {.value = (c_expr *)value, .type = type_of_value(b, value)};
    new.type.text = without_const(b, new.type.text);
    new.name = new_name(b, name ? name : c_text_of(b->memory, value));
    if (new.type.class == TYPE_UNSIGNED) {
        isl_space *space = isl_space_params_alloc(b->ctx, 1);
        space = isl_space_set_dim_name(space, isl_dim_param, 0, new.name);
        isl_set *set = isl_set_lower_bound_si(isl_set_universe(space), isl_dim_param, 0, 0);
        p->context = isl_set_intersect(p->context, set);
    }
    ARENA_ADD(b->memory, p->params, p->param_count, new);
    return p->param_count - 1;
}
