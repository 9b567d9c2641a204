/* Derived locals that neither the space of a class nor its dependencies use. Bodies and priorities
 * may, but what the graph looks like does not depend on them, whatever they are computed by. */
#include "ir/lower.h"

static void use(bool *used, const ir_class *c, const ir_expr *e)
{
    if (!e)
        return;
    if (e->op == IR_LOCAL)
        used[e->index] = true;
    /* C text may use all names. */
    for (int i = 0; i < c->local_count && (e->op == IR_INLINE || e->op == IR_TEXT); i++)
        used[i] = true;
    for (int i = 0; i < e->count; i++)
        use(used, c, e->args[i]);
}

static void use_range(bool *used, const ir_class *c, const ir_range *r)
{
    use(used, c, r->lo);
    use(used, c, r->hi);
    use(used, c, r->step);
}

static void use_iters(bool *used, const ir_class *c, const ir_iter *iters, int count)
{
    for (int i = 0; i < count; i++)
        use_range(used, c, &iters[i].range);
}

static void use_dep(bool *used, const ir_class *c, const ir_dep *d)
{
    use_iters(used, c, d->iters, d->iter_count);
    use(used, c, d->guard);
    for (int i = 0; i < d->arg_count; i++)
        use_range(used, c, &d->args[i]);
    for (int i = 0; i < IR_SIDES; i++) {
        const ir_datatype *part = &d->types[i];
        use(used, c, part->type);
        use(used, c, part->layout);
        use(used, c, part->count);
        use(used, c, part->displ);
    }
}

static void use_affinity(bool *used, const ir_class *c)
{
    for (int i = 0; i < c->affinity.arg_count; i++)
        use(used, c, c->affinity.args[i]);
    use(used, c, c->affinity.row);
    use(used, c, c->affinity.column);
}

void mark_idle(ir_class *c)
{
    bool used[MOST_LOCALS + 1] = {false};
    if (c->local_count > MOST_LOCALS)
        return;
    use_affinity(used, c);
    for (int i = 0; i < c->flow_count; i++)
        for (int j = 0; j < c->flows[i].dep_count; j++)
            use_dep(used, c, &c->flows[i].deps[j]);
    /* A definition uses earlier ones. */
    for (int i = c->local_count - 1; i >= 0; i--) {
        ir_local *local = &c->locals[i];
        local->idle = local->kind == IR_DERIVED && !used[i];
        if (local->idle)
            continue;
        use_iters(used, c, local->iters, local->iter_count);
        use_range(used, c, &local->range);
    }
}
