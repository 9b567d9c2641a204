/* The text of a solver of strips, for doubles unless REAL, VECTOR and SOLVE say otherwise. Four
 * columns at a time are kept in registers, so that each element of U serves a whole strip. */
#include "la/strip.h"

#ifndef REAL
#define REAL double
#define VECTOR vector_f64
#define SOLVE solve_f64
#endif

typedef REAL VECTOR __attribute__((vector_size(64)));

static void SOLVE(int order, const void *triangle, const void *inverses, void *strip)
{
    const REAL *inverse = inverses;
    VECTOR *x = strip;
    for (int j = 0; j < order; j += 4) {
        const REAL *u = (const REAL *)triangle + j;
        VECTOR a0 = x[2 * j], a1 = x[2 * j + 2], a2 = x[2 * j + 4], a3 = x[2 * j + 6];
        VECTOR b0 = x[2 * j + 1], b1 = x[2 * j + 3], b2 = x[2 * j + 5], b3 = x[2 * j + 7];
        for (int l = 0; l < j; l++, u += TW_STRIP_ORDER) {
            VECTOR a = x[2 * l], b = x[2 * l + 1];
            a0 -= a * u[0], b0 -= b * u[0];
            a1 -= a * u[1], b1 -= b * u[1];
            a2 -= a * u[2], b2 -= b * u[2];
            a3 -= a * u[3], b3 -= b * u[3];
        }
        a0 *= inverse[j], b0 *= inverse[j];
        a1 -= a0 * u[1], b1 -= b0 * u[1];
        a2 -= a0 * u[2], b2 -= b0 * u[2];
        a3 -= a0 * u[3], b3 -= b0 * u[3];
        u += TW_STRIP_ORDER;
        a1 *= inverse[j + 1], b1 *= inverse[j + 1];
        a2 -= a1 * u[2], b2 -= b1 * u[2];
        a3 -= a1 * u[3], b3 -= b1 * u[3];
        u += TW_STRIP_ORDER;
        a2 *= inverse[j + 2], b2 *= inverse[j + 2];
        a3 -= a2 * u[3], b3 -= b2 * u[3];
        a3 *= inverse[j + 3], b3 *= inverse[j + 3];
        x[2 * j] = a0, x[2 * j + 2] = a1, x[2 * j + 4] = a2, x[2 * j + 6] = a3;
        x[2 * j + 1] = b0, x[2 * j + 3] = b1, x[2 * j + 5] = b2, x[2 * j + 7] = b3;
    }
}
