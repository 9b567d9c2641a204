/* Loops: which values their variables take. */
#include "loops/build.h"

#include <isl/space.h>
#include <string.h>

typedef struct loop {
    local *var;
    c_expr *first;
    int64_t step;
    const char *name;
    const c_expr *written; /* `first` as it stands there */
    const c_expr *cond;    /* not resolved; NULL: none */
} loop;

static bool loop_start(build *b, const c_stmt *s, loop *l, c_type *type)
{
    const c_stmt *init = s->init;
    c_expr *e = init && init->kind == C_DO_EXPR ? init->cond : NULL;
    if (init && init->kind == C_DECLARE && init->declared_count == 1 && init->declared[0].value) {
        l->name = init->declared[0].name;
        *type = init->declared[0].type;
        l->written = init->declared[0].value;
        l->first = resolved(b, init->declared[0].value);
        return l->first != NULL;
    }
    if (e && e->op == C_BINARY && strcmp(e->text, "=") == 0 && e->args[0]->op == C_NAME) {
        local *old = find_local(b, e->args[0]->text);
        l->name = e->args[0]->text;
        l->written = e->args[1];
        l->first = resolved(b, e->args[1]);
        if (!l->first)
            return false;
        if (old && old->kind != LOCAL_LOOP && old->kind != LOCAL_PARAM) {
            *type = old->type;
            old->kind = LOCAL_UNSET; /* after the loop, too */
            return true;
        }
    }
    refuse(b, "the loop begins without 'variable = value' of a variable of its own");
    return false;
}

static bool is_name(const c_expr *e, const char *name)
{
    return e->op == C_NAME && strcmp(e->text, name) == 0;
}

/* i++, i--, i += 2, i -= 2, i = i + 2 */
static const c_expr *step_of(build *b, const c_expr *e, const char *name, bool *minus)
{
    static c_expr one = {.op = C_INT, .value = 1, .text = "1", .height = 1};
    if (!e || e->count < 1)
        return NULL;
    *minus = *e->text == '-';
    if ((e->op == C_UNARY || e->op == C_POSTFIX) && is_name(e->args[0], name) &&
        (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0))
        return &one;
    if (e->op != C_BINARY || !is_name(e->args[0], name))
        return NULL;
    if (strcmp(e->text, "+=") == 0 || strcmp(e->text, "-=") == 0)
        return resolved(b, e->args[1]);
    const c_expr *sum = e->args[1];
    *minus = *sum->text == '-';
    bool added = strcmp(e->text, "=") == 0 && sum->op == C_BINARY &&
                 (strcmp(sum->text, "+") == 0 || *minus) && is_name(sum->args[0], name);
    return added ? resolved(b, sum->args[1]) : NULL;
}

/* It counts blocks instead: from here on that is the loop. */
static bool in_blocks(build *b, loop *l, const c_expr *step, block_loop *blocks)
{
    blocks->name = l->name;
    if (!step || !blocks_of(b, l->written, l->cond, step, blocks))
        return false;
    l->step = 1;
    l->name = blocks->block;
    l->first = blocks->first;
    l->cond = blocks->cond;
    return true;
}

static bool loop_step(build *b, const c_stmt *s, loop *l, block_loop *blocks)
{
    bool minus = false;
    const char *why = NULL;
    const c_expr *step = step_of(b, s->step, l->name, &minus);
    isl_pw_aff *value = step ? affine(b, step, &why) : NULL;
    bool fine = value && constant_of(value, &l->step) && l->step != 0;
    isl_pw_aff_free(value);
    l->cond = s->cond;
    if (!fine && !minus && !failed(b) && in_blocks(b, l, step, blocks))
        return true;
    if (!fine && !failed(b))
        refuse(b, "the loop over '%s' does not go on by a fixed step, as %s++ or %s += 2 do",
               l->name, l->name, l->name);
    if (minus)
        l->step = -l->step;
    return fine;
}

