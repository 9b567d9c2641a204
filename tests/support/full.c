/* Whole matrices of complex numbers. */
#include "support/full.h"

#include "support/test.h"

#include <math.h>
#include <stdlib.h>

test_full test_full_zeros(int64_t m, int64_t n)
{
    test_full a = {m, n, calloc((size_t)(m * n) + 1, sizeof(double complex))};
    assert_non_null(a.x);
    return a;
}

test_full test_full_identity(int64_t m, int64_t n)
{
    test_full a = test_full_zeros(m, n);
    for (int64_t i = 0; i < m && i < n; i++)
        a.x[i + i * m] = 1.0;
    return a;
}

test_full test_full_of(twill_array *array)
{
    const twill_pattern *p = twill_array_pattern(array);
    test_full a = test_full_zeros(p->extent[0], p->extent[1]);
    void *data = test_unpack(array);
    for (int64_t i = 0; i < a.m * a.n; i++)
        a.x[i] = test_load(data, twill_array_type(array), i);
    free(data);
    return a;
}

void test_full_free(test_full *a)
{
    free(a->x);
    a->x = NULL;
}

void test_full_cut(test_full a, twill_uplo uplo)
{
    for (int64_t j = 0; j < a.n; j++)
        for (int64_t i = 0; i < a.m; i++)
            if (!test_inside(uplo, i, j))
                a.x[i + j * a.m] = 0.0;
}

/* Entry (i, j) of op(A). */
static double complex entry(char op, test_full a, int64_t i, int64_t j)
{
    double complex x = op == 'N' ? a.x[i + j * a.m] : a.x[j + i * a.m];
    return op == 'C' ? conj(x) : x;
}

test_full test_full_times(char ta, test_full a, char tb, test_full b)
{
    int64_t m = ta == 'N' ? a.m : a.n, inner = ta == 'N' ? a.n : a.m, n = tb == 'N' ? b.n : b.m;
    assert_int_equal(inner, tb == 'N' ? b.m : b.n);
    test_full c = test_full_zeros(m, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < inner; l++) {
            double complex factor = entry(tb, b, l, j);
            for (int64_t i = 0; i < m; i++)
                c.x[i + j * m] += entry(ta, a, i, l) * factor;
        }
    return c;
}

double test_full_distance(test_full a, test_full b)
{
    double most = 0.0;
    assert_true(a.m == b.m && a.n == b.n);
    for (int64_t j = 0; j < a.n; j++) {
        double sum = 0.0;
        for (int64_t i = 0; i < a.m; i++)
            sum += cabs(a.x[i + j * a.m] - b.x[i + j * a.m]);
        if (!(sum <= most))
            most = sum;
    }
    return most;
}

double test_full_norm(test_full a)
{
    test_full zero = test_full_zeros(a.m, a.n);
    double norm = test_full_distance(a, zero);
    test_full_free(&zero);
    return norm;
}
