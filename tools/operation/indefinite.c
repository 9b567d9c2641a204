/* twill sysv, hesv: symmetric and Hermitian systems of equations. */
#include "operation/flops.h"
#include "operation/solution.h"

#include <stdlib.h>

/* The rest of the factorization. */
typedef struct factor {
    twill_array *e, *ipiv;
} factor;

static twill_status prepare(work *w)
{
    const twill_pattern *p = twill_array_pattern(w->x[SOLUTION_A].array);
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

static double flops(const problem *p)
{
    return flops_sytrf(p->element, p->n) + flops_potrs(p->element, p->n, p->nrhs);
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

static twill_status insert_copy(const work *w, twill_graph *graph)
{
    return twill_copy_insert(graph, TWILL_GENERAL, w->x[SOLUTION_B].array, w->x[SOLUTION_X].array);
}

static twill_status insert_sysv(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    const factor *f = w->own;
    twill_status status = insert_copy(w, graph);
    return status == TWILL_OK ? twill_sysv_insert(graph, problem_uplo(w->p), w->x[SOLUTION_A].array,
                                                  f->e, f->ipiv, w->x[SOLUTION_X].array, expert)
                              : status;
}

static twill_status insert_hesv(const work *w, const twill_la_options *expert, twill_graph *graph)
{
    const factor *f = w->own;
    twill_status status = insert_copy(w, graph);
    return status == TWILL_OK ? twill_hesv_insert(graph, problem_uplo(w->p), w->x[SOLUTION_A].array,
                                                  f->e, f->ipiv, w->x[SOLUTION_X].array, expert)
                              : status;
}

static twill_status run_sysv(work *w, int64_t *info)
{
    return solution_run(w, insert_sysv, info);
}

static twill_status run_hesv(work *w, int64_t *info)
{
    return solution_run(w, insert_hesv, info);
}

static twill_status sysv_residual(work *w, double *ratio)
{
    return solution_residual(w, PROBE_SYMMETRIC, ratio);
}

static twill_status hesv_residual(work *w, double *ratio)
{
    return solution_residual(w, PROBE_HERMITIAN, ratio);
}

#define SAYS_ZERO "block %lld of D is exactly zero: the matrix is singular"
#define SAYS_SIZES "its matrix is n by n"

const operation sysv_operation = {.name = "sysv",
                                  .about = "symmetric systems of equations: A X = B",
                                  .takes = "n nrhs ib uplo",
                                  .sizes = SAYS_SIZES,
                                  .fronts = "stf",
                                  .operands = sysv_operands,
                                  .flops = flops,
                                  .prepare = prepare,
                                  .finish = finish,
                                  .run = run_sysv,
                                  .digest = solution_digest,
                                  .residual = sysv_residual,
                                  .info_means = SAYS_ZERO};

const operation hesv_operation = {.name = "hesv",
                                  .about = "Hermitian systems of equations: A X = B",
                                  .takes = "n nrhs ib uplo",
                                  .sizes = SAYS_SIZES,
                                  .fronts = "stf",
                                  .operands = hesv_operands,
                                  .flops = flops,
                                  .prepare = prepare,
                                  .finish = finish,
                                  .run = run_hesv,
                                  .digest = solution_digest,
                                  .residual = hesv_residual,
                                  .info_means = SAYS_ZERO};
