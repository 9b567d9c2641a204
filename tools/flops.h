/* LAPACK's operation counts, by which rates are reported. */
#ifndef FLOPS_H
#define FLOPS_H

#include <twill/twill.h>

/* A complex multiplication is 6 real operations, a complex addition 2. */
static inline double flops_count(twill_type type, double multiplications, double additions)
{
    bool complex = type == TWILL_C32 || type == TWILL_C64;
    return complex ? 6 * multiplications + 2 * additions : multiplications + additions;
}

static inline double flops_potrf(twill_type type, int64_t order)
{
    double n = (double)order;
    return flops_count(type, n * n * n / 6 + n * n / 2 + n / 3, n * n * n / 6 - n / 6);
}

#endif
