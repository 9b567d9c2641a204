/* LAPACK's operation counts, by which rates are reported. */
#ifndef FLOPS_H
#define FLOPS_H

#include <twill/twill.h>

/* A complex multiplication is 6 real operations, a complex addition 2. */
static inline double flops_count(twill_type type, double multiplications, double additions)
{
    bool has_im = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
    return has_im ? 6 * multiplications + 2 * additions : multiplications + additions;
}

static inline double flops_potrf(twill_type type, int64_t order)
{
    double n = (double)order;
    return flops_count(type, n * n * n / 6 + n * n / 2 + n / 3, n * n * n / 6 - n / 6);
}

/* A product m by k times k by n that is added to something. */
static inline double flops_gemm(twill_type type, int64_t m, int64_t n, int64_t k)
{
    double pairs = (double)m * (double)n * (double)k;
    return flops_count(type, pairs, pairs);
}

/* A triangle of order n, updated by one matrix n by k, and by two. */
static inline double flops_syrk(twill_type type, int64_t order, int64_t k)
{
    double n = (double)order, pairs = (double)k * n * (n + 1) / 2;
    return flops_count(type, pairs, pairs);
}

static inline double flops_syr2k(twill_type type, int64_t order, int64_t k)
{
    double n = (double)order, pairs = (double)k * n * n;
    return flops_count(type, pairs, pairs + n);
}

/* A triangle of that order times that many vectors; a solve takes as many. */
static inline double flops_trmm(twill_type type, int64_t order, int64_t vectors)
{
    double n = (double)order, r = (double)vectors;
    return flops_count(type, r * n * (n + 1) / 2, r * n * (n - 1) / 2);
}

/* LAPACK's counts for m >= n with the roles exchanged otherwise; LQ is QR of the transpose, but for
 * terms of lower order. */
static inline double flops_geqrf(twill_type type, int64_t rows, int64_t cols)
{
    double m = (double)rows, n = (double)cols, k = m < n ? m : n, l = m < n ? n : m;
    double both = k * k * (l - k / 3);
    double first = m >= n ? k * (k / 2 + l + 23.0 / 6) : k * (2 * l - k / 2 + 23.0 / 6);
    double second = m >= n ? k * (k / 2 + 5.0 / 6) : k * (l - k / 2 + 5.0 / 6);
    return flops_count(type, both + first, both + second);
}

static inline double flops_gelqf(twill_type type, int64_t rows, int64_t cols)
{
    return flops_geqrf(type, cols, rows);
}

/* Q or its inverse applied to the right-hand sides, and the triangular system. */
static inline double flops_gels(twill_type type, int64_t rows, int64_t cols, int64_t nrhs)
{
    double k = (double)(rows < cols ? rows : cols), l = (double)(rows < cols ? cols : rows);
    double pairs = (double)nrhs * k * (2 * l - k + k / 2);
    return flops_geqrf(type, rows, cols) + flops_count(type, pairs, pairs);
}

/* Q of k reflectors applied to an m by n matrix, and its first columns (LQ: rows), m by n. */
static inline double flops_unmqr(twill_type type, bool left, int64_t rows, int64_t cols,
                                 int64_t reflectors)
{
    double m = (double)rows, n = (double)cols, k = (double)reflectors;
    double pairs = 2 * n * m * k - (left ? n : m) * k * k;
    return flops_count(type, pairs + (left ? 2 * n * k : m * k + n * k - k * k / 2 + k / 2),
                       pairs + (left ? n : m) * k);
}

static inline double flops_ungqr(twill_type type, int64_t rows, int64_t cols, int64_t reflectors)
{
    double m = (double)rows, n = (double)cols, k = (double)reflectors;
    double both = 2 * m * n + k * (2 * k / 3 - (m + n));
    return flops_count(type, k * (both + 2 * n - 5.0 / 3 - k), k * (both + n - m + 1.0 / 3));
}

static inline double flops_unglq(twill_type type, int64_t rows, int64_t cols, int64_t reflectors)
{
    double m = (double)rows, n = (double)cols, k = (double)reflectors;
    double both = 2 * m * n + k * (2 * k / 3 - (m + n));
    return flops_count(type, k * (both + m + n - 2.0 / 3 - k), k * (both + m - n + 1.0 / 3));
}

/* LU of an m by n matrix, a solve with its factors, and the inverse from them. */
static inline double flops_getrf(twill_type type, int64_t rows, int64_t cols)
{
    double k = (double)(rows < cols ? rows : cols), l = (double)(rows < cols ? cols : rows);
    return flops_count(type, k * (k * (l - k / 3 - 1) + l) / 2 + 2 * k / 3,
                       k * (k * (l - k / 3) - l) / 2 + k / 6);
}

static inline double flops_getrs(twill_type type, int64_t order, int64_t vectors)
{
    double n = (double)order, r = (double)vectors;
    return flops_count(type, r * n * n, r * n * (n - 1));
}

static inline double flops_getri(twill_type type, int64_t order)
{
    double n = (double)order;
    return flops_count(type, n * (5.0 / 6 + n * (2 * n / 3 + 0.5)),
                       n * (5.0 / 6 + n * (2 * n / 3 - 1.5)));
}

/* A solve with a triangular factor and its transpose. */
static inline double flops_potrs(twill_type type, int64_t order, int64_t vectors)
{
    double n = (double)order, r = (double)vectors;
    return flops_count(type, r * n * (n + 1), r * n * (n - 1));
}

static inline double flops_trtri(twill_type type, int64_t order)
{
    double n = (double)order;
    return flops_count(type, n * n * n / 6 + n * n / 2 + n / 3, n * n * n / 6 - n * n / 2 + n / 3);
}

static inline double flops_lauum(twill_type type, int64_t order)
{
    double n = (double)order;
    return flops_count(type, n * n * n / 6 + n * n / 2 + n / 3, n * n * n / 6 - n / 6);
}

static inline double flops_sytrf(twill_type type, int64_t order)
{
    double n = (double)order;
    return flops_count(type, n * n * n / 6 + n * n / 2 + 10 * n / 3, n * n * n / 6 - n / 6);
}

#endif
