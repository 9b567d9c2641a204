#include "ptg/loops/kernels.h"
#include <string.h>
int f(int n, tile A[16])
{
    int info = 0;
    for (int k = 0; k < n; k++) {
#pragma omp task depend(inout : A[k]) shared(info)
        {
            step(&A[k]);
            memcpy(&info, &k, sizeof info);
        }
    }
    return info;
}

// clang-format off
//! error 13:5 the function returns 'info', which tasks may have changed
