/* From the tree of a function to its statements: scopes, loops, conditions. */
#include "loops/build.h"

#include <isl/space.h>
#include <string.h>

enum { MOST_INLINED = 8, MOST_STATEMENTS = 60 };

/* ---- Domains ----------------------------------------------------------------------------- */

isl_set *domain_now(build *b)
{
    isl_set *now = isl_set_copy(b->domain);
    if (b->skipped[b->depth])
        now = isl_set_subtract(now, isl_set_copy(b->skipped[b->depth]));
    return now;
}

/* Nothing that follows at this depth runs where the statement that is looked at does. */
static void skip_rest(build *b)
{
    isl_set *now = domain_now(b);
    isl_set **skipped = &b->skipped[b->depth];
    *skipped = *skipped ? isl_set_union(*skipped, now) : now;
}

static void open_scope(build *b, scope *s)
{
    *s = (scope){.outer = b->scope};
    b->scope = s;
}

/* ---- Declarations and assignments -------------------------------------------------------- */

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

static bool is_number(const c_type *t)
{
    return t->class == TYPE_INT || t->class == TYPE_UNSIGNED;
}

static bool has_call(const c_expr *e)
{
    bool found = e->op == C_CALL || e->op == C_OPAQUE;
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && has_call(e->args[i]);
    return found;
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
    else if (is_number(&l->type) || (l->type.class == TYPE_POINTER && !is_timeless(b, value)))
        refuse(b, "'%s' %s", c_text_of(b->memory, value), why);
    else if (!is_timeless(b, value))
        refuse(b, "'%s' is read from memory, which tasks may change", c_text_of(b->memory, value));
}

static void declare(build *b, const c_stmt *s)
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
static void assign(build *b, const c_expr *e)
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

/* ---- Loops ------------------------------------------------------------------------------- */

typedef struct loop {
    local *var;
    c_expr *first;
    int64_t step;
    const char *name;
} loop;

