/* Is there such an instance, and for how many inputs from tasks does it wait? */
#include "emit/emit.h"

#include <string.h>

static bool is_zero(const ir_expr *x)
{
    return x->op == IR_INT && x->value == 0;
}

/* (k - lo) % step, without the pointless parts. */
static void write_remainder(emitter *e, const char *name, const ir_range *r, int64_t step)
{
    const char *lo = expr_text(e, r->lo, true);
    uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    if (is_zero(r->lo))
        emit_text(e, " || %s %% %llu != 0", name, (unsigned long long)size);
    else
        emit_text(e, " || (%s - %s) %% %llu != 0", name, lo, (unsigned long long)size);
}

/* As one side of a comparison. */
static const char *side_text(emitter *e, const ir_expr *x)
{
    return expr_text(e, x, x->op >= IR_SHL);
}

/* The condition under which `name` is outside of the range. */
static void write_outside(emitter *e, const char *name, const ir_range *r)
{
    int64_t step = 1;
    const char *lo = side_text(e, r->lo);
    if (!r->hi) {
        emit_text(e, "%s != %s", name, lo);
        return;
    }
    const char *hi = side_text(e, r->hi);
    if (r->step && !ir_literal(r->step, &step)) {
        e->helpers[HELPER_IN] = true;
        emit_text(e, "!in_range_(%s, %s, %s, %s)", name, lo, hi, step_text(e, r));
        return;
    }
    if (step > 0)
        emit_text(e, "%s < %s || %s > %s", name, lo, name, hi);
    else
        emit_text(e, "%s > %s || %s < %s", name, lo, name, hi);
    if (step != 1 && step != -1)
        write_remainder(e, name, r, step);
}

static void write_set_check(emitter *e, const ir_local *local)
{
    int depth = 2;
    emit_text(e, "    {\n        bool found_ = false;\n");
    for (int i = 0; i < local->iter_count; i++) {
        emit_for(e, depth++, local->iters[i].name, &local->iters[i].range);
        emit_text(e, "\n");
    }
    emit_indent(e, depth);
    emit_text(e, "found_ = found_ || !(");
    write_outside(e, local->name, &local->range);
    emit_text(e, ");\n        if (!found_)\n            return -1;\n    }\n");
}

/* The value of a parameter and the check that it may have it. */
static const char *checked_param(emitter *e, const ir_local *local)
{
    capture c;
    capture_begin(e, &c);
    emit_text(e, "    const int64_t %s = p_[%d];\n", local->name, local->param);
    if (local->kind == IR_SET) {
        write_set_check(e, local);
    } else {
        emit_text(e, "    if (");
        write_outside(e, local->name, &local->range);
        emit_text(e, ")\n        return -1;\n");
    }
    return capture_end(e, &c);
}

/* ---- Counting ------------------------------------------------------------------------------- */

static bool has_range(const ir_dep *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].hi)
            return true;
    return false;
}

/* How many targets the ranges of a dependency stand for. */
static void write_number(emitter *e, const ir_dep *d)
{
    const char *before = "";
    if (!has_range(d))
        emit_text(e, "1");
    for (int i = 0; i < d->arg_count; i++) {
        const ir_range *r = &d->args[i];
        if (!r->hi)
            continue;
        e->helpers[HELPER_COUNT] = true;
        emit_text(e, "%scount_of_(%s, %s, %s)", before, expr_text(e, r->lo, false),
                  expr_text(e, r->hi, false), step_text(e, r));
        before = " * ";
    }
}

static bool is_input(const ir_dep *d)
{
    return !d->out && d->target == IR_TO_TASK;
}

static void write_count(emitter *e, const ir_dep *d)
{
    int iters = iters_used(e->file, d->guard);
    int depth = emit_iters(e, 1, d, 0, iters);
    if (d->guard) {
        emit_indent(e, depth++);
        emit_text(e, "if (");
        emit_expr(e, d->guard, false);
        emit_text(e, ")\n");
    }
    depth = emit_iters(e, depth, d, iters, d->iter_count);
    emit_indent(e, depth);
    emit_text(e, "count_ += ");
    write_number(e, d);
    emit_text(e, ";\n");
}

/* Are both sides of a ternary plain inputs? Then one of them applies. */
static bool both_sides(const ir_flow *f, int i)
{
    const ir_dep *d = &f->deps[i];
    return i + 1 < f->dep_count && d[1].line == d->line && d->line >= 0 && is_input(d) &&
           is_input(d + 1) && !has_range(d) && !has_range(d + 1) && d->iter_count == 0 &&
           d[1].iter_count == 0 && !ir_is_narrowed(d) && !ir_is_narrowed(d + 1);
}

static bool is_plain(const ir_dep *d)
{
    return !d->guard && !has_range(d) && d->iter_count == 0;
}

void emit_inputs(emitter *e, const ir_class *c)
{
    const char *lines[MOST_LOCALS];
    bool varies = false;
    for (int f = 0; f < c->flow_count; f++) {
        const ir_flow *flow = &c->flows[f];
        for (int i = 0; i < flow->dep_count; i += both_sides(flow, i) ? 2 : 1)
            varies = varies || (is_input(&flow->deps[i]) && !is_plain(&flow->deps[i]) &&
                                !both_sides(flow, i));
    }
    function_begin(e, c);
    if (c->param_count == 0)
        emit_text(e, "    (void)p_;\n");
    emit_text(e, varies ? "    int64_t count_ = %d;\n" : "    return %d;\n", always_inputs(c));
    for (int f = 0; varies && f < c->flow_count; f++) {
        const ir_flow *flow = &c->flows[f];
        for (int i = 0; i < flow->dep_count; i += both_sides(flow, i) ? 2 : 1)
            if (is_input(&flow->deps[i]) && !is_plain(&flow->deps[i]) && !both_sides(flow, i))
                write_count(e, &flow->deps[i]);
    }
    if (varies)
        emit_text(e, "    return count_;\n");
    for (int i = c->local_count - 1; i >= 0; i--) {
        const ir_local *local = &c->locals[i];
        lines[i] = NULL;
        if (local->kind != IR_DERIVED)
            lines[i] = checked_param(e, local);
        else if (e->locals[i])
            lines[i] = arena_print(e->memory, "    const int64_t %s = %s;\n", local->name,
                                   expr_text(e, local->range.lo, false));
    }
    function_end_with(e, lines, "static int64_t %s_inputs(const void *globals_, const int64_t *p_)",
                      c->name);
}
