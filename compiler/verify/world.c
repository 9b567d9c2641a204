/* Instances and targets of a graph with known globals. */
#include "verify/world.h"

#include <string.h>

void world_make(world *w, const ir_file *f, arena *memory, int64_t steps)
{
    *w = (world){.file = f, .memory = memory};
    eval_start(&w->eval, f, memory, steps);
    for (int i = 0; i < f->global_count; i++)
        if (f->globals[i].origin == IR_HIDDEN && !f->globals[i].value)
            w->eval.has_global[i] = true; /* and is zero */
    w->chose_global = arena_get(memory, (size_t)f->global_count + 1);
    w->chose_member = arena_get(memory, (size_t)f->member_count + 1);
}

void world_choose_global(world *w, int global, int64_t value)
{
    w->eval.globals[global] = value;
    w->eval.has_global[global] = w->chose_global[global] = true;
}

void world_choose_member(world *w, int member, int64_t value)
{
    w->eval.members[member] = value;
    w->eval.has_member[member] = w->chose_member[member] = true;
}

bool world_is_assumed(world *w)
{
    eval before = w->eval;
    int64_t holds = 1;
    for (int i = 0; i < w->file->assumption_count && holds; i++)
        if (!eval_expr(&w->eval, w->file->assumptions[i], &holds))
            holds = 1;
    w->eval = before;
    return holds;
}

bool world_failed(const world *w)
{
    return w->eval.why;
}

bool task_equal(const task *a, const task *b)
{
    return a->class == b->class && !memcmp(a->args, b->args, sizeof a->args);
}

static void too_many(world *w)
{
    w->eval.why = "there are too many parameters";
}

/* ---- Membership -------------------------------------------------------------------------- */

static bool has(world *w, const ir_class *class, const task *t, int64_t *locals)
{
    bool inside;
    if (class->param_count > MOST_PARAMETERS)
        too_many(w);
    return !world_failed(w) && eval_locals(&w->eval, class, t->args, locals, &inside) && inside;
}

bool world_has(world *w, const task *t, int64_t *locals)
{
    return has(w, &w->file->classes[t->class], t, locals);
}

int world_misses(world *w, const task *t)
{
    int64_t locals[MOST_LOCALS];
    ir_class part = w->file->classes[t->class];
    int count = part.local_count;
    for (int i = 0; i < count; i++) {
        part.local_count = i + 1;
        if (!has(w, &part, t, locals))
            return i;
    }
    return -1;
}

/* ---- Walks ------------------------------------------------------------------------------- */

typedef struct walk {
    world *world;
    const ir_class *class; /* of the instances */
    int count;             /* or of arguments of a target */
    const int64_t *locals;
    task task;
    world_visit *visit;
    void *context;
} walk;

static bool visit_instance(void *user, const int64_t *values)
{
    walk *walk = user;
    for (int i = 0; i < walk->class->param_count; i++)
        walk->task.args[i] = values[walk->class->params[i]];
    return walk->visit(walk->context, walk->world, &walk->task, values);
}

void world_tasks(world *w, int class, world_visit *visit, void *context)
{
    const ir_class *c = &w->file->classes[class];
    walk walk = {
        .world = w, .class = c, .task = {.class = class}, .visit = visit, .context = context};
    if (c->param_count > MOST_PARAMETERS)
        too_many(w);
    else if (!world_failed(w))
        eval_instances(&w->eval, c, visit_instance, &walk);
}

static bool visit_target(void *user, const int64_t *values)
{
    walk *walk = user;
    memcpy(walk->task.args, values, sizeof *values * (size_t)walk->count);
    return walk->visit(walk->context, walk->world, &walk->task, walk->locals);
}

void world_targets(world *w, const ir_dep *d, const int64_t *locals, world_visit *visit,
                   void *context)
{
    int class = d->target == IR_TO_TASK ? d->class : d->target == IR_TO_MEMORY ? -1 : -2;
    walk walk = {.world = w,
                 .count = d->arg_count,
                 .locals = locals,
                 .task = {.class = class},
                 .visit = visit,
                 .context = context};
    if (d->arg_count > MOST_PARAMETERS)
        too_many(w);
    if (world_failed(w))
        return;
    w->eval.locals = locals;
    eval_targets(&w->eval, d, visit_target, &walk);
}

typedef struct counting {
    const task *target;
    int found;
} counting;

static bool count_equal(void *context, world *w, const task *t, const int64_t *locals)
{
    counting *c = context;
    (void)w, (void)locals;
    c->found += task_equal(t, c->target);
    return true;
}

int world_counts(world *w, const ir_dep *d, const int64_t *locals, const task *target)
{
    counting c = {target, 0};
    world_targets(w, d, locals, count_equal, &c);
    return c.found;
}
