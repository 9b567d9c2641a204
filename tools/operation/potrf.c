/* twill potrf: Cholesky factorization of a Hermitian positive definite matrix. */
#include "operation/flops.h"
#include "operation/operation.h"

static int operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_SPD, true};
    return 1;
}

static double flops(const problem *p)
{
    return flops_potrf(p->element, p->n);
}

static int64_t tasks(const work *w)
{
    int64_t nt = twill_pattern_blocks(twill_array_pattern(w->x[0].array), 0);
    double tasks = (double)nt * ((double)nt + 1) * ((double)nt + 2) / 6;
    return tasks < 1e18 ? (int64_t)tasks : INT64_MAX;
}

static twill_status begin_graph(const work *w, const twill_la_options *expert, twill_graph **graph)
{
    if (*w->p->front == 'p')
        return twill_potrf_graph(problem_uplo(w->p), w->x[0].array, expert, graph);
    if (*w->p->front == 'd')
        return twill_potrf_dag(problem_uplo(w->p), w->x[0].array, graph);
    return twill_stf_begin(w->tw, graph);
}

static twill_status give_tasks(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    if (*w->p->front == 'p')
        return twill_ptg_run(graph);
    if (*w->p->front == 'd')
        return twill_dag_run(graph);
    return twill_potrf_insert(graph, problem_uplo(w->p), w->x[0].array, expert);
}

static twill_status run_graph(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    twill_status given = give_tasks(w, expert, graph), ended = twill_wait(graph);
    return ended == TWILL_OK ? given : ended;
}

static twill_status run(work *w, int64_t *info)
{
    if (w->p->simple)
        return twill_potrf(problem_uplo(w->p), w->x[0].array, info);
    twill_la_options expert = operation_expert(w->p);
    twill_graph *graph;
    twill_status status = begin_graph(w, &expert, &graph);
    if (status != TWILL_OK)
        return status;
    status = run_graph(w, &expert, graph);
    *info = twill_graph_info(graph);
    twill_graph_free(graph);
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

static twill_status digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[0].array, problem_uplo(w->p), digest);
}

static twill_status residual(work *w, double *ratio)
{
    return twill_potrf_residual(problem_uplo(w->p), w->before[0].array, w->x[0].array, ratio);
}

const operation potrf_operation = {
    .name = "potrf",
    .about = "Cholesky factorization: A = L L^H, or U^H U",
    .takes = "n uplo lookahead mode reserved prescribed",
    .sizes = "its matrix is n by n, and its tiles have no inner blocks",
    .fronts = "ptg|stf|dag",
    .operands = operands,
    .flops = flops,
    .tasks = tasks,
    .run = run,
    .digest = digest,
    .residual = residual,
    .info_means = "the leading minor of order %lld is not positive definite"};
