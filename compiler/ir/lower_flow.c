/* Flows and dependencies. */
#include "ir/lower.h"

#include <string.h>

static int find_class(const ast_file *ast, const char *name)
{
    for (int i = 0; i < ast->class_count; i++)
        if (strcmp(ast->classes[i].name, name) == 0)
            return i;
    return -1;
}

static int find_flow(const ast_class *c, const char *name)
{
    for (int i = 0; i < c->flow_count; i++)
        if (strcmp(c->flows[i].name, name) == 0)
            return i;
    return -1;
}

static void say_no_class(lowering *l, const ast_target *t)
{
    tw_nearest_search search = names_near(t->name);
    for (int i = 0; i < l->ast->class_count; i++)
        tw_nearest_offer(&search, l->ast->classes[i].name);
    if (search.best)
        source_say(l->source, ERROR, t->name_at, "there is no task class '%s'; did you mean '%s'?",
                   t->name, search.best);
    else
        source_say(l->source, ERROR, t->name_at, "there is no task class '%s'", t->name);
}

static void lower_task(lowering *l, const ast_target *from, ir_dep *d)
{
    d->target = IR_TO_TASK;
    d->drops = d->out && l->drops;
    d->class = find_class(l->ast, from->name);
    if (d->class < 0) {
        say_no_class(l, from);
        return;
    }
    const ast_class *c = &l->ast->classes[d->class];
    d->flow = find_flow(c, from->flow);
    if (d->flow < 0)
        source_say(l->source, ERROR, from->at, "the class '%s' has no flow '%s'", from->name,
                   from->flow);
    if (from->arg_count != c->param_count)
        source_say(l->source, ERROR, from->name_at, "'%s' has %d parameter%s, but here are %d",
                   from->name, c->param_count, c->param_count == 1 ? "" : "s", from->arg_count);
}

static void lower_memory(lowering *l, const ast_target *from, ir_dep *d)
{
    d->target = IR_TO_MEMORY;
    d->collection = resolve_collection(l, from->name, from->name_at, from->arg_count);
    for (int i = 0; i < from->arg_count; i++)
        if (from->args[i].hi)
            source_say(l->source, ERROR, from->args[i].lo->at,
                       "a range of tiles cannot be one end of a dependency");
}

static void check_target(lowering *l, const ir_flow *flow, const ir_dep *d)
{
    bool nothing = d->target == IR_FROM_NEW || d->target == IR_FROM_NULL;
    if (nothing && d->out)
        source_say(l->source, ERROR, d->target_at,
                   "data cannot go to %s: it stands only after '<-'",
                   d->target == IR_FROM_NEW ? "NEW" : "NULL");
    if (d->target != IR_TO_TASK && flow->mode == IR_CTL)
        source_say(l->source, ERROR, d->target_at,
                   "the CTL flow '%s' carries no data: it goes from task to task only", flow->name);
    if (d->target != IR_TO_TASK || d->out || flow->mode == IR_CTL)
        return;
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].hi)
            source_say(l->source, ERROR, d->args[i].lo->at,
                       "'%s' takes data from one task: only a CTL flow may gather from a range",
                       flow->name);
}

/* The iterators of the dependency, then those of this target. */
static void add_iters(lowering *l, const ast_target *from, ir_dep *d)
{
    int known = d->iter_count;
    ir_iter *all = NULL;
    int count = 0;
    for (int i = 0; i < known; i++)
        ARENA_ADD(l->memory, all, count, d->iters[i]);
    for (int i = 0; i < from->iter_count; i++)
        ARENA_ADD(l->memory, all, count, from->iters[i]);
    resolve_iters(l, all, known, count);
    d->iters = all;
    d->iter_count = count;
}

static void lower_target(lowering *l, const ir_flow *flow, const ast_target *from, ir_dep *d)
{
    if (from->iter_count)
        add_iters(l, from, d);
    d->target_at = from->at;
    d->class = d->flow = d->collection = -1;
    d->args = from->args;
    d->arg_count = from->arg_count;
    switch (from->kind) {
    case AST_TASK:
        lower_task(l, from, d);
        break;
    case AST_MEMORY:
        lower_memory(l, from, d);
        break;
    default:
        d->target = from->kind == AST_NEW ? IR_FROM_NEW : IR_FROM_NULL;
    }
    for (int i = 0; i < d->arg_count; i++)
        resolve_range(l, &d->args[i]);
    check_target(l, flow, d);
}

static void check_type_value(lowering *l, const ast_prop *prop, bool is_type)
{
    int64_t value;
    if (!ir_literal(prop->value, &value))
        return;
    if (is_type)
        source_say(l->source, ERROR, prop->value->at, "'%s' names a datatype, not a number",
                   prop->name);
    else if (value < 0)
        source_say(l->source, ERROR, prop->value->at, "'%s' cannot be negative", prop->name);
}

