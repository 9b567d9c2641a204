#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        row(&A[i], &A[2 * i - 3]);
}

// clang-format off
//! error 5:9 row gets the same tile of A as two arguments and writes one of them; give it the tile once
