/* What an instance takes and gives: inputs, bind, release, sources. */
#include "emit/emit.h"

#include <string.h>

/* Writes what is done for one target; arguments that are ranges are called arg0_, arg1_ ... */
typedef void write_target(emitter *e, int depth, int flow, const ir_dep *d);

static const char *arg_text(emitter *e, const ir_dep *d, int i)
{
    if (d->args[i].hi)
        return arena_print(e->memory, "arg%d_", i);
    return expr_text(e, d->args[i].lo, false);
}

/* (const int64_t[]){m, n, k + 1} */
static void write_tuple(emitter *e, const ir_dep *d)
{
    if (d->arg_count == 0) {
        emit_text(e, "NULL");
        return;
    }
    emit_text(e, "(const int64_t[]){");
    for (int i = 0; i < d->arg_count; i++)
        emit_text(e, "%s%s", i ? ", " : "", arg_text(e, d, i));
    emit_text(e, "}");
}

void emit_array(emitter *e, int collection)
{
    const ir_global *g = &e->file->globals[collection];
    e->globals[collection] = true;
    emit_text(e, "%s%s", g->type ? "(twill_array *)" : "", g->name);
}

void check_dimensions(emitter *e, place at, int indices)
{
    if (indices > MOST_INDICES)
        source_say(e->file->source, ERROR, at,
                   "arrays have up to %d dimensions, and this tile has %d indices", MOST_INDICES,
                   indices);
}

static void write_tile(emitter *e, const ir_dep *d)
{
    check_dimensions(e, d->target_at, d->arg_count);
    emit_text(e, d->arg_count <= 2 ? "twill_tile_at(" : "twill_tile_nd(");
    emit_array(e, d->collection);
    emit_text(e, ", ");
    if (d->arg_count > 2)
        write_tuple(e, d);
    for (int i = 0; d->arg_count <= 2 && i < 2; i++)
        emit_text(e, "%s%s", i ? ", " : "", i < d->arg_count ? arg_text(e, d, i) : "0");
    emit_text(e, ")");
}

/* Loops for the iterators from `iter` on, for the arguments that are ranges, and what they enclose.
 */
static void write_inside(emitter *e, int depth, int iter, int flow, const ir_dep *d,
                         write_target *target)
{
    depth = emit_iters(e, depth, d, iter, d->iter_count);
    for (int i = 0; i < d->arg_count; i++) {
        if (!d->args[i].hi)
            continue;
        emit_for(e, depth++, arena_print(e->memory, "arg%d_", i), &d->args[i]);
        emit_text(e, "\n");
    }
    target(e, depth, flow, d);
}

/* Two sides of a ternary that can be written as if and else: each other's opposite, and without
 * conditions of their own inside. */
static bool is_pair(const ir_flow *f, int i)
{
    const ir_dep *d = &f->deps[i];
    return i + 1 < f->dep_count && d->line >= 0 && d->line == d[1].line && !ir_is_narrowed(d) &&
           !ir_is_narrowed(d + 1) && !d->drops && !d[1].drops;
}

typedef bool wanted(const ir_dep *d);

/* One dependency, or the two sides of a ternary: if and else, as far outside as the condition can
 * be decided. */
static void write_dep(emitter *e, int flow, const ir_dep *then, const ir_dep *otherwise,
                      write_target *target)
{
    if (!then->guard) {
        write_inside(e, 1, 0, flow, then, target);
        return;
    }
    int iters = iters_used(e->file, then->guard);
    int depth = emit_iters(e, 1, then, 0, iters);
    emit_indent(e, depth);
    emit_text(e, "if (");
    emit_expr(e, then->guard, false);
    emit_text(e, ")\n");
    write_inside(e, depth + 1, iters, flow, then, target);
    if (otherwise) {
        emit_indent(e, depth);
        emit_text(e, "else\n");
        write_inside(e, depth + 1, iters, flow, otherwise, target);
    }
}

/* All wanted dependencies of a flow. */
static void write_deps(emitter *e, int flow, const ir_flow *f, wanted *want, write_target *target)
{
    for (int i = 0; i < f->dep_count; i++) {
        const ir_dep *d = &f->deps[i], *other = is_pair(f, i) ? d + 1 : NULL;
        if (want(d))
            write_dep(e, flow, d, other && want(other) ? other : NULL, target);
        else if (other && want(other))
            write_dep(e, flow, other, NULL, target);
        i += other != NULL;
    }
}

/* ---- release ------------------------------------------------------------------------------ */

static bool goes_out(const ir_dep *d)
{
    return d->out;
}

