/* LU by the book. */
#include "support/lu.h"

#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- matrices ------------------------------------------------------------------------------ */

test_dense test_dense_make(twill *tw, twill_type type, int64_t m, int64_t n, int64_t nb,
                           bool wrapped)
{
    test_dense a = {NULL, NULL};
    twill_pattern p = twill_tiled(m, n, nb, nb);
    if (!wrapped) {
        OK(twill_array_create(tw, &p, type, 0, &a.array));
        return a;
    }
    a.memory = calloc((size_t)((m + 5) * (n + 1)), twill_type_size(type));
    assert_non_null(a.memory);
    OK(twill_array_wrap(tw, &p, type, 0, a.memory, m + 5, &a.array));
    return a;
}

void test_dense_free(test_dense *a)
{
    twill_array_free(a->array);
    free(a->memory);
}

int64_t *test_pivots(twill_array *ipiv)
{
    return test_unpack(ipiv);
}

/* ---- arithmetic that rounds after every operation ------------------------------------------ */

static bool is_single(twill_type type)
{
    return type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
}

static double rounded(twill_type type, double x)
{
    return is_single(type) ? (float)x : x;
}

static bool is_complex(twill_type type)
{
    return type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
}

static double complex times(twill_type t, double complex x, double complex y)
{
    if (!is_complex(t))
        return test_number(rounded(t, creal(x) * creal(y)), 0);
    double re = rounded(t, rounded(t, creal(x) * creal(y)) - rounded(t, cimag(x) * cimag(y)));
    double im = rounded(t, rounded(t, creal(x) * cimag(y)) + rounded(t, cimag(x) * creal(y)));
    return test_number(re, im);
}

static double complex minus(twill_type t, double complex x, double complex y)
{
    return test_number(rounded(t, creal(x) - creal(y)), rounded(t, cimag(x) - cimag(y)));
}

/* Quotients as Fortran forms them. */
static double complex over(twill_type t, double complex x, double complex y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    if (!is_complex(t))
        return test_number(rounded(t, a / c), 0);
    bool tall = fabs(c) < fabs(d);
    double ratio = rounded(t, tall ? c / d : d / c);
    double below = rounded(t, rounded(t, (tall ? c : d) * ratio) + (tall ? d : c));
    double re = rounded(t, tall ? rounded(t, a * ratio) + b : rounded(t, b * ratio) + a);
    double im = rounded(t, tall ? rounded(t, b * ratio) - a : b - rounded(t, a * ratio));
    return test_number(rounded(t, re / below), rounded(t, im / below));
}

/* ---- the factorization --------------------------------------------------------------------- */

static double size_of(double complex x)
{
    return fabs(creal(x)) + fabs(cimag(x));
}

static int64_t largest(twill_type type, const void *full, int64_t m, int64_t j)
{
    int64_t row = j;
    double most = rounded(type, size_of(test_load(full, type, j + j * m)));
    for (int64_t i = j + 1; i < m; i++) {
        double size = rounded(type, size_of(test_load(full, type, i + j * m)));
        if (size > most) {
            most = size;
            row = i;
        }
    }
    return row;
}

static void swap_rows(twill_type type, void *full, int64_t m, int64_t n, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < n; j++) {
        double complex x = test_load(full, type, i + j * m);
        test_store(full, type, i + j * m, test_load(full, type, k + j * m));
        test_store(full, type, k + j * m, x);
    }
}

static void eliminate(twill_type type, void *full, int64_t m, int64_t n, int64_t j)
{
    double complex pivot = test_load(full, type, j + j * m);
    bool safe = cabs(pivot) >= (is_single(type) ? FLT_MIN : DBL_MIN);
    double complex inverse = over(type, 1, pivot);
    for (int64_t i = j + 1; i < m && pivot != 0; i++) {
        double complex x = test_load(full, type, i + j * m);
        test_store(full, type, i + j * m,
                   safe || isnan(cabs(pivot)) ? times(type, x, inverse) : over(type, x, pivot));
    }
    for (int64_t k = j + 1; k < n; k++)
        for (int64_t i = j + 1; i < m; i++) {
            double complex product =
                times(type, test_load(full, type, i + j * m), test_load(full, type, j + k * m));
            test_store(full, type, i + k * m,
                       minus(type, test_load(full, type, i + k * m), product));
        }
}

int64_t test_lu(twill_type type, void *full, int64_t m, int64_t n, int64_t *pivots)
{
    int64_t info = 0;
    for (int64_t j = 0; j < m && j < n; j++) {
        int64_t row = largest(type, full, m, j);
        pivots[j] = row + 1;
        if (test_load(full, type, row + j * m) == 0)
            info = info ? info : j + 1;
        else
            swap_rows(type, full, m, n, j, row);
        eliminate(type, full, m, n, j);
    }
    return info;
}

/* ---- residuals ----------------------------------------------------------------------------- */

static double norm(twill_type type, const void *full, int64_t m, int64_t n)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += cabs(test_load(full, type, i + j * m));
        most = sum > most ? sum : most;
    }
    return most;
}

/* Entry (i, j) of L U. */
static double complex product(twill_type type, const void *factor, int64_t m, int64_t n, int64_t i,
                              int64_t j)
{
    double complex sum = 0;
    for (int64_t k = 0; k <= i && k <= j && k < n; k++)
        sum +=
            (i == k ? 1 : test_load(factor, type, i + k * m)) * test_load(factor, type, k + j * m);
    return sum;
}

double test_lu_residual(const test_type *type, const void *full, const void *factor,
                        const int64_t *pivots, int64_t m, int64_t n)
{
    size_t bytes = (size_t)(m * n) * twill_type_size(type->type);
    double most = 0, scale = norm(type->type, full, m, n), larger = (double)(m > n ? m : n);
    void *permuted = malloc(bytes + 1);
    assert_non_null(permuted);
    memcpy(permuted, full, bytes);
    for (int64_t i = 0; i < m && i < n; i++)
        swap_rows(type->type, permuted, m, n, i, pivots[i] - 1);
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += cabs(test_load(permuted, type->type, i + j * m) -
                        product(type->type, factor, m, n, i, j));
        most = isnan(most) || sum <= most ? most : sum; /* a NaN counts */
    }
    free(permuted);
    return most == 0 ? 0 : most / (scale * larger * type->eps);
}

double test_growth(twill_type type, const void *factor, int64_t m, int64_t n)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j + 1; i < m; i++)
            most = fmax(most, cabs(test_load(factor, type, i + j * m)));
    return most;
}
