/* Which tasks certainly run before which. */
#include "verify/order.h"

#include "verify/graph.h"
#include "verify/proof.h"

/* Layer 0 follows one flow; layers 1 and 2 join two and three such paths; layer 3 follows all
 * flows of all classes. */
struct order {
    poly *poly;
    graph flows, classes;
    int *first_flow;               /* node of flow 0 of a class */
    isl_map **known[ORDER_LAYERS]; /* class x class, or NULL */
    bool *is_known[ORDER_LAYERS];  /* of a class: all that leave it */
};

static isl_map **known(order *o, int layer, int x, int y)
{
    return &o->known[layer][x * o->poly->file->class_count + y];
}

static void add_edges(order *o)
{
    poly *p = o->poly;
    for (int i = 0; i < p->dep_count; i++) {
        const poly_dep *d = &p->deps[i];
        poly_fresh_budget(p);
        isl_map *map = d->exact && p->classes[d->dep->class].exact ? waiting(p, d) : NULL;
        if (isl_map_is_empty(map) != isl_bool_false) {
            isl_map_free(map);
            continue;
        }
        graph_add(&o->classes, d->dep->class, d->class, isl_map_copy(map));
        graph_add(&o->flows, o->first_flow[d->dep->class] + d->dep->flow,
                  o->first_flow[d->class] + d->flow, map);
    }
    graph_settle(&o->flows);
    graph_settle(&o->classes);
}

order *order_make(poly *p)
{
    const ir_file *f = p->file;
    order *o = arena_get(p->memory, sizeof *o);
    size_t n = (size_t)f->class_count + 1;
    int flows = 0;
    o->poly = p;
    o->first_flow = arena_get(p->memory, n * sizeof *o->first_flow);
    for (int c = 0; c < f->class_count; c++) {
        o->first_flow[c] = flows;
        flows += f->classes[c].flow_count;
    }
    graph_make(&o->flows, p, flows);
    graph_make(&o->classes, p, f->class_count);
    for (int c = 0; c < f->class_count; c++) {
        o->classes.class_of[c] = c;
        for (int i = 0; i < f->classes[c].flow_count; i++)
            o->flows.class_of[o->first_flow[c] + i] = c;
    }
    for (int i = 0; i < ORDER_LAYERS; i++) {
        o->known[i] = arena_get(p->memory, n * n * sizeof *o->known[i]);
        o->is_known[i] = arena_get(p->memory, n);
    }
    add_edges(o);
    return o;
}

void order_free(order *o)
{
    int n = o->poly->file->class_count;
    for (int layer = 0; layer < ORDER_LAYERS; layer++)
        for (int i = 0; i < n * n; i++)
            isl_map_free(o->known[layer][i]);
    graph_free(&o->flows);
    graph_free(&o->classes);
}

/* Takes the map. */
static void learn(order *o, int layer, int x, int y, isl_map *map)
{
    isl_map **all = known(o, layer, x, y);
    if (map)
        *all = *all ? isl_map_coalesce(isl_map_union(*all, map)) : map;
}

static void follow(order *o, graph *g, int layer, int x, int start)
{
    isl_map **reach = arena_get(o->poly->memory, sizeof *reach * (size_t)(g->node_count + 1));
    graph_reach(g, start, reach);
    for (int i = 0; i < g->node_count; i++)
        learn(o, layer, x, g->class_of[i], reach[i]);
}

static void find(order *o, int x, int layer);

/* A path of the layer below, then one along a flow. */
static void join(order *o, int x, int layer)
{
    int n = o->poly->file->class_count;
    find(o, x, layer - 1);
    for (int via = 0; via < n; via++) {
        isl_map *first = *known(o, layer - 1, x, via);
        if (!first)
            continue;
        find(o, via, 0);
        for (int y = 0; y < n; y++) {
            isl_map *second = *known(o, 0, via, y);
            poly_fresh_budget(o->poly);
            if (second)
                learn(o, layer, x, y,
                      isl_map_apply_range(isl_map_copy(first), isl_map_copy(second)));
        }
    }
}

static void find(order *o, int x, int layer)
{
    if (o->is_known[layer][x])
        return;
    o->is_known[layer][x] = true;
    if (layer == ORDER_LAYERS - 1)
        follow(o, &o->classes, layer, x, x);
    else if (layer > 0)
        join(o, x, layer);
    else
        for (int i = 0; i < o->poly->file->classes[x].flow_count; i++)
            follow(o, &o->flows, layer, x, o->first_flow[x] + i);
}

isl_map *order_between(order *o, int x, int y, int layer)
{
    find(o, x, layer);
    return isl_map_copy(*known(o, layer, x, y));
}
