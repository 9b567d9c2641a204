/* Solving with Cholesky's factor: potrs, posv, pocon. */
#include "la/blas/calls.h"
#include "la/cholesky/triangle.h"
#include "la/condition.h"
#include "la/fit.h"

#include <twill/level3.h>

typedef struct call {
    twill_uplo uplo;
    twill_array *a, *b;
} call;

/* L, then L^H; or U^H, then U. */
static twill_status insert_solve(twill_graph *g, call *o, const twill_la_options *options)
{
    bool lower = o->uplo == TWILL_LOWER;
    tw_fit fit[2];
    tw_fit_system(fit, &o->a, 0, &o->b, 0);
    twill_status status = tw_fit_begin(g, fit, 2);
    if (status == TWILL_OK)
        status =
            twill_trsm_insert(g, TWILL_LEFT, o->uplo, lower ? TWILL_NO_TRANS : TWILL_CONJ_TRANS,
                              TWILL_NON_UNIT, twill_real(1.0), o->a, o->b, options);
    if (status == TWILL_OK)
        status =
            twill_trsm_insert(g, TWILL_LEFT, o->uplo, lower ? TWILL_CONJ_TRANS : TWILL_NO_TRANS,
                              TWILL_NON_UNIT, twill_real(1.0), o->a, o->b, options);
    status = tw_fit_end(g, fit, 2, status);
    /* the factorization before it may have failed: twill_wait will say so */
    return status == TWILL_ERR_NUMERICAL ? TWILL_OK : status;
}

twill_status twill_potrs_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *b,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = tw_triangle_check_rhs(NULL, "potrs", uplo, a, b, 7);
    return status == TWILL_OK ? insert_solve(g, &(call){uplo, a, b}, options) : status;
}

static int64_t solve_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    char uplo = *(const char *)arg;
    bool lower = uplo == 'L';
    tw_tile_view a = tw_view_of(&x[0]), b = tw_view_of(&x[1]);
    tw_call_trsm(k, (tw_triangle){'L', uplo, lower ? 'N' : 'C', 'N'}, k->one, &a, &b);
    tw_call_trsm(k, (tw_triangle){'L', uplo, lower ? 'C' : 'N', 'N'}, k->one, &a, &b);
    return 0;
}

static int64_t factor_and_solve_whole(const tw_kernels *k, const twill_flow *x, const void *uplo)
{
    int64_t info = tw_potrf_whole(k, x, uplo);
    return info ? info : solve_whole(k, x, uplo);
}

static twill_status solve_all(twill_graph *g, void *arg)
{
    return insert_solve(g, arg, NULL);
}

twill_status twill_potrs(twill_uplo uplo, twill_array *a, twill_array *b)
{
    char option = (char)uplo;
    tw_direct d = {"potrs", solve_whole, &option, {{a, TWILL_READ}, {b, TWILL_READ_WRITE}}};
    twill_status status = tw_triangle_check_rhs(NULL, "potrs", uplo, a, b, 7);
    if (status != TWILL_OK || tw_direct_done(&d, NULL, &status))
        return status;
    return tw_la_run(twill_array_context(a), solve_all, &(call){uplo, a, b}, NULL);
}

twill_status twill_posv_insert(twill_graph *g, twill_uplo uplo, twill_array *a, twill_array *b,
                               const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = tw_triangle_check_rhs(NULL, "posv", uplo, a, b, 7);
    if (status == TWILL_OK)
        status = twill_potrf_insert(g, uplo, a, options);
    return status == TWILL_OK ? insert_solve(g, &(call){uplo, a, b}, options) : status;
}

/* One after the other: when A is not definite, B stays as it was. */
twill_status twill_posv(twill_uplo uplo, twill_array *a, twill_array *b, int64_t *info)
{
    int64_t found = 0;
    char option = (char)uplo;
    tw_direct d = {
        "posv", factor_and_solve_whole, &option, {{a, TWILL_READ_WRITE}, {b, TWILL_READ_WRITE}}};
    twill_status status = tw_triangle_check_rhs(info, "posv", uplo, a, b, 7);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    status = twill_potrf(uplo, a, &found);
    if (status == TWILL_OK && found == 0)
        status = twill_potrs(uplo, a, b);
    if (status == TWILL_OK && info)
        *info = found;
    return status;
}

/* ---- condition --------------------------------------------------------------------------- */

static twill_status solve_column(void *arg, twill_array *x, bool adjoint)
{
    const call *o = arg;
    (void)adjoint; /* the inverse is Hermitian */
    return twill_potrs(o->uplo, o->a, x);
}

twill_status twill_pocon(twill_uplo uplo, twill_array *a, double norm, double *rcond)
{
    twill_status status = tw_triangle_check(NULL, "pocon", uplo, a);
    if (status == TWILL_OK && norm < 0.0)
        status = tw_la_bad(NULL, "pocon", 5, "(norm) must not be negative, but is %g", norm);
    return status == TWILL_OK ? tw_condition(a, norm, solve_column, &(call){uplo, a, NULL}, rcond)
                              : status;
}
