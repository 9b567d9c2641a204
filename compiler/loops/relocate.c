/* Bodies of tasks that are more than one call: where all memory that they touch is tiles of their
 * lists, or their own, the tiles can be anywhere. The body becomes a tree that says where they are.
 */
#include "loops/build.h"

#include <string.h>

const char tile_mark[] = "a tile";

typedef struct mover {
    build *b;
    stmt *s;
    const char **inner; /* names of the body's own, those in scope */
    int inner_count;
    bool *used; /* tiles */
    bool fine;
} mover;

static c_expr *value(mover *m, const c_expr *e);

static c_expr *stuck(mover *m)
{
    static c_expr none = {.op = C_INT, .text = "0", .height = 1};
    m->fine = false;
    return &none;
}

static bool is_inner(const mover *m, const char *name)
{
    for (int i = 0; i < m->inner_count; i++)
        if (strcmp(m->inner[i], name) == 0)
            return true;
    return false;
}

static bool names_inner(const mover *m, const c_expr *e)
{
    bool found = e->op == C_NAME && is_inner(m, e->text);
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && names_inner(m, e->args[i]);
    return found;
}

/* Is it part of something of the body's own, or behind a pointer that is? */
static bool is_own(const mover *m, const c_expr *e)
{
    switch (e->op) {
    case C_NAME:
        return is_inner(m, e->text);
    case C_INDEX:
    case C_MEMBER:
    case C_CAST:
        return is_own(m, e->args[0]);
    case C_UNARY:
        return strchr("*&", *e->text) && is_own(m, e->args[0]);
    case C_BINARY:
        return strchr("+-", *e->text) && !e->text[1] && is_own(m, e->args[0]);
    default:
        return false;
    }
}

/* ---- Expressions ------------------------------------------------------------------------- */

static c_expr *copy_of(mover *m, const c_expr *e)
{
    c_expr *copy = arena_get(m->b->memory, sizeof *copy);
    *copy = *e;
    copy->args = arena_get(m->b->memory, sizeof *copy->args * (size_t)(e->count + 1));
    for (int i = 0; i < e->count; i++)
        copy->args[i] = e->args[i] ? value(m, e->args[i]) : NULL;
    return copy;
}

/* What stands for the memory of tile k. */
static c_expr *mark(mover *m, int k)
{
    c_expr *e = arena_get(m->b->memory, sizeof *e);
    *e = (c_expr){.op = C_LEAF, .text = tile_mark, .value = k, .height = 1};
    m->used[k] = true;
    return e;
}

/* A pointer that somebody gets: to a tile, to what is the body's own, or to what never changes. */
static c_expr *pointer(mover *m, const c_expr *e, bool reads)
{
    if (is_own(m, e) || (e->op == C_CAST && is_own(m, e->args[0])))
        return copy_of(m, e);
    if (names_inner(m, e) || assigns(e))
        return stuck(m);
    c_expr *outer = resolved(m->b, e);
    int k = outer ? named_tile(m->b, m->s, outer) : -1;
    if (k >= 0 && is_passed_alike(m->b, m->s, k, outer))
        return mark(m, k);
    return outer && reads && is_harmless(m->b, outer) ? outer : stuck(m);
}

static c_expr *call(mover *m, const c_expr *e)
{
    const c_expr *name = e->args[0];
    const c_function *f =
        name->op == C_NAME && !is_inner(m, name->text) && !find_local(m->b, name->text)
            ? c_function_of(m->b->program->file, name->text)
            : NULL;
    if (!f || e->count - 1 < f->param_count)
        return stuck(m);
    c_expr *copy = arena_get(m->b->memory, sizeof *copy);
    *copy = *e;
    copy->args = arena_get(m->b->memory, sizeof *copy->args * (size_t)e->count);
    copy->args[0] = e->args[0];
    for (int i = 1; i < e->count; i++) {
        const c_param *param = i <= f->param_count ? &f->params[i - 1] : NULL;
        copy->args[i] = param && points(param) ? pointer(m, e->args[i], param->type.fixed)
                                               : value(m, e->args[i]);
    }
    return copy;
}

