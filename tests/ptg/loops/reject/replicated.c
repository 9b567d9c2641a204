#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
#pragma omp parallel num_threads(2)
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : A[k])
        step(&A[k]);
    }
}

// clang-format off
//! error 6:1 every thread of the parallel region comes here
