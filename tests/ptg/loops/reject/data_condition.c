#include "ptg/loops/kernels.h"
void f(int n, const double *x, tile A[16])
{
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            step(&A[i]);
}

// clang-format off
//! error 5:9 the condition 'x[i] > 0' is read from memory, which tasks may change
