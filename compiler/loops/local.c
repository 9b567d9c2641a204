/* Locals of the function: what their names stand for. */
#include "loops/build.h"

#include <string.h>

/* Does it depend on nothing that tasks may change? */
bool is_timeless(const build *b, const c_expr *e)
{
    if (e->op == C_INT || e->op == C_LEAF)
        return true;
    if (e->op == C_NAME) {
        const c_variable *v = e->local ? NULL : c_variable_of(b->program->file, e->text);
        return e->local || !v || v->type.itself || v->type.class == TYPE_ARRAY;
    }
    if (e->op == C_MEMBER)
        return is_invariant(b, e);
    if (e->op == C_INDEX || e->op == C_SECTION || e->op == C_CALL || e->op == C_POSTFIX ||
        (e->op == C_UNARY && *e->text == '*'))
        return false;
    if (e->op == C_OPAQUE)
        return strncmp(e->text, "sizeof", 6) == 0;
    if (e->op == C_UNARY && *e->text == '&')
        return true;
    for (int i = 0; i < e->count; i++)
        if (e->args[i] && !is_timeless(b, e->args[i]))
            return false;
    return true;
}

bool is_number(const c_type *t)
{
    return t->class == TYPE_INT || t->class == TYPE_UNSIGNED;
}

bool has_call(const c_expr *e)
{
    bool found = e->op == C_CALL || e->op == C_OPAQUE;
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && has_call(e->args[i]);
    return found;
}

/* Is it a number computed from numbers? */
static bool is_arithmetic(const c_expr *e)
{
    bool fine = e->op == C_INT || e->op == C_NAME || e->op == C_MEMBER || e->op == C_CAST ||
                e->op == C_UNARY || e->op == C_BINARY || e->op == C_COND;
    fine = fine && !(e->op == C_CAST && strchr(e->text, '*')) &&
           !(e->op == C_UNARY && strchr("&*", *e->text) && !e->text[1]);
    for (int i = 0; i < e->count && fine && e->op != C_MEMBER; i++)
        fine = is_arithmetic(e->args[i]);
    return fine;
}

/* Before anything has run, what a local gets is a constant of the run. */
static bool at_entry(const build *b)
{
    return b->depth == 0 && b->program->stmt_count == 0 && !b->conditional && !b->skipped[0] &&
           !b->inlined;
}

static void set_local(build *b, local *l, c_expr *value)
{
    const char *why = NULL;
    tile t = {0};
    value = converted(b, &l->type, value);
    isl_pw_aff *linear = is_number(&l->type) ? affine(b, value, &why) : NULL;
    bool is_tile = l->type.class == TYPE_POINTER && tile_of(b, value, &t, &why);
    l->value = value;
    l->kind = LOCAL_ALIAS;
    if (linear || is_tile) {
        isl_pw_aff_free(linear);
        return;
    }
    if (at_entry(b) && !has_call(value) && l->type.class != TYPE_ARRAY)
        l->kind = LOCAL_PARAM;
    else if (is_number(&l->type) && is_timeless(b, value) && is_arithmetic(value))
        return; /* kernels may get it: where it has to be affine, that is said there */
    else if (is_number(&l->type) || (l->type.class == TYPE_POINTER && !is_timeless(b, value)))
        refuse(b, "'%s' %s", c_text_of(b->memory, value), why);
    else if (!is_timeless(b, value))
        refuse(b, "'%s' is read from memory, which tasks may change", c_text_of(b->memory, value));
}

void declare_locals(build *b, const c_stmt *s)
{
    for (int i = 0; i < s->declared_count && !failed(b); i++) {
        const c_declared *d = &s->declared[i];
        b->at = d->at;
        c_expr *value = d->value ? resolved(b, d->value) : NULL;
        if (d->value && !value)
            return;
        local *l = add_local(
            b, (local){.name = d->name, .type = d->type, .text = d->text, .kind = LOCAL_UNSET});
        if (d->opaque || (!value && d->type.class != TYPE_INT && d->type.class != TYPE_UNSIGNED &&
                          d->type.class != TYPE_POINTER))
            refuse(b,
                   "'%s' is memory of the function's own, which tasks outlive; let it be an "
                   "argument",
                   d->name);
        else if (value)
            set_local(b, l, value);
    }
}

/* name = value, where the name was declared at the same depth. */
void assign_local(build *b, const c_expr *e)
{
    const c_expr *target = e->args[0];
    local *l = target->op == C_NAME ? find_local(b, target->text) : NULL;
    bool plain = strcmp(e->text, "=") == 0;
    if (!l || !plain) {
        refuse(b,
               "'%s' is changed outside of a kernel; let a kernel do that, or compute it from "
               "the loops",
               c_text_of(b->memory, target));
        return;
    }
    bool here = l->depth == b->depth && !b->conditional &&
                (l->kind == LOCAL_UNSET || l->kind == LOCAL_ALIAS);
    if (!here) {
        refuse(b,
               "'%s' is changed inside a loop or a condition; declare it there, as a function "
               "of the loops",
               l->name);
        return;
    }
    c_expr *value = resolved(b, e->args[1]);
    if (value)
        set_local(b, l, value);
}
