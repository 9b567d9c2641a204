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
//! error 5:5 'at' is changed outside of a kernel; let a kernel do that, or compute it from the loops
