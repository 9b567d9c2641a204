/* Each case is what a program would insert; peers insert the same. */
#include "cases.h"
#include "hazards.h"

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

static const task_case cases[] = {
    {"independent", independent}, {"chain", chain}, {"chains64", chains64},
    {"stencil", stencil},         {"fan", fan},     {"random", scattered}};

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

/* Add one task and its edges; order comes from them alone, so the task itself needs no data. */
static twill_status add(twill_graph *graph, hazards *h, const twill_arg *args)
{
    int64_t node;
    twill_status status = twill_dag_add(graph, &node, &bench_empty);
    for (int k = 0; args[k].kind != TWILL_ARG_END && status == TWILL_OK; k++)
        status = hazards_use(h, graph, args[k].u.tile, args[k].kind == TWILL_ARG_READ, node);
    return status;
}

twill_status cases_dag(twill *tw, const task_case *c, twill_tile *const *tiles, int64_t n,
                       twill_graph **graph)
{
    twill_arg args[CASE_ARGS];
    uint64_t draw = CASE_DRAW;
    hazards h;
    twill_status status = twill_dag_begin(tw, graph);
    if (status != TWILL_OK)
        return status;
    hazards_open(&h);
    for (int64_t i = 0; i < n && status == TWILL_OK; i++) {
        c->define(i, tiles, &draw, args);
        status = add(*graph, &h, args);
    }
    hazards_close(&h);
    if (status != TWILL_OK)
        twill_graph_free(*graph);
    return status;
}
