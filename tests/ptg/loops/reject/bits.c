#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        step(&A[k & 3]);
}

// clang-format off
//! error 5:9 the index 'k & 3' of 'A' is not linear
