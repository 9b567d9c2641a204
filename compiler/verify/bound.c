/* Check all graphs with small globals, until the time is up. */
#include "verify/bound.h"

#include <isl/ilp.h>
#include <isl/val.h>

/* Of one graph: empty loops may take long where no task looks at the clock. */
static const int64_t STEPS = 200 * 1000 * 1000;

/* Globals and members that can be chosen. */
typedef struct choice {
    bool member;
    int index;
    int64_t least, most;
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
    bool for_zero; /* look for this instead: */
    const ir_expr *zero;
    const char *with; /* which globals */
} checking;

/* The greatest value that the assumptions leave; INT64_MAX if they do not say. */
static int64_t most_of(const poly *p, int param)
{
    isl_set *all = isl_set_from_params(isl_set_copy(p->context));
    all = isl_set_insert_dims(all, isl_dim_set, 0, 1);
    all = isl_set_equate(all, isl_dim_param, param, isl_dim_set, 0);
    isl_val *v = isl_set_dim_max_val(all, 0);
    bool known = v && isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT32_MAX) < 0;
    int64_t most = known ? isl_val_get_num_si(v) : INT64_MAX;
    isl_val_free(v);
    return most;
}

static void find_choices(checking *c)
{
    const poly *p = c->poly;
    for (int i = 0; i < p->param_count; i++) {
        const poly_param *q = &p->params[i];
        if (q->kind != PARAM_CONSTANT)
            ARENA_ADD(p->memory, c->choices, c->choice_count,
                      (choice){q->kind == PARAM_MEMBER, q->index, q->has_least ? q->least : 0,
                               most_of(p, i)});
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
        c->why = "it would take too long";
}

static void look_at(checking *c, world *w)
{
    unrolled u;
    unroll(&u, w, c->deadline);
    for (int i = 0; i < c->count && !world_failed(w); i++) {
        finding f = {0};
        const bounded *b = &c->properties[i];
        if (b->verdict->state == OPEN && keep_finding(c->poly, &f, b->find(&u, &f)))
            verdict_refute(b->verdict, &f);
    }
    note_failure(c, &w->eval);
    unroll_free(&u);
    c->graphs++;
}

static void look_for_zero(checking *c, world *w)
{
    c->zero = zero_in(w, c->deadline);
    if (c->zero)
        c->with = arena_print(c->poly->memory, "%s", text_globals(w));
}

static void check_graph(checking *c)
{
    world w;
    world_make(&w, c->poly->file, &c->memory, STEPS);
    choose(c, &w);
    if (world_is_assumed(&w) && c->for_zero)
        look_for_zero(c, &w);
    else if (world_is_assumed(&w))
        look_at(c, &w);
    arena_free(&c->memory);
    if (!c->why && poly_clock() > c->deadline)
        c->why = "it would take too long";
}

static bool is_done(const checking *c)
{
    if (c->for_zero)
        return c->zero || c->why;
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
    int64_t most = c->choices[i].most < bound ? c->choices[i].most : bound;
    for (int64_t v = c->choices[i].least; v <= most && !is_done(c); v++) {
        c->values[i] = v;
        check_values(c, i + 1, bound, reached || v == bound);
    }
}

const ir_expr *find_zero(poly *p, double seconds, const char **with)
{
    enum { MOST = 12 }; /* mistakes of this kind show early */
    checking c = {.poly = p, .for_zero = true, .with = ""};
    *with = "";
    if (!p->file->divides)
        return NULL;
    find_choices(&c);
    c.deadline = poly_clock() + (int64_t)(seconds * (c.choice_count ? 0.1e9 : 1e9));
    /* A size of 0 is no mistake of the file. */
    for (int i = 0; i < c.choice_count; i++)
        if (c.choices[i].least < 1)
            c.choices[i].least = 1;
    if (c.choice_count == 0)
        check_graph(&c);
    for (int64_t bound = 1; c.choice_count && bound <= MOST && !is_done(&c); bound++)
        check_values(&c, 0, bound, false);
    *with = c.with;
    return c.zero;
}

const char *check_up_to_bound(poly *p, const bounded *properties, int count, double seconds)
{
    checking c = {.poly = p, .properties = properties, .count = count};
    c.deadline = poly_clock() + (int64_t)(seconds * 1e9);
    find_choices(&c);
    if (c.choice_count == 0) {
        check_graph(&c);
        return c.graphs && !c.why ? "checked for all its tasks"
                                  : arena_print(p->memory, "not checked: %s", c.why);
    }
    int64_t bound = -1, most = 0;
    for (int i = 0; i < c.choice_count; i++)
        most = c.choices[i].most > most ? c.choices[i].most : most;
    while (!is_done(&c) && bound < most) {
        check_values(&c, 0, bound + 1, false);
        bound += !c.why;
    }
    if (bound < 0 || c.opaque)
        return arena_print(p->memory, "not checked: %s", c.why);
    if (bound == most)
        return "checked for all globals that the assumptions leave";
    return arena_print(p->memory, "checked for all globals from 0 to %d", (int)bound);
}
