#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    n = n - 1;
    for (int i = 0; i < n; i++)
        step(&A[i]);
}

// clang-format off
//! error 2:6 'n' is changed on the way here, so its value is not known
