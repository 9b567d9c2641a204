/* Property 1: every arrow between tasks meets an arrow back, once. */
#include "verify/proof.h"

typedef struct arrow {
    poly *poly;
    const poly_dep *dep;
    int class; /* in place of a dependency */
    finding found;
} arrow;

/* The point is a pair of tasks. */
static bool is_unmatched(void *context, world *w, const int64_t *point)
{
    arrow *a = context;
    const poly_dep *d = a->dep;
    const ir_file *f = a->poly->file;
    task x = task_at(f, d->class, point);
    task y = task_at(f, d->dep->class, point + f->classes[d->class].param_count);
    bool is = fact_unmatched(w, &x, d->flow, d->dep, &y, &a->found);
    return keep_finding(a->poly, &a->found, is);
}

static void ask(poly *p, verdict *v, const poly_dep *d, isl_map *pairs)
{
    arrow a = {.poly = p, .dep = d};
    poly_answer answer = poly_ask(p, isl_map_wrap(pairs), is_unmatched, &a);
    verdict_answer(v, p, answer, &a.found);
}

/* An arrow that leads the other way between the same flows. */
static bool is_back(const poly_dep *d, const poly_dep *e)
{
    return e->dep->target == IR_TO_TASK && e->dep->out != d->dep->out &&
           e->class == d->dep->class && e->flow == d->dep->flow && e->dep->class == d->class &&
           e->dep->flow == d->flow;
}

static void check_met(poly *p, verdict *v, const poly_dep *d)
{
    isl_map *unmet = isl_map_copy(d->map);
    for (int i = 0; i < p->dep_count; i++) {
        const poly_dep *e = &p->deps[i];
        if (is_back(d, e) && e->exact)
            unmet = isl_map_subtract(unmet, isl_map_reverse(isl_map_copy(e->map)));
    }
    ask(p, v, d, unmet);
}

/* Pairs that one arrow makes more than once: other iterators, same target. */
static isl_map *repeated(const poly *p, const poly_dep *d)
{
    const poly_class *c = &p->classes[d->class];
    isl_map *twins =
        isl_map_apply_range(isl_map_copy(d->wide), isl_map_reverse(isl_map_copy(d->wide)));
    isl_space *space = isl_space_domain(isl_map_get_space(twins));
    for (int i = 0; i < c->dims; i++)
        twins = isl_map_equate(twins, isl_dim_in, i, isl_dim_out, i);
    twins = isl_map_intersect(twins, isl_map_lex_lt(space));
    isl_map *twice = isl_map_intersect_domain(isl_map_copy(d->wide), isl_map_domain(twins));
    isl_map *from =
        isl_map_add_dims(isl_map_copy(c->identity), isl_dim_in, (unsigned)d->dep->iter_count);
    return isl_map_apply_range(isl_map_reverse(from), twice);
}

/* Two arrows between the same flows must not make the same pair of tasks. */
static void check_once(poly *p, verdict *v, int index)
{
    const poly_dep *d = &p->deps[index];
    if (d->dep->iter_count > 0)
        ask(p, v, d, repeated(p, d));
    for (int i = 0; i < index; i++) {
        const poly_dep *e = &p->deps[i];
        if (e->class != d->class || e->flow != d->flow || e->dep->out != d->dep->out ||
            e->dep->target != IR_TO_TASK || e->dep->class != d->dep->class ||
            e->dep->flow != d->dep->flow || e->dep->line == d->dep->line)
            continue;
        ask(p, v, d, isl_map_intersect(isl_map_copy(d->map), isl_map_copy(e->map)));
    }
}

static bool is_dropped(void *context, world *w, const int64_t *point)
{
    arrow *a = context;
    const poly_dep *d = a->dep;
    const ir_file *f = a->poly->file;
    task x = task_at(f, d->class, point);
    task y = task_at(f, d->dep->class, point + f->classes[d->class].param_count);
    bool is = fact_dropped(w, &x, d->flow, d->dep, &y, &a->found);
    return keep_finding(a->poly, &a->found, is);
}

/* What is left out is told once per line. */
static void note_dropped(poly *p, verdict *v, const poly_dep *d)
{
    arrow a = {.poly = p, .dep = d};
    isl_set *pairs = isl_map_wrap(isl_map_copy(d->dropped));
    if (poly_ask(p, pairs, is_dropped, &a) == CONFIRMED)
        verdict_warn(v, &a.found);
}

static bool is_twice(void *context, world *w, const int64_t *point)
{
    arrow *a = context;
    task x = task_at(a->poly->file, a->class, point);
    return keep_finding(a->poly, &a->found, fact_twice(w, &x, &a->found));
}

/* Instances that iterators of a set give more than once. */
static void check_unique(poly *p, verdict *v, int class)
{
    const poly_class *c = &p->classes[class];
    arrow a = {.poly = p, .class = class};
    if (c->dims == p->file->classes[class].local_count)
        return;
    poly_fresh_budget(p);
    isl_map *twins =
        isl_map_apply_range(isl_map_copy(c->identity), isl_map_reverse(isl_map_copy(c->identity)));
    twins = isl_map_intersect(twins, isl_map_lex_lt(isl_set_get_space(c->full)));
    twins = isl_map_intersect_domain(twins, isl_set_copy(c->full));
    twins = isl_map_intersect_range(twins, isl_set_copy(c->full));
    isl_set *twice = isl_set_apply(isl_map_domain(twins), isl_map_copy(c->identity));
    verdict_answer(v, p, poly_ask(p, twice, is_twice, &a), &a.found);
}

void prove_matches(poly *p, verdict *v)
{
    for (int c = 0; c < p->file->class_count; c++)
        check_unique(p, v, c);
    for (int i = 0; i < p->dep_count && !verdict_is_full(v); i++) {
        if (p->deps[i].dep->target != IR_TO_TASK)
            continue;
        poly_fresh_budget(p);
        check_met(p, v, &p->deps[i]);
        poly_fresh_budget(p);
        check_once(p, v, i);
        if (p->deps[i].dropped)
            note_dropped(p, v, &p->deps[i]);
    }
}
