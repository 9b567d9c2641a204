#include "ptg/loops/kernels.h"
void many(int count, ...);
void f(int n, tile A[16])
{
    for (int i = 0; i < n; i++)
        many(1, &A[i]);
}

// clang-format off
//! error 6:9 many takes any number of arguments, so what it does with them is not known
