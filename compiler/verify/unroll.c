/* Unroll a small graph, and order its tasks. */
#include "verify/unroll.h"

#include <string.h>

static bool add_task(void *context, world *w, const task *t, const int64_t *locals)
{
    unrolled *u = context;
    bool fresh;
    (void)locals;
    table_add(&u->tasks, t, &fresh);
    if (u->tasks.count > MOST_TASKS) {
        w->eval.steps = -1;
        w->eval.why = "there are too many tasks";
    }
    return !world_failed(w);
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
    (void)locals;
    if (a->dep->target == IR_TO_TASK) {
        int sender = table_find(&u->tasks, t);
        if (sender >= 0 && !a->dep->out)
            ARENA_ADD(&u->memory, u->waits, u->wait_count, (wait){a->task, sender});
    } else {
        bool fresh;
        task tile = *t;
        tile.class = a->dep->collection;
        touch made = {a->task, table_add(&u->tiles, &tile, &fresh), a->flow, a->dep};
        ARENA_ADD(&u->memory, u->touches, u->touch_count, made);
    }
    return !world_failed(w);
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

/* The receivers of each task, one after the other: those of task i end before ends[i]. */
static void sort_by_sender(const unrolled *u, int *receivers, int *ends)
{
    memset(ends, 0, sizeof *ends * (size_t)u->tasks.count);
    for (int i = 0; i < u->wait_count; i++)
        ends[u->waits[i].sender]++;
    for (int i = 1; i < u->tasks.count; i++)
        ends[i] += ends[i - 1];
    int *free_end = arena_get(u->tasks.memory, sizeof *free_end * (size_t)(u->tasks.count + 1));
    memcpy(free_end, ends, sizeof *ends * (size_t)u->tasks.count);
    for (int i = 0; i < u->wait_count; i++)
        receivers[--free_end[u->waits[i].sender]] = u->waits[i].task;
}

static void put_in_order(unrolled *u)
{
    int count = u->tasks.count;
    int *receivers = arena_get(&u->memory, sizeof(int) * (size_t)(u->wait_count + 1));
    int *ends = arena_get(&u->memory, sizeof(int) * (size_t)(count + 1));
    int *missing = arena_get(&u->memory, sizeof(int) * (size_t)(count + 1));
    u->order = arena_get(&u->memory, sizeof(int) * (size_t)(count + 1));
    sort_by_sender(u, receivers, ends);
    for (int i = 0; i < u->wait_count; i++)
        missing[u->waits[i].task]++;
    for (int i = 0; i < count; i++)
        if (!missing[i])
            u->order[u->ordered++] = i;
    for (int i = 0; i < u->ordered; i++) {
        int t = u->order[i];
        for (int j = t ? ends[t - 1] : 0; j < ends[t]; j++)
            if (--missing[receivers[j]] == 0)
                u->order[u->ordered++] = receivers[j];
    }
}

void unroll(unrolled *u, world *w)
{
    *u = (unrolled){.world = w};
    u->tasks.memory = u->tiles.memory = &u->memory;
    for (int c = 0; c < w->file->class_count; c++)
        world_tasks(w, c, add_task, u);
    for (int i = 0; i < u->tasks.count && !world_failed(w); i++)
        add_arrows(u, i);
    if (!world_failed(w))
        put_in_order(u);
}

void unroll_free(unrolled *u)
{
    arena_free(&u->memory);
}
