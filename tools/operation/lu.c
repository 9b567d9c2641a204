/* twill getrf, getrs, gesv, gesv_mixed, getri: LU factorization, systems of equations, inverses. */
#include "operation/lu.h"
#include "operation/flops.h"
#include "operation/solution.h"
#include "operation/transfer.h"

#include <stdlib.h>
#include <string.h>

/* ---- matrices and pivots ------------------------------------------------------------------- */

static int factor_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'm', 'n', FILL_RANDOM, true};
    return 1;
}

static int inverse_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_RANDOM, true};
    return 1;
}

static int solve_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_RANDOM, true};
    list[1] = (operand){"B", 'n', 'r', FILL_RANDOM, true};
    return 2;
}

twill_array *lu_pivots(const work *w)
{
    return w->own;
}

static twill_status prepare(work *w)
{
    twill_array *ipiv = NULL;
    twill_status status = twill_pivots_create(w->x[0].array, &ipiv);
    w->own = ipiv;
    return status;
}

static void finish(work *w)
{
    twill_array_free(w->own);
}

static int save_pivots(work *w)
{
    return transfer_save(w->p, lu_pivots(w), "ipiv.npy");
}

static int save_solution(work *w)
{
    int status = transfer_save(w->p, w->x[1].array, "X.npy");
    return status == STATUS_OK ? save_pivots(w) : status;
}

/* ---- counts -------------------------------------------------------------------------------- */

static double factor_flops(const problem *p)
{
    return flops_getrf(p->element, p->m, p->n);
}

static double solve_flops(const problem *p)
{
    return flops_getrf(p->element, p->n, p->n) + flops_getrs(p->element, p->n, p->nrhs);
}

static double getrs_flops(const problem *p)
{
    return flops_getrs(p->element, p->n, p->nrhs);
}

static double inverse_flops(const problem *p)
{
    return flops_getrf(p->element, p->n, p->n) + flops_getri(p->element, p->n);
}

/* Tasks of the factorization alone, which take nearly all of the time. */
static int64_t factor_tasks(const work *w)
{
    const twill_pattern *pattern = twill_array_pattern(w->x[0].array);
    int64_t mt = twill_pattern_blocks(pattern, 0), nt = twill_pattern_blocks(pattern, 1);
    double tasks = 0;
    for (int64_t k = 0; k < mt && k < nt; k++)
        tasks += 1 + (double)k + (double)(nt - k - 1) * (double)(mt - k);
    return tasks < 1e18 ? (int64_t)tasks : INT64_MAX;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Insert the factorization, of A alone or with B behind it, and wait. */
static twill_status run_factor(const work *w, twill_array *b, int64_t *info)
{
    twill_la_options expert = operation_expert(w->p);
    twill_array *a = w->x[0].array;
    twill_graph *graph;
    twill_status status = twill_stf_begin(w->tw, &graph);
    if (status != TWILL_OK)
        return status;
    status = b ? twill_gesv_insert(graph, a, lu_pivots(w), b, &expert)
               : twill_getrf_insert(graph, a, lu_pivots(w), &expert);
    twill_status ended = twill_wait(graph);
    twill_graph_free(graph);
    if (status == TWILL_OK)
        status = ended;
    return status == TWILL_OK ? twill_getrf_info(a, info) : status;
}

static twill_status run_getrf(work *w, int64_t *info)
{
    return w->p->simple ? twill_getrf(w->x[0].array, lu_pivots(w), info)
                        : run_factor(w, NULL, info);
}

static twill_status run_mixed(work *w, int64_t *info)
{
    twill_array *b = w->x[1].array, *x = NULL;
    twill_status status = twill_array_create(w->tw, twill_array_pattern(b), w->p->element, 0, &x);
    if (status == TWILL_OK)
        status = twill_gesv_mixed(w->x[0].array, lu_pivots(w), b, x, solution_refinement(w->p),
                                  &w->iterations, info);
    if (status == TWILL_OK)
        status = twill_copy(x, b);
    twill_array_free(x);
    return status;
}

static twill_status run_gesv(work *w, int64_t *info)
{
    return solution_is_mixed(w->p) ? run_mixed(w, info) : run_factor(w, w->x[1].array, info);
}

static twill_status factor_getrs(work *w, int64_t *info)
{
    return run_factor(w, NULL, info);
}

static twill_status insert_getrs(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    return twill_getrs_insert(graph, problem_trans(w->p->trans), w->x[0].array, lu_pivots(w),
                              w->x[1].array, expert);
}

static twill_status run_getrs(work *w, int64_t *info)
{
    return solution_run(w, insert_getrs, info);
}

static twill_status run_getri(work *w, int64_t *info)
{
    twill_status status = run_factor(w, NULL, info);
    return status == TWILL_OK && *info == 0 ? twill_getri(w->x[0].array, lu_pivots(w), info)
                                            : status;
}

/* ---- results ------------------------------------------------------------------------------- */

/* The factors, and the pivots as one further column. */
static twill_status factor_digest(work *w, uint64_t *digest)
{
    twill_type type = w->p->element;
    int64_t parts = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128 ? 2 : 1;
    int64_t least = w->p->m < w->p->n ? w->p->m : w->p->n;
    double *ipiv;
    twill_status status = twill_digest(w->x[0].array, TWILL_GENERAL, digest);
    if (status == TWILL_OK)
        status = pivots_read(lu_pivots(w), &ipiv);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = 0; i < least; i++) {
        uint64_t place = (uint64_t)((i + w->p->n * w->p->m) * parts);
        *digest += solution_digest_of(place, (uint64_t)ipiv[i]);
    }
    free(ipiv);
    return TWILL_OK;
}

