#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
#pragma omp task
        step(&A[i]);
}

// clang-format off
//! error 5:1 the task has no depend list, so nothing says when it may run
