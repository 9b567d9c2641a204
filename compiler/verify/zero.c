/* Divisors and steps that are 0: a graph that has one fails when it runs. */
#include "verify/bound.h"

/* Evaluate what the shape of the graph does not depend on. Returns the culprit. */
static const ir_expr *zero_of(world *w, const ir_expr *e, int64_t *value)
{
    eval before = w->eval;
    if (!e || eval_expr(&w->eval, e, value))
        return NULL;
    const ir_expr *zero = w->eval.nonsense ? w->eval.culprit : NULL;
    w->eval = before;
    return zero;
}

static const ir_expr *zero_in_globals(world *w)
{
    const ir_expr *zero = NULL;
    int64_t value;
    for (int i = 0; i < w->file->global_count && !zero; i++)
        if (!w->chose_global[i])
            zero = zero_of(w, w->file->globals[i].value, &value);
    return zero;
}

/* What bodies and priorities use. */
static const ir_expr *zero_in_task(world *w, const task *t)
{
    const ir_class *class = &w->file->classes[t->class];
    int64_t locals[MOST_LOCALS], value;
    const ir_expr *zero = NULL;
    if (!world_has(w, t, locals))
        return NULL;
    for (int i = 0; i < class->local_count && !zero; i++) {
        w->eval.locals = locals;
        if (class->locals[i].idle)
            zero = zero_of(w, class->locals[i].range.lo, &locals[i]);
    }
    const ir_expr *const others[] = {class->priority, class->critical, class->team};
    for (int i = 0; i < 3 && !zero; i++)
        zero = zero_of(w, others[i], &value);
    return zero;
}

const ir_expr *zero_in(world *w, int64_t deadline)
{
    unrolled u;
    const ir_expr *zero = zero_in_globals(w);
    if (zero)
        return zero;
    unroll(&u, w, deadline);
    if (world_failed(w))
        zero = w->eval.nonsense ? w->eval.culprit : NULL;
    for (int i = 0; i < u.tasks.count && !zero && unroll_step(&u); i++)
        zero = zero_in_task(w, &u.tasks.tasks[i]);
    unroll_free(&u);
    return zero;
}