/* Where the variable would go if the condition always held. */
static isl_set *all_values(build *b, const loop *l, isl_pw_aff *first)
{
    unsigned dim = (unsigned)l->var->dim;
    isl_space *space = isl_set_get_space(b->domain);
    isl_pw_aff *var = isl_pw_aff_from_aff(
        isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)), isl_dim_set, dim));
    isl_space_free(space);
    isl_pw_aff *moved = isl_pw_aff_sub(var, first); /* a multiple of the step, of its sign */
    if (l->step < 0)
        moved = isl_pw_aff_neg(moved);
    isl_val *by = isl_val_int_from_si(b->ctx, l->step < 0 ? -l->step : l->step);
    isl_set *forward = isl_pw_aff_nonneg_set(isl_pw_aff_copy(moved));
    return isl_set_intersect(forward, isl_pw_aff_zero_set(isl_pw_aff_mod_val(moved, by)));
}

/* {.. i .. -> .. j ..}: j is i or comes later in the innermost loop. */
static isl_map *at_or_after(build *b, const loop *l)
{
    isl_map *map = isl_map_identity(isl_space_map_from_set(isl_set_get_space(b->domain)));
    unsigned dim = (unsigned)l->var->dim;
    map = isl_map_drop_constraints_involving_dims(map, isl_dim_out, dim, 1);
    for (unsigned i = 0; i < dim; i++)
        map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    return l->step > 0 ? isl_map_order_le(map, isl_dim_in, (int)dim, isl_dim_out, (int)dim)
                       : isl_map_order_ge(map, isl_dim_in, (int)dim, isl_dim_out, (int)dim);
}

/* An unsigned variable that would fall below 0 starts again at the top. */
static bool wraps(const build *b, const loop *l, isl_set *fails, isl_set *runs)
{
    int dim = l->var->dim;
    isl_set *context = b->program->context;
    isl_set *below = isl_set_upper_bound_si(isl_set_copy(fails), isl_dim_set, (unsigned)dim, -1);
    isl_set *low = isl_set_upper_bound_si(isl_set_copy(runs), isl_dim_set, (unsigned)dim, -1);
    below = isl_set_intersect_params(below, isl_set_copy(context));
    low = isl_set_intersect_params(low, isl_set_copy(context));
    bool empty = isl_set_is_empty(low) == isl_bool_true;
    if (l->step < 0)
        empty = empty && isl_set_is_empty(below) == isl_bool_true;
    isl_set_free(below);
    isl_set_free(low);
    return !empty;
}

/* The first value for which the condition does not hold ends the loop, whatever holds beyond. */
static bool limit(build *b, const loop *l, isl_set *all, isl_set *holds)
{
    isl_set *here = isl_set_intersect(isl_set_copy(b->domain), all);
    isl_set *fails = isl_set_subtract(isl_set_copy(here), isl_set_copy(holds));
    isl_set *over = isl_set_apply(isl_set_copy(fails), at_or_after(b, l));
    isl_set *runs = isl_set_intersect(here, holds);
    runs = isl_set_coalesce(isl_set_subtract(runs, over));
    /* the first failure of each loop */
    isl_set *first = isl_set_copy(fails);
    if (l->var->type.class == TYPE_UNSIGNED) {
        isl_map *later = at_or_after(b, l);
        isl_map *same = isl_map_identity(isl_map_get_space(later));
        isl_set *others = isl_set_apply(isl_set_copy(fails), isl_map_subtract(later, same));
        first = isl_set_subtract(first, others);
    }
    bool bad = l->var->type.class == TYPE_UNSIGNED && wraps(b, l, first, runs);
    isl_set_free(first);
    isl_set_free(fails);
    isl_set_free(b->domain);
    b->domain = runs;
    if (bad)
        refuse(b, "'%s' is unsigned and may fall below 0, where it wraps around; use int", l->name);
    return !bad;
}

static bool ends(build *b, const loop *l)
{
    isl_set *set =
        isl_set_intersect_params(isl_set_copy(b->domain), isl_set_copy(b->program->context));
    enum isl_dim_type kind = isl_dim_set;
    unsigned dim = (unsigned)l->var->dim;
    /* outer loops as parameters: is the innermost variable bounded for each of their values? */
    isl_bool bounded = l->step > 0 ? isl_set_dim_has_upper_bound(set, kind, dim)
                                   : isl_set_dim_has_lower_bound(set, kind, dim);
    isl_bool empty = isl_set_is_empty(set);
    isl_set_free(set);
    if (bounded == isl_bool_true || empty == isl_bool_true)
        return true;
    refuse(b, "the loop over '%s' may go on for ever; compare it with an affine bound by < or >",
           l->name);
    return false;
}

