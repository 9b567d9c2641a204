#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
#pragma twill here(A[0])
        step(&A[i]);
}

// clang-format off
//! error 5:1 #pragma twill has on(TILE), priority(NUMBER) and tile(ARRAY, ELEMENTS), and this is none of them
