/* The product is three plain loops: what is measured is the runtime around it. */
#include "bench/ep.h"
#include "command/system.h"

#include "products.h" /* what twillc makes needs the types above */

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

static size_t operand_bytes(int size)
{
    size_t bytes = (size_t)size * (size_t)size * sizeof(double);
    return bytes ? (bytes + LINE - 1) / LINE * LINE : LINE;
}

twill_status ep_open(ep *e, twill *tw, int size)
{
    *e = (ep){.tw = tw, .size = size, .workers = twill_workers(tw)};
    e->lanes = aligned_alloc(_Alignof(ep_lane), (size_t)e->workers * sizeof *e->lanes);
    if (!e->lanes)
        return TWILL_ERR_MEMORY;
    memset(e->lanes, 0, (size_t)e->workers * sizeof *e->lanes);
    size_t bytes = operand_bytes(size);
    for (int w = 0; w < e->workers; w++) {
        ep_lane *lane = &e->lanes[w];
        lane->a = aligned_alloc(LINE, 3 * bytes);
        if (!lane->a) {
            ep_close(e);
            return TWILL_ERR_MEMORY;
        }
        lane->b = lane->a + bytes / sizeof(double);
        lane->c = lane->b + bytes / sizeof(double);
        for (size_t i = 0; i < 3 * bytes / sizeof(double); i++)
            lane->a[i] = 1.0 / (double)(i + 1);
    }
    return TWILL_OK;
}

void ep_close(ep *e)
{
    for (int w = 0; w < e->workers && e->lanes; w++)
        free(e->lanes[w].a);
    free(e->lanes);
    e->lanes = NULL;
}

/* C = A B, column-major. A function of its own, so that tasks and the plain loop run the same code.
 */
__attribute__((noinline)) static void multiply(int n, const double *restrict a,
                                               const double *restrict b, double *restrict c)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            c[i + j * n] = 0;
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                c[i + j * n] += a[i + k * n] * b[k + j * n];
    }
}

void ep_work(ep *e, int w, int64_t i)
{
    ep_lane *lane = &e->lanes[w];
    lane->sum += (uint64_t)i;
    if (e->size > 0)
        multiply(e->size, lane->a, lane->b, lane->c);
}

uint64_t ep_sum(ep *e)
{
    uint64_t sum = 0;
    for (int w = 0; w < e->workers; w++) {
        sum += e->lanes[w].sum;
        e->lanes[w].sum = 0;
    }
    return sum;
}

/* ---- the plain loop ---------------------------------------------------------------------- */

/* Arguments: the problem, the worker, the products, where its seconds go. */
static twill_outcome plain(twill_task *task)
{
    const ep *e = (const ep *)(intptr_t)twill_task_int(task, 0);
    const ep_lane *lane = &e->lanes[twill_task_int(task, 1)];
    int64_t products = twill_task_int(task, 2);
    double start = system_seconds();
    for (int64_t i = 0; i < products; i++)
        multiply(e->size, lane->a, lane->b, lane->c);
    *(double *)(intptr_t)twill_task_int(task, 3) = (system_seconds() - start) / (double)products;
    return TWILL_DONE;
}

static const twill_class plain_class = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(plain)}};

twill_status ep_plain(ep *e, int64_t products, double *seconds)
{
    twill_graph *graph;
    double *laps = malloc((size_t)e->workers * sizeof *laps);
    twill_status status = laps ? twill_stf_begin(e->tw, &graph) : TWILL_ERR_MEMORY;
    if (status == TWILL_OK) {
        for (int w = 0; w < e->workers; w++)
            twill_insert(graph, &plain_class, TWILL_INT((intptr_t)e), TWILL_INT(w),
                         TWILL_INT(products), TWILL_INT((intptr_t)&laps[w]), TWILL_WORKER(w));
        status = twill_wait(graph);
        twill_graph_free(graph);
    }
    double rate = 0;
    for (int w = 0; w < e->workers && status == TWILL_OK; w++)
        rate += 1 / laps[w];
    *seconds = e->workers / rate;
    free(laps);
    return status;
}

/* ---- front ends -------------------------------------------------------------------------- */

static twill_outcome product(twill_task *task)
{
    ep *e = (ep *)(intptr_t)twill_task_int(task, 0);
    ep_work(e, twill_task_worker(task), twill_task_int(task, 1));
    return TWILL_DONE;
}

static const twill_class product_class = {
    .size = sizeof(twill_class), .name = "product", .chores = {TWILL_CPU(product)}};

static twill_status run_stf(ep *e, double *seconds)
{
    twill_graph *graph;
    twill_status status = twill_stf_begin(e->tw, &graph);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    for (int64_t i = 0; i < e->tasks && status == TWILL_OK; i++)
        status = twill_insert(graph, &product_class, TWILL_INT((intptr_t)e), TWILL_INT(i));
    status = twill_wait(graph);
    *seconds = system_seconds() - start;
    twill_graph_free(graph);
    return status;
}

static twill_status run_and_wait(twill_graph *graph, twill_status (*run)(twill_graph *))
{
    twill_status status = run(graph);
    return status == TWILL_OK ? twill_wait(graph) : status;
}

/* The second run is the one that is timed: the first also checks the graph. */
static twill_status run_dag(ep *e, double *seconds)
{
    int64_t node;
    twill_graph *graph;
    twill_status status = twill_dag_begin(e->tw, &graph);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = 0; i < e->tasks && status == TWILL_OK; i++)
        status = twill_dag_add(graph, &node, &product_class, TWILL_INT((intptr_t)e), TWILL_INT(i));
    if (status == TWILL_OK)
        status = run_and_wait(graph, twill_dag_run);
    ep_sum(e);
    double start = system_seconds();
    if (status == TWILL_OK)
        status = run_and_wait(graph, twill_dag_run);
    *seconds = system_seconds() - start;
    twill_graph_free(graph);
    return status;
}

static twill_status run_ptg(ep *e, double *seconds)
{
    twill_graph *graph;
    twill_status status = twill_products_new(e->tw, e, e->tasks, NULL, &graph);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    status = run_and_wait(graph, twill_ptg_run);
    *seconds = system_seconds() - start;
    twill_graph_free(graph);
    return status;
}

static const ep_front fronts[] = {{"stf", "twill", run_stf, 1000000000, 1},
                                  {"dag", "twill-dag", run_dag, 10000000, 2},
                                  {"ptg", "twill-ptg", run_ptg, 1000000000, 1}};

const ep_front *ep_front_at(int i)
{
    return i < (int)(sizeof fronts / sizeof *fronts) ? &fronts[i] : NULL;
}
