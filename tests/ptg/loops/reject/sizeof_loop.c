#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 0; k < n; k++)
        scaled(sizeof(k), &A[k]);
}

// clang-format off
//! error 5:9 'sizeof (k)' names a variable, and tasks have other ones
