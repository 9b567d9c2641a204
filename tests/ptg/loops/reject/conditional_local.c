#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++) {
        int at = i;
        if (i > 2)
            at = 0;
        step(&A[at]);
    }
}

// clang-format off
//! error 6:9 'at' is changed inside a loop or a condition; declare it there, as a function of the loops