static bool has_region(const ir_dep *d)
{
    ir_datatype part = ir_region_of(d);
    return !ir_is_whole(&part);
}

/* The type of a part; one that the dependency moves or repeats is made there and then. */
static void write_region_type(emitter *e, const ir_datatype *part)
{
    if (!part->layout && !part->count && !part->displ) {
        emit_expr(e, part->type, false);
        return;
    }
    bool run = part->layout || (part->count && !part->type);
    const ir_expr *of = run ? part->layout : part->type;
    emit_text(e, "twill_datatype_%s((twill_datatype[]){{.size = sizeof(twill_datatype)}}, ",
              run ? "run" : "at");
    of ? emit_expr(e, of, false) : emit_text(e, "NULL");
    emit_text(e, ", ");
    part->count ? emit_expr(e, part->count, false) : emit_text(e, "1");
    emit_text(e, ", ");
    part->displ ? emit_expr(e, part->displ, false) : emit_text(e, "0");
    emit_text(e, ")");
}

static bool has_wire(const ir_dep *d)
{
    ir_datatype wire = ir_wire_of(d);
    return !ir_is_whole(&wire);
}

/* Which of three functions of one kind takes the types that the dependency has. */
static const char *kind_of(const ir_dep *d)
{
    return has_wire(d) ? "_typed" : has_region(d) ? "_region" : "";
}

static void write_type(emitter *e, const ir_datatype *part)
{
    emit_text(e, ", ");
    ir_is_whole(part) ? emit_text(e, "NULL") : write_region_type(e, part);
}

/* The last arguments: the part, if there is one, and what travels between ranks if that is said
 * apart. */
static void write_types(emitter *e, const ir_dep *d)
{
    ir_datatype part = ir_region_of(d), wire = ir_wire_of(d);
    if (has_region(d) || has_wire(d))
        write_type(e, &part);
    if (has_wire(d))
        write_type(e, &wire);
    emit_text(e, ");\n");
}

static void write_send(emitter *e, int depth, int flow, const ir_dep *d)
{
    (void)flow;
    emit_indent(e, depth);
    if (d->drops) {
        emit_text(e, "if (%s_inputs(globals_, ", e->file->classes[d->class].name);
        write_tuple(e, d);
        emit_text(e, ") >= 0)\n");
        emit_indent(e, depth + 1);
    }
    if (d->target == IR_TO_TASK) {
        emit_text(e, "twill_ptg_send%s(out_, CLS_%s, %d, ", kind_of(d),
                  e->file->classes[d->class].name, d->flow);
        write_tuple(e, d);
        write_types(e, d);
        return;
    }
    emit_text(e, "twill_ptg_store%s(out_, ", has_wire(d) ? "_typed" : "");
    write_tile(e, d);
    has_region(d) || has_wire(d) ? write_types(e, d) : emit_text(e, ", NULL);\n");
}

static bool any_dep(const ir_flow *f, wanted *want)
{
    for (int i = 0; i < f->dep_count; i++)
        if (want(&f->deps[i]))
            return true;
    return false;
}

bool emit_release(emitter *e, const ir_class *c)
{
    bool any = false;
    for (int f = 0; f < c->flow_count; f++)
        any = any || any_dep(&c->flows[f], goes_out);
    if (!any)
        return false;
    function_begin(e, c);
    for (int f = 0; f < c->flow_count; f++) {
        if (!any_dep(&c->flows[f], goes_out))
            continue;
        emit_text(e, "    twill_ptg_output(out_, %d); /* %s */\n", f, c->flows[f].name);
        write_deps(e, f, &c->flows[f], goes_out, write_send);
    }
    function_end(e,
                 "static void %s_release(twill_ptg_outputs *out_, const void *globals_, "
                 "const int64_t *p_)",
                 c->name);
    return true;
}

/* ---- bind --------------------------------------------------------------------------------- */

/* From memory, a fresh buffer, or a part of what a task has sent. */
static bool is_bound(const ir_dep *d)
{
    return !d->out && (d->target == IR_TO_MEMORY || d->target == IR_FROM_NEW ||
                       (d->target == IR_TO_TASK && has_region(d)));
}

/* The array whose tiles a fresh buffer is like: one that this flow meets, else the one that places
 * the task. */
static int like_array(const ir_class *c, int flow)
{
    for (int i = 0; i < c->flows[flow].dep_count; i++)
        if (c->flows[flow].deps[i].target == IR_TO_MEMORY)
            return c->flows[flow].deps[i].collection;
    return c->affinity.kind == IR_ON_TILE ? c->affinity.collection : -1;
}

static const ir_expr *type_of(const ir_dep *d)
{
    return d->types[IR_TYPE].type ? d->types[IR_TYPE].type : d->types[IR_TYPE_REMOTE].type;
}

