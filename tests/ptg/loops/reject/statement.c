#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        A[i] = A[i] + 1;
}

// clang-format off
//! error 0:0 no function here has loops that call kernels
