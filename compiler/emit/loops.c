/* Loops over ranges. */
#include "emit/emit.h"

void emit_indent(emitter *e, int depth)
{
    for (int i = 0; i < depth; i++)
        fputs("    ", e->text);
}

/* The sign of a step that is known; 0 for one that is not. */
static int step_sign(const ir_range *r, int64_t *step)
{
    *step = 1;
    if (r->step && !ir_literal(r->step, step))
        return 0;
    return *step > 0 ? 1 : -1;
}

int iters_used(const ir_file *f, const ir_expr *e)
{
    if (!e)
        return 0;
    int most = e->op == IR_ITER     ? e->index + 1
               : e->op == IR_INLINE ? f->inlines[e->index].iter_count /* C text may use all names */
                                    : 0;
    for (int i = 0; i < e->count; i++) {
        int used = iters_used(f, e->args[i]);
        most = used > most ? used : most;
    }
    return most;
}

int emit_iters(emitter *e, int depth, const ir_dep *d, int from, int to)
{
    for (int i = from; i < to; i++) {
        emit_for(e, depth++, d->iters[i].name, &d->iters[i].range);
        emit_text(e, "\n");
    }
    return depth;
}

void emit_for(emitter *e, int depth, const char *name, const ir_range *r)
{
    int64_t step;
    int sign = step_sign(r, &step);
    emit_indent(e, depth);
    emit_text(e, "for (int64_t %s = ", name);
    emit_expr(e, r->lo, false);
    const char *hi = expr_text(e, r->hi ? r->hi : r->lo, true);
    if (sign == 0) {
        const char *by = step_text(e, r);
        emit_text(e, "; %s > 0 ? %s <= %s : %s >= %s; %s += %s)", by, name, hi, name, hi, name, by);
        return;
    }
    emit_text(e, "; %s %s ", name, sign > 0 ? "<=" : ">=");
    const ir_expr *end = r->hi ? r->hi : r->lo;
    emit_expr(e, end, end->op >= IR_SHL); /* as one side of a comparison */
    if (step == 1)
        emit_text(e, "; %s++)", name);
    else
        emit_text(e, "; %s += %lld)", name, (long long)step);
}
