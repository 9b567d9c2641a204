/* Paths in a graph whose edges are relations: Kleene's algorithm inside strongly connected
 * components, composition between them. */
#include "verify/graph.h"

/* Components with more nodes get no paths but single edges: the relations would explode. */
enum { MOST_IN_COMPONENT = 200, FEW_STEPS = 3 };

void graph_make(graph *g, poly *p, int node_count)
{
    *g = (graph){.poly = p, .node_count = node_count};
    size_t n = (size_t)node_count + 1;
    g->class_of = arena_get(p->memory, n * sizeof *g->class_of);
    g->component = arena_get(p->memory, n * sizeof *g->component);
    g->stars = arena_get(p->memory, n * n * sizeof *g->stars);
    g->has_stars = arena_get(p->memory, n);
}

void graph_free(graph *g)
{
    for (int i = 0; i < g->edge_count; i++)
        isl_map_free(g->edges[i].map);
    for (int i = 0; i < g->node_count * g->node_count; i++)
        isl_map_free(g->stars[i]);
}

void graph_add(graph *g, int from, int to, isl_map *map)
{
    for (int i = 0; i < g->edge_count; i++) {
        graph_edge *e = &g->edges[i];
        if (e->from == from && e->to == to) {
            e->map = isl_map_coalesce(isl_map_union(e->map, map));
            return;
        }
    }
    ARENA_ADD(g->poly->memory, g->edges, g->edge_count, (graph_edge){from, to, map});
}

isl_map *identity_of(const poly *p, int class)
{
    return isl_set_identity(isl_set_copy(p->classes[class].space));
}

/* ---- Components: Tarjan's algorithm ----------------------------------------------------- */

typedef struct tarjan {
    graph *graph;
    int *number, *low, *stack;
    int count, height;
} tarjan;

static void visit(tarjan *t, int node)
{
    graph *g = t->graph;
    t->number[node] = t->low[node] = ++t->count;
    t->stack[t->height++] = node;
    g->component[node] = -1;
    for (int i = 0; i < g->edge_count; i++) {
        if (g->edges[i].from != node)
            continue;
        int to = g->edges[i].to;
        if (!t->number[to])
            visit(t, to);
        if (g->component[to] < 0 && t->low[to] < t->low[node])
            t->low[node] = t->low[to];
    }
    if (t->low[node] != t->number[node])
        return;
    int member;
    do {
        member = t->stack[--t->height];
        g->component[member] = g->component_count;
    } while (member != node);
    g->component_count++;
}

void graph_settle(graph *g)
{
    size_t n = (size_t)g->node_count + 1;
    tarjan t = {.graph = g};
    t.number = arena_get(g->poly->memory, n * sizeof(int));
    t.low = arena_get(g->poly->memory, n * sizeof(int));
    t.stack = arena_get(g->poly->memory, n * sizeof(int));
    for (int i = 0; i < g->node_count; i++)
        if (!t.number[i])
            visit(&t, i);
}

/* ---- Paths inside a component ------------------------------------------------------------ */

/* NULL stands for the empty relation here, and for whatever isl gave up on. */
static isl_map *either(isl_map *a, isl_map *b)
{
    if (!a || !b)
        return a ? a : b;
    return isl_map_coalesce(isl_map_union(a, b));
}

static isl_map *then(isl_map *a, isl_map *b)
{
    if (!a || !b)
        return NULL;
    isl_map *map = isl_map_apply_range(isl_map_copy(a), isl_map_copy(b));
    if (map && isl_map_is_empty(map) == isl_bool_false)
        return isl_map_coalesce(map);
    isl_map_free(map);
    return NULL;
}

/* Any number of steps, at least one; or a few, where isl cannot tell exactly. */
static isl_map *steps(poly *p, isl_map *step)
{
    isl_bool exact = isl_bool_false;
    poly_fresh_budget(p);
    isl_map *closure = isl_map_transitive_closure(isl_map_copy(step), &exact);
    poly_fresh_budget(p);
    if (closure && exact == isl_bool_true)
        return isl_map_coalesce(closure);
    isl_map_free(closure);
    isl_map *all = isl_map_copy(step), *power = isl_map_copy(step);
    for (int i = 1; i < FEW_STEPS && power; i++) {
        isl_map *next = then(power, step);
        isl_map_free(power);
        power = next;
        all = either(all, isl_map_copy(power));
    }
    isl_map_free(power);
    return all;
}

