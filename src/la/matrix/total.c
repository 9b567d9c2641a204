/* Sums over ranks, by tasks on an array with a column of words for each rank. */
#include "la/matrix/total.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

typedef struct call {
    twill *tw;
    const twill_class *add;
    void *words; /* of this rank: tasks run where their column is */
    int64_t n;
    twill_status status; /* of what this rank did before */
    twill_array *columns;
} call;

static twill_outcome put_body(twill_task *t)
{
    const void *words = *(void *const *)twill_task_data(t, 1);
    memcpy(twill_task_data(t, 0), words, (size_t)twill_task_rows(t, 0) * sizeof(uint64_t));
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    uint64_t *sum = twill_task_data(t, 0);
    const uint64_t *x = twill_task_data(t, 1);
    for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
        sum[i] += x[i];
    return TWILL_DONE;
}

static twill_outcome add_reals_body(twill_task *t)
{
    double *sum = twill_task_data(t, 0);
    const double *x = twill_task_data(t, 1);
    for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
        sum[i] += x[i];
    return TWILL_DONE;
}

static twill_outcome get_body(twill_task *t)
{
    void *words = *(void *const *)twill_task_data(t, 2);
    memcpy(words, twill_task_data(t, 1), (size_t)twill_task_rows(t, 1) * sizeof(uint64_t));
    return TWILL_DONE;
}

static const twill_class put = {
    .size = sizeof(twill_class), .name = "put", .chores = {TWILL_CPU(put_body)}};
static const twill_class add_words = {
    .size = sizeof(twill_class), .name = "total", .chores = {TWILL_CPU(add_body)}};
static const twill_class add_reals = {
    .size = sizeof(twill_class), .name = "sum", .chores = {TWILL_CPU(add_reals_body)}};
static const twill_class get = {
    .size = sizeof(twill_class), .name = "get", .chores = {TWILL_CPU(get_body)}};

/* The array is made in here: a rank that cannot fails the graph, and the others learn of it. */
static twill_status insert_total(twill_graph *g, void *arg)
{
    call *o = arg;
    int64_t ranks = twill_ranks(o->tw);
    twill_pattern p = twill_block_cyclic(o->n, ranks, o->n, 1, 1, ranks);
    twill_status status = o->status;
    if (status == TWILL_OK)
        status = twill_array_create(o->tw, &p, TWILL_BYTES, sizeof(uint64_t), &o->columns);
    for (int64_t r = 0; r < ranks && status == TWILL_OK; r++)
        status =
            twill_insert(g, &put, TWILL_W(twill_tile_at(o->columns, 0, r)), TWILL_VALUE(o->words));
    for (int64_t r = 1; r < ranks && status == TWILL_OK; r++)
        status = twill_insert(g, o->add, TWILL_RW(twill_tile_at(o->columns, 0, 0)),
                              TWILL_R(twill_tile_at(o->columns, 0, r)));
    for (int64_t r = 0; r < ranks && status == TWILL_OK; r++)
        status = twill_insert(g, &get, TWILL_RW(twill_tile_at(o->columns, 0, r)),
                              TWILL_R(twill_tile_at(o->columns, 0, 0)), TWILL_VALUE(o->words));
    return status;
}

static twill_status run(call o)
{
    if (!o.tw->remote || o.n == 0)
        return o.status;
    twill_status status = tw_la_run(o.tw, insert_total, &o, NULL);
    twill_array_free(o.columns);
    return status;
}

twill_status tw_total_of(twill *tw, twill_status status, uint64_t *words, int64_t n)
{
    return run((call){.tw = tw, .add = &add_words, .words = words, .n = n, .status = status});
}

twill_status tw_total(twill *tw, uint64_t *words, int64_t n)
{
    return tw_total_of(tw, TWILL_OK, words, n);
}

twill_status tw_least(twill *tw, int64_t *x)
{
    if (!tw->remote)
        return TWILL_OK;
    int ranks = twill_ranks(tw);
    uint64_t *all = calloc((size_t)ranks, sizeof *all);
    twill_status status = all ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for some numbers");
    if (all)
        all[twill_rank(tw)] = (uint64_t)*x;
    status = tw_total_of(tw, status, all, ranks);
    for (int r = 0; r < ranks && status == TWILL_OK; r++)
        *x = tw_min(*x, (int64_t)all[r]);
    free(all);
    return status;
}

twill_status twill_sum(twill *tw, double *x, int64_t n)
{
    if (!tw || (!x && n != 0) || n < 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_sum: an argument is NULL or negative");
    return run((call){.tw = tw, .add = &add_reals, .words = x, .n = n});
}
