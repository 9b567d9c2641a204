/* Property 3: no task waits for itself. A schedule that puts every task after those it waits for
 * is the proof. */
#include "verify/graph.h"
#include "verify/proof.h"
#include "verify/schedule.h"

/* A strongly connected component of the classes. */
typedef struct knot {
    poly *poly;
    graph *graph;
    int component;
    isl_union_set *tasks;
    isl_union_map *waits; /* sender -> receiver */
} knot;

static void tie(knot *k)
{
    poly *p = k->poly;
    isl_space *space = isl_space_copy(p->space);
    k->tasks = isl_union_set_empty(isl_space_copy(space));
    k->waits = isl_union_map_empty(space);
    for (int c = 0; c < p->file->class_count; c++)
        if (k->graph->component[c] == k->component)
            k->tasks = isl_union_set_add_set(k->tasks, isl_set_copy(p->classes[c].space));
    for (int i = 0; i < k->graph->edge_count; i++) {
        const graph_edge *e = &k->graph->edges[i];
        if (k->graph->component[e->from] == k->component &&
            k->graph->component[e->to] == k->component)
            k->waits = isl_union_map_add_map(k->waits, isl_map_copy(e->map));
    }
}

/* ---- Without a schedule: does a path lead back? ------------------------------------------ */

typedef struct suspect {
    const knot *knot;
    int class;
    finding found;
} suspect;

static bool is_cycle(void *context, world *w, const int64_t *point)
{
    suspect *s = context;
    task x = task_at(s->knot->poly->file, s->class, point);
    return keep_finding(s->knot->poly, &s->found, fact_cycle(w, &x, &s->found));
}

/* Instances of the class that some paths lead back to. */
static isl_set *returning(const poly *p, isl_map *paths, int class)
{
    return isl_map_domain(isl_map_intersect(paths, identity_of(p, class)));
}

/* Short cycles are found by following them; each step takes paths one dependency further. */
static poly_answer find_short(const knot *k, int class, suspect *s)
{
    poly *p = k->poly;
    isl_union_map *paths = isl_union_map_copy(k->waits);
    poly_answer answer = UNSURE;
    isl_space *space = isl_space_map_from_set(isl_set_get_space(p->classes[class].space));
    for (int length = 1; length <= 4 && answer != CONFIRMED; length++) {
        poly_fresh_budget(p);
        isl_map *own = isl_union_map_extract_map(paths, isl_space_copy(space));
        answer = poly_ask(p, returning(p, own, class), is_cycle, s);
        poly_fresh_budget(p);
        paths = isl_union_map_apply_range(paths, isl_union_map_copy(k->waits));
    }
    isl_space_free(space);
    isl_union_map_free(paths);
    return answer == CONFIRMED ? CONFIRMED : UNSURE;
}

/* All paths and perhaps more: if none of them leads back, no path does. */
static poly_answer ask_closure(const knot *k, int class, suspect *s)
{
    isl_bool exact;
    poly *p = k->poly;
    poly_fresh_budget(p);
    isl_union_map *all = isl_union_map_transitive_closure(isl_union_map_copy(k->waits), &exact);
    isl_space *space = isl_space_map_from_set(isl_set_get_space(p->classes[class].space));
    isl_map *own = isl_union_map_extract_map(all, space);
    isl_union_map_free(all);
    return poly_ask(p, returning(p, own, class), is_cycle, s);
}

static void untie(const knot *k, verdict *v)
{
    poly *p = k->poly;
    for (int c = 0; c < p->file->class_count; c++) {
        if (k->graph->component[c] != k->component)
            continue;
        suspect s = {.knot = k, .class = c};
        poly_answer answer = find_short(k, c, &s);
        if (answer == UNSURE)
            answer = ask_closure(k, c, &s);
        verdict_answer(v, p, answer, &s.found);
        if (answer == CONFIRMED)
            return;
    }
}

static void check_component(poly *p, graph *g, int component, verdict *v)
{
    knot k = {.poly = p, .graph = g, .component = component};
    tie(&k);
    poly_fresh_budget(p);
    if (isl_union_map_is_empty(k.waits) != isl_bool_true && !schedule_exists(p, k.tasks, k.waits))
        untie(&k, v);
    isl_union_set_free(k.tasks);
    isl_union_map_free(k.waits);
}

void prove_no_cycle(poly *p, verdict *v)
{
    graph g;
    graph_make(&g, p, p->file->class_count);
    for (int c = 0; c < p->file->class_count; c++)
        g.class_of[c] = c;
    for (int i = 0; i < p->dep_count; i++) {
        poly_fresh_budget(p);
        isl_map *map = waiting(p, &p->deps[i]);
        bool is_dep = !p->deps[i].dep->out && p->deps[i].dep->target == IR_TO_TASK;
        if (is_dep && isl_map_is_empty(map) != isl_bool_true)
            graph_add(&g, p->deps[i].dep->class, p->deps[i].class, map);
        else
            isl_map_free(map);
        if (is_dep && !p->deps[i].map)
            verdict_open(v, "it would take too long");
    }
    graph_settle(&g);
    for (int c = 0; c < g.component_count; c++)
        check_component(p, &g, c, v);
    graph_free(&g);
}
