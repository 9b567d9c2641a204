#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        if ((k - 5) % 3u == 0)
            step(&A[k]);
}

// clang-format off
//! error 5:9 the condition '((k - 5) % 3U) == 0' is unsigned and may fall below 0
