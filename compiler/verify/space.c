/* Task spaces as sets, dependencies as relations. */
#include "verify/poly.h"

static isl_space *parameters(poly *p)
{
    isl_space *space = isl_space_params_alloc(p->ctx, (unsigned)p->param_count);
    for (int i = 0; i < p->param_count; i++) {
        isl_id *id = isl_id_alloc(p->ctx, p->params[i].name, NULL);
        space = isl_space_set_dim_id(space, isl_dim_param, (unsigned)i, id);
    }
    return space;
}

static isl_space *space_of(poly *p, int dims)
{
    isl_space *space = isl_space_set_from_params(isl_space_copy(p->space));
    return isl_space_add_dims(space, isl_dim_set, (unsigned)dims);
}

/* An assumption that isl cannot express leaves more values than there are: worlds see to it. */
static isl_set *known_about(poly *p)
{
    isl_set *set = isl_set_universe(isl_space_copy(p->space));
    poly_scope scope = {.poly = p, .space = space_of(p, 0)};
    for (int i = 0; i < p->param_count; i++)
        if (p->params[i].has_least)
            set = isl_set_lower_bound_si(set, isl_dim_param, (unsigned)i, (int)p->params[i].least);
    for (int i = 0; i < p->file->assumption_count; i++) {
        bool exact = true;
        set = isl_set_intersect(
            set, isl_set_params(poly_truth(&scope, p->file->assumptions[i], &exact)));
    }
    p->cause = NULL;
    isl_space_free(scope.space);
    return set;
}

/* Classes and collections may share names, and other tuples must match neither. */
static isl_id *tuple_id(poly *p, const char *kind, const char *name)
{
    return isl_id_alloc(p->ctx, arena_print(p->memory, "%s %s", kind, name), NULL);
}

static isl_id *class_id(poly *p, int class)
{
    return tuple_id(p, "task", p->file->classes[class].name);
}

static isl_id *target_id(poly *p, const ir_dep *d)
{
    if (d->target == IR_TO_TASK)
        return class_id(p, d->class);
    return tuple_id(p, "tile", p->file->globals[d->collection].name);
}

/* ---- Classes ----------------------------------------------------------------------------- */

static int dims_of(const ir_class *class)
{
    int dims = class->local_count;
    for (int i = 0; i < class->local_count; i++)
        dims += class->locals[i].iter_count;
    return dims;
}

static isl_set *all_locals(poly *p, const ir_class *class, int dims, bool *exact)
{
    poly_scope scope = {p, space_of(p, dims), class->local_count, NULL};
    isl_set *set = isl_set_universe(isl_space_copy(scope.space));
    set = isl_set_intersect_params(set, isl_set_copy(p->context));
    for (int i = 0; i < class->local_count; i++) {
        const ir_local *local = &class->locals[i];
        if (local->idle) {
            set = isl_set_fix_si(set, isl_dim_set, (unsigned)i, 0);
            continue;
        }
        set = poly_in_iters(&scope, set, local->iters, local->iter_count, exact);
        set = poly_in_range(&scope, set, i, &local->range, exact);
        scope.iter_base += local->iter_count;
    }
    isl_space_free(scope.space);
    return isl_set_coalesce(set);
}

/* Locals -> parameters, in the order of NAME(p, q, ...). */
static isl_map *to_parameters(poly *p, const ir_class *class, int dims)
{
    isl_space *from = space_of(p, dims);
    isl_space *to = space_of(p, class->param_count);
    isl_map *map = isl_map_universe(isl_space_map_from_domain_and_range(from, to));
    for (int i = 0; i < class->param_count; i++)
        map = isl_map_equate(map, isl_dim_in, class->params[i], isl_dim_out, i);
    return map;
}

static void make_class(poly *p, int index)
{
    const ir_class *class = &p->file->classes[index];
    poly_class *c = &p->classes[index];
    c->exact = true;
    c->dims = dims_of(class);
    c->full = all_locals(p, class, c->dims, &c->exact);
    c->identity = to_parameters(p, class, c->dims);
    c->identity = isl_map_set_tuple_id(c->identity, isl_dim_out, class_id(p, index));
    c->space = isl_set_apply(isl_set_copy(c->full), isl_map_copy(c->identity));
    c->space = isl_set_coalesce(isl_set_compute_divs(c->space));
}

/* ---- Dependencies ------------------------------------------------------------------------ */

static int ranges_of(const ir_dep *d)
{
    int ranges = 0;
    for (int i = 0; i < d->arg_count; i++)
        ranges += d->args[i].hi != NULL;
    return ranges;
}

/* Locals, iterators -> target, for these locals and iterators; the range of the map has one
 * dimension per argument. Takes `where`. */
