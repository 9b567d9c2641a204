#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++) {
        char c = k * 100;
        if (c > 0)
            step(&A[k]);
    }
}

// clang-format off
//! error 5:14 '(char)(k * 100)' is converted to a type that may not hold it
