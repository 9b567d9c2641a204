/* Three graphs do for all patterns: one passes results on to whoever reads them, one keeps them in
 * memory because tasks have fewer flows than all_to_all has inputs, and the stencil is written as
 * such. */
#include "bench/metg_ptg.h"
#include "bench/metg_twill.h"
#include "command/command.h"
#include "command/system.h"
#include "reach.h"

#include "everybody.h" /* what twillc makes needs the types above */
#include "neighbours.h"
#include "points.h"

#include <stdlib.h>

static const twill_datatype cell_type = {
    .size = sizeof(twill_datatype), .rows = 1, .cols = 1, .element = sizeof(pattern_cell)};

twill_outcome metg_ptg_fail(twill_task *task, const pattern_cell *cell, int64_t t)
{
    return twill_task_fail(task, "read the result of step %ld in step %ld", cell->step - 1,
                           (long)t);
}

static twill_status time_run(twill_graph *graph, double *us)
{
    double start = system_seconds();
    twill_status status = twill_ptg_run(graph);
    if (status == TWILL_OK)
        status = twill_wait(graph);
    *us = 1e6 * (system_seconds() - start);
    twill_graph_free(graph);
    return status;
}

static twill_status run_points(const metg_twill *m, long iterations, double *us)
{
    twill_graph *graph;
    reach *r = malloc(sizeof *r);
    if (!r)
        return TWILL_ERR_MEMORY;
    reach_make(r, m->graph);
    twill_status status = twill_points_new(m->tw, r, m->graph->steps, iterations, m->home, m->share,
                                           &cell_type, &graph);
    if (status == TWILL_OK)
        status = time_run(graph, us);
    free(r);
    return status;
}

static twill_status run_neighbours(const metg_twill *m, long iterations, double *us)
{
    twill_graph *graph;
    twill_status status = twill_neighbours_new(m->tw, m->graph->steps, m->graph->width, iterations,
                                               m->home, m->share, &cell_type, &graph);
    return status == TWILL_OK ? time_run(graph, us) : status;
}

static twill_status run_everybody(const metg_twill *m, long iterations, double *us)
{
    size_t count = (size_t)m->graph->rows * (size_t)m->graph->width;
    pattern_cell *cells = aligned_alloc(_Alignof(pattern_cell), count * sizeof *cells);
    twill_graph *graph;
    if (!cells)
        return TWILL_ERR_MEMORY;
    memset(cells, 0, count * sizeof *cells);
    twill_status status = twill_everybody_new(m->tw, m->graph, cells, m->graph->steps,
                                              m->graph->width, iterations, NULL, &graph);
    if (status == TWILL_OK)
        status = time_run(graph, us);
    free(cells);
    return status;
}

bool metg_ptg_graph(void *arg, long iterations, double *us)
{
    const metg_twill *m = arg;
    const char *pattern = m->graph->pattern->name;
    twill_status status = strcmp(pattern, "all_to_all") == 0   ? run_everybody(m, iterations, us)
                          : strcmp(pattern, "stencil_1d") == 0 ? run_neighbours(m, iterations, us)
                                                               : run_points(m, iterations, us);
    if (status != TWILL_OK)
        complain_library(m->bench, status, NULL);
    return status == TWILL_OK;
}
