/* Random norms, by plain loops. */
#include "support/sweep.h"

#include "support/test.h"

#include <float.h>
#include <math.h>

static double plain_norm(dense a, twill_norm_kind kind)
{
    double most = 0.0, squares = 0.0;
    for (int64_t i = 0; i < a.rows * a.cols; i++) {
        most = fmax(most, cabs(a.at[i]));
        squares += creal(a.at[i]) * creal(a.at[i]) + cimag(a.at[i]) * cimag(a.at[i]);
    }
    if (kind == TWILL_NORM_MAX)
        return most;
    if (kind == TWILL_NORM_FRO)
        return sqrt(squares);
    dense turned = dense_op(a, kind == TWILL_NORM_ONE ? 'N' : 'T');
    double norm = dense_norm(turned);
    dense_free(turned);
    return norm;
}

static double ask(const sweep_case *c, twill_array *a, dense_shape shape)
{
    double value = -1.0;
    switch (shape) {
    case DENSE_GENERAL:
        OK(twill_norm(c->norm, a, &value));
        break;
    case DENSE_SYMMETRIC:
        OK(twill_norm_symmetric(c->norm, c->uplo, a, &value));
        break;
    case DENSE_HERMITIAN:
        OK(twill_norm_hermitian(c->norm, c->uplo, a, &value));
        break;
    default:
        OK(twill_norm_triangular(c->norm, c->uplo, c->diag, a, &value));
        break;
    }
    return value;
}

static void check_norm(sweep *s, dense_shape shape, int64_t m)
{
    const sweep_case *c = s->c;
    int64_t n = c->n;
    void *full = sweep_random(s, m, n, 0.0, 1);
    sweep_times_power(s, full, m * n, c->exponent);
    sweep_matrix a =
        sweep_put(s, c->storage[0], full, c->type->type, m, n, c->nb, m == n ? c->nb : c->kb,
                  shape == DENSE_GENERAL ? TWILL_GENERAL : c->uplo);
    a.read_only = true;
    double value = ask(c, a.array, shape);
    sweep_bits(s, &value, sizeof value);
    if (s->checked) {
        dense before = sweep_before(s, &a, shape);
        double wanted = plain_norm(before, c->norm), got = ldexp(value, -c->exponent);
        sweep_ratio(s, "norm",
                    dense_ratio(fabs(got - wanted), wanted * (double)(m + n) * DBL_EPSILON));
        dense_free(before);
    }
    sweep_take(s, &a);
}

static void norm(sweep *s)
{
    check_norm(s, DENSE_GENERAL, s->c->m);
}

/* The ones of a diagonal that is not read are not multiplied by the power of two. */
static void fit_triangular(sweep_case *c)
{
    c->exponent = c->diag == TWILL_UNIT ? 0 : c->exponent;
}

static void norm_triangular(sweep *s)
{
    check_norm(s, s->c->diag == TWILL_UNIT ? DENSE_UNIT_TRIANGLE : DENSE_TRIANGLE, s->c->m);
}

static void norm_mirrored(sweep *s)
{
    check_norm(s, s->c->hermitian ? DENSE_HERMITIAN : DENSE_SYMMETRIC, s->c->n);
}

const sweep_routine sweep_norms[] = {
    {"norm", norm, NULL, false},
    {"norm_triangular", norm_triangular, fit_triangular, false},
    {"norm_symmetric", norm_mirrored, NULL, false},
    {NULL, NULL, NULL, false},
};
