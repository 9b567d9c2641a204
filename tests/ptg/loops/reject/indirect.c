#include "ptg/loops/kernels.h"
void f(int n, const int *at, tile A[16])
{
    for (int i = 0; i < n; i++)
        step(&A[at[i]]);
}

// clang-format off
//! error 5:9 the index 'at[i]' of 'A' is read from memory, which tasks may change
