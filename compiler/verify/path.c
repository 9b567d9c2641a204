/* Paths of dependencies between two tasks. */
#include "verify/world.h"

typedef struct origin {
    int before; /* the task that it was reached from, -1 for the start */
    const ir_dep *dep;
} origin;

typedef struct search {
    world *world;
    task_table seen;
    origin *origins; /* one per task seen */
    int origin_count;
    const task *goal;
    int now; /* the task being looked at */
    const ir_dep *dep;
    bool found;
} search;

static bool reach(void *context, world *w, const task *t, const int64_t *locals)
{
    search *s = context;
    int64_t values[MOST_LOCALS];
    (void)locals;
    if (task_equal(t, s->goal)) {
        s->found = true;
        return false;
    }
    bool fresh;
    if (table_find(&s->seen, t) >= 0 || !world_has(w, t, values))
        return !world_failed(w);
    table_add(&s->seen, t, &fresh);
    ARENA_ADD(w->memory, s->origins, s->origin_count, (origin){s->now, s->dep});
    return true;
}

static void look_around(search *s, bool outputs)
{
    int64_t locals[MOST_LOCALS];
    task t = s->seen.tasks[s->now];
    const ir_class *class = &s->world->file->classes[t.class];
    if (!world_has(s->world, &t, locals))
        return;
    for (int f = 0; f < class->flow_count; f++)
        for (int i = 0; i < class->flows[f].dep_count; i++) {
            s->dep = &class->flows[f].deps[i];
            if (s->dep->target != IR_TO_TASK || s->dep->out != outputs)
                continue;
            world_targets(s->world, s->dep, locals, reach, s);
            if (s->found || world_failed(s->world))
                return;
        }
}

/* The search went forwards from the first task, or backwards from the last one. */
static void tell(search *s, bool outputs, path *found)
{
    int length = 2;
    for (int i = s->now; s->origins[i].before >= 0; i = s->origins[i].before)
        length++;
    arena *a = s->world->memory;
    found->count = length;
    found->tasks = arena_get(a, sizeof *found->tasks * (size_t)length);
    found->deps = arena_get(a, sizeof *found->deps * (size_t)length);
    int at = outputs ? length - 1 : 0, by = outputs ? -1 : 1;
    found->tasks[at] = *s->goal;
    found->deps[outputs ? at - 1 : at] = s->dep;
    for (int i = s->now; i >= 0; i = s->origins[i].before) {
        at += by;
        found->tasks[at] = s->seen.tasks[i];
        if (s->origins[i].before >= 0)
            found->deps[outputs ? at - 1 : at] = s->origins[i].dep;
    }
}

bool path_find(world *w, const task *from, const task *to, bool by_outputs, path *found)
{
    bool fresh;
    search s = {.world = w, .seen = {.memory = w->memory}, .goal = by_outputs ? to : from};
    table_add(&s.seen, by_outputs ? from : to, &fresh);
    ARENA_ADD(w->memory, s.origins, s.origin_count, (origin){-1, NULL});
    for (s.now = 0; s.now < s.seen.count && !world_failed(w); s.now++) {
        look_around(&s, by_outputs);
        if (s.found) {
            tell(&s, by_outputs, found);
            return true;
        }
    }
    return false;
}
