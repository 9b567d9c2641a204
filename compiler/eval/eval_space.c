/* The instances of a class, and the targets of its dependencies. */
#include "eval/eval.h"

typedef struct bounds {
    int64_t lo, hi, step;
} bounds;

static bool eval_bounds(eval *v, const ir_range *r, bounds *b)
{
    b->step = 1;
    if (!eval_expr(v, r->lo, &b->lo))
        return false;
    b->hi = b->lo;
    if (r->hi && !eval_expr(v, r->hi, &b->hi))
        return false;
    if (r->step && !eval_expr(v, r->step, &b->step))
        return false;
    if (b->step != 0)
        return true;
    v->nonsense = true;
    v->culprit = r->step;
    v->why = "the step of this range is 0";
    return false;
}

/* Go from value to value: false when there is no next one. */
static bool in_bounds(const bounds *b, int64_t x)
{
    return b->step > 0 ? x <= b->hi : x >= b->hi;
}

static bool step_on(const bounds *b, int64_t *x)
{
    return !__builtin_add_overflow(*x, b->step, x) && in_bounds(b, *x);
}

static bool contains(const bounds *b, int64_t x)
{
    bool up = b->step > 0;
    /* Distances without a sign, because the ends may lie further apart than 63 bits can say. */
    uint64_t distance = up ? (uint64_t)x - (uint64_t)b->lo : (uint64_t)b->lo - (uint64_t)x;
    uint64_t step = up ? (uint64_t)b->step : 0 - (uint64_t)b->step;
    bool between = up ? b->lo <= x && x <= b->hi : b->hi <= x && x <= b->lo;
    return between && distance % step == 0;
}

/* One value more; false when there have been too many. */
static bool spend(eval *v, const ir_range *r)
{
    if (--v->steps >= 0)
        return true;
    v->culprit = r->lo;
    v->why = "this graph is too large to be enumerated";
    return false;
}

/* ---- Iterators: call `inner` for all their values ----------------------------------------- */

typedef struct walk walk;
typedef bool walk_inner(walk *w);
struct walk {
    eval *eval;
    const ir_iter *iters;
    int iter_count;
    int64_t values[MOST_ITERS];
    walk_inner *inner;
    void *user;
};

static bool walk_from(walk *w, int i)
{
    bounds b;
    w->eval->iters = w->values;
    if (i == w->iter_count)
        return w->inner(w);
    if (!eval_bounds(w->eval, &w->iters[i].range, &b))
        return false;
    int64_t x = b.lo;
    if (!in_bounds(&b, x))
        return true;
    do {
        if (!spend(w->eval, &w->iters[i].range))
            return false;
        w->values[i] = x;
        if (!walk_from(w, i + 1))
            return false;
    } while (step_on(&b, &x));
    return true;
}

/* ---- Instances ------------------------------------------------------------------------------ */

typedef struct space {
    eval *eval;
    const ir_class *class;
    int64_t locals[MOST_LOCALS];
    int at; /* the local that is being given a value */
    eval_visit *visit;
    void *user;
} space;

static bool space_from(space *s, int i);

/* Local `at` takes the values of its range. */
static bool space_range(walk *w)
{
    space *s = w->user;
    int i = s->at;
    bounds b;
    if (!eval_bounds(s->eval, &s->class->locals[i].range, &b))
        return false;
    int64_t x = b.lo;
    if (!in_bounds(&b, x))
        return true;
    do {
        s->locals[i] = x;
        if (!spend(s->eval, &s->class->locals[i].range) || !space_from(s, i + 1))
            return false;
        s->at = i;
    } while (step_on(&b, &x));
    return true;
}

static bool space_from(space *s, int i)
{
    const ir_class *c = s->class;
    s->eval->locals = s->locals;
    if (i == c->local_count)
        return s->visit(s->user, s->locals);
    if (c->locals[i].idle)
        return space_from(s, i + 1);
    s->at = i;
    walk w = {.eval = s->eval,
              .iters = c->locals[i].iters,
              .iter_count = c->locals[i].iter_count,
              .inner = space_range,
              .user = s};
    return walk_from(&w, 0);
}

bool eval_instances(eval *v, const ir_class *c, eval_visit *visit, void *user)
{
    space s = {.eval = v, .class = c, .visit = visit, .user = user};
    return space_from(&s, 0);
}

/* ---- Is there such an instance? ------------------------------------------------------------- */

typedef struct search {
    const ir_local *local;
    int64_t value;
    bool found;
} search;

static bool search_range(walk *w)
{
    search *s = w->user;
    bounds b;
    if (!eval_bounds(w->eval, &s->local->range, &b))
        return false;
    s->found = s->found || contains(&b, s->value);
    return true;
}

bool eval_locals(eval *v, const ir_class *c, const int64_t *params, int64_t *locals, bool *inside)
{
    *inside = true;
    v->locals = locals;
    for (int i = 0; i < c->local_count && *inside; i++) {
        const ir_local *local = &c->locals[i];
        if (local->idle) {
            locals[i] = 0;
            continue;
        }
        if (local->kind == IR_DERIVED) {
            if (!eval_expr(v, local->range.lo, &locals[i]))
                return false;
            continue;
        }
        search s = {.local = local, .value = params[local->param]};
        walk w = {.eval = v,
                  .iters = local->iters,
                  .iter_count = local->iter_count,
                  .inner = search_range,
                  .user = &s};
        if (!walk_from(&w, 0))
            return false;
        locals[i] = s.value;
        *inside = s.found;
    }
    return true;
}

/* ---- Targets -------------------------------------------------------------------------------- */

typedef struct reach {
    const ir_dep *dep;
    eval_visit *visit;
    void *user;
    int64_t args[MOST_ARGS];
} reach;

/* Is the target, a task, to be left out because it does not exist? False after a failure. */
static bool is_kept(eval *v, const reach *r, bool *kept)
{
    int64_t locals[MOST_LOCALS];
    *kept = true;
    return !r->dep->drops ||
           eval_locals(v, &v->file->classes[r->dep->class], r->args, locals, kept);
}

static bool reach_target(eval *v, const reach *r)
{
    bool kept;
    return is_kept(v, r, &kept) && (!kept || r->visit(r->user, r->args));
}

static bool reach_from(walk *w, reach *r, int i)
{
    if (i == r->dep->arg_count) {
        const int64_t *locals = w->eval->locals;
        bool more = reach_target(w->eval, r);
        w->eval->locals = locals;
        w->eval->iters = w->values;
        return more;
    }
    bounds b;
    if (!eval_bounds(w->eval, &r->dep->args[i], &b))
        return false;
    int64_t x = b.lo;
    if (!in_bounds(&b, x))
        return true;
    do {
        r->args[i] = x;
        if (!spend(w->eval, &r->dep->args[i]) || !reach_from(w, r, i + 1))
            return false;
    } while (step_on(&b, &x));
    return true;
}

static bool reach_guarded(walk *w)
{
    reach *r = w->user;
    int64_t applies = 1;
    w->eval->iters = w->values;
    if (r->dep->guard && !eval_expr(w->eval, r->dep->guard, &applies))
        return false;
    return !applies || reach_from(w, r, 0);
}

bool eval_targets(eval *v, const ir_dep *d, eval_visit *visit, void *user)
{
    reach r = {.dep = d, .visit = visit, .user = user};
    walk w = {.eval = v,
              .iters = d->iters,
              .iter_count = d->iter_count,
              .inner = reach_guarded,
              .user = &r};
    return walk_from(&w, 0);
}