static twill_status solve_digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[1].array, TWILL_GENERAL, digest);
}

static twill_status inverse_digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[0].array, TWILL_GENERAL, digest);
}

#define SAYS_ZERO "element %lld of the diagonal of U is exactly zero: the matrix is singular"

const operation getrf_operation = {.name = "getrf",
                                   .about = "LU factorization: A = P L U",
                                   .takes = "m n lookahead pivoting",
                                   .sizes = "its matrix is m by n, and its tiles have no blocks",
                                   .fronts = "stf",
                                   .operands = factor_operands,
                                   .flops = factor_flops,
                                   .tasks = factor_tasks,
                                   .prepare = prepare,
                                   .finish = finish,
                                   .run = run_getrf,
                                   .digest = factor_digest,
                                   .residual = lu_factor_residual,
                                   .checks_failures = true,
                                   .save = save_pivots,
                                   .info_means = SAYS_ZERO};

const operation gesv_operation = {.name = "gesv",
                                  .about = "general systems of equations: A X = B by LU",
                                  .takes = "n nrhs lookahead pivoting precision",
                                  .sizes = "its matrix is n by n, and its tiles have no blocks",
                                  .fronts = "stf",
                                  .operands = solve_operands,
                                  .check = solution_check_mixed,
                                  .flops = solve_flops,
                                  .tasks = factor_tasks,
                                  .prepare = prepare,
                                  .finish = finish,
                                  .run = run_gesv,
                                  .digest = solve_digest,
                                  .residual = lu_solve_residual,
                                  .add_json = solution_json,
                                  .save = save_solution,
                                  .info_means = SAYS_ZERO};

const operation gesv_mixed_operation = {
    .name = "gesv_mixed",
    .about = "the same, factored in single precision and refined",
    .takes = "n nrhs refine",
    .sizes = "its matrix is n by n, and its tiles have no blocks",
    .fronts = "stf",
    .operands = solve_operands,
    .check = solution_check_mixed,
    .flops = solve_flops,
    .prepare = prepare,
    .finish = finish,
    .run = run_gesv,
    .digest = solve_digest,
    .residual = lu_solve_residual,
    .add_json = solution_json,
    .save = save_solution,
    .info_means = SAYS_ZERO};

const operation getrs_operation = {.name = "getrs",
                                   .about = "general systems, A being factored before: op(A) X = B",
                                   .takes = "n nrhs trans pivoting",
                                   .sizes = "its matrix is n by n, and its tiles have no blocks",
                                   .fronts = "stf",
                                   .operands = solve_operands,
                                   .flops = getrs_flops,
                                   .prepare = prepare,
                                   .finish = finish,
                                   .factor = factor_getrs,
                                   .run = run_getrs,
                                   .digest = solve_digest,
                                   .residual = lu_solve_residual,
                                   .save = save_solution,
                                   .info_means = SAYS_ZERO};

const operation getri_operation = {.name = "getri",
                                   .about = "inverse of a general matrix by LU",
                                   .takes = "n lookahead pivoting",
                                   .sizes = "its matrix is n by n, and its tiles have no blocks",
                                   .fronts = "stf",
                                   .operands = inverse_operands,
                                   .flops = inverse_flops,
                                   .tasks = factor_tasks,
                                   .prepare = prepare,
                                   .finish = finish,
                                   .run = run_getri,
                                   .digest = inverse_digest,
                                   .residual = lu_inverse_residual,
                                   .save = save_pivots,
                                   .info_means = SAYS_ZERO};