/* One of type, layout, count and displ, alone or with _remote or _data. */
static void lower_type(lowering *l, ast_prop *prop, ir_datatype *types)
{
    static const char *const ends[] = {"", "_remote", "_data"};
    static const char *const names[] = {"type", "layout", "count", "displ"};
    for (int side = 0; side < IR_SIDES; side++) {
        ir_expr **fields[] = {&types[side].type, &types[side].layout, &types[side].count,
                              &types[side].displ};
        for (int n = 0; n < 4; n++) {
            size_t length = strlen(names[n]);
            if (strncmp(prop->name, names[n], length) != 0 ||
                strcmp(prop->name + length, ends[side]) != 0)
                continue;
            /* On the wire a layout may be whatever a file's own C makes of it. */
            bool is_type = n == 0 || (n == 1 && side != IR_TYPE_REMOTE);
            resolve(l, prop->value, is_type ? DATATYPE_NAME : C_NAME);
            *fields[n] = prop->value;
            check_type_value(l, prop, is_type);
        }
    }
}

static void lower_types(lowering *l, const ir_flow *flow, ast_props *props, ir_datatype *types)
{
    check_props(l, props, NAMES_DEP);
    if (props->count && flow->mode == IR_CTL)
        source_say(l->source, WARNING, props->list[0].at,
                   "the CTL flow '%s' carries no data, so its type has no effect", flow->name);
    for (int i = 0; i < props->count; i++) {
        ast_prop *prop = &props->list[i];
        if (prop->name) {
            lower_type(l, prop, types);
            continue;
        }
        if (types[IR_TYPE_REMOTE].type)
            source_say(l->source, ERROR, prop->at, "a second type for the same dependency");
        resolve(l, prop->value, DATATYPE_NAME);
        types[IR_TYPE_REMOTE].type = prop->value;
    }
}

/* What is allowed, and probably not what was meant. */
static void check_part(lowering *l, const ir_dep *d, bool alone)
{
    ir_datatype part = ir_region_of(d);
    const ir_expr *used = part.layout ? part.layout : part.count ? part.count : part.displ;
    if (used && d->target == IR_FROM_NEW && alone)
        source_say(l->source, WARNING, used->at,
                   "a NEW buffer is as large as its type says: layout, count and displ have no "
                   "effect");
    else if (part.layout && !part.count)
        source_say(l->source, WARNING, part.layout->at,
                   "a layout without a count is a single element");
}

static void lower_dep(lowering *l, const ast_dep *from, ir_flow *flow, int line)
{
    ast_props props = from->props;
    ir_dep d = {.out = from->out,
                .at = from->at,
                .line = line,
                .guard = from->guard,
                .written = from->guard,
                .iters = from->iters,
                .iter_count = from->iter_count};
    ir_dep other = d;
    resolve_iters(l, from->iters, 0, from->iter_count);
    resolve(l, from->guard, STRICT);
    lower_target(l, flow, &from->target, &d);
    if (from->has_other) {
        resolve_iters(l, from->iters, from->iter_count, from->iter_count);
        other.guard = expr_node(l->memory, IR_NOT, from->guard->at, from->guard, NULL, NULL);
        if (!other.guard) {
            source_say(l->source, ERROR, from->guard->at, "this condition is too long");
            other.guard = from->guard;
        }
        other.written = other.guard;
        lower_target(l, flow, &from->other, &other);
        resolve_iters(l, from->iters, from->iter_count, from->iter_count);
    }
    lower_types(l, flow, &props, d.types);
    memcpy(other.types, d.types, sizeof d.types);
    check_part(l, &d, !from->has_other);
    ARENA_ADD(l->memory, flow->deps, flow->dep_count, d);
    if (from->has_other)
        ARENA_ADD(l->memory, flow->deps, flow->dep_count, other);
    resolve_iters(l, NULL, 0, 0);
}

/* Classic flows have no mode: their arrows say what happens to the data. */
static ir_mode mode_of(const ast_flow *flow)
{
    bool in = false, out = false;
    for (int i = 0; i < flow->dep_count; i++) {
        in = in || !flow->deps[i].out;
        out = out || flow->deps[i].out;
    }
    switch (flow->mode) {
    case AST_READ:
        return IR_READ;
    case AST_WRITE:
        return IR_WRITE;
    case AST_CTL:
        return IR_CTL;
    case AST_RW:
        return IR_RW;
    default:
        return in && out ? IR_RW : in ? IR_READ : IR_WRITE;
    }
}

void lower_flow(lowering *l, const ast_flow *from, ir_class *c, int *lines)
{
    ir_flow flow = {.name = from->name, .at = from->at, .mode = mode_of(from)};
    bool in = false;
    for (int i = 0; i < from->dep_count; i++)
        in = in || !from->deps[i].out;
    if (!in && flow.mode != IR_CTL) {
        ir_dep fresh = {.implied = true,
                        .at = from->at,
                        .target_at = from->at,
                        .line = -1,
                        .target = IR_FROM_NEW,
                        .class = -1,
                        .flow = -1,
                        .collection = -1};
        ARENA_ADD(l->memory, flow.deps, flow.dep_count, fresh);
        if (flow.mode == IR_READ)
            source_say(l->source, WARNING, from->at,
                       "'%s' is read, but no '<-' says where its data comes from", from->name);
    }
    for (int i = 0; i < from->dep_count; i++)
        lower_dep(l, &from->deps[i], &flow, (*lines)++);
    ARENA_ADD(l->memory, c->flows, c->flow_count, flow);
}
