/* posv in mixed precision. */
#include "la/agree.h"
#include "la/cholesky/triangle.h"
#include "la/mixed/mixed.h"

#include <twill/level3.h>

static twill_uplo uplo_of(const tw_mixed *m)
{
    return *(const twill_uplo *)m->arg;
}

static twill_status measure(tw_mixed *m, twill_norm_kind kind, double *value)
{
    return twill_norm_hermitian(kind, uplo_of(m), m->a, value);
}

static twill_status factor(twill_graph *g, tw_mixed *m)
{
    twill_status status = twill_copy_insert(g, uplo_of(m), m->a, m->low);
    return status == TWILL_OK ? twill_potrf_insert(g, uplo_of(m), m->low, NULL) : status;
}

static twill_status solve(twill_graph *g, tw_mixed *m, twill_array *y)
{
    return twill_potrs_insert(g, uplo_of(m), m->low, y, NULL);
}

static twill_status subtract(twill_graph *g, tw_mixed *m, twill_array *x, twill_array *r)
{
    return twill_hemm_insert(g, TWILL_LEFT, uplo_of(m), twill_real(-1.0), m->a, x, twill_real(1.0),
                             r, NULL);
}

static twill_status try_low(tw_mixed *m, int64_t *iterations)
{
    twill_status status =
        tw_la_triangle_like(m->a, tw_mixed_low(twill_array_type(m->a)), uplo_of(m), &m->low);
    status = tw_agree_status(twill_array_context(m->a), status);
    if (status == TWILL_OK)
        status = tw_mixed_solve(m, iterations);
    twill_array_free(m->low);
    return status;
}

twill_status twill_posv_mixed(twill_uplo uplo, twill_array *a, twill_array *b, twill_array *x,
                              twill_refine refine, int64_t *iterations, int64_t *info)
{
    tw_mixed m = {.who = "posv_mixed",
                  .a = a,
                  .b = b,
                  .x = x,
                  .refine = refine,
                  .arg = &uplo,
                  .measure = measure,
                  .factor = factor,
                  .solve = solve,
                  .subtract = subtract};
    int64_t steps = 0, found = 0;
    twill_status status = tw_triangle_check(info, m.who, uplo, a);
    if (status == TWILL_OK)
        status = tw_mixed_check(info, &m, 7);
    if (status == TWILL_OK)
        status = try_low(&m, &steps);
    if (status == TWILL_OK && steps < 0) {
        status = twill_copy(b, x);
        if (status == TWILL_OK)
            status = twill_posv(uplo, a, x, &found);
    }
    if (status != TWILL_OK)
        return status;
    if (iterations)
        *iterations = steps;
    if (info)
        *info = found;
    return TWILL_OK;
}
