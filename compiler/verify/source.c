/* Property 2: at most one <- of a data flow applies to an instance. */
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

/* Both sides of a ternary never apply together, whatever the condition is. */
static bool exclude_each_other(const ir_dep *d, const ir_dep *e)
{
    return d->line == e->line && d->iter_count == 0;
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
            if (e->dep->out || exclude_each_other(d->dep, e->dep))
                continue;
            poly_fresh_budget(p);
            isl_set *here = isl_map_domain(isl_map_copy(d->map));
            ask(p, v, d, isl_set_intersect(here, isl_map_domain(isl_map_copy(e->map))));
        }
    }
}

void prove_sources(poly *p, verdict *v)
{
    for (int first = 0, end; first < p->dep_count && !verdict_is_full(v); first = end) {
        const poly_dep *d = &p->deps[first];
        for (end = first; end < p->dep_count; end++)
            if (p->deps[end].class != d->class || p->deps[end].flow != d->flow)
                break;
        if (p->file->classes[d->class].flows[d->flow].mode != IR_CTL)
            check_flow(p, v, first, end);
    }
}
