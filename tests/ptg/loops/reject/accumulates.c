#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        step(&A[at]);
        at += i;
    }
}

// clang-format off
//! error 6:9 'at' is changed on the way here, so its value is not known; compute it from the loops
