/* Arrows that do not meet, and flows with two sources. */
#include "verify/facts.h"

/* An arrow as seen from one of its ends. */
typedef struct arrow {
    world *world;
    const task *from; /* has the arrow `dep` in its flow `flow` */
    int flow;
    const ir_dep *dep;
    const task *to;
    const ir_flow *other; /* flow of `to` that should have an arrow back */
} arrow;

static bool leads_back(const arrow *a, const ir_dep *d)
{
    return d->target == IR_TO_TASK && d->out != a->dep->out && d->class == a->from->class &&
           d->flow == a->flow;
}

static const char *own_flow(const arrow *a)
{
    return a->world->file->classes[a->from->class].flows[a->flow].name;
}

static bool tell(const arrow *a, finding *f, place also, const char *why)
{
    world *w = a->world;
    const char *who = arena_print(w->memory, "%s of %s", own_flow(a), text_task(w, a->from, true));
    f->at = a->dep->at;
    f->also = also;
    f->text =
        arena_print(w->memory, "%s %s (%s)%s", who, why, text_place(w, also), text_globals(w));
    return true;
}

/* ---- The other end does not exist ------------------------------------------------------- */

static bool tell_outside(const arrow *a, int local, finding *f)
{
    world *w = a->world;
    const ir_class *class = &w->file->classes[a->to->class];
    const ir_local *l = &class->locals[local];
    const char *verb = a->dep->drops ? "is not sent to"
                       : a->dep->out ? "is sent to"
                                     : "is taken from";
    const char *why = arena_print(w->memory, "%s %s, which is no task: %s = %s", verb,
                                  text_task(w, a->to, false), l->name, text_range(w, &l->range));
    return tell(a, f, l->at, why);
}

/* ---- The other end exists ---------------------------------------------------------------- */

typedef struct ends {
    task first, last;
    int count;
} ends;

static bool take_end(void *context, world *w, const task *t, const int64_t *locals)
{
    ends *e = context;
    (void)w, (void)locals;
    if (e->count++ == 0)
        e->first = *t;
    e->last = *t;
    return true;
}

/* What the arrow `d` of the other end does instead of meeting ours. */
static const char *does_instead(const arrow *a, const ir_dep *d, const int64_t *locals)
{
    world *w = a->world;
    ends e = {.count = 0};
    world_targets(w, d, locals, take_end, &e);
    const char *to = d->out ? "to" : "from";
    if (e.count == 1)
        return arena_print(w->memory, "%s %s", to, text_target(w, d, &e.first));
    if (e.count > 1)
        return arena_print(w->memory, "%s %s ... %s", to, text_target(w, d, &e.first),
                           text_target(w, d, &e.last));
    if (d->guard)
        return arena_print(w->memory, "only when %s", ir_text_of(w->memory, d->guard));
    return d->out ? "to nobody" : "from nobody";
}

/* The arrow of the other end that best explains it: one that could have led back, else for a
 * receiver what applies instead, else any. */
static const ir_dep *best_reason(const arrow *a, const int64_t *locals)
{
    const ir_dep *best = NULL;
    int rank = 0;
    for (int i = 0; i < a->other->dep_count; i++) {
        const ir_dep *d = &a->other->deps[i];
        ends e = {.count = 0};
        if (d->out == a->dep->out || d->implied)
            continue;
        world_targets(a->world, d, locals, take_end, &e);
        int its = 1 + (e.count ? 2 : 0) + (leads_back(a, d) ? 1 : 0);
        if (d->out)
            its = leads_back(a, d) ? 2 : 0;
        if (its > rank) {
            rank = its;
            best = d;
        }
    }
    return best;
}

static bool tell_unmet(const arrow *a, const int64_t *locals, finding *f)
{
    world *w = a->world;
    const ir_dep *d = best_reason(a, locals);
    const char *target = text_task(w, a->to, false);
    const char *what = a->dep->out ? "is never received" : "waits forever";
    const char *verb = a->dep->out ? "takes" : "sends";
    const char *name = a->other->name;
    const char *why;
    if (d)
        why = arena_print(w->memory, "%s: %s %s %s %s", what, target, verb, name,
                          does_instead(a, d, locals));
    else if (a->dep->out)
        why = arena_print(w->memory, "%s: %s of %s has no <-", what, name, target);
    else
        why = arena_print(w->memory, "%s: %s does not send %s there", what, target, name);
    return tell(a, f, d ? d->at : a->other->at, why);
}

/* ---- Counting ---------------------------------------------------------------------------- */

static bool is_between(const ir_dep *d, const ir_dep *e)
{
    return e->target == IR_TO_TASK && d->out == e->out && d->class == e->class &&
           d->flow == e->flow;
}

/* How often arrows of a flow lead where `d`, one of them, leads. The last one besides `d` that
 * does goes to *other. */
static int count_arrows(world *w, const ir_flow *flow, const ir_dep *d, const int64_t *locals,
                        const task *target, const ir_dep **other)
{
    int count = 0;
    for (int i = 0; i < flow->dep_count; i++) {
        const ir_dep *e = &flow->deps[i];
        int here = is_between(d, e) ? world_counts(w, e, locals, target) : 0;
        if (here && e != d)
            *other = e;
        count += here;
    }
    return count;
}

