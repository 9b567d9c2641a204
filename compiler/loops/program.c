/* From a file to a program. */
#include "loops/build.h"

#include <isl/space.h>
#include <string.h>

bool assigned_in(const c_expr *e, const char *name)
{
    size_t n = strlen(e->text);
    bool changes = (e->op == C_UNARY || e->op == C_POSTFIX)
                       ? strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0
                       : e->op == C_BINARY && n && e->text[n - 1] == '=' &&
                             strcmp(e->text, "==") != 0 && strcmp(e->text, "!=") != 0 &&
                             strcmp(e->text, "<=") != 0 && strcmp(e->text, ">=") != 0;
    if (changes && e->args[0]->op == C_NAME && strcmp(e->args[0]->text, name) == 0)
        return true;
    for (int i = 0; i < e->count; i++)
        if (e->args[i] && assigned_in(e->args[i], name))
            return true;
    return false;
}

bool assigned(const c_stmt *s, const char *name)
{
    if (s->kind == C_TASK) /* its copies are its own */
        return false;
    if ((s->cond && assigned_in(s->cond, name)) || (s->step && assigned_in(s->step, name)) ||
        (s->init && assigned(s->init, name)))
        return true;
    for (int i = 0; i < s->declared_count; i++)
        if (s->declared[i].value && assigned_in(s->declared[i].value, name))
            return true;
    for (int i = 0; i < s->part_count; i++)
        if (assigned(s->parts[i], name))
            return true;
    return false;
}

bool has_tasks(const c_stmt *s)
{
    bool found = s->kind == C_TASK;
    for (int i = 0; i < s->part_count && !found; i++)
        found = has_tasks(s->parts[i]);
    return found;
}

/* A call of a function whose own text has tasks. */
static bool calls_tasks(c_file *f, const c_stmt *s, int depth)
{
    const c_expr *e = s->kind == C_DO_EXPR ? s->cond : NULL;
    if (e && e->op == C_CALL && e->args[0]->op == C_NAME && depth < 4) {
        const c_function *called = c_function_of(f, e->args[0]->text);
        c_stmt *body = called && called->defined && called->here ? c_body(f, called) : NULL;
        if (body && (has_tasks(body) || calls_tasks(f, body, depth + 1)))
            return true;
    }
    for (int i = 0; i < s->part_count; i++)
        if (calls_tasks(f, s->parts[i], depth))
            return true;
    return false;
}

static void add_arguments(build *b, const c_stmt *body)
{
    program *p = b->program;
    for (int i = 0; i < p->function->param_count; i++) {
        const c_param *q = &p->function->params[i];
        local_kind kind = assigned(body, q->name) ? LOCAL_UNSET : LOCAL_PARAM;
        local *l = add_local(
            b, (local){
                   .name = q->name, .kind = kind, .type = q->type, .changes = kind == LOCAL_UNSET});
        int count = i;
        ARENA_ADD(b->memory, p->arguments, count, l);
    }
}

/* Constants of the run that kernels get become parameters, too. */
static void need(build *b, const c_expr *e)
{
    bool scalar = e->op == C_NAME && e->local && e->local->kind == LOCAL_PARAM &&
                  e->local->type.class != TYPE_POINTER && e->local->type.class != TYPE_ARRAY;
    if (scalar || (e->op == C_MEMBER && is_invariant(b, e))) {
        int number = param_of(b, e, NULL);
        b->program->params[number].used = true;
        return;
    }
    for (int i = 0; i < e->count; i++)
        if (e->args[i])
            need(b, e->args[i]);
}

static bool is_tile_arg(const stmt *s, int arg)
{
    for (int i = 0; i < s->access_count; i++)
        if (s->accesses[i].arg == arg)
            return true;
    return false;
}

static void need_of_tree(build *b, const c_stmt *s)
{
    const c_expr *parts[] = {s->cond, s->step};
    for (int i = 0; i < 2; i++)
        if (parts[i])
            need(b, parts[i]);
    if (s->init)
        need_of_tree(b, s->init);
    for (int i = 0; i < s->declared_count; i++)
        if (s->declared[i].value)
            need(b, s->declared[i].value);
    for (int i = 0; i < s->part_count; i++)
        need_of_tree(b, s->parts[i]);
}

