/* twill potrs, posv, posv_mixed, potri, trtri, lauum: what is done with Cholesky's factor, and with
 * triangles. */
#include "operation/flops.h"
#include "operation/solution.h"

#include <stdlib.h>

/* ---- systems of equations ------------------------------------------------------------------ */

static int system_operands(const problem *p, operand *list)
{
    (void)p;
    return solution_operands(list, FILL_SPD);
}

static double posv_flops(const problem *p)
{
    return flops_potrf(p->element, p->n) + flops_potrs(p->element, p->n, p->nrhs);
}

static twill_status insert_posv(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    twill_array *b = w->x[SOLUTION_B].array, *x = w->x[SOLUTION_X].array;
    twill_status status = twill_copy_insert(graph, TWILL_GENERAL, b, x);
    return status == TWILL_OK
               ? twill_posv_insert(graph, problem_uplo(w->p), w->x[SOLUTION_A].array, x, expert)
               : status;
}

static twill_status run_posv(work *w, int64_t *info)
{
    return solution_is_mixed(w->p)
               ? twill_posv_mixed(problem_uplo(w->p), w->x[SOLUTION_A].array,
                                  w->x[SOLUTION_B].array, w->x[SOLUTION_X].array,
                                  solution_refinement(w->p), &w->iterations, info)
               : solution_run(w, insert_posv, info);
}

static double potrs_flops(const problem *p)
{
    return flops_potrs(p->element, p->n, p->nrhs);
}

static twill_status factor_potrs(work *w, int64_t *info)
{
    twill_status status = solution_copy(w);
    return status == TWILL_OK ? twill_potrf(problem_uplo(w->p), w->x[SOLUTION_A].array, info)
                              : status;
}

static twill_status insert_potrs(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    return twill_potrs_insert(graph, problem_uplo(w->p), w->x[SOLUTION_A].array,
                              w->x[SOLUTION_X].array, expert);
}

static twill_status run_potrs(work *w, int64_t *info)
{
    return solution_run(w, insert_potrs, info);
}

static twill_status system_residual(work *w, double *ratio)
{
    return solution_residual(w, PROBE_HERMITIAN, ratio);
}

#define SAYS_INDEFINITE "the leading minor of order %lld is not positive definite"
#define SAYS_ZERO "element %lld of the diagonal is exactly zero: the matrix is singular"
#define SAYS_SIZES "its matrix is n by n, and its tiles have no inner blocks"

const operation posv_operation = {.name = "posv",
                                  .about = "definite systems of equations: A X = B by Cholesky",
                                  .takes = "n nrhs uplo precision",
                                  .sizes = SAYS_SIZES,
                                  .fronts = "stf",
                                  .operands = system_operands,
                                  .check = solution_check_mixed,
                                  .flops = posv_flops,
                                  .run = run_posv,
                                  .digest = solution_digest,
                                  .residual = system_residual,
                                  .add_json = solution_json,
                                  .info_means = SAYS_INDEFINITE};

const operation posv_mixed_operation = {.name = "posv_mixed",
                                        .about =
                                            "the same, factored in single precision and refined",
                                        .takes = "n nrhs uplo refine",
                                        .sizes = SAYS_SIZES,
                                        .fronts = "stf",
                                        .operands = system_operands,
                                        .check = solution_check_mixed,
                                        .flops = posv_flops,
                                        .run = run_posv,
                                        .digest = solution_digest,
                                        .residual = system_residual,
                                        .add_json = solution_json,
                                        .info_means = SAYS_INDEFINITE};

const operation potrs_operation = {.name = "potrs",
                                   .about = "definite systems, A being factored before: A X = B",
                                   .takes = "n nrhs uplo",
                                   .sizes = SAYS_SIZES,
                                   .fronts = "stf",
                                   .operands = system_operands,
                                   .flops = potrs_flops,
                                   .factor = factor_potrs,
                                   .run = run_potrs,
                                   .digest = solution_digest,
                                   .residual = system_residual,
                                   .info_means = SAYS_INDEFINITE};

/* ---- in the place of A --------------------------------------------------------------------- */

static int place_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_SPD, true};
    return 1;
}

static twill_status place_digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[0].array, problem_uplo(w->p), digest);
}

