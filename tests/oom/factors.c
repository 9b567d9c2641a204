/* Routines that need memory of their own: inverses, condition numbers, indefinite systems, mixed
 * precision, QR by trees. */
#include "support/shortage.h"

#include <math.h>
#include <stdlib.h>

enum { N = 11, NB = 4 };

typedef struct data {
    twill *tw;
    twill_array *a, *b, *x, *ipiv;
    twill_reflectors *h;
} data;

static twill_status make(twill *tw, int64_t columns, twill_array **a)
{
    twill_pattern p = twill_tiled(N, columns, NB, NB);
    return twill_array_create(tw, &p, TWILL_FLOAT64, 0, a);
}

static void unmake(data *d)
{
    twill_array *const arrays[] = {d->a, d->b, d->x, d->ipiv};
    twill_reflectors_free(d->h);
    for (int i = 0; i < COUNT(arrays); i++)
        twill_array_free(arrays[i]);
}

/* A symmetric matrix, definite or not, and its row sums: A X = B has a solution of ones. */
static twill_status fill(data *d, bool definite)
{
    double a[N * N], b[N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i + j * N] = i == j ? (definite || i % 2 ? N : -N) : 1.0 / (1 + abs(i - j));
            b[i] += a[i + j * N];
        }
    twill_status status = twill_matrix_read(d->a, TWILL_GENERAL, a, N);
    return status == TWILL_OK ? twill_matrix_read(d->b, TWILL_GENERAL, b, N) : status;
}

static twill_status look(twill_array *x, atomic_int *wrong)
{
    double ones[N];
    twill_status status = twill_matrix_write(x, TWILL_GENERAL, ones, N);
    for (int i = 0; i < N && status == TWILL_OK; i++)
        *wrong += !(fabs(ones[i] - 1) < 1e-10);
    return status;
}

/* X = A^-1 B, by the inverse; the norm of A and its condition are asked for on the way. */
static twill_status invert(data *d, atomic_int *wrong)
{
    double norm, rcond;
    int64_t info;
    twill_status status;
    TRY(twill_norm(TWILL_NORM_ONE, d->a, &norm));
    TRY(twill_pivots_create(d->a, &d->ipiv));
    TRY(twill_getrf(d->a, d->ipiv, &info));
    TRY(twill_gecon(TWILL_NORM_ONE, d->a, norm, &rcond));
    *wrong += !(rcond > 1e-3 && rcond <= 1);
    TRY(twill_getri(d->a, d->ipiv, &info));
    TRY(twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), d->a, d->b, twill_real(0), d->x));
    TRY(look(d->x, wrong));
done:
    return status;
}

static twill_status solve_mixed(data *d, atomic_int *wrong)
{
    int64_t iterations, info;
    twill_status status;
    TRY(twill_posv_mixed(TWILL_LOWER, d->a, d->b, d->x, TWILL_REFINE_GMRES, &iterations, &info));
    TRY(look(d->x, wrong));
done:
    return status;
}

static twill_status solve_indefinite(data *d, atomic_int *wrong)
{
    int64_t info;
    twill_status status;
    TRY(twill_sysv(TWILL_LOWER, d->a, d->b, &info));
    TRY(look(d->b, wrong));
done:
    return status;
}

/* R X = Q^T B, where A X = B. */
static twill_status factor_by_tree(data *d, atomic_int *wrong)
{
    twill_la_options greedy = {.size = sizeof(twill_la_options), .tree = TWILL_TREE_GREEDY};
    twill_status status;
    TRY(twill_reflectors_create(d->tw, &greedy, &d->h));
    TRY(twill_geqrf(d->a, d->h));
    TRY(twill_unmqr(TWILL_LEFT, TWILL_TRANS, d->a, d->h, d->b));
    TRY(twill_trsm(TWILL_LEFT, TWILL_UPPER, TWILL_NO_TRANS, TWILL_NON_UNIT, twill_real(1), d->a,
                   d->b));
    TRY(look(d->b, wrong));
done:
    return status;
}

static twill_status run(twill *tw, twill_status (*routine)(data *d, atomic_int *wrong),
                        bool definite, bool leave, atomic_int *wrong)
{
    data d = {.tw = tw};
    twill_status status;
    TRY(make(tw, N, &d.a));
    TRY(make(tw, 1, &d.b));
    TRY(make(tw, 1, &d.x));
    TRY(fill(&d, definite));
    TRY(routine(&d, wrong));
done:
    if (!leave)
        unmake(&d);
    else
        twill_reflectors_free(d.h); /* the program's own */
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    twill_status status;
    TRY(run(tw, invert, true, leave, wrong));
    TRY(run(tw, solve_mixed, true, leave, wrong));
    TRY(run(tw, solve_indefinite, false, leave, wrong));
    TRY(run(tw, factor_by_tree, true, leave, wrong));
done:
    return status;
}

TEST(factors)
{
    shortage_sweep(&(shortage){.name = "factors", .body = body, .setups = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
