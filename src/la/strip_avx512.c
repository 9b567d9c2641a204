/* Kernels of strips for processors with AVX-512; the build gives this file their instructions. */
#include "la/strip.h"

#define REAL float
#define VECTOR vector_f32
#define SOLVE solve_f32
#include "la/strip_solve.inc"
#undef REAL
#undef VECTOR
#undef SOLVE

#define REAL double
#define VECTOR vector_f64
#define SOLVE solve_f64
#include "la/strip_solve.inc"

tw_strip_solver *tw_strip_kernel(bool single)
{
    if (!__builtin_cpu_supports("avx512f"))
        return NULL;
    return single ? solve_f32 : solve_f64;
}
