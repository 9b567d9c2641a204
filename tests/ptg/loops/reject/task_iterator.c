#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++) {
#pragma omp task depend(iterator(i = 0 : n), in : A[i])
        step(&A[k]);
    }
}

// clang-format off
//! error 5:1 the clause 'depend' of a task is not understood
