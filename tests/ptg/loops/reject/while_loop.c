#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    int i = 0;
    while (i < n)
        step(&A[i]);
}

// clang-format off
//! error 5:5 how often a while loop runs is not known; write it as a for loop with affine bounds
