#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    unsigned m = 0;
    for (int k = 0; k < n; k++)
        if (k - 3 < m)
            step(&A[k]);
}

// clang-format off
//! error 6:9 the condition '(k - 3) < ((unsigned int)0)' compares an unsigned number with one that may be negative
