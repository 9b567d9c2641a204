#include "ptg/loops/kernels.h"
void f(int n, tile A[16][16])
{
    for (int i = 0; i < n; i++) {
        step(&A[i][0]);
        step(A[i]);
    }
}

// clang-format off
//! error 6:9 'A' is once an array of tiles and once one of pointers to tiles