/* A fresh buffer has the type that stands beside NEW, else the one the flow has elsewhere. */
static const ir_expr *fresh_type(const ir_flow *flow, const ir_dep *d)
{
    const ir_expr *type = type_of(d);
    for (int i = 0; i < flow->dep_count && !type; i++)
        if (flow->deps[i].iter_count == 0)
            type = type_of(&flow->deps[i]);
    return type;
}

static void write_bind(emitter *e, int depth, int flow, const ir_dep *d)
{
    emit_indent(e, depth);
    if (d->target == IR_TO_MEMORY) {
        emit_text(e, "twill_ptg_memory%s(in_, %d, ", kind_of(d), flow);
        write_tile(e, d);
        write_types(e, d);
        return;
    }
    if (d->target == IR_TO_TASK) {
        ir_datatype part = ir_region_of(d);
        emit_text(e, "twill_ptg_take_region(in_, %d", flow);
        write_type(e, &part);
        emit_text(e, ");\n");
        return;
    }
    const ir_expr *type = fresh_type(&e->class->flows[flow], d);
    int like = like_array(e->class, flow);
    emit_text(e, "twill_ptg_fresh(in_, %d, %s, ", flow, type ? expr_text(e, type, false) : "NULL");
    like >= 0 ? emit_array(e, like) : emit_text(e, "NULL");
    emit_text(e, ");\n");
}

bool emit_bind(emitter *e, const ir_class *c)
{
    bool any = false;
    for (int f = 0; f < c->flow_count; f++)
        any = any || (c->flows[f].mode != IR_CTL && any_dep(&c->flows[f], is_bound));
    if (!any)
        return false;
    function_begin(e, c);
    for (int f = 0; f < c->flow_count; f++)
        if (c->flows[f].mode != IR_CTL)
            write_deps(e, f, &c->flows[f], is_bound, write_bind);
    function_end(e,
                 "static void %s_bind(twill_ptg_inputs *in_, const void *globals_, "
                 "const int64_t *p_)",
                 c->name);
    return true;
}

/* ---- sources ------------------------------------------------------------------------------ */

static bool comes_from_task(const ir_dep *d)
{
    return !d->out && d->target == IR_TO_TASK;
}

static void write_source(emitter *e, int depth, int flow, const ir_dep *d)
{
    emit_indent(e, depth);
    emit_text(e, "twill_ptg_source(from_, %d, CLS_%s, %d, ", flow, e->file->classes[d->class].name,
              d->flow);
    write_tuple(e, d);
    emit_text(e, ");\n");
}

bool emit_sources(emitter *e, const ir_class *c)
{
    bool any = false;
    for (int f = 0; f < c->flow_count; f++)
        any = any || any_dep(&c->flows[f], comes_from_task);
    if (!any)
        return false;
    function_begin(e, c);
    for (int f = 0; f < c->flow_count; f++)
        write_deps(e, f, &c->flows[f], comes_from_task, write_source);
    function_end(e,
                 "static void %s_sources(twill_ptg_sources *from_, const void *globals_, "
                 "const int64_t *p_)",
                 c->name);
    return true;
}

/* ---- how many ------------------------------------------------------------------------------ */

static bool has_range(const ir_dep *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].hi)
            return true;
    return d->iter_count > 0;
}

int always_inputs(const ir_class *c)
{
    int count = 0;
    for (int f = 0; f < c->flow_count; f++) {
        const ir_flow *flow = &c->flows[f];
        for (int i = 0; i < flow->dep_count; i++) {
            const ir_dep *d = &flow->deps[i];
            bool pair = is_pair(flow, i);
            bool sure = comes_from_task(d) && !has_range(d) &&
                        (!d->guard || (pair && comes_from_task(d + 1) && !has_range(d + 1)));
            count += sure;
            i += pair;
        }
    }
    return count;
}

/* The most that the inputs of a flow can be: alternatives count once, others each. */
static int most_inputs(const ir_flow *flow)
{
    int count = 0;
    for (int i = 0; i < flow->dep_count; i++) {
        const ir_dep *d = &flow->deps[i];
        bool pair = is_pair(flow, i);
        bool any = comes_from_task(d) || (pair && comes_from_task(d + 1));
        bool many = has_range(d) || (pair && has_range(d + 1));
        count += any && many ? 2 : any;
        i += pair;
    }
    return count;
}

bool single_input(const ir_class *c)
{
    int count = 0;
    for (int f = 0; f < c->flow_count; f++)
        count += most_inputs(&c->flows[f]);
    return count <= 1;
}
