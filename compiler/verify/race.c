/* Property 4: of two tasks that touch a tile, one writing, one waits for the other. */
#include "verify/order.h"
#include "verify/proof.h"

typedef struct pair {
    poly *poly;
    const poly_dep *a, *b;
    finding found;
} pair;

static bool writes(const poly *p, const poly_dep *d)
{
    return writes_memory(&p->file->classes[d->class].flows[d->flow], d->dep);
}

typedef struct racing {
    const access *x, *y;
    finding *found;
    bool race;
} racing;

static bool race_for(void *context, world *w, const task *tile, const int64_t *locals)
{
    racing *r = context;
    (void)locals;
    r->race = fact_race(w, r->x, r->y, tile, r->found);
    return !r->race;
}

/* The point is a pair of tasks; they may share any of the tiles of their dependencies. */
static bool is_race(void *context, world *w, const int64_t *point)
{
    pair *p = context;
    const ir_file *f = p->poly->file;
    int64_t locals[MOST_LOCALS];
    access x = {task_at(f, p->a->class, point), p->a->flow, p->a->dep};
    const int64_t *rest = point + f->classes[p->a->class].param_count;
    access y = {task_at(f, p->b->class, rest), p->b->flow, p->b->dep};
    racing r = {&x, &y, &p->found, false};
    if (world_has(w, &x.task, locals))
        world_targets(w, x.dep, locals, race_for, &r);
    return keep_finding(p->poly, &p->found, r.race);
}

/* Pairs of different tasks that touch the same tile. Of one access only one of the two ways round
 * is needed, as order is asked for both ways. */
static isl_map *sharing(const poly_dep *a, const poly_dep *b)
{
    isl_map *map = isl_map_apply_range(isl_map_copy(a->map), isl_map_reverse(isl_map_copy(b->map)));
    if (a->class != b->class)
        return map;
    isl_space *space = isl_space_domain(isl_map_get_space(map));
    if (a == b)
        return isl_map_intersect(map, isl_map_lex_lt(space));
    isl_space *square = isl_space_map_from_set(space);
    return isl_map_subtract(map, isl_map_identity(square));
}

/* Takes the pairs and returns those that the layer does not order. */
static isl_map *unordered(order *o, isl_map *pairs, int x, int y, int layer)
{
    isl_map *before = order_between(o, x, y, layer);
    isl_map *after = order_between(o, y, x, layer);
    if (before)
        pairs = isl_map_subtract(pairs, before);
    if (after)
        pairs = isl_map_subtract(pairs, isl_map_reverse(after));
    return isl_map_coalesce(pairs);
}

static void check_pair(poly *p, order *o, verdict *v, const poly_dep *a, const poly_dep *b)
{
    pair both = {.poly = p, .a = a, .b = b};
    poly_fresh_budget(p);
    isl_map *pairs = isl_map_coalesce(sharing(a, b));
    part_relation parts = parts_compare(p->memory, a->dep, b->dep);
    poly_answer answer = UNSURE;
    for (int layer = 0; layer < ORDER_LAYERS && answer == UNSURE; layer++) {
        poly_fresh_budget(p);
        if (isl_map_is_empty(pairs) == isl_bool_false) {
            pairs = unordered(o, pairs, a->class, b->class, layer);
            poly_fresh_budget(p);
        }
        if (parts != PARTS_DIFFER)
            answer = poly_ask(p, isl_map_wrap(isl_map_copy(pairs)), is_race, &both);
        else if (isl_map_is_empty(pairs) == isl_bool_true)
            answer = NO_POINT;
    }
    isl_map_free(pairs);
    if (answer == UNSURE && parts != PARTS_MEET)
        verdict_open(v, arena_print(p->memory, "%s:%d: the parts of a tile may be disjoint",
                                    p->file->source->path, (int)a->dep->at.line));
    verdict_answer(v, p, answer, &both.found);
}

void prove_no_race(poly *p, verdict *v)
{
    order *o = order_make(p);
    for (int i = 0; i < p->dep_count; i++) {
        const poly_dep *a = &p->deps[i];
        for (int j = 0; j <= i && touches_memory(a->dep) && !verdict_is_full(v); j++) {
            const poly_dep *b = &p->deps[j];
            if (touches_memory(b->dep) && a->dep->collection == b->dep->collection &&
                (writes(p, a) || writes(p, b)))
                check_pair(p, o, v, b, a);
        }
    }
    order_free(o);
}
