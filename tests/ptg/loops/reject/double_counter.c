#include "ptg/loops/kernels.h"
void f(int n, tile A[16])
{
    for (double x = 0; x < n; x++)
        step(&A[0]);
}

// clang-format off
//! error 4:5 'x' counts the loop and is no integer of 32 or 64 bits
