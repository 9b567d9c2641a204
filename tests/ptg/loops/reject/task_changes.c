#include "ptg/loops/kernels.h"
int f(int n, tile A[16])
{
    int count = 0;
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : A[k]) shared(count)
        {
            step(&A[k]);
            count++;
        }
    }
    return count;
}

// clang-format off
//! error 6:1 the task changes 'count', a variable of the function around it
