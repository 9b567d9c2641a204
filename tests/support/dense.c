/* Whole matrices as complex numbers. */
#include "support/dense.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

dense dense_zeros(int64_t rows, int64_t cols)
{
    dense a = {rows, cols, calloc((size_t)(rows * cols + 1), sizeof(double complex))};
    assert_non_null(a.at);
    return a;
}

dense dense_identity(int64_t n)
{
    dense a = dense_zeros(n, n);
    for (int64_t i = 0; i < n; i++)
        a.at[i + i * n] = 1.0;
    return a;
}

dense dense_copy(dense a)
{
    dense b = dense_zeros(a.rows, a.cols);
    for (int64_t i = 0; i < a.rows * a.cols; i++)
        b.at[i] = a.at[i];
    return b;
}

void dense_free(dense a)
{
    free(a.at);
}

void dense_scale(dense a, double factor)
{
    for (int64_t i = 0; i < a.rows * a.cols; i++)
        a.at[i] = test_number(creal(a.at[i]) * factor, cimag(a.at[i]) * factor);
}

static double complex element(const void *full, twill_type type, int64_t rows, dense_shape shape,
                              twill_uplo uplo, int64_t i, int64_t j)
{
    if (shape == DENSE_GENERAL || (test_inside(uplo, i, j) && i != j))
        return test_load(full, type, i + j * rows);
    if (i == j) {
        double complex x = test_load(full, type, i + j * rows);
        return shape == DENSE_UNIT_TRIANGLE ? 1.0 : shape == DENSE_HERMITIAN ? creal(x) : x;
    }
    if (shape == DENSE_SYMMETRIC || shape == DENSE_HERMITIAN) {
        double complex x = test_load(full, type, j + i * rows);
        return shape == DENSE_HERMITIAN ? conj(x) : x;
    }
    return 0.0;
}

dense dense_of(const void *full, twill_type type, int64_t rows, int64_t cols, dense_shape shape,
               twill_uplo uplo)
{
    dense d = dense_zeros(rows, cols);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            d.at[i + j * rows] = element(full, type, rows, shape, uplo, i, j);
    return d;
}

dense dense_read(twill_array *a, dense_shape shape, twill_uplo uplo)
{
    const twill_pattern *p = twill_array_pattern(a);
    void *full = test_unpack(a);
    dense d = dense_of(full, twill_array_type(a), p->extent[0], p->extent[1], shape, uplo);
    free(full);
    return d;
}

static double complex op(dense a, char how, int64_t i, int64_t j)
{
    double complex x = how == 'N' ? a.at[i + j * a.rows] : a.at[j + i * a.rows];
    return how == 'C' ? conj(x) : x;
}

dense dense_op(dense a, char how)
{
    dense t = how == 'N' ? dense_zeros(a.rows, a.cols) : dense_zeros(a.cols, a.rows);
    for (int64_t j = 0; j < t.cols; j++)
        for (int64_t i = 0; i < t.rows; i++)
            t.at[i + j * t.rows] = op(a, how, i, j);
    return t;
}

void dense_multiply(double complex alpha, char ta, dense a, char tb, dense b, dense c)
{
    int64_t inner = ta == 'N' ? a.cols : a.rows;
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t k = 0; k < inner; k++) {
            double complex factor = alpha * op(b, tb, k, j);
            for (int64_t i = 0; i < c.rows; i++)
                c.at[i + j * c.rows] += op(a, ta, i, k) * factor;
        }
}

double dense_norm(dense a)
{
    double most = 0.0;
    for (int64_t j = 0; j < a.cols; j++) {
        double sum = 0.0;
        for (int64_t i = 0; i < a.rows; i++)
            sum += cabs(a.at[i + j * a.rows]);
        if (!(sum <= most))
            most = sum;
    }
    return most;
}

void dense_swap_rows(dense a, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < a.cols; k++) {
        double complex x = a.at[i + k * a.rows];
        a.at[i + k * a.rows] = a.at[j + k * a.rows];
        a.at[j + k * a.rows] = x;
    }
}

/* Row i minus `factor` times row k. */
static void subtract_row(dense a, int64_t i, int64_t k, double complex factor)
{
    for (int64_t j = 0; j < a.cols; j++)
        a.at[i + j * a.rows] -= factor * a.at[k + j * a.rows];
}

dense dense_solve(dense a, dense b)
{
    dense u = dense_copy(a), x = dense_copy(b);
    int64_t n = a.rows;
    for (int64_t k = 0; k < n; k++) {
        int64_t row = k;
        for (int64_t i = k + 1; i < n; i++)
            row = cabs(u.at[i + k * n]) > cabs(u.at[row + k * n]) ? i : row;
        dense_swap_rows(u, k, row);
        dense_swap_rows(x, k, row);
        for (int64_t i = 0; i < n; i++) {
            double complex factor = u.at[i + k * n] / u.at[k + k * n];
            if (i != k && factor != 0.0) {
                subtract_row(u, i, k, factor);
                subtract_row(x, i, k, factor);
            }
        }
    }
    for (int64_t j = 0; j < x.cols; j++)
        for (int64_t i = 0; i < n; i++)
            x.at[i + j * n] /= u.at[i + i * n];
    dense_free(u);
    return x;
}

double dense_ratio(double residual, double scale)
{
    return residual == 0.0 ? 0.0 : residual / scale;
}

double dense_solve_ratio(dense a, dense x, dense b, double eps)
{
    dense r = dense_copy(b);
    dense_multiply(-1.0, 'N', a, 'N', x, r);
    double value = dense_ratio(dense_norm(r), (double)a.rows * dense_norm(a) * dense_norm(x) * eps);
    dense_free(r);
    return value;
}

double dense_inverse_ratio(dense a, dense y, double eps)
{
    dense one = dense_identity(a.rows);
    double value = dense_solve_ratio(a, y, one, eps);
    dense_free(one);
    return value;
}

void *dense_lapack(twill *tw, twill_type type, const char *name)
{
    static const char letters[] = {[TWILL_FLOAT32] = 's',
                                   [TWILL_FLOAT64] = 'd',
                                   [TWILL_COMPLEX64] = 'c',
                                   [TWILL_COMPLEX128] = 'z'};
    const tw_blas *blas;
    char text[32];
    OK(tw_blas_get(tw, &blas));
    snprintf(text, sizeof text, "%c%s_", letters[type], name);
    return blas->library.symbol(&blas->library, text);
}
