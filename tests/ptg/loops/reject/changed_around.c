#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    int i = 5;
    for (int k = 0; k < n; k++) {
        step(&A[i]);
        for (i = 0; i < k; i++)
            row(&A[i], &A[i + 1]);
    }
}

// clang-format off
//! error 6:9 'i' is changed on the way here, so its value is not known
