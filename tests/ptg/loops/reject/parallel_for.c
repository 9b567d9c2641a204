#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        step(&A[i]);
}

// clang-format off
//! error 4:1 this directive of OpenMP is not understood: of them only task, taskwait, and parallel, single and master around tasks are
