#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    tile work[4] = {0};
    for (int i = 0; i < n; i++)
        row(&work[0], &A[i]);
}

// clang-format off
//! error 4:10 'work' is memory of the function's own, which tasks outlive; let it be an argument
