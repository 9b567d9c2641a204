/* Dependences, exactly: of each read its last write, by isl.
 *
 * Where kernels get their tiles as arguments, values go from task to task, and most of the order
 * that the sequential program has beyond that is of no concern: who still reads the old value has
 * it. What remains is about memory. A tile of memory is read by those who use its initial value,
 * may be worked on in place by the first task that changes it, and gets its final value from the
 * last that does. Where bodies find their tiles themselves, everything is about memory. */
#include "loops/depend.h"

#include <isl/flow.h>
#include <isl/space.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct finder {
    dependences *d;
    program *p;
    isl_union_map *time;                          /* access or statement -> when */
    isl_union_map *reads, *writes, *fresh, *kept; /* accesses -> tiles: fresh ones only write */
} finder;

/* ---- As isl's relations ------------------------------------------------------------------ */

static isl_map *from_tuple(isl_map *map, int s, int access)
{
    char name[40];
    if (access < 0)
        snprintf(name, sizeof name, "S%d", s);
    else
        snprintf(name, sizeof name, "S%d_%d", s, access);
    return isl_map_set_tuple_name(map, isl_dim_in, name);
}

static isl_map *tile_map(const program *p, int s, int access, bool whole)
{
    char name[20];
    const access_mode mode = p->stmts[s].accesses[access].mode;
    isl_map *map = isl_map_copy(p->stmts[s].accesses[access].map);
    (void)mode;
    map = isl_map_intersect_domain(map, isl_set_copy(p->stmts[s].domain));
    map = isl_map_intersect_params(map, isl_set_copy(p->context));
    snprintf(name, sizeof name, "A%d", p->stmts[s].accesses[access].collection);
    map = isl_map_set_tuple_name(map, isl_dim_out, name);
    return from_tuple(map, s, whole ? -1 : access);
}

static isl_map *append_number(isl_map *map, int value)
{
    map = isl_map_add_dims(map, isl_dim_out, 1);
    return isl_map_fix_si(map, isl_dim_out, isl_map_dim(map, isl_dim_out) - 1, value);
}

static isl_map *append_loop(isl_map *map, int dim, bool down)
{
    map = isl_map_add_dims(map, isl_dim_out, 1);
    int last = isl_map_dim(map, isl_dim_out) - 1;
    return down ? isl_map_oppose(map, isl_dim_in, dim, isl_dim_out, last)
                : isl_map_equate(map, isl_dim_in, dim, isl_dim_out, last);
}

static isl_map *time_of(const dependences *d, int s)
{
    const stmt *x = &d->program->stmts[s];
    isl_space *space = isl_space_set_alloc(d->program->ctx, 0, (unsigned)x->depth);
    isl_space *none = isl_space_set_alloc(d->program->ctx, 0, 0);
    isl_map *map = isl_map_universe(isl_space_map_from_domain_and_range(space, none));
    for (int i = 0; i < d->depth; i++) {
        map = append_number(map, i <= x->depth ? x->order[i] : 0);
        map = i < x->depth ? append_loop(map, i, x->down[i]) : append_number(map, 0);
    }
    map = append_number(map, x->depth == d->depth ? x->order[d->depth] : 0);
    return isl_map_intersect_domain(map, isl_set_copy(x->domain));
}

static isl_union_map *add(isl_union_map *all, isl_map *map)
{
    return isl_union_map_union(all, isl_union_map_from_map(map));
}

typedef enum part { ALL, TILES, WAITS } part;

static bool is_part(const program *p, const access *a, part part)
{
    return part == ALL || p->collections[a->collection].waits == (part == WAITS);
}

static void collect(finder *f, part part)
{
    program *p = f->p;
    bool whole = part != TILES;
    isl_union_map *none = isl_union_map_empty(isl_space_params_alloc(p->ctx, 0));
    f->time = isl_union_map_copy(none);
    f->reads = isl_union_map_copy(none);
    f->writes = isl_union_map_copy(none);
    f->fresh = isl_union_map_copy(none);
    f->kept = none;
    for (int s = 0; s < p->stmt_count; s++)
        for (int a = 0; a < p->stmts[s].access_count; a++) {
            access_mode mode = p->stmts[s].accesses[a].mode;
            if (!is_part(p, &p->stmts[s].accesses[a], part))
                continue;
            f->time = add(f->time, from_tuple(time_of(f->d, s), s, whole ? -1 : a));
            if (mode & READS)
                f->reads = add(f->reads, tile_map(p, s, a, whole));
            if (mode & WRITES)
                f->writes = add(f->writes, tile_map(p, s, a, whole));
            if (mode == WRITES)
                f->fresh = add(f->fresh, tile_map(p, s, a, whole));
            else
                f->kept = add(f->kept, tile_map(p, s, a, whole));
        }
}

static void forget(finder *f)
{
    isl_union_map_free(f->time);
    isl_union_map_free(f->reads);
    isl_union_map_free(f->writes);
    isl_union_map_free(f->fresh);
    isl_union_map_free(f->kept);
}

/* ---- Back to edges ----------------------------------------------------------------------- */

