/* Classes, and the order in which a file is lowered. */
#include "ir/lower.h"

#include <string.h>

static int param_number(const ast_class *c, const char *name)
{
    for (int i = 0; i < c->param_count; i++)
        if (strcmp(c->params[i].name, name) == 0)
            return i;
    return -1;
}

static ir_shape shape_of_range(lowering *l, const ir_class *c, const ir_range *r)
{
    const ir_expr *const parts[] = {r->lo, r->hi, r->step};
    ir_shape worst = IR_AFFINE;
    for (int i = 0; i < 3; i++) {
        ir_shape shape = ir_shape_of(l->ir, c, parts[i], NULL);
        worst = shape > worst ? shape : worst;
    }
    return worst;
}

static ir_shape shape_of(lowering *l, const ir_class *c, const ir_local *local)
{
    ir_shape worst = shape_of_range(l, c, &local->range);
    for (int i = 0; i < local->iter_count; i++) {
        ir_shape shape = shape_of_range(l, c, &local->iters[i].range);
        worst = shape > worst ? shape : worst;
    }
    return worst;
}

static void lower_local(lowering *l, ast_local *from, ir_class *c)
{
    ir_local local = {
        .name = from->name, .at = from->at, .iters = from->iters, .iter_count = from->iter_count};
    local.param = param_number(l->class, from->name);
    check_name(l, from->name, from->at);
    check_props(l, &from->props, NAMES_LOCAL);
    for (int i = 0; i < c->local_count; i++)
        if (strcmp(c->locals[i].name, from->name) == 0)
            source_say(l->source, ERROR, from->at, "'%s' is defined twice, first in line %d",
                       from->name, c->locals[i].at.line);
    if (find_global(l->ir, from->name) >= 0)
        source_say(l->source, WARNING, from->at, "'%s' hides the global of that name", from->name);
    resolve_iters(l, from->iters, 0, from->iter_count);
    resolve_range(l, &from->range);
    resolve_iters(l, NULL, 0, 0);
    local.range = from->range;
    local.kind = local.param < 0 ? IR_DERIVED : from->iter_count ? IR_SET : IR_RANGE;
    if (local.kind == IR_DERIVED && (local.range.hi || local.iter_count))
        source_say(l->source, ERROR, from->at,
                   "'%s' is not a parameter of '%s', so it has one value and not a range",
                   from->name, c->name);
    local.shape = shape_of(l, c, &local);
    ARENA_ADD(l->memory, c->locals, c->local_count, local);
}

static void lower_params(lowering *l, const ast_class *from, ir_class *c)
{
    for (int i = 0; i < from->param_count; i++) {
        const ast_param *p = &from->params[i];
        int local = -1;
        for (int j = 0; j < c->local_count; j++)
            if (strcmp(c->locals[j].name, p->name) == 0)
                local = j;
        if (param_number(from, p->name) != i)
            source_say(l->source, ERROR, p->at, "two parameters are called '%s'", p->name);
        else if (local < 0)
            source_say(l->source, ERROR, p->at, "the parameter '%s' of '%s' has no range", p->name,
                       from->name);
        ARENA_ADD(l->memory, c->params, c->param_count, local);
    }
}

/* Bodies see locals and flows side by side, with FLOW_ld beside each flow. */
static void check_flow_names(lowering *l, const ast_class *from)
{
    for (int i = 0; i < from->flow_count; i++) {
        const ast_flow *flow = &from->flows[i];
        const char *ld = arena_print(l->memory, "%s_ld", flow->name);
        check_name(l, flow->name, flow->at);
        for (int j = 0; j < i; j++)
            if (strcmp(from->flows[j].name, flow->name) == 0)
                source_say(l->source, ERROR, flow->at, "two flows of '%s' are called '%s'",
                           from->name, flow->name);
        for (int j = 0; j < from->local_count; j++) {
            const char *name = from->locals[j].name;
            if (strcmp(name, flow->name) == 0 || strcmp(name, ld) == 0)
                source_say(l->source, ERROR, flow->at,
                           "the body could not tell the flow '%s' from what line %d defines",
                           flow->name, from->locals[j].at.line);
        }
    }
}

