/* Property 2: a data flow of an instance has at most one input. */
#include "verify/proof.h"

typedef struct suspect {
    poly *poly;
    int class, flow;
    finding found;
} suspect;

static bool has_two(void *context, world *w, const int64_t *point)
{
    suspect *s = context;
    task x = task_at(s->poly->file, s->class, point);
    return keep_finding(s->poly, &s->found, fact_two_sources(w, &x, s->flow, &s->found));
}

static void ask(poly *p, verdict *v, const poly_dep *d, isl_set *instances)
{
    suspect s = {.poly = p, .class = d->class, .flow = d->flow};
    poly_answer answer = poly_ask(p, instances, has_two, &s);
    verdict_answer(v, p, answer, &s.found);
}

/* Instances for which one <- has two targets, or by its iterators one target twice. */
static isl_set *with_twins(const poly *p, const poly_dep *d)
{
    const poly_class *c = &p->classes[d->class];
    isl_set *uses = isl_set_flatten(isl_map_wrap(isl_map_copy(d->wide)));
    isl_map *twins = isl_map_lex_lt(isl_set_get_space(uses));
    twins = isl_map_intersect_domain(twins, isl_set_copy(uses));
    twins = isl_map_intersect_range(twins, isl_set_copy(uses));
    for (int i = 0; i < c->dims; i++)
        twins = isl_map_equate(twins, isl_dim_in, i, isl_dim_out, i);
    isl_size dims = isl_set_dim(uses, isl_dim_set);
    isl_set_free(uses);
    if (dims < 0) {
        isl_map_free(twins);
        return NULL;
    }
    unsigned own = (unsigned)c->dims, others = (unsigned)dims - own;
    isl_set *locals = isl_set_project_out(isl_map_domain(twins), isl_dim_set, own, others);
    return isl_set_apply(isl_set_reset_tuple_id(locals), isl_map_copy(c->identity));
}

/* The first line that applies counts, but for those with iterators, which may apply any number of
 * times. */
static bool exclude_each_other(const ir_dep *earlier, const ir_dep *later)
{
    return earlier->iter_count == 0 || (earlier->line == later->line && later->iter_count == 0);
}

static void check_flow(poly *p, verdict *v, int first, int end)
{
    for (int i = first; i < end; i++) {
        const poly_dep *d = &p->deps[i];
        if (d->dep->out)
            continue;
        poly_fresh_budget(p);
        if (!d->one_target)
            ask(p, v, d, with_twins(p, d));
        for (int j = first; j < i; j++) {
            const poly_dep *e = &p->deps[j];
            if (e->dep->out || exclude_each_other(e->dep, d->dep))
                continue;
            poly_fresh_budget(p);
            isl_set *here = isl_map_domain(isl_map_copy(d->map));
            ask(p, v, d, isl_set_intersect(here, isl_map_domain(isl_map_copy(e->map))));
        }
    }
}

/* ---- Warnings ---------------------------------------------------------------------------- */

static bool overlaps(void *context, world *w, const int64_t *point)
{
    suspect *s = context;
    task x = task_at(s->poly->file, s->class, point);
    return keep_finding(s->poly, &s->found, fact_overlap(w, &x, s->flow, &s->found));
}

/* A line whose guard in the text holds where an earlier one applies. */
static bool warn_of_overlap(poly *p, verdict *v, int first, const poly_dep *d)
{
    suspect s = {.poly = p, .class = d->class, .flow = d->flow};
    poly_fresh_budget(p);
    isl_set *here = poly_instances(p, d->class, d->dep, d->dep->written);
    isl_set *earlier = isl_set_empty(isl_set_get_space(here));
    for (const poly_dep *e = &p->deps[first]; e < d; e++)
        if (!e->dep->out && e->dep->line != d->dep->line)
            earlier = isl_set_union(earlier, isl_map_domain(isl_map_copy(e->map)));
    bool found = poly_ask(p, isl_set_intersect(here, earlier), overlaps, &s) == CONFIRMED;
    if (found)
        verdict_warn(v, &s.found);
    return found;
}

static void warn_of_never(poly *p, verdict *v, const poly_dep *d)
{
    const ir_class *c = &p->file->classes[d->class];
    poly_fresh_budget(p);
    if (isl_map_is_empty(d->map) != isl_bool_true ||
        isl_set_is_empty(p->classes[d->class].space) != isl_bool_false)
        return;
    const char *text = arena_print(p->memory, "this '<-' of %s of %s never applies",
                                   c->flows[d->flow].name, c->name);
    verdict_warn(v, &(finding){.at = d->dep->at, .also = d->dep->at, .text = text});
}

/* An overlap is told once per flow. Lines that follow one without a guard have been told of when
 * the file was read. */
static void look_at_flow(poly *p, verdict *v, int first, int end)
{
    int64_t value;
    bool told = false;
    for (int i = first; i < end; i++) {
        const poly_dep *d = &p->deps[i];
        if (d->dep->out || !d->dep->guard || ir_literal(d->dep->guard, &value))
            continue;
        warn_of_never(p, v, d);
        if (!told && d->dep->written && ir_is_narrowed(d->dep))
            told = warn_of_overlap(p, v, first, d);
    }
}

void prove_sources(poly *p, verdict *v)
{
    for (int first = 0, end; first < p->dep_count && !verdict_is_full(v); first = end) {
        const poly_dep *d = &p->deps[first];
        for (end = first; end < p->dep_count; end++)
            if (p->deps[end].class != d->class || p->deps[end].flow != d->flow)
                break;
        if (p->file->classes[d->class].flows[d->flow].mode == IR_CTL)
            continue;
        check_flow(p, v, first, end);
        look_at_flow(p, v, first, end);
    }
}
