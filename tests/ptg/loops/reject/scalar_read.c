#include "ptg/loops/kernels.h"
void scale(tile *x, tile by);
void f(int n, tile A[16])
{
    for (int i = 1; i < n; i++)
        scale(&A[i], A[0]);
}

// clang-format off
//! error 6:9 argument 2 of scale, 'A[0]', is read from memory when the call is made, and tasks may change it; copy it into a local before the loops