static void enter_loop(build *b, loop *l, const c_type *type)
{
    const char *why = NULL;
    isl_pw_aff *first = affine(b, l->first, &why);
    if (!first) {
        refuse(b, "the loop begins at '%s', which %s", c_text_of(b->memory, l->first), why);
        return;
    }
    l->var =
        add_local(b, (local){.name = l->name, .kind = LOCAL_LOOP, .type = *type, .dim = b->depth});
    b->loops[b->depth] = l->var;
    b->down[b->depth] = l->step < 0;
    b->domain = isl_set_add_dims(b->domain, isl_dim_set, 1);
    first = isl_pw_aff_add_dims(first, isl_dim_in, 1);
    b->depth++;
    isl_set *all = all_values(b, l, first);
    c_expr *cond = l->cond ? resolved(b, l->cond) : NULL;
    isl_set *keep = isl_set_copy(b->domain);
    b->domain = isl_set_intersect(b->domain, isl_set_copy(all));
    /* an unsigned variable is compared where it may be; that it gets nowhere else is looked at
     * below */
    if (type->class == TYPE_UNSIGNED)
        b->domain = isl_set_lower_bound_si(b->domain, isl_dim_set, (unsigned)l->var->dim, 0);
    isl_set *holds = cond ? condition(b, cond, &why) : NULL;
    isl_set_free(b->domain);
    b->domain = keep;
    if (holds && limit(b, l, all, holds)) {
        ends(b, l);
        return;
    }
    if (holds)
        return;
    isl_set_free(all);
    if (!failed(b))
        refuse(b, cond ? "the loop runs while '%s', which %s" : "the loop has no end%s%s",
               cond ? c_text_of(b->memory, cond) : "", cond ? why : "");
}

/* What the loop assigns to has another value in the next round. */
static void forget_assigned(build *b, const c_stmt *s)
{
    for (scope *o = b->scope; o; o = o->outer)
        for (int i = 0; i < o->count; i++)
            if (o->locals[i]->kind == LOCAL_ALIAS && assigned(s, o->locals[i]->name)) {
                o->locals[i]->kind = LOCAL_UNSET;
                o->locals[i]->changes = true;
            }
}

void walk_for(build *b, const c_stmt *s)
{
    scope scope;
    loop l = {0};
    block_loop blocks = {0};
    c_type type = {0}, count = {.class = TYPE_INT, .text = "int64_t"};
    forget_assigned(b, s);
    isl_set *outer = isl_set_copy(b->domain);
    int depth = b->depth;
    bool conditional = b->conditional;
    if (depth == MOST_LOOPS) {
        refuse(b, "more than %d loops are nested", MOST_LOOPS);
        isl_set_free(outer);
        return;
    }
    b->order[depth]++;
    isl_set_free(b->domain);
    b->domain = isl_set_copy(outer);
    if (b->skipped[depth])
        b->domain = isl_set_subtract(b->domain, isl_set_copy(b->skipped[depth]));
    open_scope(b, &scope);
    if (loop_start(b, s, &l, &type) && !failed(b) && loop_step(b, s, &l, &blocks)) {
        if (is_number(&type) && !type.narrow)
            enter_loop(b, &l, blocks.block ? &count : &type);
        else
            refuse(b, "'%s' counts the loop and is no integer of 32 or 64 bits", l.name);
    }
    if (blocks.block && !failed(b))
        name_block(b, &blocks, l.var, &type);
    b->conditional = false;
    b->order[b->depth] = -1;
    if (!failed(b))
        walk(b, s->parts[0]);
    isl_set_free(b->skipped[depth + 1]);
    b->skipped[depth + 1] = NULL;
    b->depth = depth;
    b->conditional = conditional;
    b->scope = scope.outer;
    isl_set_free(b->domain);
    b->domain = outer;
}
