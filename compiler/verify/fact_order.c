/* Tasks that wait for themselves, and tasks that race for a tile. */
#include "verify/facts.h"

#include <string.h>

/* ---- Cycles ------------------------------------------------------------------------------ */

enum { MOST_TOLD = 6 };

static const char *text_path(const world *w, const path *p)
{
    const char *text = "";
    for (int i = 0; i < p->count; i++) {
        if (p->count > MOST_TOLD && i == MOST_TOLD - 2) {
            text = arena_print(w->memory, "%s -> ...", text);
            i = p->count - 2;
        }
        text = arena_print(w->memory, "%s%s%s", text, i ? " -> " : "",
                           text_task(w, &p->tasks[i], false));
    }
    return text;
}

static bool named_before(const path *p, int i)
{
    for (int j = 0; j < i; j++)
        if (p->deps[j]->at.line == p->deps[i]->at.line)
            return true;
    return false;
}

static const char *text_lines(const world *w, const path *p)
{
    const char *text = "";
    for (int i = 0, told = 0; i < p->count - 1 && told < MOST_TOLD; i++) {
        if (named_before(p, i))
            continue;
        text = arena_print(w->memory, "%s%s%s", text, told++ ? ", " : "",
                           text_place(w, p->deps[i]->at));
    }
    return text;
}

bool fact_cycle(world *w, const task *x, finding *f)
{
    path p;
    int64_t locals[MOST_LOCALS];
    if (!world_has(w, x, locals) || !path_find(w, x, x, false, &p) || world_failed(w))
        return false;
    /* The arrow that leads into the last task is one of its own lines. */
    f->at = p.deps[p.count - 2]->at;
    f->also = p.deps[0]->at;
    f->text = arena_print(w->memory, "%s waits for itself: %s (%s)%s", text_task(w, x, true),
                          text_path(w, &p), text_lines(w, &p), text_globals(w));
    return true;
}

/* ---- Races ------------------------------------------------------------------------------- */

bool touches_memory(const ir_dep *d)
{
    return d->target == IR_TO_MEMORY;
}

bool writes_memory(const ir_flow *flow, const ir_dep *d)
{
    return d->out || flow->mode == IR_RW || flow->mode == IR_WRITE;
}

static const char *text_part(arena *a, const ir_datatype *part)
{
    const ir_expr *words[] = {part->type, part->layout, part->count, part->displ};
    const char *text = "";
    for (int i = 0; i < 4; i++)
        text = arena_print(a, "%s|%s", text, words[i] ? ir_text_of(a, words[i]) : "");
    return text;
}

part_relation parts_compare(arena *a, const ir_dep *d, const ir_dep *e)
{
    ir_datatype x = ir_region_of(d), y = ir_region_of(e);
    if (ir_is_whole(&x) || ir_is_whole(&y))
        return PARTS_MEET;
    if (strcmp(text_part(a, &x), text_part(a, &y)) != 0)
        return PARTS_DIFFER;
    /* The same words may have different values in two tasks. */
    bool constant = ir_is_constant(x.type) && ir_is_constant(x.layout) && ir_is_constant(x.count) &&
                    ir_is_constant(x.displ) && ir_is_constant(y.count) && ir_is_constant(y.displ);
    return constant ? PARTS_MEET : PARTS_VARY;
}

/* Globals are free to be 0, and then many places are the same: a size that the driver gives is no
 * reason to call two of them so. */
static bool is_fixed(const ir_file *f, const ir_expr *e)
{
    if (e->op == IR_MEMBER)
        return false;
    if (e->op == IR_GLOBAL)
        return f->globals[e->index].origin == IR_DEFINED && is_fixed(f, f->globals[e->index].value);
    for (int i = 0; i < e->count; i++)
        if (!is_fixed(f, e->args[i]))
            return false;
    return true;
}

/* The value of `count` or `displ` for a task; false when it is not known, which is no failure. */
static bool part_value(world *w, const access *x, const ir_expr *e, int64_t *value)
{
    int64_t locals[MOST_LOCALS], iters[MOST_ITERS] = {0};
    eval before = w->eval;
    *value = 0;
    if (!e)
        return true;
    if (x->dep->iter_count || !is_fixed(w->file, e) || !world_has(w, &x->task, locals))
        return false;
    w->eval.locals = locals;
    w->eval.iters = iters;
    bool known = eval_expr(&w->eval, e, value);
    w->eval = before;
    return known;
}

static bool parts_meet(world *w, const access *x, const access *y)
{
    part_relation relation = parts_compare(w->memory, x->dep, y->dep);
    if (relation != PARTS_VARY)
        return relation == PARTS_MEET;
    ir_datatype p = ir_region_of(x->dep), q = ir_region_of(y->dep);
    int64_t a, b;
    return ir_is_constant(p.type) && ir_is_constant(p.layout) && part_value(w, x, p.count, &a) &&
           part_value(w, y, q.count, &b) && a == b && part_value(w, x, p.displ, &a) &&
           part_value(w, y, q.displ, &b) && a == b;
}

static bool ordered(world *w, const task *x, const task *y)
{
    path p;
    for (int outputs = 0; outputs < 2; outputs++)
        if (path_find(w, x, y, outputs, &p) || path_find(w, y, x, outputs, &p))
            return true;
    return false;
}

static bool is_access(world *w, const access *x, const task *tile)
{
    int64_t locals[MOST_LOCALS];
    return world_has(w, &x->task, locals) && world_counts(w, x->dep, locals, tile);
}

static const char *text_access(const world *w, const access *x, place line)
{
    const ir_flow *flow = &w->file->classes[x->task.class].flows[x->flow];
    const char *verb = writes_memory(flow, x->dep) ? "written" : "read";
    const char *where = line.line ? arena_print(w->memory, " (%s)", text_place(w, line)) : "";
    return arena_print(w->memory, "%s by %s%s", verb, text_task(w, &x->task, true), where);
}

bool fact_race(world *w, const access *x, const access *y, const task *tile, finding *f)
{
    const ir_flow *fx = &w->file->classes[x->task.class].flows[x->flow];
    const ir_flow *fy = &w->file->classes[y->task.class].flows[y->flow];
    if (task_equal(&x->task, &y->task) ||
        (!writes_memory(fx, x->dep) && !writes_memory(fy, y->dep)) || !parts_meet(w, x, y))
        return false;
    if (!is_access(w, x, tile) || !is_access(w, y, tile) || ordered(w, &x->task, &y->task) ||
        world_failed(w))
        return false;
    f->at = x->dep->at;
    f->also = y->dep->at;
    f->text = arena_print(w->memory, "%s is %s and %s, in no order%s", text_target(w, x->dep, tile),
                          text_access(w, x, (place){0, 0}), text_access(w, y, y->dep->at),
                          text_globals(w));
    return true;
}
