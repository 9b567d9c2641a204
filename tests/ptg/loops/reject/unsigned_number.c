#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        if (k - 1u < 3)
            step(&A[k]);
}

// clang-format off
//! error 5:9 the condition '(k - 1U) < 3' is unsigned and may fall below 0
