/* Races in a graph that is unrolled.
 *
 * The users of a tile are taken in the order of the tasks. One that touches it needs to come after
 * the last one that wrote all of it: whoever came before that one, it was compared with. So nearly
 * always neighbours are asked for, and mostly one waits for the other directly. */
#include "verify/unroll.h"

/* A search through the tasks that wait for one. */
typedef struct search {
    unrolled *unrolled;
    int *seen; /* the number of the search that came across a task last */
    int number;
    int *found;
} search;

static bool reaches(search *s, int from, int to)
{
    const unrolled *u = s->unrolled;
    int count = 0, last = u->position[to];
    s->found[count++] = from;
    s->number++;
    for (int i = 0; i < count && unroll_step(s->unrolled); i++) {
        int t = s->found[i];
        for (int j = t ? u->ends[t - 1] : 0; j < u->ends[t]; j++) {
            int r = u->receivers[j];
            if (r == to)
                return true;
            if (s->seen[r] == s->number || u->position[r] >= last)
                continue;
            s->seen[r] = s->number;
            s->found[count++] = r;
        }
    }
    return false;
}

static bool writes(const unrolled *u, const touch *t)
{
    const task *x = &u->tasks.tasks[t->task];
    return writes_memory(&u->world->file->classes[x->class].flows[t->flow], t->dep);
}

static bool writes_all(const unrolled *u, const touch *t)
{
    ir_datatype part = ir_region_of(t->dep);
    return ir_is_whole(&part) && writes(u, t);
}

static bool is_race(unrolled *u, const touch *a, const touch *b, finding *f)
{
    access x = {u->tasks.tasks[a->task], a->flow, a->dep};
    access y = {u->tasks.tasks[b->task], b->flow, b->dep};
    task tile = u->tiles.tasks[a->tile];
    tile.class = -1;
    return fact_race(u->world, &x, &y, &tile, f);
}

/* The users of the tiles, by tile and in the order of the tasks; those of tile i end before
 * ends[i]. */
static touch *sort_by_tile(unrolled *u, int *ends)
{
    touch *sorted = arena_get(&u->memory, sizeof *sorted * (size_t)(u->touch_count + 1));
    int *first = arena_get(&u->memory, sizeof *first * (size_t)(u->tasks.count + 1));
    int *next = arena_get(&u->memory, sizeof *next * (size_t)(u->touch_count + 1));
    for (int i = u->touch_count - 1; i >= 0; i--) {
        next[i] = first[u->touches[i].task];
        first[u->touches[i].task] = i + 1;
        ends[u->touches[i].tile]++;
    }
    for (int i = 0, sum = 0; i < u->tiles.count; i++) {
        int here = ends[i];
        ends[i] = sum; /* where the first one goes; each that is put there moves it */
        sum += here;
    }
    for (int i = 0; i < u->ordered; i++)
        for (int j = first[u->order[i]]; j; j = next[j - 1])
            sorted[ends[u->touches[j - 1].tile]++] = u->touches[j - 1];
    for (int t = 0; t < u->tasks.count; t++) /* on cycles, and after them */
        for (int j = first[t]; j && u->position[t] >= u->ordered; j = next[j - 1])
            sorted[ends[u->touches[j - 1].tile]++] = u->touches[j - 1];
    return sorted;
}

/* Does one of the users from `begin` on race with this one? `before[i]` is the one before number i
 * that writes, or is before `begin`: whoever only reads needs to look at these alone. */
static bool races(search *s, const touch *all, int begin, int at, const int *before, finding *f)
{
    unrolled *u = s->unrolled;
    const touch *b = &all[at];
    bool changes = writes(u, b);
    for (int i = changes ? at - 1 : before[at]; i >= begin; i = changes ? i - 1 : before[i]) {
        const touch *a = &all[i];
        if (!unroll_step(u))
            return false;
        if (a->task != b->task && !reaches(s, a->task, b->task) && is_race(u, a, b, f))
            return true;
        if (writes_all(u, a))
            return false;
    }
    return false;
}

bool unroll_race(unrolled *u, finding *f)
{
    size_t tasks = (size_t)u->tasks.count + 1;
    int *ends = arena_get(&u->memory, sizeof *ends * (size_t)(u->tiles.count + 1));
    int *before = arena_get(&u->memory, sizeof *before * (size_t)(u->touch_count + 1));
    search s = {u, arena_get(&u->memory, sizeof(int) * tasks), 0,
                arena_get(&u->memory, sizeof(int) * tasks)};
    touch *all = sort_by_tile(u, ends);
    for (int tile = 0, i = 0; tile < u->tiles.count; tile++) {
        int begin = i, last = -1;
        for (; i < ends[tile] && !world_failed(u->world); i++) {
            before[i] = last;
            if (races(&s, all, begin, i, before, f))
                return true;
            if (writes(u, &all[i]))
                last = i;
        }
    }
    return false;
}