static isl_map *targets(poly_scope *s, const ir_dep *d, isl_set *where, bool *exact)
{
    int count = d->arg_count, dims = (int)isl_space_dim(s->space, isl_dim_set);
    poly_scope wide = {s->poly, space_of(s->poly, dims + count), s->iter_base, NULL};
    isl_set *set = isl_set_add_dims(where, isl_dim_set, (unsigned)count);
    for (int i = 0; i < count; i++)
        set = poly_in_range(&wide, set, dims + i, &d->args[i], exact);
    isl_space_free(wide.space);
    isl_map *map = isl_map_from_range(set);
    return isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, (unsigned)dims);
}

/* Without a target that matters (NEW, NULL) the map goes to a point. */
static isl_map *wide_relation(poly *p, const poly_class *c, const ir_dep *d, bool *exact)
{
    poly_scope scope = {p, space_of(p, c->dims + d->iter_count), c->dims, NULL};
    isl_set *where = isl_set_add_dims(isl_set_copy(c->full), isl_dim_set, (unsigned)d->iter_count);
    where = poly_in_iters(&scope, where, d->iters, d->iter_count, exact);
    scope.domain = where;
    isl_set *applies = poly_truth(&scope, d->guard, exact);
    where = isl_set_intersect(where, applies);
    isl_map *map = targets(&scope, d, where, exact);
    isl_space_free(scope.space);
    if (d->target == IR_TO_TASK || d->target == IR_TO_MEMORY)
        map = isl_map_set_tuple_id(map, isl_dim_out, target_id(p, d));
    return map;
}

static isl_map *of_instances(const poly_class *c, const ir_dep *d, isl_map *wide)
{
    isl_map *from =
        isl_map_add_dims(isl_map_copy(c->identity), isl_dim_in, (unsigned)d->iter_count);
    isl_map *map = isl_map_apply_range(isl_map_reverse(from), wide);
    return isl_map_coalesce(isl_map_compute_divs(map));
}

/* Targets outside of the space of their class are left out. */
static void drop_targets(poly *p, poly_dep *made)
{
    const poly_class *to = &p->classes[made->dep->class];
    isl_map *map = isl_map_intersect_range(isl_map_copy(made->map), isl_set_copy(to->space));
    made->dropped = isl_map_subtract(made->map, isl_map_copy(map));
    made->map = map;
    made->wide = isl_map_intersect_range(made->wide, isl_set_copy(to->space));
    made->exact = made->exact && to->exact;
}

static poly_dep make_dep(poly *p, int class, int flow, const ir_dep *d)
{
    const poly_class *c = &p->classes[class];
    poly_dep made = {.dep = d, .class = class, .flow = flow, .exact = c->exact};
    made.one_target = d->iter_count == 0 && ranges_of(d) == 0;
    made.wide = wide_relation(p, c, d, &made.exact);
    made.map = of_instances(c, d, isl_map_copy(made.wide));
    if (d->drops)
        drop_targets(p, &made);
    return made;
}

isl_set *poly_instances(poly *p, int class, const ir_dep *d, ir_expr *guard)
{
    ir_dep other = *d;
    bool exact = true;
    other.guard = guard;
    isl_map *wide = wide_relation(p, &p->classes[class], &other, &exact);
    return isl_map_domain(of_instances(&p->classes[class], d, wide));
}

static void make_deps(poly *p, int class)
{
    const ir_class *c = &p->file->classes[class];
    for (int f = 0; f < c->flow_count; f++)
        for (int i = 0; i < c->flows[f].dep_count; i++) {
            poly_fresh_budget(p);
            poly_dep made = make_dep(p, class, f, &c->flows[f].deps[i]);
            ARENA_ADD(p->memory, p->deps, p->dep_count, made);
        }
}

void poly_make(poly *p, const ir_file *f, arena *memory, isl_ctx *ctx, double seconds)
{
    *p = (poly){.file = f, .memory = memory, .ctx = ctx};
    p->deadline = poly_clock() + (int64_t)(seconds * 1e9);
    poly_find_params(p);
    p->space = parameters(p);
    p->context = known_about(p);
    p->classes = arena_get(memory, sizeof *p->classes * (size_t)(f->class_count + 1));
    for (int c = 0; c < f->class_count; c++) {
        poly_fresh_budget(p);
        make_class(p, c);
    }
    for (int c = 0; c < f->class_count; c++)
        make_deps(p, c);
}

void poly_free(poly *p)
{
    for (int i = 0; i < p->dep_count; i++) {
        isl_map_free(p->deps[i].map);
        isl_map_free(p->deps[i].wide);
        isl_map_free(p->deps[i].dropped);
    }
    for (int c = 0; c < p->file->class_count; c++) {
        isl_set_free(p->classes[c].full);
        isl_set_free(p->classes[c].space);
        isl_map_free(p->classes[c].identity);
    }
    isl_set_free(p->context);
    isl_space_free(p->space);
}