static bool loop_start(build *b, const c_stmt *s, loop *l, c_type *type)
{
    const c_stmt *init = s->init;
    c_expr *e = init && init->kind == C_DO_EXPR ? init->cond : NULL;
    if (init && init->kind == C_DECLARE && init->declared_count == 1 && init->declared[0].value) {
        l->name = init->declared[0].name;
        *type = init->declared[0].type;
        l->first = resolved(b, init->declared[0].value);
        return l->first != NULL;
    }
    if (e && e->op == C_BINARY && strcmp(e->text, "=") == 0 && e->args[0]->op == C_NAME) {
        local *old = find_local(b, e->args[0]->text);
        l->name = e->args[0]->text;
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

static bool loop_step(build *b, const c_stmt *s, loop *l)
{
    bool minus = false;
    const char *why = NULL;
    const c_expr *step = step_of(b, s->step, l->name, &minus);
    isl_pw_aff *value = step ? affine(b, step, &why) : NULL;
    bool fine = value && constant_of(value, &l->step) && l->step != 0;
    isl_pw_aff_free(value);
    if (!fine)
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

static void enter_loop(build *b, const c_stmt *s, loop *l, const c_type *type)
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
    c_expr *cond = s->cond ? resolved(b, s->cond) : NULL;
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

static void walk_for(build *b, const c_stmt *s)
{
    scope scope;
    loop l = {0};
    c_type type = {0};
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
    if (loop_start(b, s, &l, &type) && !failed(b) && loop_step(b, s, &l)) {
        if (is_number(&type) && !type.narrow)
            enter_loop(b, s, &l, &type);
        else
            refuse(b, "'%s' counts the loop and is no integer of 32 or 64 bits", l.name);
    }
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

/* ---- Conditions -------------------------------------------------------------------------- */

static void walk_if(build *b, const c_stmt *s)
{
    const char *why = NULL;
    c_expr *cond = resolved(b, s->cond);
    isl_set *truth = cond ? condition(b, cond, &why) : NULL;
    if (!truth) {
        if (cond && !failed(b))
            refuse(b, "the condition '%s' %s", c_text_of(b->memory, cond), why);
        return;
    }
    isl_set *outer = isl_set_copy(b->domain);
    bool conditional = b->conditional;
    b->conditional = true;
    b->domain = isl_set_intersect(b->domain, isl_set_copy(truth));
    walk(b, s->parts[0]);
    isl_set_free(b->domain);
    b->domain = isl_set_subtract(isl_set_copy(outer), truth);
    if (s->part_count > 1)
        walk(b, s->parts[1]);
    isl_set_free(b->domain);
    b->domain = outer;
    b->conditional = conditional;
}

/* ---- Pragmas ----------------------------------------------------------------------------- */

static bool read_pragma(build *b, const c_expr *e)
{
    const char *name = e->op == C_CALL && e->args[0]->op == C_NAME ? e->args[0]->text : "";
    if (e->op == C_BINARY && strcmp(e->text, "+") == 0)
        return read_pragma(b, e->args[0]) && read_pragma(b, e->args[1]);
    if (e->count == 2 && strcmp(name, "__twill_on") == 0) {
        c_expr *tile = resolved(b, e->args[1]);
        b->on = arena_get(b->memory, sizeof *b->on);
        return tile && tile_access(b, tile, READS, ROLE_PLACE, b->on);
    }
    if (e->count == 2 && strcmp(name, "__twill_priority") == 0) {
        b->priority = resolved(b, e->args[1]);
        return b->priority != NULL;
    }
    return false;
}

/* What stands for #pragma twill; other loops of this kind are not understood. */
static void walk_while(build *b, const c_stmt *s)
{
    access *on = b->on;
    c_expr *priority = b->priority;
    if (read_pragma(b, s->cond))
        walk(b, s->parts[0]);
    else
        refuse(b, "how often a while loop runs is not known; write it as a for loop with affine "
                  "bounds");
    b->on = on;
    b->priority = priority;
}

/* ---- Calls ------------------------------------------------------------------------------- */

static bool has_tasks(const c_stmt *s)
{
    bool found = s->kind == C_TASK;
    for (int i = 0; i < s->part_count && !found; i++)
        found = has_tasks(s->parts[i]);
    return found;
}

/* A function of the file that makes tasks, as if its text stood here. */
static void walk_call(build *b, const c_expr *call)
{
    program *p = b->program;
    const c_function *f =
        call->args[0]->op == C_NAME ? c_function_of(p->file, call->args[0]->text) : NULL;
    c_stmt *body = f && f->defined ? c_body(p->file, f) : NULL;
    if (b->inlined == MOST_INLINED || f == p->function) {
        refuse(b, "'%s' calls itself; how deep is not known", call->args[0]->text);
        return;
    }
    if (!body || !has_tasks(body) || f->param_count != call->count - 1) {
        if (!failed(b))
            refuse(b, "a call outside of any task; make it a task with its depend lists, or move "
                      "it out of this function");
        return;
    }
    scope scope = {0}, *caller = b->scope;
    b->scope = &scope;
    for (int i = 0; i < f->param_count; i++) {
        b->scope = caller;
        c_expr *value = resolved(b, call->args[i + 1]);
        b->scope = &scope;
        if (!value)
            return;
        value = converted(b, &f->params[i].type, value);
        if (f->params[i].type.class != TYPE_POINTER && !is_timeless(b, value)) {
            refuse(b, "'%s' is read from memory, which tasks may change",
                   c_text_of(b->memory, value));
            return;
        }
        local *l = add_local(b, (local){.name = f->params[i].name,
                                        .type = f->params[i].type,
                                        .kind = LOCAL_ALIAS,
                                        .value = value});
        l->text = arena_print(b->memory, "%s %s", l->type.text, l->name);
    }
    b->inlined++;
    walk(b, body);
    b->inlined--;
    b->scope = caller;
}

static void walk_expr(build *b, const c_stmt *s)
{
    const c_expr *e = s->cond;
    while (e->op == C_CAST && strcmp(e->text, "void") == 0)
        e = e->args[0];
    if (e->op == C_BINARY && e->text[strlen(e->text) - 1] == '=')
        assign(b, e);
    else if (e != s->cond && e->op != C_CALL && resolved(b, e) && !has_call(e))
        return; /* (void)x; */
    else if (e->op != C_CALL)
        refuse(b,
               "'%s' does nothing that is understood; only calls of kernels and assignments to "
               "locals are",
               c_text_of(b->memory, e));
    else if (b->program->tasks)
        walk_call(b, e);
    else
        build_call(b, (c_expr *)e);
}

/* ---- Regions ----------------------------------------------------------------------------- */

static bool is_clause(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* parallel, single, master, taskgroup: how often what is in them runs, and who waits at the end. */
static void walk_around(build *b, const c_stmt *s)
{
    static const char *const harmless[] = {"default",     "shared",    "firstprivate", "private",
                                           "num_threads", "proc_bind", "if",           NULL};
    static const char *const once[] = {"single", "master", "masked", NULL};
    const char *name = s->clauses[0].mode;
    bool parallel = strcmp(name, "parallel") == 0, group = strcmp(name, "taskgroup") == 0;
    bool alone = is_clause(name, once), waits = parallel || group || strcmp(name, "single") == 0;
    bool was_replicated = b->replicated;
    for (int i = 1; i < s->clause_count; i++) {
        const char *word = s->clauses[i].mode;
        if (is_clause(word, once))
            alone = true;
        else if (strcmp(word, "nowait") == 0)
            waits = false;
        else if (!is_clause(word, harmless)) {
            refuse(b, "the clause '%s' of %s is not understood", word, name);
            return;
        }
    }
    b->replicated = !alone && (parallel || b->replicated);
    walk(b, s->parts[0]);
    b->replicated = was_replicated;
    b->at = s->at;
    if (waits && !failed(b))
        build_wait(b);
}

/* ---- All of them ------------------------------------------------------------------------- */

/* Does it name a local whose address some task gets? */
static bool is_exposed(build *b, const c_expr *e)
{
    const local *l = e->op == C_NAME ? find_local(b, e->text) : NULL;
    bool found = l && l->exposed;
    for (int i = 0; i < e->count && !found; i++)
        found = e->args[i] && is_exposed(b, e->args[i]);
    return found;
}

static void walk_return(build *b, const c_stmt *s)
{
    program *p = b->program;
    if (b->depth) {
        refuse(b, "the function returns from inside a loop; how far it gets is then not known");
        return;
    }
    if (b->inlined) {
        refuse(b, "a function that makes tasks returns early; put the rest into an if");
        return;
    }
    c_expr *value = s->cond ? resolved(b, s->cond) : NULL;
    if (s->cond && is_exposed(b, s->cond)) {
        refuse(b, "the function returns '%s', which tasks may have changed: they get its address",
               c_text_of(b->memory, s->cond));
        return;
    }
    if (s->cond && (!value || !is_timeless(b, value) || (p->result && !c_same(p->result, value)))) {
        if (!failed(b))
            refuse(b, "the function returns '%s', which is not the same for all of its ends",
                   c_text_of(b->memory, s->cond));
        return;
    }
    p->result = value ? value : p->result;
    skip_rest(b);
}

static void walk_block(build *b, const c_stmt *s)
{
    scope scope;
    open_scope(b, &scope);
    for (int i = 0; i < s->part_count && !failed(b); i++)
        walk(b, s->parts[i]);
    b->scope = scope.outer;
}

void walk(build *b, const c_stmt *s)
{
    b->at = s->at;
    switch (s->kind) {
    case C_BLOCK:
        walk_block(b, s);
        break;
    case C_FOR:
        walk_for(b, s);
        break;
    case C_IF:
        walk_if(b, s);
        break;
    case C_WHILE:
        walk_while(b, s);
        break;
    case C_DECLARE:
        declare(b, s);
        break;
    case C_DO_EXPR:
        walk_expr(b, s);
        break;
    case C_RETURN:
        walk_return(b, s);
        break;
    case C_CONTINUE:
        if (b->depth)
            skip_rest(b);
        break;
    case C_TASK:
        build_task(b, s);
        break;
    case C_AROUND:
        walk_around(b, s);
        break;
    case C_WAIT:
        build_wait(b);
        break;
    case C_NOTHING:
        break;
    case C_REFUSED:
        refuse(b, "'%s' is not understood", s->text);
        break;
    }
    if (b->program->stmt_count > MOST_STATEMENTS && !failed(b))
        refuse(b, "the function has more than %d statements", MOST_STATEMENTS);
}
