#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : A[k]) if (k > 2)
        step(&A[k]);
    }
}

// clang-format off
//! error 5:1 the clause 'if' of a task is not understood
