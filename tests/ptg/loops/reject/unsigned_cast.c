#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        if ((uint32_t)(k - 1) < 3)
            step(&A[k]);
}

// clang-format off
//! error 5:9 the condition '((uint32_t)(k - 1)) < 3' is unsigned and may fall below 0
