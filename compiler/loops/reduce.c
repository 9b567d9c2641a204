/* Control edges that a path of other edges implies are left out. What is taken for a path is one:
 * the closures of isl count only where they are exact, and paths of a few steps beside them. */
#include "loops/depend.h"

#include <isl/options.h>
#include <isl/space.h>
#include <stdio.h>

static isl_union_map *edges_of(const dependences *d)
{
    isl_union_map *all = isl_union_map_empty(isl_space_params_alloc(d->program->ctx, 0));
    for (int i = 0; i < d->data_count + d->control_count; i++) {
        const edge *e = i < d->data_count ? &d->data[i] : &d->control[i - d->data_count];
        char from[20], to[20];
        snprintf(from, sizeof from, "S%d", e->from);
        snprintf(to, sizeof to, "S%d", e->to);
        isl_map *map = isl_map_set_tuple_name(isl_map_copy(e->map), isl_dim_in, from);
        map = isl_map_set_tuple_name(map, isl_dim_out, to);
        all = isl_union_map_union(all, isl_union_map_from_map(map));
    }
    return isl_union_map_coalesce(all);
}

/* Paths of one step or more; some of them if all cannot be told exactly. */
static isl_union_map *paths_of(isl_ctx *ctx, isl_union_map *edges)
{
    isl_bool exact = isl_bool_false;
    isl_ctx_set_max_operations(ctx, 3 * 1000 * 1000);
    isl_ctx_reset_operations(ctx);
    isl_union_map *all = isl_union_map_transitive_closure(isl_union_map_copy(edges), &exact);
    isl_ctx_reset_error(ctx);
    limit_operations(ctx);
    if (all && exact == isl_bool_true)
        return all;
    isl_union_map_free(all);
    isl_union_map *two =
        isl_union_map_apply_range(isl_union_map_copy(edges), isl_union_map_copy(edges));
    return isl_union_map_coalesce(isl_union_map_union(isl_union_map_copy(edges), two));
}

void dependences_reduce(dependences *d)
{
    isl_ctx *ctx = d->program->ctx;
    if (!d->control_count)
        return;
    isl_union_map *edges = edges_of(d);
    isl_union_map *paths = paths_of(ctx, edges);
    isl_union_map *longer = isl_union_map_coalesce(isl_union_map_apply_range(paths, edges));
    int kept = 0;
    for (int i = 0; i < d->control_count; i++) {
        edge e = d->control[i];
        char from[20], to[20];
        snprintf(from, sizeof from, "S%d", e.from);
        snprintf(to, sizeof to, "S%d", e.to);
        isl_map *map = isl_map_set_tuple_name(e.map, isl_dim_in, from);
        map = isl_map_set_tuple_name(map, isl_dim_out, to);
        isl_union_map *rest = isl_union_map_subtract(isl_union_map_from_map(isl_map_copy(map)),
                                                     isl_union_map_copy(longer));
        isl_map *left = isl_union_map_extract_map(rest, isl_map_get_space(map));
        isl_map_free(map);
        isl_union_map_free(rest);
        left = isl_map_reset_tuple_id(isl_map_reset_tuple_id(left, isl_dim_in), isl_dim_out);
        e.map = left;
        if (isl_map_is_empty(e.map) == isl_bool_true)
            isl_map_free(e.map);
        else
            d->control[kept++] = e;
    }
    d->control_count = kept;
    isl_union_map_free(longer);
}
