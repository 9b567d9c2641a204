#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
        step(&A[i]);
        if (i == 3)
            break;
    }
}

// clang-format off
//! error 7:13 break is not understood: only for, if, continue and return may direct the course of a function of tiles