static void lower_class_props(lowering *l, const ast_class *from, ir_class *c)
{
    check_props(l, &from->props, NAMES_CLASS);
    const ast_prop *high = find_prop(&from->props, "high_priority");
    c->high_priority = from->high_priority || prop_is_on(l, high);
    const ast_prop *critical = find_prop(&from->props, "critical");
    const ast_prop *team = find_prop(&from->props, "team");
    c->critical = prop_number(l, critical);
    c->team = prop_number(l, team);
    for (int i = 0; i < from->props.count; i++) {
        ast_prop *prop = &from->props.list[i];
        if (prop != high && prop != critical && prop != team && prop->name)
            keep_prop(l, prop, &c->props, &c->prop_count);
    }
}

/* When bodies are known. */
static void check_team(lowering *l, const ast_class *from, const ir_class *c)
{
    const ast_prop *prop = find_prop(&from->props, "team");
    int64_t size;
    bool teams = false;
    for (int i = 0; i < c->body_count; i++)
        teams |= c->bodies[i].device == IR_TEAM;
    if (prop && ir_literal(c->team, &size) && size < 0)
        source_say(l->source, ERROR, prop->value->at, "there is no team of %lld workers",
                   (long long)size);
    else if (prop && !teams)
        source_say(l->source, WARNING, prop->at,
                   "the property 'team' has no effect: no body of '%s' is of type TEAM", c->name);
}

static void lower_class(lowering *l, const ast_class *from)
{
    ir_class c = {.name = from->name, .at = from->at};
    int lines = 0;
    l->class = from;
    for (int i = 0; i < l->ir->class_count; i++)
        if (strcmp(l->ir->classes[i].name, from->name) == 0)
            source_say(l->source, ERROR, from->at,
                       "two classes are called '%s', the first in line %d", from->name,
                       l->ir->classes[i].at.line);
    if (from->local_count > MOST_LOCALS)
        source_say(l->source, ERROR, from->locals[MOST_LOCALS].at,
                   "a class may have %d definitions, and this is one more", MOST_LOCALS);
    for (l->visible = 0; l->visible < from->local_count; l->visible++)
        lower_local(l, &from->locals[l->visible], &c);
    lower_params(l, from, &c);
    check_flow_names(l, from);
    lower_class_props(l, from, &c);
    resolve(l, from->simcost, STRICT);
    c.simcost = from->simcost;
    lower_affinity(l, from, &c);
    for (int i = 0; i < from->flow_count; i++)
        lower_flow(l, &from->flows[i], &c, &lines);
    resolve(l, from->priority, STRICT);
    c.priority = from->priority;
    for (int i = 0; i < from->body_count; i++)
        lower_body(l, &from->bodies[i], &c);
    check_team(l, from, &c);
    if (from->body_count == 0 && !l->ir->classic)
        source_say(l->source, ERROR, from->at, "the class '%s' has no BODY", from->name);
    mark_idle(&c);
    ARENA_ADD(l->memory, l->ir->classes, l->ir->class_count, c);
    l->class = NULL;
}

ir_file *lower(ast_file *ast, const char *name, bool drops)
{
    source *s = ast->source;
    ir_file *ir = arena_get(s->memory, sizeof *ir);
    *ir = (ir_file){.source = s,
                    .name = name,
                    .classic = is_classic(ast),
                    .prologue = {ast->prologue, ast->prologue_at},
                    .epilogue = {ast->epilogue, ast->epilogue_at}};
    lowering l = {.source = s, .memory = s->memory, .ast = ast, .ir = ir, .drops = drops};
    lower_globals(&l);
    for (int i = 0; i < ast->class_count; i++)
        lower_class(&l, &ast->classes[i]);
    lower_assumptions(&l);
    if (ast->class_count == 0 && s->errors == 0)
        source_say(s, ERROR, (place){1, 1}, "there is no task class in this file");
    if (s->errors == 0)
        narrow_inputs(ir);
    if (s->errors == 0)
        check_matches(ir);
    return ir;
}
