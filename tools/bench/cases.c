/* Each case is what a program would insert; peers insert the same. */
#include "bench/cases.h"
#include "bench/hazards.h"

#include "chains.h" /* what twillc makes needs the types above */
#include "fan.h"
#include "independent.h"
#include "scattered.h"
#include "stencil.h"

enum { CHAINS = 64, WIDTH = 64, FAN = 64 };

static void independent(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args)
{
    (void)i, (void)tiles, (void)draw;
    args[0] = TWILL_END;
}

static void chain(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args)
{
    (void)i, (void)draw;
    args[0] = TWILL_RW(tiles[0]);
    args[1] = TWILL_END;
}

static void chains64(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args)
{
    (void)draw;
    args[0] = TWILL_RW(tiles[i % CHAINS]);
    args[1] = TWILL_END;
}

/* Two rows of tiles take turns: a step reads the one that the step before wrote. */
static void stencil(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args)
{
    (void)draw;
    int64_t step = i / WIDTH, column = i % WIDTH;
    twill_tile *const *from = tiles + (step % 2) * WIDTH;
    twill_tile *const *to = tiles + ((step + 1) % 2) * WIDTH;
    int k = 0;
    if (column > 0)
        args[k++] = TWILL_R(from[column - 1]);
    args[k++] = TWILL_R(from[column]);
    if (column < WIDTH - 1)
        args[k++] = TWILL_R(from[column + 1]);
    args[k++] = TWILL_W(to[column]);
    args[k] = TWILL_END;
}

static void fan(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args)
{
    (void)draw;
    args[0] = i % (FAN + 1) == 0 ? TWILL_RW(tiles[0]) : TWILL_R(tiles[0]);
    args[1] = TWILL_END;
}

/* xorshift64: the peers draw the same numbers. */
static int64_t draw_tile(uint64_t *draw)
{
    uint64_t x = *draw;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *draw = x;
    return (int64_t)((x >> 33) % CASE_TILES);
}

static void scattered(int64_t i, twill_tile *const *tiles, uint64_t *draw, twill_arg *args)
{
    (void)i;
    int64_t a = draw_tile(draw), b, c;
    do
        b = draw_tile(draw);
    while (b == a);
    do
        c = draw_tile(draw);
    while (c == a || c == b);
    args[0] = TWILL_R(tiles[a]);
    args[1] = TWILL_R(tiles[b]);
    args[2] = TWILL_RW(tiles[c]);
    args[3] = TWILL_END;
}

/* ---- the same as parameterised graphs ----------------------------------------------------- */

static const twill_datatype cell = {
    .size = sizeof(twill_datatype), .rows = 1, .cols = 1, .element = 8};

static twill_status independent_graph(const case_place *at, twill_graph **graph)
{
    return twill_independent_new(at->tw, at->tasks, NULL, graph);
}

static twill_status chain_graph(const case_place *at, twill_graph **graph)
{
    return twill_chains_new(at->tw, at->array, 1, at->tasks, graph);
}

static twill_status chains64_graph(const case_place *at, twill_graph **graph)
{
    return twill_chains_new(at->tw, at->array, CHAINS, at->tasks, graph);
}

static twill_status stencil_graph(const case_place *at, twill_graph **graph)
{
    return twill_stencil_new(at->tw, WIDTH, at->tasks, NULL, &cell, graph);
}

static twill_status fan_graph(const case_place *at, twill_graph **graph)
{
    return twill_fan_new(at->tw, at->array, FAN, at->tasks, graph);
}

static twill_status scattered_graph(const case_place *at, twill_graph **graph)
{
    return twill_scattered_new(at->tw, at->edges, at->tasks, NULL, graph);
}

static const task_case cases[] = {{"independent", independent, independent_graph, false},
                                  {"chain", chain, chain_graph, false},
                                  {"chains64", chains64, chains64_graph, false},
                                  {"stencil", stencil, stencil_graph, false},
                                  {"fan", fan, fan_graph, false},
                                  {"random", scattered, scattered_graph, true}};

const task_case *cases_at(int i)
{
    return i < (int)(sizeof cases / sizeof *cases) ? &cases[i] : NULL;
}

twill_status cases_tiles(twill *tw, twill_array **array, twill_tile *tiles[CASE_TILES])
{
    const int64_t extent = CASE_TILES, block = 1;
    twill_pattern pattern = twill_pattern_nd(1, &extent, &block, NULL);
    twill_status status = twill_array_create(tw, &pattern, TWILL_BYTES, 8, array);
    for (int64_t t = 0; t < CASE_TILES && status == TWILL_OK; t++)
        tiles[t] = twill_tile_at(*array, t, 0);
    return status;
}

twill_status cases_insert(twill_graph *graph, const task_case *c, twill_tile *const *tiles,
                          int64_t first, int64_t n, uint64_t *draw)
{
    twill_arg args[CASE_ARGS];
    twill_status status = TWILL_OK;
    for (int64_t i = first; i < first + n && status == TWILL_OK; i++) {
        c->define(i, tiles, draw, args);
        status = twill_insert_args(graph, &bench_empty, args);
    }
    return status;
}

/* ---- edges -------------------------------------------------------------------------------- */

/* The edges of tasks 0 .. n-1. */
static twill_status find_edges(const task_case *c, twill_tile *const *tiles, int64_t n,
                               const hazard_sink *sink)
{
    twill_arg args[CASE_ARGS];
    uint64_t draw = CASE_DRAW;
    twill_status status = TWILL_OK;
    hazards h;
    hazards_open(&h);
    for (int64_t i = 0; i < n && status == TWILL_OK; i++) {
        c->define(i, tiles, &draw, args);
        for (int k = 0; args[k].kind != TWILL_ARG_END && status == TWILL_OK; k++)
            status = hazards_use(&h, sink, args[k].u.tile, args[k].kind == TWILL_ARG_READ, i);
    }
    hazards_close(&h);
    return status;
}

static twill_status add_to_graph(void *graph, int64_t from, int64_t to)
{
    return twill_dag_edge(graph, from, to);
}

/* Order comes from the edges alone, so tasks need no data. */
twill_status cases_dag(twill *tw, const task_case *c, twill_tile *const *tiles, int64_t n,
                       twill_graph **graph)
{
    int64_t node; /* they are numbered in order */
    twill_status status = twill_dag_begin(tw, graph);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = 0; i < n && status == TWILL_OK; i++)
        status = twill_dag_add(*graph, &node, &bench_empty);
    hazard_sink sink = {add_to_graph, *graph};
    if (status == TWILL_OK)
        status = find_edges(c, tiles, n, &sink);
    if (status != TWILL_OK)
        twill_graph_free(*graph);
    return status;
}

static twill_status add_to_edges(void *e, int64_t from, int64_t to)
{
    return edges_add(e, from, to) ? TWILL_OK : TWILL_ERR_MEMORY;
}

static twill_status look_up(const task_case *c, twill_tile *const *tiles, int64_t n, edges *e)
{
    hazard_sink sink = {add_to_edges, e};
    if (!edges_open(e, n))
        return TWILL_ERR_MEMORY;
    twill_status status = find_edges(c, tiles, n, &sink);
    return status == TWILL_OK && !edges_finish(e) ? TWILL_ERR_MEMORY : status;
}

twill_status cases_ptg(const task_case *c, const case_place *at, twill_tile *const *tiles,
                       twill_graph **graph)
{
    twill_status status = TWILL_OK;
    if (c->looks_up)
        status = look_up(c, tiles, at->tasks, at->edges);
    return status == TWILL_OK ? c->graph(at, graph) : status;
}