static int count_back(const arrow *a, const int64_t *locals)
{
    int count = 0;
    for (int i = 0; i < a->other->dep_count; i++)
        if (leads_back(a, &a->other->deps[i]))
            count += world_counts(a->world, &a->other->deps[i], locals, a->from);
    return count;
}

static bool tell_twice(const arrow *a, int here, int there, const ir_dep *other, finding *f)
{
    world *w = a->world;
    const char *why = arena_print(w->memory, "is %s %d times, and %s %s it %d times",
                                  a->dep->out ? "sent" : "taken", here, text_task(w, a->to, false),
                                  a->dep->out ? "takes" : "sends", there);
    if (here == 1)
        return false; /* the other end tells it better */
    return tell(a, f, other->at, why);
}

bool fact_unmatched(world *w, const task *x, int flow, const ir_dep *d, const task *y, finding *f)
{
    int64_t locals[MOST_LOCALS], others[MOST_LOCALS];
    const ir_flow *other = &w->file->classes[y->class].flows[d->flow];
    const ir_flow *own = &w->file->classes[x->class].flows[flow];
    arrow a = {w, x, flow, d, y, other};
    if (!world_has(w, x, locals) || !world_counts(w, d, locals, y))
        return false;
    if (!world_has(w, y, others))
        return !world_failed(w) && tell_outside(&a, world_misses(w, y), f);
    const ir_dep *also = d;
    int here = count_arrows(w, own, d, locals, y, &also);
    int there = count_back(&a, others);
    if (world_failed(w) || here == there)
        return false;
    bool told = there ? tell_twice(&a, here, there, also, f) : tell_unmet(&a, others, f);
    return told && !world_failed(w);
}

bool fact_dropped(world *w, const task *x, int flow, const ir_dep *d, const task *y, finding *f)
{
    int64_t locals[MOST_LOCALS], others[MOST_LOCALS];
    ir_dep kept = *d;
    kept.drops = false;
    arrow a = {w, x, flow, d, y, NULL};
    if (!world_has(w, x, locals) || !world_counts(w, &kept, locals, y) || world_has(w, y, others) ||
        world_failed(w))
        return false;
    f->note = true;
    return tell_outside(&a, world_misses(w, y), f);
}

/* ---- Tasks that are there twice ---------------------------------------------------------- */

typedef struct copies {
    const task *task;
    int count;
} copies;

static bool count_copy(void *context, world *w, const task *t, const int64_t *locals)
{
    copies *c = context;
    (void)w, (void)locals;
    c->count += task_equal(t, c->task);
    return c->count < 2;
}

bool fact_twice(world *w, const task *x, finding *f)
{
    const ir_class *class = &w->file->classes[x->class];
    const ir_local *set = class->locals;
    copies c = {x, 0};
    world_tasks(w, x->class, count_copy, &c);
    if (world_failed(w) || c.count < 2)
        return false;
    while (set->kind != IR_SET)
        set++;
    f->at = f->also = set->at;
    f->text = arena_print(w->memory, "%s is there twice: iterators give '%s' the same value%s",
                          text_task(w, x, true), set->name, text_globals(w));
    return true;
}

/* ---- Two sources ------------------------------------------------------------------------- */

typedef struct sources {
    const ir_dep *dep;
    const ir_dep *deps[2];
    task tasks[2];
    int count;
} sources;

static bool add_source(void *context, world *w, const task *t, const int64_t *locals)
{
    sources *s = context;
    (void)w, (void)locals;
    s->deps[s->count] = s->dep;
    s->tasks[s->count++] = *t;
    return s->count < 2;
}

static bool tell_sources(world *w, const task *x, const ir_flow *own, const sources *s, finding *f,
                         const char *what)
{
    if (world_failed(w) || s->count < 2)
        return false;
    f->at = s->deps[0]->at;
    f->also = s->deps[1]->at;
    f->text = arena_print(w->memory, "%s of %s has two sources%s: %s and %s (%s)%s", own->name,
                          text_task(w, x, true), what, text_target(w, s->deps[0], &s->tasks[0]),
                          text_target(w, s->deps[1], &s->tasks[1]), text_place(w, f->also),
                          text_globals(w));
    return true;
}

bool fact_two_sources(world *w, const task *x, int flow, finding *f)
{
    int64_t locals[MOST_LOCALS];
    const ir_flow *own = &w->file->classes[x->class].flows[flow];
    sources s = {.count = 0};
    if (!world_has(w, x, locals))
        return false;
    for (int i = 0; i < own->dep_count && s.count < 2; i++) {
        s.dep = &own->deps[i];
        if (!s.dep->out)
            world_targets(w, s.dep, locals, add_source, &s);
    }
    return tell_sources(w, x, own, &s, f, "");
}

bool fact_overlap(world *w, const task *x, int flow, finding *f)
{
    int64_t locals[MOST_LOCALS];
    const ir_flow *own = &w->file->classes[x->class].flows[flow];
    sources s = {.count = 0};
    if (!world_has(w, x, locals))
        return false;
    for (int i = 0; i < own->dep_count && s.count < 2; i++) {
        s.dep = &own->deps[i];
        ir_dep alone = *s.dep;
        alone.guard = alone.written;
        /* A line without a guard stands for all the rest. */
        if (!s.dep->out && s.dep->written)
            world_targets(w, &alone, locals, add_source, &s);
    }
    return tell_sources(w, x, own, &s, f, ", of which the first counts");
}
