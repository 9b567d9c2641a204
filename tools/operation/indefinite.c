/* twill sytrf, sytrs, sysv, hetrf, hetrs, hesv: symmetric and Hermitian matrices that need not be
 * definite. */
#include "operation/indefinite.h"
#include "operation/flops.h"
#include "operation/transfer.h"

#include <stdlib.h>

bool indefinite_is_hermitian(const work *w)
{
    return *w->p->op == 'h';
}

/* ---- matrices ------------------------------------------------------------------------------ */

static int sytrf_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_SYMMETRIC, true};
    return 1;
}

static int hetrf_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_HERMITIAN, true};
    return 1;
}

static int sysv_operands(const problem *p, operand *list)
{
    (void)p;
    return solution_operands(list, FILL_SYMMETRIC);
}

static int hesv_operands(const problem *p, operand *list)
{
    (void)p;
    return solution_operands(list, FILL_HERMITIAN);
}

static twill_status prepare(work *w)
{
    const twill_pattern *p = twill_array_pattern(w->x[0].array);
    twill_pattern column = twill_tiled(p->extent[0], 1, p->block[0], 1);
    factor *f = calloc(1, sizeof *f);
    w->own = f;
    if (!f)
        return TWILL_ERR_MEMORY;
    twill_status status = twill_array_create(w->tw, &column, w->p->element, 0, &f->e);
    return status == TWILL_OK ? twill_array_create(w->tw, &column, TWILL_BYTES, 8, &f->ipiv)
                              : status;
}

static void finish(work *w)
{
    factor *f = w->own;
    if (f) {
        twill_array_free(f->e);
        twill_array_free(f->ipiv);
    }
    free(f);
}

/* e is n by 1, one element per row of D; see <twill/indefinite.h>. */
static int save(work *w)
{
    const factor *f = w->own;
    int status = transfer_save(w->p, f->e, "e.npy");
    return status == STATUS_OK ? transfer_save(w->p, f->ipiv, "ipiv.npy") : status;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static double factor_flops(const problem *p)
{
    return flops_sytrf(p->element, p->n);
}

static double solve_flops(const problem *p)
{
    return flops_potrs(p->element, p->n, p->nrhs);
}

static double system_flops(const problem *p)
{
    return factor_flops(p) + solve_flops(p);
}

static twill_status insert_factor(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    const factor *f = w->own;
    twill_uplo uplo = problem_uplo(w->p);
    return indefinite_is_hermitian(w)
               ? twill_hetrf_insert(graph, uplo, w->x[0].array, f->e, f->ipiv, expert)
               : twill_sytrf_insert(graph, uplo, w->x[0].array, f->e, f->ipiv, expert);
}

static twill_status insert_solve(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    const factor *f = w->own;
    twill_uplo uplo = problem_uplo(w->p);
    twill_array *a = w->x[SOLUTION_A].array, *x = w->x[SOLUTION_X].array;
    return indefinite_is_hermitian(w)
               ? twill_hetrs_insert(graph, uplo, a, f->e, f->ipiv, x, expert)
               : twill_sytrs_insert(graph, uplo, a, f->e, f->ipiv, x, expert);
}

static twill_status insert_system(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    const factor *f = w->own;
    twill_uplo uplo = problem_uplo(w->p);
    twill_array *a = w->x[SOLUTION_A].array, *x = w->x[SOLUTION_X].array;
    twill_status status = twill_copy_insert(graph, TWILL_GENERAL, w->x[SOLUTION_B].array, x);
    if (status != TWILL_OK)
        return status;
    return indefinite_is_hermitian(w) ? twill_hesv_insert(graph, uplo, a, f->e, f->ipiv, x, expert)
                                      : twill_sysv_insert(graph, uplo, a, f->e, f->ipiv, x, expert);
}

static twill_status run_factor(work *w, int64_t *info)
{
    return solution_run(w, insert_factor, info);
}

static twill_status factor_first(work *w, int64_t *info)
{
    twill_status status = solution_copy(w);
    return status == TWILL_OK ? run_factor(w, info) : status;
}

static twill_status run_solve(work *w, int64_t *info)
{
    return solution_run(w, insert_solve, info);
}

static twill_status run_system(work *w, int64_t *info)
{
    return solution_run(w, insert_system, info);
}

/* ---- results ------------------------------------------------------------------------------- */

static twill_status factor_digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[0].array, problem_uplo(w->p), digest);
}

static twill_status system_residual(work *w, double *ratio)
{
    return solution_residual(w, indefinite_is_hermitian(w) ? PROBE_HERMITIAN : PROBE_SYMMETRIC,
                             ratio);
}

#define SAYS_ZERO "block %lld of D is exactly zero: the matrix is singular"
#define SAYS_SIZES "its matrix is n by n"

/* What the symmetric and the Hermitian routine of a kind have in common. */
#define FACTORS                                                                        \
    .takes = "n ib uplo", .sizes = SAYS_SIZES, .fronts = "stf", .flops = factor_flops, \
    .prepare = prepare, .finish = finish, .run = run_factor, .digest = factor_digest,  \
    .residual = indefinite_factor_residual, .checks_failures = true, .save = save,     \
    .info_means = SAYS_ZERO
#define SOLVES                                                                             \
    .takes = "n nrhs ib uplo", .sizes = SAYS_SIZES, .fronts = "stf", .flops = solve_flops, \
    .prepare = prepare, .finish = finish, .factor = factor_first, .run = run_solve,        \
    .digest = solution_digest, .residual = system_residual, .save = save, .info_means = SAYS_ZERO
#define SYSTEMS                                                                             \
    .takes = "n nrhs ib uplo", .sizes = SAYS_SIZES, .fronts = "stf", .flops = system_flops, \
    .prepare = prepare, .finish = finish, .run = run_system, .digest = solution_digest,     \
    .residual = system_residual, .save = save, .info_means = SAYS_ZERO

const operation sytrf_operation = {.name = "sytrf",
                                   .about = "symmetric factorization: A = P L D L^T P^T, or with U",
                                   .operands = sytrf_operands,
                                   FACTORS};
const operation hetrf_operation = {.name = "hetrf",
                                   .about = "Hermitian factorization: A = P L D L^H P^T, or with U",
                                   .operands = hetrf_operands,
                                   FACTORS};
const operation sytrs_operation = {.name = "sytrs",
                                   .about = "symmetric systems, A being factored before: A X = B",
                                   .operands = sysv_operands,
                                   SOLVES};
const operation hetrs_operation = {.name = "hetrs",
                                   .about = "Hermitian systems, A being factored before: A X = B",
                                   .operands = hesv_operands,
                                   SOLVES};
const operation sysv_operation = {.name = "sysv",
                                  .about = "symmetric systems of equations: A X = B",
                                  .operands = sysv_operands,
                                  SYSTEMS};
const operation hesv_operation = {.name = "hesv",
                                  .about = "Hermitian systems of equations: A X = B",
                                  .operands = hesv_operands,
                                  SYSTEMS};
