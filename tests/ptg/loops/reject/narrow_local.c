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
//! error 6:9 the condition '((char)(k * 100)) > 0' is converted to a type that may not hold it