typedef struct keeper {
    dependences *d;
    edge_kind kind;
    edge **list;
    int *count;
} keeper;

static isl_stat keep_edge(isl_map *map, void *user)
{
    keeper *k = user;
    edge e = {.kind = k->kind, .from_access = -1, .to_access = -1};
    sscanf(isl_map_get_tuple_name(map, isl_dim_in), "S%d_%d", &e.from, &e.from_access);
    sscanf(isl_map_get_tuple_name(map, isl_dim_out), "S%d_%d", &e.to, &e.to_access);
    map = isl_map_reset_tuple_id(isl_map_reset_tuple_id(map, isl_dim_in), isl_dim_out);
    e.map = isl_map_coalesce(map);
    if (isl_map_is_empty(e.map) == isl_bool_true)
        isl_map_free(e.map);
    else
        ARENA_ADD(k->d->program->memory, *k->list, *k->count, e);
    return isl_stat_ok;
}

static void keep_edges(dependences *d, isl_union_map *maps, edge_kind kind, edge **list, int *count)
{
    keeper k = {d, kind, list, count};
    isl_union_map_foreach_map(maps, keep_edge, &k);
    isl_union_map_free(maps);
}

/* Control edges between the same two statements become one. */
static void keep_control(dependences *d, isl_union_map *maps, edge_kind kind)
{
    edge *list = NULL;
    int count = 0;
    keep_edges(d, maps, kind, &list, &count);
    for (int i = 0; i < count; i++) {
        edge *same = NULL;
        for (int k = 0; k < d->control_count; k++)
            if (d->control[k].from == list[i].from && d->control[k].to == list[i].to)
                same = &d->control[k];
        list[i].from_access = list[i].to_access = -1;
        if (same)
            same->map = isl_map_union(same->map, list[i].map);
        else
            ARENA_ADD(d->program->memory, d->control, d->control_count, list[i]);
    }
}

/* ---- Values ------------------------------------------------------------------------------ */

static isl_union_flow *flow_of(finder *f, isl_union_map *sink, isl_union_map *must,
                               isl_union_map *may)
{
    isl_union_access_info *info = isl_union_access_info_from_sink(isl_union_map_copy(sink));
    info = isl_union_access_info_set_must_source(info, isl_union_map_copy(must));
    if (may)
        info = isl_union_access_info_set_may_source(info, isl_union_map_copy(may));
    info = isl_union_access_info_set_schedule_map(info, isl_union_map_copy(f->time));
    return isl_union_access_info_compute_flow(info);
}

static isl_set *set_of(const finder *f, isl_union_set *sets, int s, int a)
{
    char name[40];
    snprintf(name, sizeof name, "S%d_%d", s, a);
    isl_space *space = isl_space_set_alloc(f->p->ctx, 0, (unsigned)f->p->stmts[s].depth);
    space = isl_space_set_tuple_name(space, isl_dim_set, name);
    isl_space *params = isl_union_set_get_space(sets);
    space = isl_space_align_params(space, params);
    return isl_set_reset_tuple_id(isl_set_coalesce(isl_union_set_extract_set(sets, space)));
}

static isl_set **sets_of(const finder *f, isl_union_set *sets)
{
    isl_set **list = NULL;
    int count = 0;
    for (int s = 0; s < f->p->stmt_count; s++)
        for (int a = 0; a < f->p->stmts[s].access_count; a++)
            ARENA_ADD(f->p->memory, list, count, set_of(f, sets, s, a));
    isl_union_set_free(sets);
    return list;
}

static isl_union_map *same_tile(isl_union_map *x, isl_union_map *y)
{
    return isl_union_map_apply_range(x, isl_union_map_reverse(y));
}

static isl_union_map *before(const finder *f)
{
    return isl_union_map_lex_lt_union_map(isl_union_map_copy(f->time), isl_union_map_copy(f->time));
}

/* Initial readers come before the task that may change the tile where it is. */
static isl_union_map *before_first_change(finder *f, isl_union_map *loads)
{
    isl_union_map *changes =
        isl_union_map_intersect(isl_union_map_copy(loads), isl_union_map_copy(f->writes));
    isl_union_map *only =
        isl_union_map_subtract(isl_union_map_copy(loads), isl_union_map_copy(f->writes));
    return isl_union_map_intersect(same_tile(only, changes), before(f));
}

/* Where somebody begins a tile afresh, those who used what was in memory come before the one that
 * brings the last value there. */
static isl_union_map *before_last_store(finder *f, isl_union_map *stores)
{
    isl_union_map *late = isl_union_map_intersect(
        same_tile(isl_union_map_copy(f->fresh), isl_union_map_copy(f->kept)), before(f));
    isl_union_map *early =
        isl_union_map_subtract_domain(isl_union_map_copy(f->kept), isl_union_map_range(late));
    early = isl_union_map_intersect_range(early, isl_union_map_range(isl_union_map_copy(f->fresh)));
    return isl_union_map_intersect(same_tile(early, stores), before(f));
}

