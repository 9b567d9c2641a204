#include "ptg/loops/kernels.h"
int n;
void f(tile A[16])
{
    for (int i = 0; i < n; i++)
        step(&A[i]);
}

// clang-format off
//! error 5:5 the loop runs while 'i < n', which may change while the function runs; copy it into a const local before the loops
