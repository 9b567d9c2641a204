#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = n;; i--)
        step(&A[i]);
}

// clang-format off
//! error 4:5 the loop has no end
