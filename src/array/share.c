/* A graph that brings tiles of translated loops from their owners to all ranks: SEND(k) takes the
 * tile at place k from memory and broadcasts it, KEEP(k, r) copies it to where rank r has it. */
#include "array/loops.h"

#include <string.h>
#include <twill/graph.h>
#include <twill/ptg.h>

typedef struct globals {
    const twill_loops_tiles *tiles;
    twill_array *array;
    int64_t ranks;
} globals;

enum { SEND, KEEP };

static bool is_written(const globals *g, int64_t k)
{
    bool inside = k >= 0 && k < tw_loops_places(g->tiles);
    return inside && g->tiles->grid[k] && g->tiles->grid[k]->written;
}

static int64_t owner_of(const globals *g, int64_t k)
{
    int64_t block[TWILL_DIMS] = {0};
    tw_loops_block(g->tiles, k, block);
    return twill_owner_nd(g->array, block);
}

static int64_t send_inputs(const void *globals_, const int64_t *p)
{
    return is_written(globals_, p[0]) ? 0 : -1;
}

static int64_t send_rank(const void *globals_, const int64_t *p)
{
    return owner_of(globals_, p[0]);
}

static bool send_startup(const void *globals_, int64_t *p, bool first)
{
    const globals *g = globals_;
    int64_t places = tw_loops_places(g->tiles), k = first ? 0 : p[0] + 1;
    while (k < places && !is_written(g, k))
        k++;
    p[0] = k;
    return k < places;
}

static void send_bind(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    int64_t block[TWILL_DIMS] = {0};
    tw_loops_block(g->tiles, p[0], block);
    twill_ptg_memory(in, 0, twill_tile_nd(g->array, block));
}

static void send_release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    int64_t owner = owner_of(g, p[0]);
    twill_ptg_output(out, 0);
    for (int64_t r = 0; r < g->ranks; r++)
        if (r != owner)
            twill_ptg_send(out, KEEP, 0, (const int64_t[]){p[0], r});
}

static twill_outcome send_cpu(twill_task *task, const void *globals_, const int64_t *p,
                              const twill_flow *flow)
{
    (void)task, (void)globals_, (void)p, (void)flow;
    return TWILL_DONE;
}

static int64_t keep_inputs(const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    bool exists = is_written(g, p[0]) && p[1] >= 0 && p[1] < g->ranks && p[1] != owner_of(g, p[0]);
    return exists ? 1 : -1;
}

static int64_t keep_rank(const void *globals_, const int64_t *p)
{
    (void)globals_;
    return p[1];
}

static void keep_sources(twill_ptg_sources *from, const void *globals_, const int64_t *p)
{
    (void)globals_;
    twill_ptg_source(from, 0, SEND, 0, p);
}

static twill_outcome keep_cpu(twill_task *task, const void *globals_, const int64_t *p,
                              const twill_flow *flow)
{
    const globals *g = globals_;
    const tw_loops_tile *tile = g->tiles->grid[p[0]];
    (void)task;
    if (tile->memory)
        memcpy(tile->memory, flow->data, g->tiles->bytes);
    return TWILL_DONE;
}

static const char *const parameters[] = {"k", "r"};
static const twill_ptg_flow flows[] = {{.name = "T", .mode = TWILL_FLOW_READ}};

static const twill_ptg_class send = {
    .size = sizeof(twill_ptg_class),
    .name = "SEND",
    .parameters = 1,
    .flows = 1,
    .parameter = parameters,
    .flow = flows,
    .inputs = send_inputs,
    .startup = send_startup,
    .bind = send_bind,
    .release = send_release,
    .rank = send_rank,
    .chores = {TWILL_CPU(send_cpu)},
};

static const twill_ptg_class keep = {
    .size = sizeof(twill_ptg_class),
    .name = "KEEP",
    .parameters = 2,
    .flows = 1,
    .parameter = parameters,
    .flow = flows,
    .single = true,
    .inputs = keep_inputs,
    .sources = keep_sources,
    .rank = keep_rank,
    .chores = {TWILL_CPU(keep_cpu)},
};

static const twill_ptg_graph share = {
    .size = sizeof(twill_ptg_graph),
    .name = "share",
    .classes = 2,
    .collections = 1,
    .cls = (const twill_ptg_class *const[]){&send, &keep},
    .collection =
        (const twill_ptg_collection[]){
            {.name = "A", .offset = offsetof(globals, array), .access = TWILL_READ}},
};

static bool has_written(const twill_loops_tiles *tiles)
{
    for (size_t i = 0; i < tiles->count; i++)
        if (tiles->list[i].written)
            return true;
    return false;
}

twill_status twill_loops_tiles_share(twill_loops_tiles *tiles)
{
    twill *tw = twill_array_context(tiles->array);
    globals g = {tiles, tiles->array, twill_ranks(tw)};
    twill_graph *graph = NULL;
    if (g.ranks == 1 || !has_written(tiles))
        return TWILL_OK;
    twill_status status = twill_ptg_new(tw, &share, &g, sizeof g, &graph);
    if (status == TWILL_OK)
        status = twill_ptg_run(graph);
    if (status == TWILL_OK)
        status = twill_wait(graph);
    twill_graph_free(graph);
    return status;
}
