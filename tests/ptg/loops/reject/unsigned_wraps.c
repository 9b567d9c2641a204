#include "ptg/loops/kernels.h"
void f(unsigned n, tile A[16])
{
    for (unsigned i = n - 1; i > 0; i--)
        step(&A[i]);
}

// clang-format off
//! error 4:5 the loop begins at 'n - 1', which is unsigned and may fall below 0, where it wraps around; use int