static void need_scalars(build *b)
{
    program *p = b->program;
    for (int i = 0; i < p->stmt_count && !p->in_place; i++) {
        const stmt *s = &p->stmts[i];
        if (s->tree)
            need_of_tree(b, s->tree);
        for (int k = 1; s->call && k < s->call->count; k++)
            if (!is_tile_arg(s, k - 1))
                need(b, s->call->args[k]);
    }
}

static void use_of_set(const param *p, isl_set *set, bool *used)
{
    int at = isl_set_find_dim_by_name(set, isl_dim_param, p->name);
    *used |= at >= 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)at, 1) == isl_bool_true;
}

static void use_of_map(const param *p, isl_map *map, bool *used)
{
    int at = isl_map_find_dim_by_name(map, isl_dim_param, p->name);
    *used |= at >= 0 && isl_map_involves_dims(map, isl_dim_param, (unsigned)at, 1) == isl_bool_true;
}

static void mark_used(program *p)
{
    for (int i = 0; i < p->param_count; i++)
        for (int k = 0; k < p->stmt_count; k++) {
            const stmt *s = &p->stmts[k];
            bool *used = &p->params[i].used;
            use_of_set(&p->params[i], s->domain, used);
            for (int a = 0; a < s->access_count; a++)
                use_of_map(&p->params[i], s->accesses[a].map, used);
            if (s->on)
                use_of_map(&p->params[i], s->on->map, used);
            int at = s->priority_value ? isl_pw_aff_find_dim_by_name(
                                             s->priority_value, isl_dim_param, p->params[i].name)
                                       : -1;
            *used |= at >= 0;
        }
}

static void free_build(build *b)
{
    for (int i = 0; i <= MOST_LOOPS; i++)
        isl_set_free(b->skipped[i]);
    isl_set_free(b->domain);
}

bool program_read(program *p, c_file *f, const c_function *function, isl_ctx *ctx, bool distribute)
{
    scope scope = {0};
    source *s = f->source;
    build b = {.program = p,
               .source = s,
               .memory = s->memory,
               .ctx = ctx,
               .scope = &scope,
               .at = function->at};
    *p = (program){.file = f, .function = function, .source = s, .memory = s->memory, .ctx = ctx};
    p->distribute = distribute;
    p->context = isl_set_universe(isl_space_params_alloc(ctx, 0));
    b.domain = isl_set_universe(isl_space_set_alloc(ctx, 0, 0));
    b.order[0] = -1;
    c_stmt *body = c_body(f, function);
    if (body) {
        p->tasks = has_tasks(body) || calls_tasks(f, body, 0);
        add_arguments(&b, body);
        walk(&b, body);
        isl_set_free(b.skipped[0]);
        b.skipped[0] = NULL;
    }
    b.at = function->at;
    if (body && !failed(&b) && !p->stmt_count)
        refuse(&b, "%s calls no kernel on tiles", function->name);
    if (!failed(&b))
        waits_settle(&b);
    if (!failed(&b))
        tiles_settle(&b);
    if (!failed(&b))
        sections_check(&b);
    if (!failed(&b))
        need_scalars(&b);
    if (!failed(&b))
        mark_used(p);
    free_build(&b);
    return !failed(&b);
}

void limit_operations(isl_ctx *ctx)
{
    isl_ctx_set_max_operations(ctx, MOST_OPERATIONS);
    isl_ctx_reset_operations(ctx);
}

bool has_accesses(const program *p, int collection)
{
    for (int i = 0; i < p->stmt_count; i++)
        for (int k = 0; k < p->stmts[i].access_count; k++)
            if (p->stmts[i].accesses[k].collection == collection)
                return true;
    return false;
}

void program_free(program *p)
{
    for (int i = 0; i < p->stmt_count; i++) {
        stmt *s = &p->stmts[i];
        isl_set_free(s->domain);
        isl_pw_aff_free(s->priority_value);
        for (int k = 0; k < s->access_count; k++)
            isl_map_free(s->accesses[k].map);
        if (s->on)
            s->on->map = isl_map_free(s->on->map);
    }
    isl_set_free(p->context);
}
