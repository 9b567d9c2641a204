#include "ptg/loops/kernels.h"
static void insert(tile *a, tile x)
{
#pragma omp task depend(inout : a[0])
    scaled((double)x, a);
}
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        insert(&A[k], A[0]);
}

// clang-format off
//! error 10:9 'A[0]' is read from memory, which tasks may change
