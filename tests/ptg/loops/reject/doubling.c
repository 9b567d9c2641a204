#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int i = 1; i < n; i *= 2)
        step(&A[i]);
}

// clang-format off
//! error 4:5 the loop over 'i' does not go on by a fixed step, as i++ or i += 2 do
