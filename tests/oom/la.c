/* Linear systems: by Cholesky, LU and QR, in tiles and as small problems without a graph. */
#include "support/shortage.h"

#include <math.h>
#include <stdlib.h>

enum { N = 11, NB = 4 };

typedef struct data {
    twill_array *a, *b, *ipiv;
} data;

/* A matrix of N columns, in tiles that the program chooses or that Twill does. */
static twill_status make_matrix(twill *tw, int64_t n, bool tiled, twill_array **a)
{
    twill_pattern p = twill_tiled(N, n, NB, NB);
    return tiled ? twill_array_create(tw, &p, TWILL_FLOAT64, 0, a)
                 : twill_matrix_create(tw, TWILL_FLOAT64, N, n, a);
}

static double element(int64_t i, int64_t j)
{
    return i == j ? N : 1.0 / (double)(1 + llabs(i - j));
}

/* A is symmetric and positive definite, and B its row sums, so that all of X are 1. */
static twill_status fill(data *d)
{
    double a[N * N], b[N] = {0};
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            a[i + j * N] = element(i, j);
            b[i] += element(i, j);
        }
    twill_status status = twill_matrix_read(d->a, TWILL_GENERAL, a, N);
    return status == TWILL_OK ? twill_matrix_read(d->b, TWILL_GENERAL, b, N) : status;
}

static twill_status look(data *d, atomic_int *wrong)
{
    double x[N];
    twill_status status = twill_matrix_write(d->b, TWILL_GENERAL, x, N);
    for (int i = 0; i < N && status == TWILL_OK; i++)
        *wrong += !(fabs(x[i] - 1) < 1e-10);
    return status;
}

static twill_status by_cholesky(data *d)
{
    int64_t info;
    return twill_posv(TWILL_LOWER, d->a, d->b, &info);
}

static twill_status by_lu(data *d)
{
    int64_t info;
    twill_status status = twill_pivots_create(d->a, &d->ipiv);
    return status == TWILL_OK ? twill_gesv(d->a, d->ipiv, d->b, &info) : status;
}

static twill_status by_qr(data *d)
{
    int64_t info;
    return twill_gels(TWILL_NO_TRANS, d->a, d->b, &info);
}

static twill_status solve(twill *tw, twill_status (*method)(data *d), bool tiled, bool leave,
                          atomic_int *wrong)
{
    data d = {0};
    twill_status status;
    TRY(make_matrix(tw, N, tiled, &d.a));
    TRY(make_matrix(tw, 1, tiled, &d.b));
    TRY(fill(&d));
    TRY(method(&d));
    TRY(look(&d, wrong));
done:
    if (!leave) {
        twill_array_free(d.a);
        twill_array_free(d.b);
        twill_array_free(d.ipiv);
    }
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    static twill_status (*const methods[])(data * d) = {by_cholesky, by_lu, by_qr};
    twill_status status = TWILL_OK;
    for (int i = 0; i < COUNT(methods) && status == TWILL_OK; i++) {
        status = solve(tw, methods[i], true, leave, wrong);
        if (status == TWILL_OK)
            status = solve(tw, methods[i], false, leave, wrong);
    }
    return status;
}

TEST(linear_systems)
{
    shortage_sweep(&(shortage){.name = "la", .body = body, .setups = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
