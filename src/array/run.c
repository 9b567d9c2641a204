/* Running a graph to its end, and bytes of all ranks to all. */
#include "array/run.h"

#include "base/minmax.h"
#include "front/stf/ranks.h"

#include <stdlib.h>
#include <string.h>

twill_status tw_array_run(twill *tw, bool alone, tw_array_insert *insert, void *arg)
{
    twill_graph *g;
    twill_status status = alone ? tw_stf_begin_alone(tw, &g) : twill_stf_begin(tw, &g);
    if (status != TWILL_OK)
        return status;
    status = insert(g, arg);
    if (status != TWILL_OK && g->shared)
        (void)tw_stf_missed(g, status);
    twill_status ended = twill_wait(g);
    twill_graph_free(g);
    return status == TWILL_OK || ended != TWILL_OK ? ended : status;
}

/* ---- memory of a graph ------------------------------------------------------------------- */

enum { WORD = sizeof(double) };

static int64_t words_of(int64_t bytes)
{
    return (bytes + WORD - 1) / WORD;
}

static twill_status create(twill_graph *g, const twill_pattern *p, twill_array **a)
{
    return g->shared ? tw_stf_create(g, p, TWILL_FLOAT64, a)
                     : tw_graph_array(g, p, TWILL_FLOAT64, a);
}

static int64_t owner_of(const int64_t *block, void *arg)
{
    const tw_array_owners *o = arg;
    return *block >= 0 && *block < o->n ? o->rank[*block] : 0;
}

twill_status tw_array_scratch(twill_graph *g, const tw_array_owners *owners, int64_t bytes,
                              twill_array **a)
{
    int64_t words = tw_max(words_of(bytes), 1), all = words * owners->n;
    twill_pattern p = twill_pattern_nd(1, &all, &words, NULL);
    p.owner = owner_of;
    p.arg = (void *)(uintptr_t)owners;
    return create(g, &p, a);
}

twill_status tw_array_buffer(twill_graph *g, int64_t rank, int64_t bytes, twill_tile **tile)
{
    int64_t words = tw_max(words_of(bytes), 1);
    twill_pattern p = twill_pattern_nd(1, &words, &words, NULL);
    twill_array *a;
    p.first = rank;
    twill_status status = create(g, &p, &a);
    if (status == TWILL_OK)
        *tile = twill_tile_at(a, 0, 0);
    return status;
}

/* ---- gathering --------------------------------------------------------------------------- */

typedef struct gathering {
    twill_status status;
    const int64_t *sizes;
    int64_t each, ranks, most, sum;
    const void *mine;
    void *all;
} gathering;

static int64_t size_of(const gathering *x, int64_t rank)
{
    return x->sizes ? x->sizes[rank] : x->each;
}

static twill_outcome give_body(twill_task *t)
{
    const gathering *x = *(gathering *const *)twill_task_data(t, 1);
    memcpy(twill_task_data(t, 0), x->mine, (size_t)twill_task_int(t, 2));
    return TWILL_DONE;
}

static twill_outcome join_body(twill_task *t)
{
    char *all = twill_task_data(t, 0);
    memcpy(all + twill_task_int(t, 2), twill_task_data(t, 1), (size_t)twill_task_int(t, 3));
    return TWILL_DONE;
}

static twill_outcome take_body(twill_task *t)
{
    const gathering *x = *(gathering *const *)twill_task_data(t, 2);
    memcpy(x->all, twill_task_data(t, 1), (size_t)x->sum);
    return TWILL_DONE;
}

static const twill_class give = {
    .size = sizeof(twill_class), .name = "give", .chores = {TWILL_CPU(give_body)}};
static const twill_class join = {
    .size = sizeof(twill_class), .name = "join", .chores = {TWILL_CPU(join_body)}};
static const twill_class take = {
    .size = sizeof(twill_class), .name = "take", .chores = {TWILL_CPU(take_body)}};

/* What all give comes together on rank 0, and goes from there to all. */
static twill_status insert_gather(twill_graph *g, void *arg)
{
    gathering *x = arg;
    int64_t room = words_of(x->most), words = words_of(x->sum), at = 0;
    twill_pattern each = twill_pattern_nd(1, &(int64_t){room * x->ranks}, &room, &x->ranks);
    twill_pattern whole = twill_pattern_nd(1, &words, &words, NULL);
    twill_array *parts = NULL, *joined = NULL;
    twill_status status = x->status;
    if (status == TWILL_OK)
        status = tw_stf_create(g, &each, TWILL_FLOAT64, &parts);
    if (status == TWILL_OK)
        status = tw_stf_create(g, &whole, TWILL_FLOAT64, &joined);
    for (int64_t r = 0; r < x->ranks && status == TWILL_OK; r++)
        status = twill_insert(g, &give, TWILL_W(twill_tile_at(parts, r, 0)), TWILL_VALUE(x),
                              TWILL_INT(size_of(x, r)));
    for (int64_t r = 0; r < x->ranks && status == TWILL_OK; at += size_of(x, r++))
        status = twill_insert(g, &join, TWILL_RW(twill_tile_at(joined, 0, 0)),
                              TWILL_R(twill_tile_at(parts, r, 0)), TWILL_INT(at),
                              TWILL_INT(size_of(x, r)));
    for (int64_t r = 0; r < x->ranks && status == TWILL_OK; r++)
        status = twill_insert(g, &take, TWILL_RW(twill_tile_at(parts, r, 0)),
                              TWILL_R(twill_tile_at(joined, 0, 0)), TWILL_VALUE(x));
    return status;
}

twill_status tw_array_gather(twill *tw, twill_status status, int64_t each, const int64_t *sizes,
                             const void *mine, void *all)
{
    gathering x = {.status = status,
                   .sizes = sizes,
                   .each = each,
                   .ranks = twill_ranks(tw),
                   .mine = mine,
                   .all = all};
    for (int64_t r = 0; r < x.ranks; r++) {
        x.most = tw_max(size_of(&x, r), x.most);
        x.sum += size_of(&x, r);
    }
    return x.sum == 0 ? status : tw_array_run(tw, false, insert_gather, &x);
}

twill_status tw_array_any(twill *tw, twill_status status, bool *any)
{
    int ranks = twill_ranks(tw);
    bool *all = calloc((size_t)ranks, sizeof *all);
    if (!all)
        status = tw_fail(TWILL_ERR_MEMORY, "no memory for the answers of %d ranks", ranks);
    status = tw_array_gather(tw, status, sizeof *all, NULL, any, all);
    for (int r = 0; r < ranks && status == TWILL_OK; r++)
        *any = *any || all[r];
    free(all);
    return status;
}