/* A name from outside of the body: a number that is the same whenever the task runs. */
static c_expr *outer_name(mover *m, const c_expr *e)
{
    const local *l = find_local(m->b, e->text);
    const c_variable *v = l ? NULL : c_variable_of(m->b->program->file, e->text);
    const c_type *type = l ? &l->type : v ? &v->type : NULL;
    bool number = type && (is_number(type) || type->class == TYPE_FLOAT);
    bool known = l ? l->kind != LOCAL_UNSET : v ? v->type.itself : false;
    if (c_constant_of(m->b->program->file, e->text) && !l)
        return resolved(m->b, e);
    c_expr *outer = number && known ? resolved(m->b, e) : NULL;
    return outer && is_timeless(m->b, outer) ? outer : stuck(m);
}

static c_expr *value(mover *m, const c_expr *e)
{
    switch (e->op) {
    case C_INT:
    case C_LEAF:
        return copy_of(m, e);
    case C_NAME:
        return is_inner(m, e->text) ? copy_of(m, e) : outer_name(m, e);
    case C_CALL:
        return call(m, e);
    case C_INDEX:
        return is_own(m, e) ? copy_of(m, e) : stuck(m);
    case C_MEMBER: {
        c_expr *outer = names_inner(m, e) ? NULL : resolved(m->b, e);
        if (outer && is_invariant(m->b, outer))
            return outer;
        return is_own(m, e) ? copy_of(m, e) : stuck(m);
    }
    case C_UNARY:
        return !strchr("*&", *e->text) || e->text[1] || is_own(m, e) ? copy_of(m, e) : stuck(m);
    case C_CAST:
    case C_POSTFIX:
    case C_BINARY:
    case C_COND:
        return copy_of(m, e);
    default:
        return stuck(m);
    }
}

/* ---- Statements -------------------------------------------------------------------------- */

static bool has_outer_name(const mover *m, const c_declared *d)
{
    for (const scope *o = m->b->scope; o; o = o->outer)
        for (int i = 0; i < o->count; i++)
            if (has_word(d->text, o->locals[i]->name))
                return true;
    return false;
}

/* The type says all, and the name hides nothing that another name may stand for. */
static void declare(mover *m, c_stmt *s)
{
    c_declared *list = arena_get(m->b->memory, sizeof *list * (size_t)(s->declared_count + 1));
    for (int i = 0; i < s->declared_count; i++) {
        c_declared *d = &list[i];
        *d = s->declared[i];
        m->fine &= !d->opaque && !has_word(d->text, "static") && !has_outer_name(m, d);
        bool points = d->type.class == TYPE_POINTER;
        if (d->value)
            d->value = points ? pointer(m, d->value, d->type.fixed) : value(m, d->value);
        ARENA_ADD(m->b->memory, m->inner, m->inner_count, d->name);
        ARENA_ADD(m->b->memory, m->s->inner, m->s->inner_count, d->name);
    }
    s->declared = list;
}

static c_stmt *moved(mover *m, const c_stmt *s)
{
    int outside = m->inner_count;
    bool known = s->kind == C_BLOCK || s->kind == C_FOR || s->kind == C_IF || s->kind == C_WHILE ||
                 s->kind == C_DECLARE || s->kind == C_DO_EXPR || s->kind == C_CONTINUE ||
                 s->kind == C_NOTHING;
    c_stmt *copy = arena_get(m->b->memory, sizeof *copy);
    *copy = *s;
    m->fine &= known;
    if (!known)
        return copy;
    copy->init = s->init ? moved(m, s->init) : NULL;
    copy->cond = s->cond ? value(m, s->cond) : NULL;
    copy->step = s->step ? value(m, s->step) : NULL;
    if (s->kind == C_DECLARE)
        declare(m, copy);
    copy->parts = arena_get(m->b->memory, sizeof *copy->parts * (size_t)(s->part_count + 1));
    for (int i = 0; i < s->part_count; i++)
        copy->parts[i] = moved(m, s->parts[i]);
    if (s->kind != C_DECLARE)
        m->inner_count = outside;
    return copy;
}

const c_stmt *relocated(build *b, stmt *s, const c_stmt *body)
{
    bool used[MOST_ACCESSES] = {false};
    mover m = {.b = b, .s = s, .used = used, .fine = true};
    c_stmt *tree = moved(&m, body);
    for (int i = 0; i < s->access_count; i++) {
        m.fine &= used[i];
        s->accesses[i].flow = arena_print(b->memory, "tile%d", i + 1);
    }
    return m.fine && !failed(b) ? tree : NULL;
}
