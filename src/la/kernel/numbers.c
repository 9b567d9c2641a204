/* Loops over elements, one per type and purpose. */
#include "la/kernel/numbers.h"

#include <math.h>
#include <string.h>

/* Elements beside one another, which compilers make vectors of. */
static void load_run(double *to, const void *from, twill_type type, int64_t at, int64_t n)
{
    bool is_complex = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
    int64_t count = is_complex ? 2 * n : n, first = is_complex ? 2 * at : at;
    const float *single = (const float *)from + first;
    if (type == TWILL_FLOAT32 || type == TWILL_COMPLEX64)
        for (int64_t i = 0; i < count; i++)
            to[i] = single[i];
    else
        memcpy(to, (const double *)from + first, (size_t)count * sizeof *to);
}

void tw_numbers_load(double *to, const void *from, twill_type type, int64_t at, int64_t stride,
                     int64_t n)
{
    const float *single = from;
    const double *real = from;
    if (stride == 1) {
        load_run(to, from, type, at, n);
        return;
    }
    switch (type) {
    case TWILL_FLOAT32:
        for (int64_t i = 0; i < n; i++)
            to[i] = single[at + i * stride];
        break;
    case TWILL_COMPLEX64:
        for (int64_t i = 0; i < n; i++) {
            to[2 * i] = single[2 * (at + i * stride)];
            to[2 * i + 1] = single[2 * (at + i * stride) + 1];
        }
        break;
    case TWILL_COMPLEX128:
        for (int64_t i = 0; i < n; i++) {
            to[2 * i] = real[2 * (at + i * stride)];
            to[2 * i + 1] = real[2 * (at + i * stride) + 1];
        }
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            to[i] = real[at + i * stride];
        break;
    }
}

void tw_numbers_store(void *to, twill_type type, int64_t at, const double *from, int64_t n)
{
    bool is_complex = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
    int64_t count = is_complex ? 2 * n : n;
    at *= is_complex ? 2 : 1;
    if (type == TWILL_FLOAT32 || type == TWILL_COMPLEX64) {
        for (int64_t i = 0; i < count; i++)
            ((float *)to)[at + i] = (float)from[i];
    } else {
        for (int64_t i = 0; i < count; i++)
            ((double *)to)[at + i] = from[i];
    }
}

/* The square can be represented, and is far from where it loses digits: the root of the sum is as
 * good as hypot, and much faster. */
static double magnitude(double re, double im)
{
    double square = re * re + im * im;
    return square > 0x1p-900 && square < 0x1p1000 ? sqrt(square) : hypot(re, im);
}

/* hypot takes an infinite part to be decisive whatever the other one is; for norms NaN is. */
static double magnitude_or_nan(double re, double im)
{
    return isnan(re) || isnan(im) ? NAN : magnitude(re, im);
}

void tw_magnitudes(double *to, const void *from, twill_type type, int64_t at, int64_t n)
{
    const float *single = from;
    const double *real = from;
    switch (type) {
    case TWILL_FLOAT32:
        for (int64_t i = 0; i < n; i++)
            to[i] = fabs((double)single[at + i]);
        break;
    case TWILL_COMPLEX64: /* squares of single precision numbers are no problem in double precision
                           */
        for (int64_t i = 0; i < n; i++) {
            double re = single[2 * (at + i)], im = single[2 * (at + i) + 1];
            to[i] = sqrt(re * re + im * im);
        }
        break;
    case TWILL_COMPLEX128:
        for (int64_t i = 0; i < n; i++)
            to[i] = magnitude_or_nan(real[2 * (at + i)], real[2 * (at + i) + 1]);
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            to[i] = fabs(real[at + i]);
        break;
    }
}

void tw_numbers_scale(double *x, twill_scalar alpha, bool is_complex, int64_t n)
{
    if (!is_complex || alpha.im == 0.0) {
        for (int64_t i = 0; i < (is_complex ? 2 * n : n); i++)
            x[i] *= alpha.re;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double re = x[2 * i], im = x[2 * i + 1];
        x[2 * i] = alpha.re * re - alpha.im * im;
        x[2 * i + 1] = alpha.re * im + alpha.im * re;
    }
}

void tw_numbers_add(double *x, twill_scalar beta, const double *y, bool is_complex, int64_t n)
{
    if (!is_complex || beta.im == 0.0) {
        for (int64_t i = 0; i < (is_complex ? 2 * n : n); i++)
            x[i] += beta.re * y[i];
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        double re = y[2 * i], im = y[2 * i + 1];
        x[2 * i] += beta.re * re - beta.im * im;
        x[2 * i + 1] += beta.re * im + beta.im * re;
    }
}

void tw_numbers_conjugate(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[2 * i + 1] = -x[2 * i + 1];
}

/* Without an end before the last one: the compiler takes many at a time. */
bool tw_numbers_finite(const void *x, twill_type type, int64_t n)
{
    const float *f = x;
    const double *d = x;
    bool finite = true;
    n *= type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128 ? 2 : 1;
    if (type == TWILL_FLOAT32 || type == TWILL_COMPLEX64)
        for (int64_t i = 0; i < n; i++)
            finite &= isfinite(f[i]) != 0;
    else
        for (int64_t i = 0; i < n; i++)
            finite &= isfinite(d[i]) != 0;
    return finite;
}
