/* Check all graphs with small globals, until the time is up. */
#include "verify/bound.h"

enum { MOST_BOUND = 32 };
static const double SECONDS = 2;
static const int64_t STEPS = 50 * 1000 * 1000;

/* Globals and members that can be chosen. */
typedef struct choice {
    bool member;
    int index;
    int64_t least;
} choice;

typedef struct checking {
    poly *poly;
    const bounded *properties;
    int count;
    choice *choices;
    int choice_count;
    int64_t *values;
    int64_t deadline;
    arena memory;    /* of one graph */
    const char *why; /* it cannot go on ... */
    bool opaque;     /* ... because only C could */
    int graphs;
} checking;

static void find_choices(checking *c)
{
    const poly *p = c->poly;
    for (int i = 0; i < p->param_count; i++) {
        const poly_param *q = &p->params[i];
        bool global =
            q->kind == PARAM_GLOBAL && (p->file->globals[q->index].origin == IR_ARGUMENT ||
                                        p->file->globals[q->index].origin == IR_RUNTIME);
        if (global || q->kind == PARAM_MEMBER)
            ARENA_ADD(p->memory, c->choices, c->choice_count,
                      (choice){!global, q->index, q->has_least ? q->least : 0});
    }
    c->values = arena_get(p->memory, sizeof *c->values * (size_t)(c->choice_count + 1));
}

static void choose(const checking *c, world *w)
{
    for (int i = 0; i < c->choice_count; i++) {
        if (c->choices[i].member)
            world_choose_member(w, c->choices[i].index, c->values[i]);
        else
            world_choose_global(w, c->choices[i].index, c->values[i]);
    }
    eval_settle(&w->eval);
}

/* A graph that divides by zero, or has a step of 0, is no graph, and says nothing about the others.
 */
static bool is_nonsense(const eval *v)
{
    return v->nonsense || (v->steps >= 0 && v->culprit && v->culprit->op >= IR_NEG);
}

static void note_failure(checking *c, const eval *v)
{
    const ir_file *f = c->poly->file;
    if (!v->why || is_nonsense(v) || c->why)
        return;
    c->opaque = v->culprit && v->steps >= 0;
    if (c->opaque)
        c->why = arena_print(c->poly->memory, "%s:%d: %s", f->source->path,
                             (int)v->culprit->at.line, v->why);
    else
        c->why = "the graph is too large";
}

static void check_graph(checking *c)
{
    world w;
    unrolled u;
    world_make(&w, c->poly->file, &c->memory, STEPS);
    choose(c, &w);
    unroll(&u, &w);
    for (int i = 0; i < c->count && !world_failed(&w); i++) {
        finding f = {0};
        const bounded *b = &c->properties[i];
        if (b->verdict->state == OPEN && keep_finding(c->poly, &f, b->find(&u, &f)))
            verdict_refute(b->verdict, &f);
    }
    note_failure(c, &w.eval);
    unroll_free(&u);
    arena_free(&c->memory);
    c->graphs++;
    if (!c->why && poly_clock() > c->deadline)
        c->why = "it would take too long";
}

static bool is_done(const checking *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->properties[i].verdict->state == OPEN)
            return c->why;
    return true;
}

/* All values up to `bound` from choice `i` on; at least one of all is `bound`, as the others have
 * been looked at before. */
static void check_values(checking *c, int i, int64_t bound, bool reached)
{
    if (i == c->choice_count) {
        if (reached)
            check_graph(c);
        return;
    }
    for (int64_t v = c->choices[i].least; v <= bound && !is_done(c); v++) {
        c->values[i] = v;
        check_values(c, i + 1, bound, reached || v == bound);
    }
}

const char *check_up_to_bound(poly *p, const bounded *properties, int count)
{
    checking c = {.poly = p, .properties = properties, .count = count};
    c.deadline = poly_clock() + (int64_t)(SECONDS * 1e9);
    find_choices(&c);
    if (c.choice_count == 0) {
        check_graph(&c);
        return c.graphs && !c.why ? "checked for all its tasks"
                                  : arena_print(p->memory, "not checked: %s", c.why);
    }
    int64_t bound = -1;
    while (!is_done(&c) && bound < MOST_BOUND) {
        check_values(&c, 0, bound + 1, false);
        bound += !c.why;
    }
    if (bound < 0 || c.opaque)
        return arena_print(p->memory, "not checked: %s", c.why);
    return arena_print(p->memory, "checked for all globals from 0 to %d", (int)bound);
}
