/* gesv in mixed precision. */
#include "la/agree.h"
#include "la/matrix/uplo.h"
#include "la/mixed/mixed.h"

#include <twill/level3.h>
#include <twill/lu.h>

static twill_status measure(tw_mixed *m, twill_norm_kind kind, double *value)
{
    return twill_norm(kind, m->a, value);
}

static twill_status factor(twill_graph *g, tw_mixed *m)
{
    twill_status status = twill_copy_insert(g, TWILL_GENERAL, m->a, m->low);
    return status == TWILL_OK ? twill_getrf_insert(g, m->low, m->arg, NULL) : status;
}

static twill_status solve(twill_graph *g, tw_mixed *m, twill_array *y)
{
    return twill_getrs_insert(g, TWILL_NO_TRANS, m->low, m->arg, y, NULL);
}

static twill_status subtract(twill_graph *g, tw_mixed *m, twill_array *x, twill_array *r)
{
    return twill_gemm_insert(g, TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(-1.0), m->a, x,
                             twill_real(1.0), r, NULL);
}

static twill_status look(tw_mixed *m, int64_t *info)
{
    return twill_getrf_info(m->low, info);
}

static twill_status try_low(tw_mixed *m, int64_t *iterations)
{
    twill_status status = twill_array_create(twill_array_context(m->a), twill_array_pattern(m->a),
                                             tw_mixed_low(twill_array_type(m->a)), 0, &m->low);
    status = tw_agree_status(twill_array_context(m->a), status);
    if (status == TWILL_OK)
        status = tw_mixed_solve(m, iterations);
    twill_array_free(m->low);
    return status;
}

static twill_status check(int64_t *info, tw_mixed *m)
{
    twill_uplo uplo = TWILL_GENERAL;
    twill_status status = tw_la_check_blas(m->who, m->a);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(m->who, 3, m->a, &uplo);
    if (status == TWILL_OK && uplo != TWILL_GENERAL)
        status = tw_la_bad(info, m->who, 3, "(the matrix) must not be a triangle");
    return status == TWILL_OK ? tw_mixed_check(info, m, 7) : status;
}

twill_status twill_gesv_mixed(twill_array *a, twill_array *ipiv, twill_array *b, twill_array *x,
                              twill_refine refine, int64_t *iterations, int64_t *info)
{
    tw_mixed m = {.who = "gesv_mixed",
                  .a = a,
                  .b = b,
                  .x = x,
                  .refine = refine,
                  .arg = ipiv,
                  .measure = measure,
                  .factor = factor,
                  .solve = solve,
                  .subtract = subtract,
                  .look = look};
    int64_t steps = 0, found = 0;
    twill_status status = check(info, &m);
    if (status == TWILL_OK)
        status = try_low(&m, &steps);
    if (status == TWILL_OK && steps < 0) {
        status = twill_copy(b, x);
        if (status == TWILL_OK)
            status = twill_gesv(a, ipiv, x, &found);
    }
    if (status != TWILL_OK)
        return status;
    if (iterations)
        *iterations = steps;
    if (info)
        *info = found;
    return TWILL_OK;
}