static double potri_flops(const problem *p)
{
    return flops_potrf(p->element, p->n) + flops_trtri(p->element, p->n) +
           flops_lauum(p->element, p->n);
}

static twill_status insert_potri(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    twill_uplo uplo = problem_uplo(w->p);
    twill_status status = twill_potrf_insert(graph, uplo, w->x[0].array, expert);
    return status == TWILL_OK ? twill_potri_insert(graph, uplo, w->x[0].array, expert) : status;
}

static twill_status run_potri(work *w, int64_t *info)
{
    return solution_run(w, insert_potri, info);
}

static twill_status potri_residual(work *w, double *ratio)
{
    return solution_inverse_residual(w, PROBE_HERMITIAN, ratio);
}

const operation potri_operation = {.name = "potri",
                                   .about = "inverse of a definite matrix, by Cholesky",
                                   .takes = "n uplo",
                                   .sizes = SAYS_SIZES,
                                   .fronts = "stf",
                                   .operands = place_operands,
                                   .flops = potri_flops,
                                   .run = run_potri,
                                   .digest = place_digest,
                                   .residual = potri_residual,
                                   .info_means = SAYS_INDEFINITE};

/* ---- triangles ----------------------------------------------------------------------------- */

static double trtri_flops(const problem *p)
{
    return flops_trtri(p->element, p->n);
}

static twill_status insert_trtri(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    return twill_trtri_insert(graph, problem_uplo(w->p), problem_diag(w->p), w->x[0].array, expert);
}

static twill_status run_trtri(work *w, int64_t *info)
{
    return solution_run(w, insert_trtri, info);
}

static twill_status trtri_residual(work *w, double *ratio)
{
    bool unit = problem_diag(w->p) == TWILL_UNIT;
    return solution_inverse_residual(w, unit ? PROBE_UNIT_TRIANGLE : PROBE_TRIANGLE, ratio);
}

const operation trtri_operation = {.name = "trtri",
                                   .about = "inverse of a triangular matrix",
                                   .takes = "n uplo diag",
                                   .sizes = SAYS_SIZES,
                                   .fronts = "stf",
                                   .operands = place_operands,
                                   .flops = trtri_flops,
                                   .run = run_trtri,
                                   .digest = place_digest,
                                   .residual = trtri_residual,
                                   .info_means = SAYS_ZERO};

static double lauum_flops(const problem *p)
{
    return flops_lauum(p->element, p->n);
}

static twill_status insert_lauum(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    return twill_lauum_insert(graph, problem_uplo(w->p), w->x[0].array, expert);
}

static twill_status run_lauum(work *w, int64_t *info)
{
    return solution_run(w, insert_lauum, info);
}

/* |L^H L - C| / (n |L|^2 eps), both times vectors. */
static twill_status lauum_residual(work *w, double *ratio)
{
    int64_t n = w->p->n;
    probe_matrix right = solution_read(w, w->before[0].array, PROBE_TRIANGLE), left = right;
    bool lower = problem_uplo(w->p) == TWILL_LOWER;
    *(lower ? &left.trans : &right.trans) = TWILL_CONJ_TRANS;
    probe_vectors v = probe_random(n, 1), half = probe_zeros(n), r = probe_zeros(n);
    double norm = 0;
    twill_status status = v && half && r ? TWILL_OK : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = probe_multiply(1.0, right, v, half);
    if (status == TWILL_OK)
        status = probe_multiply(1.0, left, half, r);
    if (status == TWILL_OK)
        status = probe_multiply(-1.0, solution_read(w, w->x[0].array, PROBE_HERMITIAN), v, r);
    if (status == TWILL_OK)
        status = probe_norm(right, &norm);
    if (status == TWILL_OK)
        *ratio = probe_ratio(probe_size(r, n),
                             (double)n * norm * norm * probe_eps(w->p->element) * probe_size(v, n));
    free(v);
    free(half);
    free(r);
    return status;
}

const operation lauum_operation = {.name = "lauum",
                                   .about =
                                       "product of a triangle with its transpose: L^H L, U U^H",
                                   .takes = "n uplo",
                                   .sizes = SAYS_SIZES,
                                   .fronts = "stf",
                                   .operands = place_operands,
                                   .flops = lauum_flops,
                                   .run = run_lauum,
                                   .digest = place_digest,
                                   .residual = lauum_residual};
