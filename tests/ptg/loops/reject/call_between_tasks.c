#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : A[i])
        step(&A[i]);
        step(&A[0]);
    }
}

// clang-format off
//! error 7:9 a call outside of any task; make it a task with its depend lists, or move it out of this function