static void find_values(finder *f)
{
    dependences *d = f->d;
    isl_union_flow *flow = flow_of(f, f->reads, f->writes, NULL);
    isl_union_map *loads = isl_union_flow_get_must_no_source(flow);
    keep_edges(d, isl_union_flow_get_must_dependence(flow), EDGE_FLOW, &d->data, &d->data_count);
    isl_union_flow_free(flow);
    flow = flow_of(f, f->writes, f->writes, NULL);
    isl_union_set *overwritten = isl_union_map_domain(isl_union_flow_get_must_dependence(flow));
    isl_union_flow_free(flow);
    isl_union_map *stores =
        isl_union_map_subtract_domain(isl_union_map_copy(f->writes), overwritten);
    if (d->all) {
        flow = flow_of(f, f->writes, f->writes, f->reads);
        keep_edges(d, isl_union_flow_get_may_dependence(flow), EDGE_ANTI, &d->removed,
                   &d->removed_count);
        isl_union_flow_free(flow);
    }
    d->loads = sets_of(f, isl_union_map_domain(isl_union_map_copy(loads)));
    d->stores = sets_of(f, isl_union_map_domain(isl_union_map_copy(stores)));
    keep_control(d, before_first_change(f, isl_union_map_copy(loads)), EDGE_ANTI);
    keep_control(d, before_last_store(f, stores), EDGE_OUTPUT);
    isl_union_map_free(loads);
}

static void find_orders(finder *f)
{
    dependences *d = f->d;
    isl_union_flow *flow = flow_of(f, f->reads, f->writes, NULL);
    keep_control(d, isl_union_flow_get_must_dependence(flow), EDGE_FLOW);
    isl_union_flow_free(flow);
    flow = flow_of(f, f->writes, f->writes, f->reads);
    keep_control(d, isl_union_flow_get_may_dependence(flow), EDGE_ANTI);
    isl_union_flow_free(flow);
}

/* ---- Tiles that a call gets twice -------------------------------------------------------- */

static bool meets_itself(const stmt *s, int x, int y)
{
    isl_map *a = isl_map_copy(s->accesses[x].map), *b = isl_map_copy(s->accesses[y].map);
    isl_set *both = isl_map_domain(isl_map_intersect(a, b));
    bool meets = isl_set_is_disjoint(both, s->domain) != isl_bool_true;
    isl_set_free(both);
    return meets;
}

static bool check_aliases(const program *p)
{
    for (int i = 0; i < p->stmt_count; i++)
        for (int x = 0; x < p->stmts[i].access_count; x++)
            for (int y = 0; y < x; y++) {
                const stmt *s = &p->stmts[i];
                const access *a = &s->accesses[x], *b = &s->accesses[y];
                if (a->collection != b->collection || !((a->mode | b->mode) & WRITES) ||
                    !meets_itself(s, x, y))
                    continue;
                source_say(p->source, ERROR, s->at,
                           "%s gets the same tile of %s as two arguments "
                           "and writes one of them; give it the tile once",
                           s->kernel, p->collections[a->collection].name);
                return false;
            }
    return true;
}

/* ---- All of it --------------------------------------------------------------------------- */

static bool has_waits(const program *p)
{
    bool found = false;
    for (int i = 0; i < p->collection_count; i++)
        found |= p->collections[i].waits;
    return found;
}

bool dependences_find(dependences *d, program *p, bool all)
{
    finder f = {.d = d, .p = p};
    int count = 0;
    *d = (dependences){.program = p, .all = all};
    if (!p->in_place && !check_aliases(p))
        return false;
    for (int s = 0, total = 0; s < p->stmt_count; s++) {
        ARENA_ADD(p->memory, d->first, count, total);
        total += p->stmts[s].access_count;
        if (p->stmts[s].depth > d->depth)
            d->depth = p->stmts[s].depth;
    }
    collect(&f, p->in_place ? ALL : TILES);
    if (p->in_place)
        find_orders(&f);
    else
        find_values(&f);
    forget(&f);
    if (!p->in_place && has_waits(p)) {
        collect(&f, WAITS);
        find_orders(&f);
        forget(&f);
    }
    if (isl_ctx_last_error(p->ctx) == isl_error_none) /* it forgets errors */
        dependences_reduce(d);
    if (p->source->errors == 0 && isl_ctx_last_error(p->ctx) == isl_error_none)
        return true;
    source_say(p->source, ERROR, p->function->at, "the dependences of %s are too many to be found",
               p->function->name);
    return false;
}

void dependences_free(dependences *d)
{
    int accesses = 0;
    for (int s = 0; s < d->program->stmt_count; s++)
        accesses += d->program->stmts[s].access_count;
    for (int i = 0; i < accesses; i++) {
        if (d->loads)
            isl_set_free(d->loads[i]);
        if (d->stores)
            isl_set_free(d->stores[i]);
    }
    for (int i = 0; i < d->data_count; i++)
        isl_map_free(d->data[i].map);
    for (int i = 0; i < d->control_count; i++)
        isl_map_free(d->control[i].map);
    for (int i = 0; i < d->removed_count; i++)
        isl_map_free(d->removed[i].map);
}
