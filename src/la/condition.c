/* Estimate of the norm of an inverse. The vector is a tiled array while A's factors work on it, and
 * complex numbers here, whatever its type. */
#include "la/condition.h"

#include "la/agree.h"
#include "la/matrix/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 5 }; /* as LAPACK */

typedef struct estimate {
    tw_condition_solve *solve;
    void *arg;
    twill_array *x;
    bool complex_type;
    int64_t n;
    double complex *v; /* the vector, as it is given to a solve and as it comes back */
    double *sign;      /* of real types, the signs of the last round */
} estimate;

/* v := A^-1 v or A^-H v. */
static twill_status apply(estimate *e, bool adjoint)
{
    twill_status status = tw_vector_put(e->x, 0, e->v);
    if (status == TWILL_OK)
        status = e->solve(e->arg, e->x, adjoint);
    return status == TWILL_OK ? tw_vector_get(e->x, 0, e->v) : status;
}

static double sum(const estimate *e)
{
    double total = 0.0;
    for (int64_t i = 0; i < e->n; i++)
        total += cabs(e->v[i]);
    return total;
}

/* The first of the largest. */
static int64_t largest(const estimate *e)
{
    int64_t at = 0;
    for (int64_t i = 1; i < e->n; i++)
        if (cabs(e->v[i]) > cabs(e->v[at]))
            at = i;
    return at;
}

/* v := v / |v| element by element. True when that changed nothing since the last round, which real
 * types alone can tell. */
static bool take_signs(estimate *e)
{
    bool same = !e->complex_type;
    for (int64_t i = 0; i < e->n; i++) {
        double size = cabs(e->v[i]);
        double complex s = size > DBL_MIN ? e->v[i] / size : 1.0;
        if (!e->complex_type)
            s = creal(e->v[i]) >= 0.0 ? 1.0 : -1.0;
        same = same && e->sign[i] == creal(s);
        e->sign[i] = creal(s);
        e->v[i] = s;
    }
    return same;
}

static void unit_vector(estimate *e, int64_t j)
{
    for (int64_t i = 0; i < e->n; i++)
        e->v[i] = i == j ? 1.0 : 0.0;
}

/* From here on the estimate climbs: to the column that the gradient points to, as long as that
 * helps. */
static twill_status climb(estimate *e, double *norm)
{
    twill_status status = apply(e, true);
    int64_t j = largest(e);
    for (int round = 2; round <= MOST_ROUNDS && status == TWILL_OK; round++) {
        unit_vector(e, j);
        status = apply(e, false);
        double before = *norm, now = status == TWILL_OK ? sum(e) : 0.0;
        bool same = take_signs(e);
        if (now > before)
            *norm = now;
        if (status != TWILL_OK || same || !(now > before))
            return status;
        status = apply(e, true);
        int64_t last = j;
        j = largest(e);
        if (cabs(e->v[last]) == cabs(e->v[j]))
            break;
    }
    return status;
}

/* A vector of growing numbers with alternating signs is a second guess, for matrices made to
 * deceive the first. */
static twill_status second_guess(estimate *e, double *norm)
{
    for (int64_t i = 0; i < e->n; i++)
        e->v[i] = (i % 2 ? -1.0 : 1.0) * (1.0 + (double)i / (double)(e->n - 1));
    twill_status status = apply(e, false);
    double now = status == TWILL_OK ? 2.0 * (sum(e) / (3.0 * (double)e->n)) : 0.0;
    if (now > *norm)
        *norm = now;
    return status;
}

/* *norm: of the inverse. */
static twill_status inverse_norm(estimate *e, double *norm)
{
    for (int64_t i = 0; i < e->n; i++)
        e->v[i] = 1.0 / (double)e->n;
    twill_status status = apply(e, false);
    *norm = status == TWILL_OK ? sum(e) : 0.0;
    if (status != TWILL_OK || e->n == 1)
        return status;
    take_signs(e);
    status = climb(e, norm);
    return status == TWILL_OK ? second_guess(e, norm) : status;
}

static twill_status run(estimate *e, double norm, double *rcond)
{
    double inverse = 0.0;
    twill_status status = inverse_norm(e, &inverse);
    /* an inverse that overflows is Inf or, when two of them cancel, NaN */
    if (status == TWILL_OK)
        *rcond = inverse > 0.0 && isfinite(inverse) ? 1.0 / inverse / norm : 0.0;
    return status;
}

/* Room for the vector, on all ranks or on none. */
static twill_status make_room(estimate *e, const twill_array *a)
{
    twill_status status = tw_la_column_like(a, twill_array_type(a), 0, &e->x);
    e->v = calloc((size_t)e->n, sizeof *e->v);
    e->sign = calloc((size_t)e->n, sizeof *e->sign);
    if (status == TWILL_OK && (!e->v || !e->sign))
        status = tw_fail(TWILL_ERR_MEMORY, "no memory to estimate a condition");
    return tw_agree_status(twill_array_context(a), status);
}

twill_status tw_condition(twill_array *a, double norm, tw_condition_solve *solve, void *arg,
                          double *rcond)
{
    estimate e = {.solve = solve,
                  .arg = arg,
                  .complex_type = tw_la_complex(twill_array_type(a)),
                  .n = twill_array_pattern(a)->extent[0]};
    if (e.n == 0 || norm == 0.0 || isnan(norm)) {
        *rcond = e.n == 0 ? 1.0 : norm;
        return TWILL_OK;
    }
    twill_status status = make_room(&e, a);
    if (status == TWILL_OK)
        status = run(&e, norm, rcond);
    free(e.v);
    free(e.sign);
    twill_array_free(e.x);
    return status;
}
