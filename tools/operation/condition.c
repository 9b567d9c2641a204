/* twill pocon, gecon: reciprocal condition numbers, estimated from factors. */
#include "operation/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Their own data. */
typedef struct condition {
    twill_array *ipiv; /* of gecon */
    double norm;       /* of A before it was factored */
    double rcond;
} condition;

static bool is_definite(const work *w)
{
    return *w->p->op == 'p';
}

static int pocon_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_SPD, true};
    return 1;
}

static int gecon_operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'n', 'n', FILL_RANDOM, true};
    return 1;
}

static twill_status prepare(work *w)
{
    condition *own = calloc(1, sizeof *own);
    w->own = own;
    if (!own)
        return TWILL_ERR_MEMORY;
    return is_definite(w) ? TWILL_OK : twill_pivots_create(w->x[0].array, &own->ipiv);
}

static void finish(work *w)
{
    condition *own = w->own;
    if (own)
        twill_array_free(own->ipiv);
    free(own);
}

static twill_status norm_of(const work *w, twill_array *a, double *norm)
{
    return is_definite(w) ? twill_norm_hermitian(TWILL_NORM_ONE, problem_uplo(w->p), a, norm)
                          : twill_norm(TWILL_NORM_ONE, a, norm);
}

static twill_status factor_matrix(const work *w, twill_array *a, int64_t *info)
{
    const condition *own = w->own;
    return is_definite(w) ? twill_potrf(problem_uplo(w->p), a, info)
                          : twill_getrf(a, own->ipiv, info);
}

static twill_status factor(work *w, int64_t *info)
{
    condition *own = w->own;
    own->rcond = 0;
    twill_status status = norm_of(w, w->x[0].array, &own->norm);
    return status == TWILL_OK ? factor_matrix(w, w->x[0].array, info) : status;
}

static twill_status run(work *w, int64_t *info)
{
    condition *own = w->own;
    (void)info; /* LAPACK's is about arguments */
    return is_definite(w) ? twill_pocon(problem_uplo(w->p), w->x[0].array, own->norm, &own->rcond)
                          : twill_gecon(TWILL_NORM_ONE, w->x[0].array, own->norm, &own->rcond);
}

/* That of a matrix 1 by 1. */
static twill_status digest(work *w, uint64_t *digest)
{
    const condition *own = w->own;
    uint64_t bits;
    memcpy(&bits, &own->rcond, sizeof bits);
    *digest = solution_digest_of(0, bits);
    return TWILL_OK;
}

static void add_json(const work *w, json *j)
{
    const condition *own = w->own;
    char text[32] = "null";
    if (isfinite(own->rcond))
        snprintf(text, sizeof text, "%.17g", own->rcond); /* all its bits */
    json_raw(j, "rcond", text);
}

/* As LAPACK's xGET06: by how many times the estimate is off, less one. The norm of the inverse is
 * found from the inverse itself. */
static twill_status residual(work *w, double *ratio)
{
    const condition *own = w->own;
    twill_array *a = w->before[0].array;
    int64_t info = 0;
    double inverse = 0;
    *ratio = 0;
    if (w->p->n == 0)
        return TWILL_OK;
    twill_status status = factor_matrix(w, a, &info);
    if (status == TWILL_OK)
        status = is_definite(w) ? twill_potri(problem_uplo(w->p), a, &info)
                                : twill_getri(a, own->ipiv, &info);
    if (status == TWILL_OK)
        status = norm_of(w, a, &inverse);
    double exact = 1.0 / (own->norm * inverse), eps = probe_eps(w->p->element);
    double larger = own->rcond > exact ? own->rcond : exact;
    double smaller = own->rcond > exact ? exact : own->rcond;
    *ratio = smaller == 0 ? larger / eps : larger / smaller - (1 - eps);
    return status;
}

const operation pocon_operation = {
    .name = "pocon",
    .about = "reciprocal condition of a definite matrix that was factored before",
    .takes = "n uplo",
    .sizes = "its matrix is n by n, and its tiles have no inner blocks",
    .fronts = "stf",
    .operands = pocon_operands,
    .prepare = prepare,
    .finish = finish,
    .factor = factor,
    .run = run,
    .digest = digest,
    .residual = residual,
    .add_json = add_json,
    .info_means = "the leading minor of order %lld is not positive definite"};

const operation gecon_operation = {
    .name = "gecon",
    .about = "reciprocal condition of a general matrix that was factored before",
    .takes = "n",
    .sizes = "its matrix is n by n, and its tiles have no inner blocks",
    .fronts = "stf",
    .operands = gecon_operands,
    .prepare = prepare,
    .finish = finish,
    .factor = factor,
    .run = run,
    .digest = digest,
    .residual = residual,
    .add_json = add_json,
    .info_means = "element %lld of the diagonal of U is exactly zero: the matrix is singular"};
