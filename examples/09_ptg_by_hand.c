/* A parameterised graph written by hand: what twillc writes for this JDF file.
 *
 *   SUM(i, j)
 *     i = 0 .. N-1
 *     j = 0 .. N-1
 *   : A(i, j)
 *     READ above <- i > 0 ? own SUM(i-1, j)
 *     READ left  <- j > 0 ? own SUM(i, j-1)
 *     RW   own   <- A(i, j)
 *                -> i < N-1 ? above SUM(i+1, j)
 *                -> j < N-1 ? left SUM(i, j+1)
 *                -> A(i, j)
 *
 * Each tile holds one number; it becomes the sum of the ones above and to the left: Pascal's
 * triangle, computed in a wave from one corner to the other. */
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

typedef struct globals {
    int64_t n;
    twill_array *a;
} globals;

enum { ABOVE, LEFT, OWN };
enum { SUM };

static int64_t sum_inputs(const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    const int64_t i = p[0], j = p[1];
    if (i < 0 || i > g->n - 1 || j < 0 || j > g->n - 1)
        return -1;
    return (i > 0) + (j > 0);
}

/* The guards i > 0 and j > 0 are false: one instance. */
static bool sum_startup(const void *globals_, int64_t *p, bool first)
{
    const globals *g = globals_;
    p[0] = p[1] = 0;
    return first && g->n > 0;
}

static void sum_bind(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    twill_ptg_memory(in, OWN, twill_tile_at(g->a, p[0], p[1]));
}

static void sum_release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    const int64_t i = p[0], j = p[1];
    twill_ptg_output(out, OWN);
    if (i < g->n - 1)
        twill_ptg_send(out, SUM, ABOVE, (const int64_t[]){i + 1, j});
    if (j < g->n - 1)
        twill_ptg_send(out, SUM, LEFT, (const int64_t[]){i, j + 1});
    twill_ptg_store(out, twill_tile_at(g->a, i, j), NULL);
}

static void sum_sources(twill_ptg_sources *from, const void *globals_, const int64_t *p)
{
    const int64_t i = p[0], j = p[1];
    (void)globals_;
    if (i > 0)
        twill_ptg_source(from, ABOVE, SUM, OWN, (const int64_t[]){i - 1, j});
    if (j > 0)
        twill_ptg_source(from, LEFT, SUM, OWN, (const int64_t[]){i, j - 1});
}

static twill_outcome sum_cpu(twill_task *task, const void *globals_, const int64_t *p,
                             const twill_flow *flow)
{
    (void)task, (void)globals_;
    int64_t *own = flow[OWN].data;
    const int64_t *above = flow[ABOVE].data, *left = flow[LEFT].data;
    if (p[0] == 0 || p[1] == 0)
        *own = 1;
    else
        *own = *above + *left;
    return TWILL_DONE;
}

static const twill_ptg_class sum = {
    .size = sizeof(twill_ptg_class),
    .name = "SUM",
    .parameters = 2,
    .flows = 3,
    .parameter = (const char *const[]){"i", "j"},
    .flow = (const twill_ptg_flow[]){{.name = "above", .mode = TWILL_FLOW_READ},
                                     {.name = "left", .mode = TWILL_FLOW_READ},
                                     {.name = "own", .mode = TWILL_FLOW_READ_WRITE}},
    .inputs = sum_inputs,
    .startup = sum_startup,
    .bind = sum_bind,
    .release = sum_release,
    .sources = sum_sources,
    .chores = {TWILL_CPU(sum_cpu)},
};

static const twill_ptg_graph pascal = {
    .size = sizeof(twill_ptg_graph),
    .name = "pascal",
    .classes = 1,
    .collections = 1,
    .cls = (const twill_ptg_class *const[]){&sum},
    .collection =
        (const twill_ptg_collection[]){
            {.name = "A", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE}},
};

static int fail(void)
{
    fprintf(stderr, "%s\n", twill_message());
    return 1;
}

int main(void)
{
    enum { N = 31 };
    twill *tw;
    twill_graph *graph;
    globals g = {.n = N};
    twill_pattern pattern = twill_tiled(N, N, 1, 1);
    if (twill_start(&tw, NULL) != TWILL_OK ||
        twill_array_create(tw, &pattern, TWILL_BYTES, sizeof(int64_t), &g.a) != TWILL_OK ||
        twill_ptg_new(tw, &pascal, &g, sizeof g, &graph) != TWILL_OK ||
        twill_ptg_run(graph) != TWILL_OK || twill_wait(graph) != TWILL_OK)
        return fail();
    void *corner;
    int64_t ld;
    twill_view view = twill_view_tile(g.a, N - 1, N - 1);
    if (twill_map(view, TWILL_READ, &corner, &ld) != TWILL_OK)
        return fail();
    int64_t paths = *(int64_t *)corner;
    twill_unmap(view, corner);
    printf("ways through a %d by %d grid: %lld\n", N, N, (long long)paths);
    twill_graph_free(graph);
    twill_array_free(g.a);
    twill_stop(tw);
    return paths == 118264581564861424 ? 0 : 1; /* 60 over 30 */
}
