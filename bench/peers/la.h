/*
 * What the peers of the benchmarks of linear algebra have in common: the entries of their matrices,
 * and LAPACK's counts of operations.
 */
#ifndef TWILL_BENCH_PEERS_LA_H
#define TWILL_BENCH_PEERS_LA_H

#include <stdint.h>

/* Entry (i, j) of a random matrix; with a diagonal to add, it is symmetric. */
static inline double la_entry(double diagonal, int i, int j)
{
    int low = diagonal > 0 && i < j ? i : j, high = low == i ? j : i;
    uint64_t mixed = ((uint64_t)high << 32 | (uint64_t)low) * UINT64_C(0x9e3779b97f4a7c15);

    mixed ^= mixed >> 29;
    mixed *= UINT64_C(0xbf58476d1ce4e5b9);
    return (double)(mixed >> 40) / (double)(1 << 24) - 0.5 + (i == j ? diagonal : 0.0);
}

static inline double la_flops_potrf(double m, double n)
{
    (void)m;
    return n * n * n / 3 + n * n / 2 + n / 6;
}

static inline double la_flops_getrf(double m, double n)
{
    double k = m < n ? m : n, l = m < n ? n : m;

    return l * k * k - k * k * k / 3 - k * k / 2 + 5 * k / 6;
}

static inline double la_flops_geqrf(double m, double n)
{
    double k = m < n ? m : n, l = m < n ? n : m;

    return 2 * k * k * (l - k / 3) + k * (k + l + 14.0 / 3);
}

static inline double la_flops_gemm(double m, double n)
{
    return 2 * m * n * n;
}

#endif
