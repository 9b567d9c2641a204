#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        step(&A[i])
}

// clang-format off
//! error 5:20 expected ';' after expression
