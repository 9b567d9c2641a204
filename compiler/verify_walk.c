/* Walks over the instances and the targets of a graph with known globals. */
#include "verify_world.h"

#include <string.h>

/* ---- Ranges ------------------------------------------------------------------------------ */

typedef struct range {
    int64_t lo, hi, step;
} range;

static range range_of(world *w, const ir_range *r, const int64_t *locals, const int64_t *iters)
{
    range v;
    v.lo = world_value(w, r->lo, locals, iters);
    v.hi = r->hi ? world_value(w, r->hi, locals, iters) : v.lo;
    v.step = r->step ? world_value(w, r->step, locals, iters) : 1;
    if (v.step == 0)
        w->failed = true;
    return v;
}

static bool within(const range *r, int64_t value)
{
    return r->step > 0 ? value <= r->hi : value >= r->hi;
}

static bool holds(const range *r, int64_t value)
{
    int64_t far;
    bool after = r->step > 0 ? value >= r->lo : value <= r->lo;
    return after && within(r, value) && !__builtin_sub_overflow(value, r->lo, &far) &&
           far % r->step == 0;
}

/* The next value; there is none after the last number that there is. */
static bool next(const range *r, int64_t *value)
{
    return !__builtin_add_overflow(*value, r->step, value) && within(r, *value);
}

/* One step of a walk; false when there is none left. */
static bool step(world *w)
{
    if (w->steps-- <= 0)
        w->failed = true;
    return !w->failed;
}

/* ---- Iterators --------------------------------------------------------------------------- */

/* Called with each combination of values of some iterators; false ends the walk. */
typedef bool iters_visit(void *context, const int64_t *iters);

typedef struct iters_walk {
    world *world;
    const ir_iter *iters;
    int count;
    const int64_t *locals;
    iters_visit *visit;
    void *context;
    int64_t values[MOST_NAMES];
} iters_walk;

static bool walk_iter(iters_walk *walk, int i)
{
    if (i == walk->count)
        return walk->visit(walk->context, walk->values);
    range r = range_of(walk->world, &walk->iters[i].range, walk->locals, walk->values);
    int64_t v = r.lo;
    for (bool more = within(&r, v); more && step(walk->world); more = next(&r, &v)) {
        walk->values[i] = v;
        if (!walk_iter(walk, i + 1))
            return false;
    }
    return !walk->world->failed;
}

static bool walk_iters(world *w, const ir_iter *iters, int count, const int64_t *locals,
                       iters_visit *visit, void *context)
{
    if (count > MOST_NAMES) {
        w->failed = true;
        return false;
    }
    iters_walk walk = {w, iters, count, locals, visit, context, {0}};
    return walk_iter(&walk, 0);
}

/* ---- Is it an instance? ------------------------------------------------------------------ */

typedef struct membership {
    world *world;
    const ir_range *range;
    const int64_t *locals;
    int64_t value;
    bool found;
} membership;

static bool look_in_range(void *context, const int64_t *iters)
{
    membership *m = context;
    range r = range_of(m->world, m->range, m->locals, iters);
    m->found = !m->world->failed && holds(&r, m->value);
    return !m->found && !m->world->failed;
}

int world_misses(world *w, const task *t, int64_t *locals)
{
    const ir_class *class = &w->file->classes[t->class];
    for (int i = 0; i < class->local_count; i++) {
        const ir_local *local = &class->locals[i];
        if (local->kind == IR_DERIVED) {
            locals[i] = world_value(w, local->range.lo, locals, NULL);
            continue;
        }
        locals[i] = t->args[local->param];
        membership m = {w, &local->range, locals, locals[i], false};
        walk_iters(w, local->iters, local->iter_count, locals, look_in_range, &m);
        if (!m.found)
            return i;
    }
    return -1;
}

bool world_has(world *w, const task *t, int64_t *locals)
{
    return world_misses(w, t, locals) < 0 && !w->failed;
}

/* ---- All instances ----------------------------------------------------------------------- */

typedef struct nest {
    world *world;
    int class, depth;
    world_visit *visit;
    void *context;
    int64_t locals[MOST_NAMES];
} nest;

static bool walk_local(nest *n);

static bool walk_values(nest *n, const range *r)
{
    int depth = n->depth;
    int64_t v = r->lo;
    for (bool more = within(r, v); more && step(n->world); more = next(r, &v)) {
        n->locals[depth] = v;
        n->depth = depth + 1;
        if (!walk_local(n))
            return false;
    }
    n->depth = depth;
    return !n->world->failed;
}

static bool walk_set(void *context, const int64_t *iters)
{
    nest *n = context;
    const ir_local *local = &n->world->file->classes[n->class].locals[n->depth];
    range r = range_of(n->world, &local->range, n->locals, iters);
    return !n->world->failed && walk_values(n, &r);
}

static bool visit_task(nest *n, const ir_class *class)
{
    task t = {.class = n->class};
    for (int i = 0; i < class->param_count; i++)
        t.args[i] = n->locals[class->params[i]];
    return n->visit(n->context, n->world, &t, n->locals);
}

static bool walk_local(nest *n)
{
    const ir_class *class = &n->world->file->classes[n->class];
    if (n->depth == class->local_count)
        return visit_task(n, class);
    const ir_local *local = &class->locals[n->depth];
    return walk_iters(n->world, local->iters, local->iter_count, n->locals, walk_set, n);
}

void world_tasks(world *w, int class, world_visit *visit, void *context)
{
    nest n = {.world = w, .class = class, .visit = visit, .context = context};
    walk_local(&n);
}

/* ---- Targets ----------------------------------------------------------------------------- */

typedef struct target_walk {
    world *world;
    const ir_dep *dep;
    const int64_t *locals;
    const int64_t *iters;
    world_visit *visit;
    void *context;
    task task;
} target_walk;

static bool walk_args(target_walk *walk, int i)
{
    if (i == walk->dep->arg_count)
        return walk->visit(walk->context, walk->world, &walk->task, NULL);
    range r = range_of(walk->world, &walk->dep->args[i], walk->locals, walk->iters);
    int64_t v = r.lo;
    for (bool more = within(&r, v); more && step(walk->world); more = next(&r, &v)) {
        walk->task.args[i] = v;
        if (!walk_args(walk, i + 1))
            return false;
    }
    return !walk->world->failed;
}

static bool walk_guarded(void *context, const int64_t *iters)
{
    target_walk *walk = context;
    const ir_expr *guard = walk->dep->guard;
    walk->iters = iters;
    if (guard && !world_value(walk->world, guard, walk->locals, iters))
        return !walk->world->failed;
    return walk_args(walk, 0);
}

void world_targets(world *w, const ir_dep *d, const int64_t *locals, world_visit *visit,
                   void *context)
{
    target_walk walk = {w, d, locals, NULL, visit, context, {.class = -2}};
    if (d->target == IR_TO_TASK)
        walk.task.class = d->class;
    else if (d->target == IR_TO_MEMORY)
        walk.task.class = -1;
    if (d->arg_count > MOST_PARAMETERS)
        w->failed = true;
    else
        walk_iters(w, d->iters, d->iter_count, locals, walk_guarded, &walk);
}

typedef struct counting {
    const task *target;
    int args, found;
} counting;

static bool count_equal(void *context, world *w, const task *t, const int64_t *locals)
{
    counting *c = context;
    (void)w, (void)locals;
    c->found += task_equal(t, c->target, c->args);
    return true;
}

int world_counts(world *w, const ir_dep *d, const int64_t *locals, const task *target)
{
    counting c = {target, d->arg_count, 0};
    world_targets(w, d, locals, count_equal, &c);
    return c.found;
}
