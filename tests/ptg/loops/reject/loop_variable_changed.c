#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
        step(&A[i]);
        i = i + 1;
    }
}

// clang-format off
//! error 4:5 'i' is changed inside a loop or a condition; declare it there, as a function of the loops
