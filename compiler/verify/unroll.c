/* Unroll a small graph, and order its tasks. */
#include "verify/unroll.h"

#include "verify/poly.h"

#include <limits.h>
#include <string.h>

enum { STEPS = 512 }; /* between two looks at the clock */

bool unroll_step(unrolled *u)
{
    eval *v = &u->world->eval;
    if (++u->steps < STEPS)
        return !v->why;
    u->steps = 0;
    bool large = u->tasks.count > MOST_TASKS;
    if (!v->why && (large || poly_clock() > u->deadline)) {
        v->steps = -1;
        v->why = "it would take too long";
    }
    return !v->why;
}

static bool add_task(void *context, world *w, const task *t, const int64_t *locals)
{
    unrolled *u = context;
    bool fresh;
    (void)w, (void)locals;
    int at = table_add(&u->tasks, t, &fresh);
    if (!fresh && !u->twice)
        u->twice = at + 1;
    return unroll_step(u);
}

typedef struct arrow {
    unrolled *unrolled;
    int task, flow;
    const ir_dep *dep;
} arrow;

static bool add_target(void *context, world *w, const task *t, const int64_t *locals)
{
    arrow *a = context;
    unrolled *u = a->unrolled;
    (void)w, (void)locals;
    if (a->dep->target == IR_TO_TASK) {
        edges *to = a->dep->out ? &u->outputs : &u->inputs;
        edge made = {a->task, table_find(&u->tasks, t), a->flow, false, a->dep};
        ARENA_ADD(&u->memory, to->list, to->count, made);
        return unroll_step(u);
    }
    bool fresh;
    task tile = *t;
    tile.class = a->dep->collection;
    touch made = {a->task, table_add(&u->tiles, &tile, &fresh), a->flow, a->dep};
    ARENA_ADD(&u->memory, u->touches, u->touch_count, made);
    return unroll_step(u);
}

static void add_arrows(unrolled *u, int index)
{
    int64_t locals[MOST_LOCALS];
    task t = u->tasks.tasks[index];
    const ir_class *class = &u->world->file->classes[t.class];
    if (!world_has(u->world, &t, locals))
        return;
    for (int f = 0; f < class->flow_count; f++)
        for (int i = 0; i < class->flows[f].dep_count; i++) {
            arrow a = {u, index, f, &class->flows[f].deps[i]};
            if (a.dep->target == IR_TO_TASK || a.dep->target == IR_TO_MEMORY)
                world_targets(u->world, a.dep, locals, add_target, &a);
        }
}

static int *one_per_task(unrolled *u)
{
    return arena_get(&u->memory, sizeof(int) * (size_t)(u->tasks.count + 1));
}

static void find_ends(unrolled *u, edges *e)
{
    e->ends = one_per_task(u);
    for (int i = 0; i < e->count; i++)
        e->ends[e->list[i].task] = i + 1;
    for (int i = 1; i < u->tasks.count; i++)
        if (e->ends[i] < e->ends[i - 1])
            e->ends[i] = e->ends[i - 1];
}

/* A task waits for whom its <- name. */
static void sort_by_sender(unrolled *u)
{
    const edges *in = &u->inputs;
    int *begin = one_per_task(u);
    u->ends = one_per_task(u);
    u->receivers = arena_get(&u->memory, sizeof(int) * (size_t)(in->count + 1));
    for (int i = 0; i < in->count; i++)
        if (in->list[i].other >= 0)
            u->ends[in->list[i].other]++;
    for (int i = 1; i < u->tasks.count; i++)
        u->ends[i] += u->ends[i - 1];
    memcpy(begin, u->ends, sizeof *begin * (size_t)u->tasks.count);
    for (int i = in->count - 1; i >= 0; i--)
        if (in->list[i].other >= 0)
            u->receivers[--begin[in->list[i].other]] = in->list[i].task;
}

static void put_in_order(unrolled *u)
{
    int count = u->tasks.count;
    int *missing = one_per_task(u);
    u->order = one_per_task(u);
    u->position = one_per_task(u);
    for (int i = 0; i < u->inputs.count; i++)
        missing[u->inputs.list[i].task] += u->inputs.list[i].other >= 0;
    for (int i = 0; i < count; i++) {
        u->position[i] = INT_MAX;
        if (!missing[i])
            u->order[u->ordered++] = i;
    }
    for (int i = 0; i < u->ordered; i++) {
        int t = u->order[i];
        u->position[t] = i;
        for (int j = t ? u->ends[t - 1] : 0; j < u->ends[t]; j++)
            if (--missing[u->receivers[j]] == 0)
                u->order[u->ordered++] = u->receivers[j];
    }
}

void unroll(unrolled *u, world *w, int64_t deadline)
{
    *u = (unrolled){.world = w, .deadline = deadline};
    u->tasks.memory = u->tiles.memory = &u->memory;
    for (int c = 0; c < w->file->class_count; c++)
        world_tasks(w, c, add_task, u);
    for (int i = 0; i < u->tasks.count && unroll_step(u); i++)
        add_arrows(u, i);
    if (world_failed(w))
        return;
    find_ends(u, &u->inputs);
    find_ends(u, &u->outputs);
    sort_by_sender(u);
    put_in_order(u);
}

void unroll_free(unrolled *u)
{
    arena_free(&u->memory);
}
