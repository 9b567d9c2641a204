/* Mistakes in a graph that is unrolled. */
#include "verify/unroll.h"

/* ---- Arrows ------------------------------------------------------------------------------ */

typedef struct meeting {
    const task *task;
    int flow;
    const ir_dep *dep;
    finding *found;
    bool fails;
} meeting;

static bool check_meeting(void *context, world *w, const task *t, const int64_t *locals)
{
    meeting *m = context;
    task target = *t;
    (void)locals;
    m->fails = fact_unmatched(w, m->task, m->flow, m->dep, &target, m->found);
    return !m->fails && !world_failed(w);
}

static bool flow_is_unmatched(world *w, const task *t, int flow, finding *f)
{
    const ir_flow *own = &w->file->classes[t->class].flows[flow];
    int64_t locals[MOST_LOCALS];
    for (int i = 0; i < own->dep_count; i++) {
        meeting m = {t, flow, &own->deps[i], f, false};
        if (m.dep->target == IR_TO_TASK && world_has(w, t, locals))
            world_targets(w, m.dep, locals, check_meeting, &m);
        if (m.fails)
            return true;
    }
    return false;
}

bool unroll_unmatched(unrolled *u, finding *f)
{
    world *w = u->world;
    for (int i = 0; i < u->tasks.count && !world_failed(w); i++) {
        const task *t = &u->tasks.tasks[i];
        for (int flow = 0; flow < w->file->classes[t->class].flow_count; flow++)
            if (flow_is_unmatched(w, t, flow, f))
                return true;
    }
    return false;
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

/* Row i of the matrix: the tasks that task i waits for, directly or not. */
static uint64_t *waits_for(unrolled *u, size_t words)
{
    uint64_t *rows = arena_get(&u->memory, sizeof *rows * words * (size_t)(u->tasks.count + 1));
    int *place = arena_get(&u->memory, sizeof *place * (size_t)(u->tasks.count + 1));
    int **senders = arena_get(&u->memory, sizeof *senders * (size_t)(u->tasks.count + 1));
    for (int i = 0; i < u->wait_count; i++)
        ARENA_ADD(&u->memory, senders[u->waits[i].task], place[u->waits[i].task],
                  u->waits[i].sender);
    for (int i = 0; i < u->ordered; i++) {
        int t = u->order[i];
        uint64_t *row = rows + (size_t)t * words;
        for (int j = 0; j < place[t]; j++) {
            size_t s = (size_t)senders[t][j];
            for (size_t k = 0; k < words; k++)
                row[k] |= rows[s * words + k];
            row[s / 64] |= UINT64_C(1) << s % 64;
        }
    }
    return rows;
}

static bool is_set(const uint64_t *rows, size_t words, int row, int bit)
{
    return rows[(size_t)row * words + (size_t)bit / 64] >> (size_t)bit % 64 & 1;
}

static bool is_race(unrolled *u, const touch *a, const touch *b, finding *f)
{
    world *w = u->world;
    access x = {u->tasks.tasks[a->task], a->flow, a->dep};
    access y = {u->tasks.tasks[b->task], b->flow, b->dep};
    task tile = u->tiles.tasks[a->tile];
    tile.class = -1;
    return fact_race(w, &x, &y, &tile, f);
}

bool unroll_race(unrolled *u, finding *f)
{
    size_t words = ((size_t)u->tasks.count + 63) / 64;
    uint64_t *rows = waits_for(u, words);
    int *last = arena_get(&u->memory, sizeof *last * (size_t)(u->tiles.count + 1));
    int *before = arena_get(&u->memory, sizeof *before * (size_t)(u->touch_count + 1));
    /* Touches of a tile form a list, the last one first. */
    for (int i = 0; i < u->touch_count && !world_failed(u->world); i++) {
        const touch *a = &u->touches[i];
        before[i] = last[a->tile];
        last[a->tile] = i + 1;
        for (int j = before[i]; j; j = before[j - 1]) {
            const touch *b = &u->touches[j - 1];
            if (a->task != b->task && !is_set(rows, words, a->task, b->task) &&
                !is_set(rows, words, b->task, a->task) && is_race(u, b, a, f))
                return true;
        }
    }
    return false;
}
