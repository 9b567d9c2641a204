#include "ptg/loops/kernels.h"
void tick(int i);
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
        step(&A[i]);
        tick(i);
    }
}

// clang-format off
//! error 7:9 tick gets no tile, so nothing says when it may run