static isl_map **star(graph *g, int from, int to)
{
    return &g->stars[from * g->node_count + to];
}

/* Let paths lead through `via` as often as they like. */
static void allow(graph *g, const int *nodes, int count, int via)
{
    isl_map *loop = *star(g, via, via) ? steps(g->poly, *star(g, via, via)) : NULL;
    isl_map *rounds = either(loop, identity_of(g->poly, g->class_of[via]));
    for (int i = 0; i < count; i++) {
        isl_map *in = then(*star(g, nodes[i], via), rounds);
        for (int j = 0; j < count && in; j++) {
            poly_fresh_budget(g->poly);
            isl_map **map = star(g, nodes[i], nodes[j]);
            if (nodes[i] == via || nodes[j] == via)
                continue;
            *map = either(*map, then(in, *star(g, via, nodes[j])));
        }
        isl_map_free(in);
    }
    for (int i = 0; i < count; i++) {
        isl_map **in = star(g, nodes[i], via), **out = star(g, via, nodes[i]);
        isl_map *more_in = nodes[i] == via ? NULL : then(*in, rounds);
        isl_map *more_out = nodes[i] == via ? NULL : then(rounds, *out);
        *in = either(*in, more_in);
        *out = either(*out, more_out);
    }
    isl_map **self = star(g, via, via);
    *self = either(*self, rounds);
}

static void find_stars(graph *g, int component)
{
    int count = 0;
    int *nodes = arena_get(g->poly->memory, sizeof *nodes * (size_t)(g->node_count + 1));
    for (int i = 0; i < g->node_count; i++)
        if (g->component[i] == component)
            nodes[count++] = i;
    for (int i = 0; i < g->edge_count; i++) {
        const graph_edge *e = &g->edges[i];
        if (g->component[e->from] == component && g->component[e->to] == component)
            *star(g, e->from, e->to) = isl_map_copy(e->map);
    }
    for (int i = 0; i < count && count <= MOST_IN_COMPONENT; i++)
        allow(g, nodes, count, nodes[i]);
    for (int i = 0; i < count; i++) {
        isl_map **self = star(g, nodes[i], nodes[i]);
        *self = either(*self, identity_of(g->poly, g->class_of[nodes[i]]));
    }
    g->has_stars[component] = true;
}

/* ---- Paths from a node -------------------------------------------------------------------- */

/* From where paths enter the component to everywhere in it. */
static void spread(graph *g, int component, isl_map **entry, isl_map **reach)
{
    for (int i = 0; i < g->node_count; i++) {
        if (g->component[i] != component || !entry[i])
            continue;
        if (!g->has_stars[component])
            find_stars(g, component);
        for (int j = 0; j < g->node_count; j++)
            if (g->component[j] == component) {
                poly_fresh_budget(g->poly);
                reach[j] = either(reach[j], then(entry[i], *star(g, i, j)));
            }
    }
}

void graph_reach(graph *g, int start, isl_map **reach)
{
    isl_map **entry = arena_get(g->poly->memory, sizeof *entry * (size_t)(g->node_count + 1));
    for (int i = 0; i < g->node_count; i++)
        reach[i] = NULL;
    entry[start] = identity_of(g->poly, g->class_of[start]);
    for (int c = g->component[start]; c >= 0; c--) {
        spread(g, c, entry, reach);
        for (int i = 0; i < g->edge_count; i++) {
            const graph_edge *e = &g->edges[i];
            if (g->component[e->from] != c || g->component[e->to] == c || !reach[e->from])
                continue;
            poly_fresh_budget(g->poly);
            entry[e->to] = either(entry[e->to], then(reach[e->from], e->map));
        }
    }
    for (int i = 0; i < g->node_count; i++)
        isl_map_free(entry[i]);
}
