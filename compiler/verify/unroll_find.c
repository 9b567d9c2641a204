/* Mistakes in a graph that is unrolled. */
#include "verify/unroll.h"

/* ---- Arrows ------------------------------------------------------------------------------ */

static bool meet(const edge *out, const edge *in)
{
    return out->other == in->task && in->other == out->task && out->dep->flow == in->flow &&
           in->dep->flow == out->flow;
}

/* Find the <- that tells of the same as this ->. Those of a task are mostly met in their order, so
 * the search begins where the last one ended. */
static void pair_up(unrolled *u, edge *out, int *next)
{
    edges *in = &u->inputs;
    int to = out->other;
    if (to < 0)
        return;
    int begin = to ? in->ends[to - 1] : 0, count = in->ends[to] - begin;
    for (int i = 0; i < count && !out->used; i++) {
        edge *e = &in->list[begin + (next[to] + i) % count];
        if (!unroll_step(u))
            return;
        if (e->used || !meet(out, e))
            continue;
        out->used = e->used = true;
        next[to] = (next[to] + i + 1) % count;
    }
}

typedef struct meeting {
    const task *task;
    const edge *edge;
    finding *found;
    bool fails;
} meeting;

static bool check_meeting(void *context, world *w, const task *t, const int64_t *locals)
{
    meeting *m = context;
    task target = *t;
    (void)locals;
    const edge *e = m->edge;
    m->fails = fact_unmatched(w, m->task, e->flow, e->dep, &target, m->found);
    return !m->fails && !world_failed(w);
}

/* What has no partner is looked at again, with all targets of its line. */
static bool is_unmatched(unrolled *u, const edge *e, finding *f)
{
    world *w = u->world;
    int64_t locals[MOST_LOCALS];
    meeting m = {&u->tasks.tasks[e->task], e, f, false};
    if (!e->used && world_has(w, m.task, locals))
        world_targets(w, e->dep, locals, check_meeting, &m);
    return m.fails;
}

static bool find_unmatched(unrolled *u, const edges *all, finding *f)
{
    for (int i = 0; i < all->count && !world_failed(u->world); i++)
        if (is_unmatched(u, &all->list[i], f))
            return true;
    return false;
}

bool unroll_unmatched(unrolled *u, finding *f)
{
    if (u->twice && fact_twice(u->world, &u->tasks.tasks[u->twice - 1], f))
        return true;
    int *next = arena_get(&u->memory, sizeof *next * (size_t)(u->tasks.count + 1));
    for (int i = 0; i < u->outputs.count && !world_failed(u->world); i++)
        pair_up(u, &u->outputs.list[i], next);
    return find_unmatched(u, &u->outputs, f) || find_unmatched(u, &u->inputs, f);
}

bool unroll_two_sources(unrolled *u, finding *f)
{
    world *w = u->world;
    for (int i = 0; i < u->tasks.count && !world_failed(w); i++) {
        const task *t = &u->tasks.tasks[i];
        const ir_class *class = &w->file->classes[t->class];
        for (int flow = 0; flow < class->flow_count; flow++)
            if (class->flows[flow].mode != IR_CTL && fact_two_sources(w, t, flow, f))
                return true;
    }
    return false;
}

/* ---- Order ------------------------------------------------------------------------------- */

bool unroll_cycle(unrolled *u, finding *f)
{
    world *w = u->world;
    if (u->ordered == u->tasks.count)
        return false;
    char *in_order = arena_get(&u->memory, (size_t)u->tasks.count + 1);
    for (int i = 0; i < u->ordered; i++)
        in_order[u->order[i]] = 1;
    /* What has no place in the order is on a cycle or comes after one. */
    for (int i = 0; i < u->tasks.count && !world_failed(w); i++)
        if (!in_order[i] && fact_cycle(w, &u->tasks.tasks[i], f))
            return true;
    return false;
}
