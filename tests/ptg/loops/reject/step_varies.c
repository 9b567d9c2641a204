#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (int k = 1; k < n; k++)
        for (int i = 0; i < n; i += k)
            step(&A[i]);
}

// clang-format off
//! error 5:9 the loop over 'i' does not go on by a fixed step, as i++ or i += 2 do
