/* Each point of each step is a task: it reads tiles that the step before wrote, and writes one. */
#include "bench/metg_twill.h"
#include "command/command.h"
#include "command/system.h"

#include <stdlib.h>

enum { FIXED_ARGS = 3 };

/* Arguments: the point's own cell, the step, the iterations, then the cells that it reads. */
static twill_outcome point(twill_task *task)
{
    pattern_cell *own = twill_task_data(task, 0);
    const pattern_cell *read;
    long step = (long)twill_task_int(task, 1);
    for (int k = FIXED_ARGS; (read = twill_task_data(task, k)); k++)
        if (read->step != step)
            return twill_task_fail(task, "read the result of step %ld in step %ld", read->step - 1,
                                   step);
    pattern_compute((long)twill_task_int(task, 2));
    own->step = step + 1;
    return TWILL_DONE;
}

static const twill_class point_class = {
    .size = sizeof(twill_class), .name = "point", .chores = {TWILL_CPU(point)}};

static twill_status insert_point(const metg_twill *m, twill_graph *graph, long step, int i,
                                 long iterations)
{
    twill_tile *const *from = m->tiles + pattern_place(m->graph, step + m->graph->rows - 1, 0);
    twill_arg args[FIXED_ARGS + PATTERN_WIDTH + 1];
    args[0] = TWILL_W(m->tiles[pattern_place(m->graph, step, i)]);
    args[1] = TWILL_INT(step);
    args[2] = TWILL_INT(iterations);
    int inputs[PATTERN_WIDTH], n = pattern_inputs(m->graph, step, i, inputs);
    for (int k = 0; k < n; k++)
        args[FIXED_ARGS + k] = TWILL_R(from[inputs[k]]);
    args[FIXED_ARGS + n] = TWILL_END;
    return twill_insert_args(graph, &point_class, args);
}

static twill_status insert_all(const metg_twill *m, twill_graph *graph, long iterations)
{
    twill_status status = TWILL_OK;
    for (long step = 0; step < m->graph->steps; step++) {
        int first = pattern_first(m->graph, step), end = first + pattern_count(m->graph, step);
        for (int i = first; i < end && status == TWILL_OK; i++)
            status = insert_point(m, graph, step, i, iterations);
    }
    return status;
}

bool metg_twill_graph(void *arg, long iterations, double *us)
{
    const metg_twill *m = arg;
    twill_graph *graph;
    twill_status status = twill_stf_begin(m->tw, &graph);
    if (status == TWILL_OK) {
        double start = system_seconds();
        insert_all(m, graph, iterations); /* what it could not insert, the wait knows */
        status = twill_wait(graph);
        *us = 1e6 * (system_seconds() - start);
        twill_graph_free(graph);
    }
    if (status != TWILL_OK)
        complain_library(m->bench, status, NULL);
    return status == TWILL_OK;
}

/* Every worker has its own rate: how long others took to come does not count. */
typedef struct lap {
    _Alignas(64) double seconds;
} lap;

static twill_outcome loop(twill_task *task)
{
    lap *laps = (lap *)(intptr_t)twill_task_int(task, 0);
    double start = system_seconds();
    pattern_compute((long)twill_task_int(task, 2));
    laps[twill_task_int(task, 1)].seconds = system_seconds() - start;
    return TWILL_DONE;
}

static const twill_class loop_class = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(loop)}};

bool metg_twill_plain(void *arg, long iterations, double *rate)
{
    const metg_twill *m = arg;
    int workers = twill_workers(m->tw);
    lap *laps = aligned_alloc(sizeof *laps, (size_t)workers * sizeof *laps);
    twill_graph *graph;
    twill_status status = laps ? twill_stf_begin(m->tw, &graph) : TWILL_ERR_MEMORY;
    if (status == TWILL_OK) {
        for (int w = 0; w < workers; w++)
            twill_insert(graph, &loop_class, TWILL_INT((intptr_t)laps), TWILL_INT(w),
                         TWILL_INT(iterations), TWILL_WORKER(w));
        status = twill_wait(graph);
        twill_graph_free(graph);
    }
    *rate = 0;
    for (int w = 0; w < workers && status == TWILL_OK; w++)
        *rate += 1e-6 * (double)iterations / laps[w].seconds;
    free(laps);
    if (status != TWILL_OK)
        complain_library(m->bench, status, NULL);
    return status == TWILL_OK;
}

int metg_twill_open(metg_twill *m, const char *bench, twill *tw, const pattern_graph *graph)
{
    const int64_t extent = (int64_t)graph->rows * graph->width, block = 1;
    twill_pattern cells = twill_pattern_nd(1, &extent, &block, NULL);
    *m = (metg_twill){.bench = bench, .tw = tw, .graph = graph, .share = 1};
    twill_status status =
        twill_array_create(tw, &cells, TWILL_BYTES, sizeof(pattern_cell), &m->array);
    if (status != TWILL_OK)
        return complain_library(bench, status, NULL);
    for (int64_t t = 0; t < extent; t++)
        m->tiles[t] = twill_tile_at(m->array, t, 0);
    return STATUS_OK;
}

void metg_twill_close(metg_twill *m)
{
    twill_array_free(m->array);
    m->array = NULL;
}
