#include "ptg/loops/kernels.h"
static void own(tile *a)
{
    step(a);
}
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        own(&A[k]);
}

// clang-format off
//! error 2:13 own is static, and another file would have to call it
