#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        f(i, A);
}

// clang-format off
//! error 5:9 'f' calls itself; how deep is not known
